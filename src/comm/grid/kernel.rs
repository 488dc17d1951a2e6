//! The innermost loops of grids: rows of elements between memory and packed bytes.

use super::{Axis, place};
use std::ptr;

/// Elements of a block's side: a block of numbers fits into registers.
const BLOCK: usize = 4;

/// Copies rows: those of the first axis, whose elements lie along the second.
///
/// # Safety
/// The elements can be read (`PACK`) or written, as many packed bytes the other way round, and the two
/// do not overlap.
pub(super) unsafe fn rows<const PACK: bool>(
    element: usize,
    memory: *mut u8,
    axes: [Axis; 2],
    packed: *mut u8,
) {
    let [first, second] = axes;
    // SAFETY: the caller's promise, here and in what is called.
    unsafe {
        if usize::try_from(second.stride) == Ok(element) {
            let row = second.count * element;
            for number in 0..first.count {
                copy::<PACK>(place(memory, first.stride, number), packed.add(number * row), row);
            }
            return;
        }
        match element {
            4 => blocks::<PACK, u32>(memory, axes, packed),
            8 => blocks::<PACK, u64>(memory, axes, packed),
            16 => blocks::<PACK, u128>(memory, axes, packed),
            _ => elements::<PACK>(element, memory, axes, packed),
        }
    }
}

/// Copies `length` bytes of a row from `skip` on; both may cut elements.
///
/// # Safety
/// As [`rows`].
pub(super) unsafe fn part_of_row<const PACK: bool>(
    element: usize,
    memory: *mut u8,
    stride: isize,
    skip: usize,
    packed: *mut u8,
    length: usize,
) {
    let mut done = 0;
    while done < length {
        let (number, within) = ((skip + done) / element, (skip + done) % element);
        let part = (element - within).min(length - done);
        // SAFETY: the caller's promise.
        unsafe { copy::<PACK>(place(memory, stride, number).wrapping_add(within), packed.add(done), part) };
        done += part;
    }
}

/// # Safety
/// As [`rows`], of so many bytes.
#[inline(always)]
unsafe fn copy<const PACK: bool>(memory: *mut u8, packed: *mut u8, length: usize) {
    let (from, to) = if PACK { (memory, packed) } else { (packed, memory) };
    // SAFETY: the caller's promise.
    unsafe { ptr::copy_nonoverlapping(from, to, length) };
}

/// Elements one by one, in the order in which they lie in memory.
///
/// # Safety
/// As [`rows`].
unsafe fn elements<const PACK: bool>(element: usize, memory: *mut u8, axes: [Axis; 2], packed: *mut u8) {
    let [first, second] = axes;
    for outer in 0..second.count {
        let memory = place(memory, second.stride, outer);
        for inner in 0..first.count {
            // SAFETY: the caller's promise.
            unsafe {
                let packed = packed.add((inner * second.count + outer) * element);
                copy::<PACK>(place(memory, first.stride, inner), packed, element);
            }
        }
    }
}

/// Numbers, in square blocks: loads and stores of whole lines of the cache, one after the other.
///
/// # Safety
/// As [`rows`], of elements of this size.
unsafe fn blocks<const PACK: bool, T: Copy>(memory: *mut u8, axes: [Axis; 2], packed: *mut u8) {
    let [first, second] = axes;
    let packed = packed.cast::<T>();
    let dense = usize::try_from(first.stride) == Ok(size_of::<T>());
    let whole = if dense { [first.count, second.count].map(|count| count / BLOCK * BLOCK) } else { [0, 0] };
    // SAFETY: the caller's promise; all places are inside.
    unsafe {
        for column in (0..whole[1]).step_by(BLOCK) {
            let columns: [*mut T; BLOCK] =
                std::array::from_fn(|number| place(memory, second.stride, column + number).cast());
            for row in (0..whole[0]).step_by(BLOCK) {
                let here = columns.map(|column| column.add(row).cast::<[T; BLOCK]>());
                let there: [*mut [T; BLOCK]; BLOCK] =
                    std::array::from_fn(|number| packed.add((row + number) * second.count + column).cast());
                if PACK { turn(here, there) } else { turn(there, here) }
            }
        }
        let single = |row: usize, column: usize| {
            let here = place(place(memory, first.stride, row), second.stride, column).cast::<T>();
            let there = packed.add(row * second.count + column);
            let (from, to) = if PACK { (here, there) } else { (there, here) };
            to.write_unaligned(from.read_unaligned());
        };
        for column in 0..second.count {
            let from = if column < whole[1] { whole[0] } else { 0 };
            (from..first.count).for_each(|row| single(row, column));
        }
    }
}

/// Transposes a block.
///
/// # Safety
/// The first pointers can be read and the second ones written; alignment does not matter.
#[inline(always)]
pub(super) unsafe fn turn<T: Copy>(from: [*mut [T; BLOCK]; BLOCK], to: [*mut [T; BLOCK]; BLOCK]) {
    // SAFETY: the caller's promise.
    unsafe { store(load(from), to) };
}

/// A block, transposed.
///
/// # Safety
/// As [`turn`].
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(from: [*mut [T; BLOCK]; BLOCK]) -> [[T; BLOCK]; BLOCK] {
    // SAFETY: the caller's promise.
    let rows = from.map(|row| unsafe { row.read_unaligned() });
    std::array::from_fn(|column| rows.map(|row| row[column]))
}

/// # Safety
/// As [`turn`].
#[inline(always)]
pub(super) unsafe fn store<T: Copy>(block: [[T; BLOCK]; BLOCK], to: [*mut [T; BLOCK]; BLOCK]) {
    for (row, to) in block.into_iter().zip(to) {
        // SAFETY: the caller's promise.
        unsafe { to.write_unaligned(row) };
    }
}
