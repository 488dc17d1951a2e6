//! A two-dimensional grid of elements in memory, seen as bytes in an order that sender and receiver
//! of a transposition share.
//!
//! Idea: what one rank reads along rows the other writes along columns. Whichever of the two orders
//! the bytes between them had, one side would jump from line to line of the cache for every element.
//! So they go tile by tile: a tile is small enough for the first cache, where jumps cost little, and
//! from tile to tile the order of the elements alternates, so that both sides do half of the turning.
//! In place it matters, too, that the position of a byte says the same place for what leaves and for
//! what arrives: any part of the grid may then be exchanged before any other.
//!
//! Restrictions: none. Cost: a load and a store per
//! element, a few divisions per tile. Memory: none.

mod kernel;
mod square;

pub use square::transpose_square;

/// Bytes of a tile's row, as far as the sides below permit.
const ROW: usize = 1024;
/// Fewest and most elements of a tile's side.
const SIDE: [usize; 2] = [4, 64];

/// One axis of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// Elements along it.
    pub count: usize,
    /// Bytes in memory from one to the next.
    pub stride: isize,
}

/// Which axis runs faster inside a tile; the same for sender and receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first one, everywhere.
    First,
    /// The second one, everywhere.
    Second,
    /// Now the second, now the first.
    Alternating,
}

/// The grid, without its place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Bytes of an element; not 0.
    pub element: usize,
    /// Its axes; tiles follow one another along the second, then along the first.
    pub axes: [Axis; 2],
    /// The order inside tiles.
    pub order: Order,
}

/// Elements of a tile's side.
fn side(element: usize) -> usize {
    (ROW / element).clamp(SIDE[0], SIDE[1])
}

impl Grid {
    /// Bytes of all elements, or `None` where an address cannot count them.
    pub fn bytes(&self) -> Option<usize> {
        let [first, second] = self.axes.map(|axis| axis.count);
        let bytes = first.checked_mul(second)?.checked_mul(self.element)?;
        isize::try_from(bytes).is_ok().then_some(bytes)
    }

    /// Bytes of memory from the first element to the end of the last, or `None` where an element lies
    /// before the first or too far away.
    pub fn end(&self) -> Option<usize> {
        if self.axes.iter().any(|axis| axis.count == 0) {
            return Some(0);
        }
        self.axes.iter().try_fold(self.element, |end, axis| {
            end.checked_add(usize::try_from(axis.stride).ok()?.checked_mul(axis.count - 1)?)
        })
    }

    /// Copies `length` bytes from `offset` on from (`PACK`) or to memory.
    ///
    /// # Safety
    /// All elements of the grid whose first is at `memory` can be read (`PACK`) or written, `length`
    /// bytes at `packed` the other way round, the two do not overlap, and the grid has
    /// `offset + length` bytes.
    pub(super) unsafe fn copy<const PACK: bool>(
        &self,
        memory: *mut u8,
        mut offset: usize,
        mut packed: *mut u8,
        mut length: usize,
    ) {
        let [first, second] = self.axes;
        let side = side(self.element);
        let band = side * second.count * self.element;
        while length > 0 {
            let row = offset / band * side;
            let rows = side.min(first.count - row);
            let in_band = offset - row * second.count * self.element;
            let column = in_band / (rows * side * self.element) * side;
            let columns = side.min(second.count - column);
            let tile = Tile {
                element: self.element,
                memory: place(place(memory, first.stride, row), second.stride, column),
                axes: [Axis { count: rows, ..first }, Axis { count: columns, ..second }],
            };
            let tile = if self.turns(row / side, column / side) { tile.turned() } else { tile };
            let skip = in_band - rows * column * self.element;
            let part = (rows * columns * self.element - skip).min(length);
            // SAFETY: elements of the grid, and as many packed bytes as are left.
            unsafe {
                tile.copy::<PACK>(skip, packed, part);
                packed = packed.add(part);
            }
            offset += part;
            length -= part;
        }
    }

    /// Whether the first axis runs faster in a tile.
    fn turns(&self, row: usize, column: usize) -> bool {
        match self.order {
            Order::First => true,
            Order::Second => false,
            Order::Alternating => (row + column) % 2 == 1,
        }
    }
}

/// The address of an element along an axis.
fn place(memory: *mut u8, stride: isize, number: usize) -> *mut u8 {
    memory.wrapping_offset(stride.wrapping_mul(number as isize))
}

/// A part of a grid whose packed bytes follow its second axis, then its first.
#[derive(Debug, Clone, Copy)]
struct Tile {
    element: usize,
    memory: *mut u8,
    axes: [Axis; 2],
}

impl Tile {
    fn turned(self) -> Self {
        let [first, second] = self.axes;
        Self { axes: [second, first], ..self }
    }

