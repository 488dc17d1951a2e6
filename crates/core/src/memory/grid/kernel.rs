//! The innermost loops of grids: rows of elements between memory and packed bytes.

use super::super::copy;
use super::axis::Axis;

/// Elements of a block's side: a block of numbers fits into registers.
pub(super) const BLOCK: usize = 4;

/// Rows of a block of numbers, in any alignment.
pub(super) type Rows<T> = [*mut [T; BLOCK]; BLOCK];

/// Copies the rows of the first axis, whose elements lie along the second.
///
/// # Safety
/// The elements can be read (`PACK`) or written, as many packed bytes in the other direction, and the two do
/// not overlap.
pub(super) unsafe fn rows<const PACK: bool>(
    element_bytes: usize,
    memory: *mut u8,
    axes: [Axis; 2],
    packed: *mut u8,
) {
    let [first, second] = axes;
    // SAFETY: the elements of all rows, and of each part of them, can be copied by the contract of this
    // function.
    unsafe {
        if second.stride == element_bytes {
            let row = second.count * element_bytes;
            for number in 0..first.count {
                copy::<PACK>(memory.wrapping_add(number * first.stride), packed.add(number * row), row);
            }
            return;
        }
        match element_bytes {
            4 => blocks::<PACK, u32>(memory, axes, packed),
            8 => blocks::<PACK, u64>(memory, axes, packed),
            16 => blocks::<PACK, u128>(memory, axes, packed),
            _ => elements::<PACK>(element_bytes, memory, axes, packed),
        }
    }
}

/// Copies `length` bytes of a row from `skip` on; both may cut elements.
///
/// # Safety
/// As [`rows`].
pub(super) unsafe fn part_of_row<const PACK: bool>(
    element_bytes: usize,
    memory: *mut u8,
    stride: usize,
    skip: usize,
    packed: *mut u8,
    length: usize,
) {
    let mut done = 0;
    while done < length {
        let (number, within) = ((skip + done) / element_bytes, (skip + done) % element_bytes);
        let part = (element_bytes - within).min(length - done);
        // SAFETY: a part of one element of the row, which can be copied by the contract of this function.
        unsafe { copy::<PACK>(memory.wrapping_add(number * stride + within), packed.add(done), part) };
        done += part;
    }
}

/// # Safety
/// As [`rows`], of `length` bytes.
#[inline(always)]
unsafe fn copy<const PACK: bool>(memory: *mut u8, packed: *mut u8, length: usize) {
    let (from, to) = if PACK { (memory, packed) } else { (packed, memory) };
    // SAFETY: both ranges can be accessed and do not overlap, by the contract of this function.
    unsafe { copy::copy_nonoverlapping(from, to, length) };
}

/// Elements one by one, in the order in which they lie in memory.
///
/// # Safety
/// As [`rows`].
unsafe fn elements<const PACK: bool>(
    element_bytes: usize,
    memory: *mut u8,
    axes: [Axis; 2],
    packed: *mut u8,
) {
    let [first, second] = axes;
    for outer in 0..second.count {
        let memory = memory.wrapping_add(outer * second.stride);
        for inner in 0..first.count {
            // SAFETY: one element of a row, which can be copied by the contract of this function.
            unsafe {
                let packed = packed.add((inner * second.count + outer) * element_bytes);
                copy::<PACK>(memory.wrapping_add(inner * first.stride), packed, element_bytes);
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
    let dense = first.stride == size_of::<T>();
    let whole = if dense { [first.count, second.count].map(|count| count / BLOCK * BLOCK) } else { [0, 0] };
    // SAFETY: elements of `T`'s size that can be copied, by the contract of this function; blocks lie inside
    // the counts.
    unsafe {
        for column in (0..whole[1]).step_by(BLOCK) {
            let columns: [*mut T; BLOCK] =
                std::array::from_fn(|number| memory.wrapping_add((column + number) * second.stride).cast());
            for row in (0..whole[0]).step_by(BLOCK) {
                let here: Rows<T> = columns.map(|column| column.add(row).cast());
                let there: Rows<T> =
                    std::array::from_fn(|number| packed.add((row + number) * second.count + column).cast());
                if PACK { store(load(here), there) } else { store(load(there), here) }
            }
        }
        let single = |row: usize, column: usize| {
            let here = memory.wrapping_add(row * first.stride + column * second.stride).cast::<T>();
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

/// A block, transposed.
///
/// # Safety
/// The rows can be read.
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(from: Rows<T>) -> [[T; BLOCK]; BLOCK] {
    // SAFETY: the row can be read, by the contract of this function, in any alignment.
    let rows = from.map(|row| unsafe { row.read_unaligned() });
    std::array::from_fn(|column| rows.map(|row| row[column]))
}

/// # Safety
/// The rows can be written.
#[inline(always)]
pub(super) unsafe fn store<T: Copy>(block: [[T; BLOCK]; BLOCK], to: Rows<T>) {
    for (row, to) in block.into_iter().zip(to) {
        // SAFETY: the row can be written, by the contract of this function, in any alignment.
        unsafe { to.write_unaligned(row) };
    }
}
