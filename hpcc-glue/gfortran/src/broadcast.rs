//! Broadcasts to the images of the current team.
//!
//! Idea: for an object whose type has allocatable components, gfortran calls the library once for each
//! component, and then for each object inside of it as a whole, with the addresses of its components on the
//! broadcasting image. The receiving object keeps its own tokens, and its own words in place of addresses
//! that were broadcast before.
//!
//! Restrictions: components have the same allocation status and shape on all images, as the calls of gfortran
//! require.
//! Cost: see [`hcube_caf::collective`]; a table lookup per word of an object. Memory: the copy of an object,
//! and a word for each address since the last statement other than a broadcast.

use crate::abi::{Descriptor, kind};
use crate::failure::{Image, Result};
use crate::reduce::Block;
use crate::reference::object::may_have_components;
use crate::statistics;
use crate::team::current;
use crate::token::Token;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ffi::c_int;

/// Bytes of an address.
const WORD: usize = size_of::<usize>();

thread_local! {
    /// The addresses of what was broadcast since the last statement of another kind.
    static ADDRESSES: RefCell<HashSet<usize>> = RefCell::default();
    /// Whether there are any.
    static HAS_ADDRESSES: Cell<bool> = const { Cell::new(false) };
}

/// Another statement begins: what was broadcast may be freed in the meantime.
#[inline]
pub fn forget() {
    if HAS_ADDRESSES.replace(false) {
        ADDRESSES.with_borrow_mut(HashSet::clear);
    }
}

/// Collective over the current team: all images get the elements of the image with a number.
///
/// # Safety
/// As [`reduce`](crate::reduce::reduce).
pub unsafe fn broadcast(image: &Image, descriptor: &Descriptor, source: c_int) -> Result<()> {
    let root = current().rank_of(source)?;
    // The token of a component that is a scalar, which is of no use to other images.
    if descriptor.dtype.kind == kind::VOID {
        return Ok(());
    }
    // SAFETY: a living descriptor of the compiler, whose elements can be read.
    let mut block = unsafe { Block::of(descriptor) };
    let is_object = may_have_components(descriptor.dtype.kind);
    let region = block.region();
    statistics::note_bytes(region.len());
    let mut before = Vec::new();
    if is_object && root != current().rank {
        region.append_to(&mut before);
    }
    image.broadcast(current().handle, root, region)?;
    if !before.is_empty() {
        // SAFETY: the elements of the program or their copy, which nobody else accesses meanwhile.
        keep_own(unsafe { std::slice::from_raw_parts_mut(region.address(), region.len()) }, &before);
    }
    // SAFETY: the elements of the descriptor may be written.
    unsafe { block.unpack() };
    if !descriptor.base.is_null() {
        HAS_ADDRESSES.set(true);
        ADDRESSES.with_borrow_mut(|all| all.insert(descriptor.base.addr()));
    }
    Ok(())
}

/// Restores an object's own words.
fn keep_own(object: &mut [u8], before: &[u8]) {
    ADDRESSES.with_borrow(|addresses| {
        for (now, before) in object.chunks_exact_mut(WORD).zip(before.chunks_exact(WORD)) {
            let word = usize::from_ne_bytes(before.try_into().expect("a word"));
            if addresses.contains(&word) || Token::of_component(word).is_some() {
                now.copy_from_slice(before);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_addresses_of_what_was_broadcast() {
        ADDRESSES.with_borrow_mut(|all| all.extend([0x7000, 0x8000]));
        HAS_ADDRESSES.set(true);
        let bytes = |words: [usize; 3]| words.map(usize::to_ne_bytes).concat();
        let mut object = bytes([5, 0x9000, 0xa000]);
        keep_own(&mut object, &bytes([4, 0x8000, 0]));
        assert_eq!(object, bytes([5, 0x8000, 0xa000]));
        forget();
        keep_own(&mut object, &bytes([4, 0x7000, 0]));
        assert_eq!(object, bytes([5, 0x8000, 0xa000]));
    }
}
