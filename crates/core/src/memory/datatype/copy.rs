//! The loops that copy between the locations of a layout and contiguous bytes.
//!
//! Whole parts are copied without checks of the remaining length ([`whole`]). Positions are computed only at
//! the begin and the end of a part ([`part`]): a division per loop and a binary search per sequence.

use super::layout::{Layout, Sequence};
use super::runs::{place, places, run, runs};

/// The packed side of a copy: its position and its remaining length.
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

/// Copies all of a layout from (`PACK`) or to memory, and returns the next packed position.
///
/// # Safety
/// The bytes of the layout at `memory` can be read (`PACK`) or written, as many at `packed` in the other
/// direction, and the two do not overlap.
unsafe fn whole<const PACK: bool, const STREAM: bool>(
    layout: &Layout,
    memory: *mut u8,
    mut packed: *mut u8,
) -> *mut u8 {
    // SAFETY: the bytes of the layout can be copied, by the contract of this function, and its parts are
    // bytes of it.
    unsafe {
        match layout {
            Layout::Run(length) => run::<PACK, STREAM>(memory, packed, *length),
            Layout::Places(all) => places::<PACK, STREAM>(all.length, &all.offsets, memory, packed),
            Layout::Repeated(all) => {
                repeat::<PACK, STREAM>(&all.inner, memory, all.stride, all.count, packed)
            }
            Layout::Sequence(sequence) => {
                for part in &sequence.parts {
                    let memory = memory.wrapping_offset(part.offset);
                    packed = match part.layout {
                        Layout::Run(length) => run::<PACK, STREAM>(memory, packed, length),
                        ref other => whole::<PACK, STREAM>(other, memory, packed),
                    };
                }
                packed
            }
        }
    }
}

/// As [`whole`], `count` times, `stride` bytes apart in memory.
///
/// # Safety
/// As [`whole`], for all of them.
unsafe fn repeat<const PACK: bool, const STREAM: bool>(
    inner: &Layout,
    memory: *mut u8,
    stride: isize,
    count: usize,
    mut packed: *mut u8,
) -> *mut u8 {
    // SAFETY: the bytes of all repetitions can be copied, by the contract of this function.
    unsafe {
        if let Layout::Run(length) = inner {
            return runs::<PACK, STREAM>(*length, memory, stride, count, packed);
        }
        for number in 0..count as isize {
            packed =
                whole::<PACK, STREAM>(inner, memory.wrapping_offset(stride.wrapping_mul(number)), packed);
        }
    }
    packed
}

/// Copies what is left of `packed`, or until the layout ends; `skip` packed bytes of the layout are
/// left out at the beginning.
///
/// # Safety
/// As [`whole`], of the bytes that are reached.
unsafe fn part<const PACK: bool, const STREAM: bool>(
    layout: &Layout,
    memory: *mut u8,
    skip: usize,
    packed: &mut Packed,
) {
    // SAFETY: what is reached can be copied, by the contract of this function; `skip` and what is left of the
    // packed bytes bound it.
    unsafe {
        match layout {
            _ if skip == 0 && layout.bytes() <= packed.left => {
                packed.at = whole::<PACK, STREAM>(layout, memory, packed.at);
                packed.left -= layout.bytes();
            }
            Layout::Run(length) => {
                let length = (length - skip).min(packed.left);
                packed.at = run::<PACK, STREAM>(memory.wrapping_add(skip), packed.at, length);
                packed.left -= length;
            }
            Layout::Repeated(all) => {
                let all = Loop { count: all.count, stride: all.stride, size: all.size, inner: &all.inner };
                all.copy::<PACK, STREAM>(memory, skip, packed);
            }
            Layout::Places(all) => {
                let length = all.length;
                let (mut first, skip) = (skip / length, skip % length);
                if skip > 0 {
                    part::<PACK, STREAM>(
                        &Layout::Run(length),
                        place(memory, all.offsets[first]),
                        skip,
                        packed,
                    );
                    first += 1;
                }
                let offsets = &all.offsets[first..];
                let count = offsets.len().min(packed.left / length);
                packed.at = places::<PACK, STREAM>(length, &offsets[..count], memory, packed.at);
                packed.left -= count * length;
                if let Some(&last) = offsets.get(count) {
                    part::<PACK, STREAM>(&Layout::Run(length), place(memory, last), 0, packed);
                }
            }
            Layout::Sequence(sequence) => parts::<PACK, STREAM>(sequence, memory, skip, packed),
        }
    }
}

impl Loop<'_> {
    /// As [`part`].
    ///
    /// # Safety
    /// As [`part`].
    pub unsafe fn copy<const PACK: bool, const STREAM: bool>(
        self,
        mut memory: *mut u8,
        skip: usize,
        packed: &mut Packed,
    ) {
        let Self { mut count, stride, size, inner } = self;
        // SAFETY: only bytes of this loop are reached, which can be copied by the contract of this function.
        unsafe {
            if skip > 0 {
                let (first, skip) = (skip / size, skip % size);
                memory = memory.wrapping_offset(stride.wrapping_mul(first as isize));
                count -= first;
                if skip > 0 {
                    part::<PACK, STREAM>(inner, memory, skip, packed);
                    memory = memory.wrapping_offset(stride);
                    count -= 1;
                }
            }
            let complete = count.min(packed.left / size);
            packed.at = repeat::<PACK, STREAM>(inner, memory, stride, complete, packed.at);
            packed.left -= complete * size;
            if complete < count && packed.left > 0 {
                let last = memory.wrapping_offset(stride.wrapping_mul(complete as isize));
                part::<PACK, STREAM>(inner, last, 0, packed);
            }
        }
    }
}

/// As [`part`], for a sequence.
///
/// # Safety
/// As [`part`].
unsafe fn parts<const PACK: bool, const STREAM: bool>(
    sequence: &Sequence,
    memory: *mut u8,
    skip: usize,
    packed: &mut Packed,
) {
    let first = sequence.parts.partition_point(|part| part.start <= skip) - 1;
    let mut skip = skip - sequence.parts[first].start;
    for next in &sequence.parts[first..] {
        if packed.left == 0 {
            return;
        }
        // SAFETY: parts of the sequence, which can be copied as far as they are reached, by the contract of
        // this function.
        unsafe { part::<PACK, STREAM>(&next.layout, place(memory, next.offset), skip, packed) };
        skip = 0;
    }
}
