//! Whether the span of a descriptor is valid.
//!
//! The span of an array is the stride of its elements, which is larger than an element for a component of all
//! elements of an array. gfortran does not set it for an allocatable array that is first assigned the result
//! of a function, so it has a random value from the stack: often an address, sometimes a small number.
//!
//! Idea: a span is accepted unless it cannot be a stride of elements of this size, or the array is an
//! allocated block with room for its elements and not for as many strides: the C library has stored its size
//! before the block. A block may be 16 bytes larger than requested, and small ones are rounded up, so it can
//! have room for both. Then the value that fits without these 16 bytes is right; in the smallest blocks both
//! fit, and the elements are right.
//!
//! Restrictions: in a block of at most 24 bytes, the first component of all elements of an array is taken for
//! consecutive elements. A small random number is accepted in a block that is larger than its elements need
//! and has exactly the size that such strides need, and with a C library other than glibc.

#[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
use hcube_core::node::single_copy;

/// No object is larger; addresses are.
const LARGEST: isize = 1 << 40;
/// The alignment of components that is certain for numbers of more bytes.
const ALIGNMENT: usize = 4;

/// Whether a distance of elements can be right: of an array at this address, by number and bytes of its
/// elements.
#[cold]
pub fn is_plausible(span: isize, base: *const u8, count: usize, element: usize) -> bool {
    if count == 0 {
        return true;
    }
    if !is_distance(span, element) {
        return false;
    }
    let fit = |distance: usize| count.checked_mul(distance).map_or(Fit::None, |bytes| fit(base, bytes));
    match (fit(element), fit(span as usize)) {
        (Fit::None, _) | (Fit::Room, Fit::Exact) => true,
        (one, other) => one == other && count.saturating_mul(element) > SMALLEST,
    }
}

/// Whether a number can be a distance of elements of this size at all.
pub const fn is_distance(span: isize, element: usize) -> bool {
    let own = if element == 0 { 1 } else { 1 << element.trailing_zeros() };
    let alignment = if own < ALIGNMENT { own } else { ALIGNMENT };
    span < LARGEST && (span as usize).is_multiple_of(alignment)
}

/// Pages are not smaller.
const PAGE: usize = 4096;
/// Of glibc: what blocks are aligned to, their least size, and the bits of a size that are flags.
const STEP: usize = 16;
const LEAST: usize = 32;
/// The most bytes that a block of the least size has room for.
const SMALLEST: usize = LEAST - size_of::<usize>();
const FLAGS: usize = 7;
const IS_MAPPED: usize = 2;

/// Whether a block of the C library is one for some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// There is no block, or it has another size.
    None,
    /// It has the size that the C library makes of them.
    Exact,
    /// It is as little larger as the C library leaves it.
    Room,
}

/// Whether the block that begins at an address is one for these bytes.
#[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
fn fit(base: *const u8, bytes: usize) -> Fit {
    let address = base.addr();
    if address == 0 || !address.is_multiple_of(STEP) {
        return Fit::None;
    }
    let word = if address.is_multiple_of(PAGE) {
        // There may be nothing mapped before it: the kernel checks.
        let place = (address - size_of::<usize>()) as u64;
        let Ok(word) = single_copy::read_word(std::process::id(), place) else { return Fit::None };
        word as usize
    } else {
        // SAFETY: in the page of the first element, which can be read.
        unsafe { base.sub(size_of::<usize>()).cast::<usize>().read() }
    };
    let size = word & !FLAGS;
    let needed = bytes.checked_add(size_of::<usize>());
    let Some(rounded) = needed.and_then(|needed| needed.checked_next_multiple_of(STEP)) else {
        return Fit::None;
    };
    let rounded = rounded.max(LEAST);
    let slack = if word & IS_MAPPED == 0 { STEP } else { PAGE + STEP };
    match size.checked_sub(rounded) {
        Some(0) => Fit::Exact,
        Some(more) if more <= slack => Fit::Room,
        _ => Fit::None,
    }
}

