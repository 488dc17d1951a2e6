//! A square matrix in memory, transposed in place.
//!
//! Idea: tiles are swapped in pairs with their mirror images, inside them numbers in blocks that fit into
//! registers, other elements one by one. Restrictions: rows with a constant stride. Cost: every element is
//! read and written once. Memory: none. Source: standard technique.

use super::kernel::{BLOCK, Rows, load, store};
use super::tile_side;
use crate::memory::Region;
use std::ops::Range;
use std::ptr;

/// Transposes `count` x `count` elements of `element_bytes` bytes in place; rows are `stride` bytes apart and
/// begin with the region.
///
/// # Panics
/// Where they are not inside the region, or rows overlap.
pub fn transpose_square(region: Region<'_>, count: usize, stride: usize, element_bytes: usize) {
    if count == 0 || element_bytes == 0 {
        return;
    }
    let row = count.checked_mul(element_bytes).filter(|&row| row <= stride || count == 1);
    let end = row.and_then(|row| stride.checked_mul(count - 1)?.checked_add(row));
    assert!(
        end.is_some_and(|end| end <= region.len()),
        "{count} x {count} elements of {element_bytes} bytes, rows {stride} bytes apart, in {} bytes",
        region.len()
    );
    let side = tile_side(element_bytes);
    let tile = |start: usize| start..count.min(start + side);
    for first in (0..count).step_by(side) {
        for second in (first..count).step_by(side) {
            let square = Square { memory: region.address(), stride, element_bytes };
            // SAFETY: all elements lie inside the region, which may be read and written, and are disjoint.
            unsafe {
                match element_bytes {
                    4 => square.swap_numbers::<u32>(tile(first), tile(second)),
                    8 => square.swap_numbers::<u64>(tile(first), tile(second)),
                    16 => square.swap_numbers::<u128>(tile(first), tile(second)),
                    _ => square.swap_elements(tile(first), tile(second)),
                }
            }
        }
    }
}

/// The matrix.
#[derive(Clone, Copy)]
struct Square {
    memory: *mut u8,
    stride: usize,
    element_bytes: usize,
}

impl Square {
    fn element(self, row: usize, column: usize) -> *mut u8 {
        self.memory.wrapping_add(row * self.stride + column * self.element_bytes)
    }

    fn block<T>(self, row: usize, column: usize) -> Rows<T> {
        std::array::from_fn(|number| self.element(row + number, column).cast())
    }

    /// Swaps a tile and its mirror image, which may be itself.
    ///
    /// # Safety
    /// The elements of both can be read and written.
    unsafe fn swap_elements(self, rows: Range<usize>, columns: Range<usize>) {
        for row in rows {
            for column in columns.start.max(row + 1)..columns.end {
                let (here, there) = (self.element(row, column), self.element(column, row));
                // SAFETY: both can be read and written, by the contract of this function, and are two
                // different elements.
                unsafe { ptr::swap_nonoverlapping(here, there, self.element_bytes) };
            }
        }
    }

    /// As [`Self::swap_elements`], of numbers.
    ///
    /// # Safety
    /// As [`Self::swap_elements`]; elements have the size of `T`.
    unsafe fn swap_numbers<T: Copy>(self, rows: Range<usize>, columns: Range<usize>) {
        let whole = |range: &Range<usize>| range.start + range.len() / BLOCK * BLOCK;
        let (rows_end, columns_end) = (whole(&rows), whole(&columns));
        // SAFETY: the elements of both can be read and written, by the contract of this function; no element
        // is in two blocks, or in a block and in the rest.
        unsafe {
            for row in (rows.start..rows_end).step_by(BLOCK) {
                for column in (columns.start.max(row)..columns_end).step_by(BLOCK) {
                    let (here, there) = (self.block::<T>(row, column), self.block(column, row));
                    let (down, up) = (load(here), load(there));
                    store(up, here);
                    store(down, there);
                }
            }
            self.swap_elements(rows.start..rows_end, columns_end..columns.end);
            self.swap_elements(rows_end..rows.end, columns);
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
                for padding in [0, element, 5] {
                    let stride = count * element + padding;
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
                                "{row}, {column} of {count} x {count} x {element}, padding {padding}"
                            );
                        }
                        let padding = row * stride + count * element..(row + 1) * stride;
                        assert!(memory[padding.clone()] == before[padding], "the padding of row {row}");
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
