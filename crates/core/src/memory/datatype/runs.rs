//! The innermost loops: one contiguous run, runs with a constant stride, runs at arbitrary offsets.
//!
//! Runs with the length of a single number have specialised loops, in which a run is a load and a store.
//! Other short runs are copied by a few loads and stores that may overlap, longer ones by memcpy, whose call
//! costs more than a short copy. Runs of `MIN_STREAMED_BYTES` and more use streaming stores on request
//! (`STREAM`); shorter runs consist mostly of partial cache lines.

use super::super::{copy, streaming};

/// The shortest runs that are copied past the cache.
const MIN_STREAMED_BYTES: usize = 512;

/// The address of a place in memory that a layout describes.
#[inline(always)]
pub(super) fn place(memory: *mut u8, offset: isize) -> *mut u8 {
    memory.wrapping_offset(offset)
}

/// Copies one run from (`PACK`) or to memory, and returns the next packed position.
///
/// # Safety
/// `length` bytes at `memory` can be read (`PACK`) or written, as many at `packed` in the other direction,
/// and the two do not overlap.
#[inline(always)]
pub(super) unsafe fn run<const PACK: bool, const STREAM: bool>(
    memory: *mut u8,
    packed: *mut u8,
    length: usize,
) -> *mut u8 {
    let (from, to) = if PACK { (memory.cast_const(), packed) } else { (packed.cast_const(), memory) };
    // SAFETY: both ranges can be accessed and do not overlap, by the contract of this function.
    unsafe {
        if STREAM && length >= MIN_STREAMED_BYTES {
            streaming::copy_unordered(from, to, length);
        } else {
            short(from, to, length);
        }
        packed.add(length)
    }
}

/// Copies `count` runs, `stride` bytes apart in memory.
///
/// # Safety
/// As [`run`], for all of them.
pub(super) unsafe fn runs<const PACK: bool, const STREAM: bool>(
    length: usize,
    memory: *mut u8,
    stride: isize,
    count: usize,
    packed: *mut u8,
) -> *mut u8 {
    let at = move |number: usize| memory.wrapping_offset(stride.wrapping_mul(number as isize));
    // SAFETY: `at` says where the runs are that can be copied by the contract of this function.
    unsafe { copies::<PACK, STREAM>(length, count, at, packed) }
}

/// Copies runs at any places.
///
/// # Safety
/// As [`run`], for all of them.
pub(super) unsafe fn places<const PACK: bool, const STREAM: bool>(
    length: usize,
    offsets: &[isize],
    memory: *mut u8,
    packed: *mut u8,
) -> *mut u8 {
    // SAFETY: `copies` asks for numbers below that of offsets, and these runs can be copied by the contract
    // of this function.
    unsafe {
        let at = move |number: usize| place(memory, *offsets.get_unchecked(number));
        copies::<PACK, STREAM>(length, offsets.len(), at, packed)
    }
}

/// Copies runs of one length; `at` gives their locations.
///
/// # Safety
/// As [`run`], for all of them.
#[inline(always)]
unsafe fn copies<const PACK: bool, const STREAM: bool>(
    length: usize,
    count: usize,
    at: impl Fn(usize) -> *mut u8 + Copy,
    packed: *mut u8,
) -> *mut u8 {
    // SAFETY: all runs can be copied, by the contract of this function, and each of these loops copies all of
    // them.
    unsafe {
        match length {
            1 => numbers::<PACK, 1>(count, at, packed),
            2 => numbers::<PACK, 2>(count, at, packed),
            4 => numbers::<PACK, 4>(count, at, packed),
            8 => numbers::<PACK, 8>(count, at, packed),
            16 => numbers::<PACK, 16>(count, at, packed),
            24 => numbers::<PACK, 24>(count, at, packed),
            32 => numbers::<PACK, 32>(count, at, packed),
            _ => (0..count).fold(packed, |packed, number| run::<PACK, STREAM>(at(number), packed, length)),
        }
    }
}

/// Copies runs of `N` bytes, four at a time: loads that do not wait for stores.
///
/// # Safety
/// As [`run`], for all of them.
#[inline(always)]
unsafe fn numbers<const PACK: bool, const N: usize>(
    count: usize,
    at: impl Fn(usize) -> *mut u8,
    packed: *mut u8,
) -> *mut u8 {
    let packed = packed.cast::<[u8; N]>();
    let fours = count / 4;
    // SAFETY: all runs have `N` bytes and can be copied, by the contract of this function; arrays of bytes
    // need no alignment.
    unsafe {
        for four in 0..fours {
            let there = [0, 1, 2, 3].map(|number| at(4 * four + number).cast::<[u8; N]>());
            let here = [0, 1, 2, 3].map(|number| packed.add(4 * four + number));
            let (from, to) = if PACK { (there, here) } else { (here, there) };
            let [first, second, third, fourth] = [*from[0], *from[1], *from[2], *from[3]];
            *to[0] = first;
            *to[1] = second;
            *to[2] = third;
            *to[3] = fourth;
        }
        for number in 4 * fours..count {
            let (there, here) = (at(number).cast::<[u8; N]>(), packed.add(number));
            if PACK { *here = *there } else { *there = *here }
        }
        packed.add(count).cast()
    }
}

/// Copies a run of any length; up to 32 bytes without a call.
///
/// # Safety
/// `length` bytes can be read and written, and the two do not overlap.
#[inline(always)]
unsafe fn short(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: the run can be copied, by the contract of this function; both ends lie inside because it has at
    // least the width.
    unsafe {
        match length {
            0 => {}
            1..4 => {
                ends::<1>(from, to, length);
                *to.add(length / 2) = *from.add(length / 2);
            }
            4..8 => ends::<4>(from, to, length),
            8..16 => ends::<8>(from, to, length),
            16..=32 => ends::<16>(from, to, length),
            _ => copy::copy_nonoverlapping(from, to, length),
        }
    }
}

/// Copies the first and the last `N` bytes of a run, which may overlap.
///
/// # Safety
/// As [`short`], and `length` is at least `N`.
#[inline(always)]
unsafe fn ends<const N: usize>(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: both ends lie inside the run, which has at least `N` bytes, by the contract of this function.
    unsafe {
        let (first, last) = (*from.cast::<[u8; N]>(), *from.add(length - N).cast::<[u8; N]>());
        *to.cast() = first;
        *to.add(length - N).cast() = last;
    }
}
