//! A square matrix in memory, transposed in place.
//!
//! Idea: tiles change places in pairs, inside them blocks of numbers that fit into registers. Cost:
//! every element is read and written once; no memory. Source: the usual blocked algorithm.

use super::kernel::{load, store};
use super::{place, side};
use crate::comm::memory::Region;
use std::ops::Range;
use std::ptr;

/// As in the kernel of grids.
const BLOCK: usize = 4;

/// Transposes `count` x `count` elements of `element` bytes in place; rows are `stride` bytes apart and
/// begin with the region.
///
/// # Panics
/// Where they are not inside the region, or rows overlap.
pub fn transpose_square(region: Region<'_>, count: usize, stride: usize, element: usize) {
    if count == 0 || element == 0 {
        return;
    }
    let row = count.checked_mul(element).filter(|&row| row <= stride || count == 1);
    let end = row.and_then(|row| stride.checked_mul(count - 1)?.checked_add(row));
    assert!(
        end.is_some_and(|end| end <= region.len()),
        "{count} x {count} elements of {element} bytes, rows {stride} bytes apart, in {} bytes",
        region.len()
    );
    let memory = region.address();
    // SAFETY: all elements lie inside the region, which may be read and written, and are disjoint.
    unsafe {
        match element {
            4 => tiles::<u32>(memory, count, stride),
            8 => tiles::<u64>(memory, count, stride),
            16 => tiles::<u128>(memory, count, stride),
            _ => elements(memory, count, stride, element),
        }
    }
}

/// # Safety
/// The elements can be read and written.
unsafe fn elements(memory: *mut u8, count: usize, stride: usize, element: usize) {
    for row in 0..count {
        for column in row + 1..count {
            let [here, there] = [(row, column), (column, row)]
                .map(|(row, column)| memory.wrapping_add(row * stride + column * element));
            // SAFETY: the caller's promise; two different elements.
            unsafe { ptr::swap_nonoverlapping(here, there, element) };
        }
    }
}

/// # Safety
/// As [`elements`].
unsafe fn tiles<T: Copy>(memory: *mut u8, count: usize, stride: usize) {
    let side = side(size_of::<T>());
    let tile = |start: usize| start..count.min(start + side);
    for first in (0..count).step_by(side) {
        for second in (first..count).step_by(side) {
            // SAFETY: the caller's promise.
            unsafe { swap_tiles::<T>(memory, stride, tile(first), tile(second)) };
        }
    }
}

/// Swaps a tile and its mirror image.
///
/// # Safety
/// As [`elements`].
unsafe fn swap_tiles<T: Copy>(memory: *mut u8, stride: usize, rows: Range<usize>, columns: Range<usize>) {
    let diagonal = rows.start == columns.start;
    let block = |row: usize, column: usize| -> [*mut [T; BLOCK]; BLOCK] {
        std::array::from_fn(|number| {
            place(memory, stride as isize, row + number).cast::<T>().wrapping_add(column).cast()
        })
    };
    let element =
        |row: usize, column: usize| place(memory, stride as isize, row).cast::<T>().wrapping_add(column);
    let whole = |range: &Range<usize>| range.start..range.start + range.len() / BLOCK * BLOCK;
    let (whole_rows, whole_columns) = (whole(&rows), whole(&columns));
    // SAFETY: the caller's promise; blocks and elements are swapped with others than themselves once.
    unsafe {
        for row in whole_rows.clone().step_by(BLOCK) {
            let first = if diagonal { row } else { columns.start };
            for column in (first..whole_columns.end).step_by(BLOCK) {
                let (here, there) = (block(row, column), block(column, row));
                let (down, up) = (load(here), load(there));
                store(up, here);
                store(down, there);
            }
        }
        for row in rows {
            let first = if row < whole_rows.end { whole_columns.end } else { columns.start };
            let first = if diagonal { first.max(row + 1) } else { first };
            for column in first..columns.end {
                let (here, there) = (element(row, column), element(column, row));
                let (down, up) = (here.read_unaligned(), there.read_unaligned());
                here.write_unaligned(up);
                there.write_unaligned(down);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_finds_its_place() {
        for element in [1, 4, 8, 16, 24, 40] {
            for count in [0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 130, 200] {
                if count * count * element > 1 << 20 {
                    continue;
                }
                for gap in [0, element, 5] {
                    let stride = count * element + gap;
                    let before: Vec<u8> =
                        (0..stride * count).map(|index| (index * 5 + index / 253) as u8).collect();
                    let mut memory = before.clone();
                    // SAFETY: the memory is borrowed for the life of the region.
                    let region = unsafe { Region::new(memory.as_mut_ptr(), memory.len()) };
                    transpose_square(region, count, stride, element);
                    for row in 0..count {
                        for column in 0..count {
                            let at = |row: usize, column: usize| {
                                row * stride + column * element..row * stride + (column + 1) * element
                            };
                            assert!(
                                memory[at(row, column)] == before[at(column, row)],
                                "{row}, {column} of {count} x {count} x {element}, gap {gap}"
                            );
                        }
                        let gap = row * stride + count * element..(row + 1) * stride;
                        assert!(memory[gap.clone()] == before[gap], "the gap after row {row}");
                    }
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "3 x 3 elements of 8 bytes")]
    fn memory_that_is_too_short_is_refused() {
        let mut memory = [0u8; 71];
        // SAFETY: the memory is borrowed for the life of the region.
        transpose_square(unsafe { Region::new(memory.as_mut_ptr(), 71) }, 3, 24, 8);
    }
}
