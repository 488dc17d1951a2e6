//! Registration of coarrays and of their components, by which the compiler allocates and frees them.

use super::component::{allocate_component, forget, free_component, is_component, new_component};
use super::{Content, Token, UNKNOWN};
use crate::abi::{Descriptor, Dimension, MAX_RANK, registration};
use crate::failure::{Failure, Image, Result};
use crate::team;
use hcube_caf::coarray::Use;
use std::cell::{Cell, RefCell};
use std::ptr;

/// A descriptor with room for all dimensions.
#[repr(C)]
struct WholeDescriptor {
    head: Descriptor,
    dimensions: [Dimension; MAX_RANK],
}

/// Registers a coarray or a component.
///
/// # Safety
/// The descriptor is one of the compiler; the place can be read and written.
pub unsafe fn register(
    image: &Image,
    size: usize,
    kind: i32,
    place: *mut *mut Token,
    descriptor: *mut Descriptor,
) -> Result<()> {
    let is_component = image.place_of_address(place.cast()).is_some();
    // SAFETY: a living descriptor of the compiler, and a place of a token that can be written.
    unsafe {
        match kind {
            registration::COMPONENT => {
                place.write(new_component(descriptor));
                Ok(())
            }
            registration::COMPONENT_MEMORY => allocate_component(image, size, place, descriptor),
            registration::STATIC | registration::ALLOCATED if is_component => {
                allocate_component(image, size, place, descriptor)
            }
            registration::STATIC..=registration::EVENTS_ALLOCATED => {
                let token = allocate(image, size, kind, descriptor)?;
                (*descriptor).base = token.own();
                let is_fresh = !token.is_copied.get();
                let token = Box::into_raw(Box::new(token));
                if is_fresh {
                    FRESH.with_borrow_mut(|all| all.push(token));
                }
                place.write(token);
                Ok(())
            }
            other => {
                Err(Failure::new(format!("registration of type {other}: expected one of gfortran 12 to 14")))
            }
        }
    }
}

thread_local! {
    /// Tokens of coarrays whose bounds the compiler has still to set.
    static FRESH: RefCell<Vec<*const Token>> = const { RefCell::new(Vec::new()) };
}

/// The coarrays that were allocated have their bounds now: their descriptors are copied.
pub fn settle() {
    if FRESH.with_borrow(Vec::is_empty) {
        return;
    }
    for token in FRESH.take() {
        // SAFETY: returned and not freed, or it would not be in the list; its descriptor is the variable that
        // was allocated.
        unsafe {
            let token = &*token;
            token.descriptor.set(kept(token.descriptor.get()));
            token.is_copied.set(true);
        }
    }
}

/// Collective over the current team: a coarray, events or locks.
///
/// # Safety
/// As [`register`].
unsafe fn allocate(image: &Image, size: usize, kind: i32, descriptor: *mut Descriptor) -> Result<Token> {
    let team = team::current();
    let (content, bytes, memory) = match kind {
        registration::STATIC | registration::ALLOCATED => {
            let bytes = part_bytes(size);
            let handle = image.allocate(team.handle, bytes, Use::Data)?;
            (Content::Data(handle), size, image.address(handle)?)
        }
        registration::EVENTS_STATIC | registration::EVENTS_ALLOCATED => {
            (Content::Events(image.allocate_events(team.handle, size)?), size, own_memory(image, size)?)
        }
        _ => {
            let locks = image.allocate_locks(team.handle, size)?;
            let is_here = team.is_on_node(image)?;
            let content = if is_here { Content::Words(locks) } else { Content::Locks(locks) };
            (content, size, own_memory(image, size)?)
        }
    };
    let is_static = matches!(
        kind,
        registration::STATIC
            | registration::LOCKS_STATIC
            | registration::EVENTS_STATIC
            | registration::CRITICAL
    );
    // SAFETY: a living descriptor of the compiler.
    let descriptor = if is_static { unsafe { kept(descriptor) } } else { descriptor };
    let parts = (0..team.size).map(|_| Cell::new(UNKNOWN)).collect();
    Ok(Token {
        content,
        team,
        bytes,
        memory: Cell::new(memory),
        descriptor: Cell::new(descriptor),
        is_copied: Cell::new(is_static),
        is_critical: kind == registration::CRITICAL,
        parts,
    })
}