#[cfg(not(all(target_env = "gnu", target_pointer_width = "64")))]
fn fit(_base: *const u8, _bytes: usize) -> Fit {
    Fit::None
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{distances, sizes};
    use proptest::prelude::*;
    use std::ffi::c_void;

    unsafe extern "C" {
        fn malloc(bytes: usize) -> *mut c_void;
        fn free(memory: *mut c_void);
    }

    #[test]
    #[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
    fn blocks_have_the_spans_of_their_elements() {
        for (bytes, element) in
            [(8, 4), (12, 4), (16, 4), (24, 8), (32, 8), (64, 16), (4000, 4), (1 << 20, 8), (8 << 20, 8)]
        {
            // SAFETY: freed below, and not accessed.
            let block = unsafe { malloc(bytes) };
            // A block may be larger than it would have to be.
            if fit(block.cast(), bytes) != Fit::Exact {
                continue;
            }
            let is_plausible = |span, count| is_plausible(span, block.cast(), count, element);
            assert!(!is_plausible(64, bytes / element), "{bytes} bytes");
            // The first component of objects of two elements.
            let objects = bytes / element / 2;
            let is_one = objects < 2 || is_plausible(2 * element as isize, objects);
            assert_eq!(is_one, bytes > SMALLEST || objects < 2, "{bytes} bytes");
            // Elements in a block that may have room for larger ones.
            assert!(!is_plausible(2 * element as isize, bytes / element), "{bytes} bytes");
            // Components of a few large objects.
            assert!(is_plausible(1 << 12, (bytes >> 12).max(1) / 2), "{bytes} bytes");
            // SAFETY: allocated above.
            unsafe { free(block) };
        }
    }

    /// What the C library has written lies in another page then.
    #[test]
    #[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
    fn blocks_at_the_start_of_a_page_are_blocks() {
        // SAFETY: freed below, and not accessed.
        let blocks: Vec<*mut c_void> = (0..1024).map(|_| unsafe { malloc(96) }).collect();
        let at_start = blocks.iter().filter(|block| block.addr().is_multiple_of(PAGE));
        let here = 0_u64;
        if single_copy::read_word(std::process::id(), (&raw const here).addr() as u64).is_err() {
            return;
        }
        let mut exact = at_start.filter(|block| fit(block.cast(), 96) == Fit::Exact).peekable();
        assert!(exact.peek().is_some(), "one of 256 blocks begins at a page");
        exact.for_each(|block| assert!(!is_plausible(8, block.cast(), 24, 4)));
        // SAFETY: allocated above.
        blocks.into_iter().for_each(|block| unsafe { free(block) });
    }

    /// Objects of 16 bytes and of 20 have blocks of the same size.
    #[test]
    #[cfg(all(target_env = "gnu", target_pointer_width = "64"))]
    fn spans_that_fit_as_well_as_elements_are_believed_in_larger_blocks() {
        // SAFETY: freed below, and not accessed.
        let block = unsafe { malloc(40) };
        if fit(block.cast(), 40) == Fit::Exact {
            assert!(is_plausible(20, block.cast(), 2, 16));
            assert!(!is_plausible(32, block.cast(), 2, 16));
        }
        // SAFETY: allocated above.
        unsafe { free(block) };
    }

    #[test]
    fn addresses_are_no_spans() {
        let memory = [0_u64; 8];
        let is_plausible = |span| is_plausible(span, memory.as_ptr().cast(), 2, 8);
        assert!(!is_plausible(memory.as_ptr().addr() as isize));
        assert!(!is_plausible(17));
        assert!(is_plausible(24));
    }

    proptest! {
        #[test]
        fn arrays_of_any_size_fit_no_small_block(span in distances(), count in sizes(), element in sizes()) {
            let memory = [0_u64; 8];
            let base = memory[2..].as_ptr().cast();
            if is_plausible(span, base, count, element) && count > 0 {
                prop_assert!(is_distance(span, element));
            }
            prop_assert!(count > 0 || is_plausible(span, base, count, element));
        }
    }
}
