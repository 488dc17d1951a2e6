//! Blocks: the memory of components in the heap of an image.
//!
//! Idea: a header before a block contains the data that other images need to get the object as a whole,
//! because the compiler does not tell them which of its words are addresses of components: see
//! [`crate::object`].
//!
//! Cost: 64 bytes per component.

use crate::abi::Dtype;
use crate::failure::{Image, Result};
use hcube_core::error::Error;
use std::ptr;

/// Bytes before the memory of a component: a cache line, so that it is aligned as all memory of the heap.
const HEAD_BYTES: usize = 64;
/// The first word of a head: no address, and hardly a number.
const MARK: u64 = 0x5f68_6375_6265_ca0f;

/// The header before the memory of a component.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    mark: u64,
    /// Bytes of the memory.
    pub bytes: u64,
    /// The address of the token of the component in its image.
    pub token: u64,
    /// Bytes of an element.
    pub element: u64,
    /// The type of elements.
    pub kind: i32,
    /// Dimensions.
    pub rank: i32,
}

const _: () = assert!(size_of::<Head>() <= HEAD_BYTES);

impl Head {
    /// One of these bytes, token, bytes of an element, type and dimensions.
    pub const fn new(bytes: u64, token: u64, element: u64, (kind, rank): (i32, i32)) -> Self {
        Self { mark: MARK, bytes, token, element, kind, rank }
    }
}

/// The head of memory.
fn head_of(memory: *mut u8) -> *mut Head {
    memory.wrapping_sub(HEAD_BYTES).cast()
}

/// The head before an address, if the memory of a component begins there.
///
/// # Safety
/// Memory between the addresses `heap` can be read.
pub unsafe fn head_at(address: usize, heap: &std::ops::Range<usize>) -> Option<Head> {
    let is_inside = address.checked_sub(HEAD_BYTES).is_some_and(|begin| begin >= heap.start);
    if !is_inside || address >= heap.end || !address.is_multiple_of(align_of::<Head>()) {
        return None;
    }
    // SAFETY: the address is aligned, and the bytes before it are in the heap, which can be read.
    let head = unsafe { head_of(ptr::with_exposed_provenance_mut(address)).read() };
    let fits = head.bytes as usize <= heap.end - address;
    (head.mark == MARK && fits).then_some(head)
}

/// Bytes of memory and its head; none if no object has as many bytes. The compiler passes every size below
/// 2^64.
fn with_head(bytes: usize) -> Option<usize> {
    bytes.checked_add(HEAD_BYTES).filter(|&all| isize::try_from(all).is_ok())
}

/// Allocates memory in the heap of this image.
pub fn allocate(image: &Image, bytes: usize, dtype: Dtype) -> Result<*mut u8> {
    let bytes = bytes.max(1);
    let all = with_head(bytes).ok_or_else(|| Error::Memory(format!("{bytes} bytes for a component")))?;
    let memory = image.allocate_own(all)?.wrapping_add(HEAD_BYTES);
    let head = Head::new(bytes as u64, 0, dtype.elem_len as u64, (dtype.kind.into(), dtype.rank.into()));
    // SAFETY: allocated above, with room for it, aligned to lines.
    unsafe { head_of(memory).write(head) };
    Ok(memory)
}

/// The component whose memory it is has this token.
///
/// # Safety
/// The memory was allocated by [`allocate`] and not freed.
pub unsafe fn note_token(memory: *mut u8, token: usize) {
    // SAFETY: `allocate` has put a head before the memory, which was not freed.
    unsafe { (*head_of(memory)).token = token as u64 };
}

/// Frees memory of [`allocate`]; other memory is an error.
///
/// # Safety
/// An address in the heap of this image, after its first bytes.
pub unsafe fn free(image: &Image, memory: *mut u8) -> Result<()> {
    let head = head_of(memory);
    // SAFETY: the address is in the heap of this image, after its first bytes: the bytes before it can be
    // read and written.
    unsafe {
        // The target of a pointer of the program.
        if (*head).mark != MARK {
            return Ok(image.free_own(memory)?);
        }
        (*head).mark = 0;
    }
    Ok(image.free_own(head.cast())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn components_of_any_size_have_a_head_or_no_memory(bytes in sizes()) {
            let all = bytes as u128 + HEAD_BYTES as u128;
            let expected = (all <= isize::MAX as u128).then_some(all);
            prop_assert_eq!(with_head(bytes).map(|all| all as u128), expected);
        }
    }
}
