//! A two-dimensional grid of elements in memory, viewed as bytes in an order that sender and receiver of a
//! transposition share.
//!
//! Idea: one rank reads row by row, the other writes column by column. With either of these two orders for
//! the bytes in between, one side would access a different cache line for every element. The order is
//! therefore by tiles: a tile stays in the first caches, where strided access is cheap, and the order of the
//! elements alternates from tile to tile, so that each side performs half of the transposition. In place,
//! moreover, the position of a byte determines the same location for data that is sent and data
//! that is received: any part of the grid may then be exchanged before any other.
//!
//! Restrictions: elements have addresses above the first element. Cost: every element is loaded and stored
//! once, numbers of 4, 8 and 16 bytes in blocks that fit into registers, others by memcpy; a few divisions
//! per tile. Memory: none.
//! Source: blocked transposition is a standard technique; the alternating orders are specific to hcube.

mod axis;
mod kernel;
mod square;

#[cfg(test)]
mod tests;

pub use axis::Axis;
pub use square::transpose_square;

/// Most bytes of a tile, if it has more than one element: what a first cache of today holds. Other sizes
/// were not measured.
const TILE: usize = 32 << 10;

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
    pub element_bytes: usize,
    /// Its axes; tiles follow one another along the second, then along the first.
    pub axes: [Axis; 2],
    /// The order inside tiles.
    pub order: Order,
}

/// Elements of a tile's side: whole blocks of the kernel where elements are small.
fn tile_side(element_bytes: usize) -> usize {
    let most = (TILE / element_bytes).isqrt();
    if most < kernel::BLOCK { most.max(1) } else { most / kernel::BLOCK * kernel::BLOCK }
}

impl Grid {
    /// Bytes of all elements, or `None` where an address cannot count them.
    pub fn bytes(&self) -> Option<usize> {
        let [first, second] = self.axes.map(|axis| axis.count);
        let bytes = first.checked_mul(second)?.checked_mul(self.element_bytes)?;
        isize::try_from(bytes).is_ok().then_some(bytes)
    }

    /// Bytes of memory from the first element to the end of the last, or `None` where an address cannot
    /// count them.
    pub fn end(&self) -> Option<usize> {
        if self.axes.iter().any(|axis| axis.count == 0) {
            return Some(0);
        }
        self.axes.iter().try_fold(self.element_bytes, |end, axis| {
            end.checked_add(axis.stride.checked_mul(axis.count - 1)?)
        })
    }

    /// Copies `length` bytes from `offset` on from (`PACK`) or to memory.
    ///
    /// # Safety
    /// All elements of the grid whose first is at `memory` can be read (`PACK`) or written, `length` bytes at
    /// `packed` in the other direction, the two do not overlap, and the grid has `offset + length` bytes.
    pub(super) unsafe fn copy<const PACK: bool>(
        &self,
        memory: *mut u8,
        mut offset: usize,
        mut packed: *mut u8,
        mut length: usize,
    ) {
        let [first, second] = self.axes;
        let side = tile_side(self.element_bytes);
        while length > 0 {
            // None of these products exceeds the bytes of the grid.
            let row = offset / (side.min(first.count) * second.count * self.element_bytes) * side;
            let rows = side.min(first.count - row);
            let in_band = offset - row * second.count * self.element_bytes;
            let column = in_band / (rows * side.min(second.count) * self.element_bytes) * side;
            let columns = side.min(second.count - column);
            let tile = Tile {
                element_bytes: self.element_bytes,
                memory: memory.wrapping_add(row * first.stride + column * second.stride),
                axes: [Axis { count: rows, ..first }, Axis { count: columns, ..second }],
            };
            let tile = if self.first_is_fast(row / side + column / side) { tile.transposed() } else { tile };
            let skip = in_band - rows * column * self.element_bytes;
            let part = (rows * columns * self.element_bytes - skip).min(length);
            // SAFETY: elements of the grid, and as many packed bytes as are left.
            unsafe {
                tile.copy::<PACK>(skip, packed, part);
                packed = packed.add(part);
            }
            offset += part;
            length -= part;
        }
    }

    /// Whether the first axis runs faster in a tile, from the sum of its numbers along both axes.
    fn first_is_fast(&self, tile: usize) -> bool {
        match self.order {
            Order::First => true,
            Order::Second => false,
            Order::Alternating => tile % 2 == 1,
        }
    }
}

/// A part of a grid whose packed bytes follow its second axis, then its first.
#[derive(Debug, Clone, Copy)]
struct Tile {
    element_bytes: usize,
    memory: *mut u8,
    axes: [Axis; 2],
}

impl Tile {
    fn transposed(self) -> Self {
        let [first, second] = self.axes;
        Self { axes: [second, first], ..self }
    }

    /// Copies `length` of its bytes from `skip` on: whole rows, and partial rows at the ends.
    ///
    /// # Safety
    /// As [`Grid::copy`].
    unsafe fn copy<const PACK: bool>(&self, skip: usize, packed: *mut u8, length: usize) {
        let [first, second] = self.axes;
        let row = second.count * self.element_bytes;
        let (mut at, end) = (skip, skip + length);
        while at < end {
            let (number, within) = (at / row, at % row);
            let memory = self.memory.wrapping_add(number * first.stride);
            // SAFETY: rows of the tile, which can be copied by the contract of this function; `at` stays
            // below `end`.
            at += unsafe {
                let packed = packed.add(at - skip);
                if within > 0 || end - at < row {
                    let part = (row - within).min(end - at);
                    kernel::part_of_row::<PACK>(
                        self.element_bytes,
                        memory,
                        second.stride,
                        within,
                        packed,
                        part,
                    );
                    part
                } else {
                    let count = (end - at) / row;
                    let axes = [Axis { count, ..first }, second];
                    kernel::rows::<PACK>(self.element_bytes, memory, axes, packed);
                    count * row
                }
            };
        }
    }
}