/// Bytes of a part with whole words. The compiler passes every size below 2^64: `x(2_8**62 - 1)[*]` of 4-byte
/// elements has 2^64 - 4 bytes. The largest number, which all images refuse together, stands for what 64 bits
/// do not count.
fn part_bytes(size: usize) -> usize {
    size.max(1).checked_next_multiple_of(size_of::<u64>()).unwrap_or(usize::MAX)
}

/// The memory of events and locks as the program sees it; the program does not access it itself.
fn own_memory(image: &Image, count: usize) -> Result<*mut u8> {
    let bytes = count.max(1) * size_of::<u64>();
    let memory = image.allocate_own(bytes)?;
    // SAFETY: allocated above.
    unsafe { memory.write_bytes(0, bytes) };
    Ok(memory)
}

/// A copy of a descriptor.
///
/// # Safety
/// As [`register`].
unsafe fn kept(descriptor: *const Descriptor) -> *mut Descriptor {
    let none = Dimension { stride: 0, lower: 0, upper: 0 };
    // SAFETY: a living descriptor of the compiler.
    let (head, dimensions) = unsafe { (descriptor.read(), (*descriptor).dimensions()) };
    let mut whole = Box::new(WholeDescriptor { head, dimensions: [none; MAX_RANK] });
    whole.dimensions[..dimensions.len()].copy_from_slice(dimensions);
    Box::into_raw(whole).cast()
}

/// The operation of `deregister` on a component.
const DEALLOCATE_ONLY: i32 = 1;

/// Frees a coarray, which is collective over its team, or a component.
///
/// # Safety
/// The place can be written; it holds NULL or a token that [`register`] has given and that was not freed.
/// Components are freed before the coarray in which they lie.
pub unsafe fn deregister(image: &Image, place: *mut *mut Token, kind: i32) -> Result<()> {
    // SAFETY: the place holds NULL or a token.
    let found = unsafe { place.read() };
    let is_of_component = image.place_of_address(place.cast()).is_some();
    let is_for_component = is_of_component || kind == DEALLOCATE_ONLY;
    if found.is_null() || is_for_component && !is_component(found) {
        return Ok(());
    }
    // SAFETY: not NULL, and then a token that `register` has given and that was not freed.
    let token = unsafe { &*found };
    match token.content {
        Content::Data(handle) => image.free(handle, Use::Data)?,
        Content::Events(handle) => {
            image.free(handle, Use::Events)?;
            image.free_own(token.own())?;
        }
        Content::Words(handle) | Content::Locks(handle) => {
            image.free(handle, Use::Locks)?;
            image.free_own(token.own())?;
        }
        Content::Component => {
            // SAFETY: components are freed before the coarray in which they lie, so the descriptor is there.
            unsafe { free_component(image, token) }?;
            if kind == DEALLOCATE_ONLY {
                return Ok(());
            }
            forget(found);
        }
    }
    FRESH.with_borrow_mut(|all| all.retain(|&fresh| !ptr::eq(fresh, found)));
    // SAFETY: returned by `register`; the compiler does not use it any more. A copy was made by `kept`.
    unsafe {
        if token.is_copied.get() {
            drop(Box::from_raw(token.descriptor.get().cast::<WholeDescriptor>()));
        }
        drop(Box::from_raw(found));
        place.write(ptr::null_mut());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_of_any_size_have_whole_words_or_are_refused(size in sizes()) {
            let exact = (size.max(1) as u128).next_multiple_of(8);
            // The runtime refuses 2^63 bytes and more on all images.
            prop_assert_eq!(part_bytes(size) as u128, exact.min(usize::MAX as u128));
        }
    }

    #[test]
    fn a_part_of_nearly_all_memory_does_not_become_a_word() {
        assert_eq!([0, 1, 8, 9].map(part_bytes), [8, 8, 8, 16]);
        assert_eq!(part_bytes(4 * ((1 << 62) - 1)), usize::MAX);
    }
}