    /// Copies `length` of its bytes from `skip` on: whole rows at once, and what is cut off at the ends.
    ///
    /// # Safety
    /// As [`Grid::copy`].
    unsafe fn copy<const PACK: bool>(&self, skip: usize, packed: *mut u8, length: usize) {
        let [first, second] = self.axes;
        let row = second.count * self.element;
        let (mut at, end) = (skip, skip + length);
        while at < end {
            let (number, within) = (at / row, at % row);
            let memory = place(self.memory, first.stride, number);
            // SAFETY: the caller's promise; `at` stays below `end`.
            at += unsafe {
                let packed = packed.add(at - skip);
                if within > 0 || end - at < row {
                    let part = (row - within).min(end - at);
                    kernel::part_of_row::<PACK>(self.element, memory, second.stride, within, packed, part);
                    part
                } else {
                    let count = (end - at) / row;
                    let axes = [Axis { count, ..first }, second];
                    kernel::rows::<PACK>(self.element, memory, axes, packed);
                    count * row
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packed bytes by the definition: tile by tile, element by element.
    fn expected(grid: &Grid, memory: &[u8]) -> Vec<u8> {
        let side = side(grid.element);
        let [first, second] = grid.axes;
        let mut bytes = Vec::new();
        for row in (0..first.count).step_by(side) {
            for column in (0..second.count).step_by(side) {
                let rows = row..first.count.min(row + side);
                let columns = column..second.count.min(column + side);
                let mut points: Vec<(usize, usize)> =
                    rows.flat_map(|row| columns.clone().map(move |column| (row, column))).collect();
                if grid.turns(row / side, column / side) {
                    points.sort_unstable_by_key(|&(row, column)| (column, row));
                }
                for (row, column) in points {
                    let offset = first.stride * row as isize + second.stride * column as isize;
                    let start = usize::try_from(offset).expect("ahead of the first");
                    bytes.extend_from_slice(&memory[start..start + grid.element]);
                }
            }
        }
        bytes
    }

    fn grids() -> Vec<Grid> {
        let mut all = Vec::new();
        for element in [1, 4, 8, 12, 16, 32, 40, 2000] {
            for counts in [[1, 1], [3, 5], [8, 8], [64, 65], [70, 9], [130, 17]] {
                if counts[0] * counts[1] * element > 400_000 {
                    continue;
                }
                let size = element as isize;
                for (first, second) in [
                    (counts[1] as isize * size, size),
                    (size, counts[0] as isize * size),
                    ((counts[1] as isize + 3) * size + 5, size),
                    (size, (counts[0] as isize + 2) * size),
                    (2 * size, 2 * size * counts[0] as isize),
                ] {
                    for order in [Order::First, Order::Second, Order::Alternating] {
                        let axes = [
                            Axis { count: counts[0], stride: first },
                            Axis { count: counts[1], stride: second },
                        ];
                        all.push(Grid { element, axes, order });
                    }
                }
            }
        }
        all
    }

    fn memory_of(grid: &Grid) -> Vec<u8> {
        let last: isize = grid.axes.iter().map(|axis| axis.stride * (axis.count as isize - 1)).sum();
        (0..last as usize + grid.element).map(|index| (index * 7 + index / 251) as u8).collect()
    }

    /// Whole and in parts that start and end anywhere, in elements, too.
    #[test]
    fn bytes_come_in_the_order_of_the_definition_and_go_back() {
        for grid in grids() {
            let mut memory = memory_of(&grid);
            let defined = expected(&grid, &memory);
            let bytes = grid.bytes().expect("small");
            assert_eq!(bytes, defined.len());
            for step in [bytes, bytes / 2 + 1, 777.max(bytes / 20)] {
                let mut packed = vec![0; bytes];
                for start in (0..bytes).step_by(step) {
                    let part = step.min(bytes - start);
                    let to = packed[start..].as_mut_ptr();
                    // SAFETY: the vectors have these bytes.
                    unsafe { grid.copy::<true>(memory.as_mut_ptr(), start, to, part) };
                }
                assert!(packed == defined, "{grid:?} packed in parts of {step}");
                let mut target = vec![0xee; memory.len()];
                for start in (0..bytes).step_by(step) {
                    let part = step.min(bytes - start);
                    let from = packed[start..].as_mut_ptr();
                    // SAFETY: as above.
                    unsafe { grid.copy::<false>(target.as_mut_ptr(), start, from, part) };
                }
                let again = expected(&grid, &target);
                assert!(again == defined, "{grid:?} unpacked in parts of {step}");
                let written = grid.axes[0].count * grid.axes[1].count * grid.element;
                let untouched = target.iter().zip(&memory).filter(|(new, old)| new != old).count();
                assert!(untouched <= memory.len() - written, "{grid:?}: gaps were written");
            }
        }
    }

    #[test]
    fn more_than_an_address_counts_is_none() {
        let axes = [Axis { count: 1 << 40, stride: 8 }, Axis { count: 1 << 40, stride: 8 }];
        let grid = Grid { element: 8, axes, order: Order::First };
        assert_eq!((grid.bytes(), grid.end()), (None, Some((1 << 44) - 8)));
        let axes = [Axis { count: 2, stride: -8 }, Axis { count: 1, stride: 8 }];
        assert_eq!(Grid { axes, ..grid }.end(), None);
    }
}
