//! The loops that copy: between the places of a layout and bytes that follow one another.
//!
//! Cost: the loop of equal runs of 4, 8 or 16 bytes is a load and a store each; other lengths are
//! copied by memcpy. Reaching the place where a part begins is a division per loop and a binary search
//! per sequence on the way there.

use super::layout::{Layout, Sequence};
use std::ptr;

/// The packed side of a copy: where it goes on and what is left of it.
pub(super) struct Packed {
    pub at: *mut u8,
    pub left: usize,
}

/// A loop over a shape; see [`super::layout::Repeated`].
#[derive(Clone, Copy)]
pub(super) struct Loop<'a> {
    pub count: usize,
    pub stride: isize,
    pub size: usize,
    pub inner: &'a Layout,
}

/// Copies what is left of `packed`, or until the layout ends, from (`PACK`) or to memory that the
/// layout describes; `skip` packed bytes are left out at the beginning.
///
/// # Safety
/// The bytes of the layout at `memory` that are reached can be read (`PACK`) or written, `packed` the
/// other way round, and the two do not overlap.
unsafe fn copy<const PACK: bool>(layout: &Layout, memory: *mut u8, skip: usize, packed: &mut Packed) {
    // SAFETY: the caller's promise, here and in what is called.
    unsafe {
        match layout {
            Layout::Run(length) => {
                let length = (length - skip).min(packed.left);
                run::<PACK>(memory.wrapping_add(skip), packed, length);
            }
            Layout::Repeated(all) => {
                let all = Loop { count: all.count, stride: all.stride, size: all.size, inner: &all.inner };
                all.copy::<PACK>(memory, skip, packed);
            }
            Layout::Sequence(sequence) => parts::<PACK>(sequence, memory, skip, packed),
        }
    }
}

impl Loop<'_> {
    /// As [`copy`].
    ///
    /// # Safety
    /// As [`copy`].
    pub unsafe fn copy<const PACK: bool>(self, mut memory: *mut u8, skip: usize, packed: &mut Packed) {
        let Self { mut count, stride, size, inner } = self;
        // SAFETY: the caller's promise: only bytes of this loop are reached.
        unsafe {
            if skip > 0 {
                let (first, skip) = (skip / size, skip % size);
                memory = memory.wrapping_offset(stride.wrapping_mul(first as isize));
                count -= first;
                if skip > 0 {
                    copy::<PACK>(inner, memory, skip, packed);
                    memory = memory.wrapping_offset(stride);
                    count -= 1;
                }
            }
            let whole = if packed.left / size < count { packed.left / size } else { count };
            match inner {
                Layout::Run(4) => runs::<PACK, 4>(memory, stride, whole, packed),
                Layout::Run(8) => runs::<PACK, 8>(memory, stride, whole, packed),
                Layout::Run(16) => runs::<PACK, 16>(memory, stride, whole, packed),
                _ => {
                    for number in 0..whole as isize {
                        copy::<PACK>(inner, memory.wrapping_offset(stride * number), 0, packed);
                    }
                }
            }
            if whole < count && packed.left > 0 {
                let last = memory.wrapping_offset(stride.wrapping_mul(whole as isize));
                copy::<PACK>(inner, last, 0, packed);
            }
        }
    }
}

/// As [`copy`], for a sequence.
unsafe fn parts<const PACK: bool>(sequence: &Sequence, memory: *mut u8, skip: usize, packed: &mut Packed) {
    let first = match skip {
        0 => 0,
        _ => sequence.parts.partition_point(|part| part.start <= skip) - 1,
    };
    let parts = &sequence.parts[first..];
    let mut skip = parts.first().map_or(0, |part| skip - part.start);
    for part in parts {
        if packed.left == 0 {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { copy::<PACK>(&part.layout, memory.wrapping_offset(part.offset), skip, packed) };
        skip = 0;
    }
}

/// Copies one run.
///
/// # Safety
/// As [`copy`], of `length` bytes on both sides.
unsafe fn run<const PACK: bool>(memory: *mut u8, packed: &mut Packed, length: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match length {
            4 => fixed::<PACK, 4>(memory, packed.at),
            8 => fixed::<PACK, 8>(memory, packed.at),
            16 => fixed::<PACK, 16>(memory, packed.at),
            _ if PACK => ptr::copy_nonoverlapping(memory, packed.at, length),
            _ => ptr::copy_nonoverlapping(packed.at, memory, length),
        }
        packed.at = packed.at.add(length);
    }
    packed.left -= length;
}

/// Copies `count` runs of `N` bytes.
///
/// # Safety
/// As [`copy`], of that many bytes on both sides.
unsafe fn runs<const PACK: bool, const N: usize>(
    mut memory: *mut u8,
    stride: isize,
    count: usize,
    packed: &mut Packed,
) {
    let mut at = packed.at;
    for _ in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            fixed::<PACK, N>(memory, at);
            at = at.add(N);
        }
        memory = memory.wrapping_offset(stride);
    }
    packed.at = at;
    packed.left -= count * N;
}

/// Copies `N` bytes by loads and stores.
///
/// # Safety
/// As [`copy`], of `N` bytes on both sides.
#[inline(always)]
unsafe fn fixed<const PACK: bool, const N: usize>(memory: *mut u8, packed: *mut u8) {
    let (from, to) = if PACK { (memory, packed) } else { (packed, memory) };
    // SAFETY: the caller's promise; arrays of bytes need no alignment.
    unsafe { *to.cast::<[u8; N]>() = *from.cast::<[u8; N]>() };
}
