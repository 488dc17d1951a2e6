//! The two constructors that describe a part of an array: `MPI_Type_create_subarray` and
//! `MPI_Type_create_darray` (MPI-3.1, §4.1.3 and §4.1.4).
//!
//! Both are nested loops, from the dimension whose elements are contiguous to the one with the largest
//! stride: from the first to the last in Fortran order, from the last to the first in C order.

use super::super::constants::constants;
use super::contents::count;
use crate::memory::datatype::layout::{Builder, Placed, times};

/// The dimensions in the order of the loops, innermost first.
fn innermost_first(dimensions: usize, order: i64) -> Box<dyn Iterator<Item = usize>> {
    if order == i64::from(constants().order_fortran) {
        Box::new(0..dimensions)
    } else {
        Box::new((0..dimensions).rev())
    }
}

/// Numbers: dimensions, sizes of the array, sizes of the part, where it starts, order.
pub(super) fn subarray(numbers: &[i64], element: Placed, extent: isize) -> Option<Placed> {
    let dimensions = count(numbers, 0)?;
    let argument = |which: usize, dimension: usize| count(numbers, 1 + which * dimensions + dimension);
    let order = *numbers.get(1 + 3 * dimensions)?;
    let (mut placed, mut stride) = (element, extent);
    for dimension in innermost_first(dimensions, order) {
        let start = times(argument(2, dimension)?, stride)?;
        placed = placed.repeated(argument(1, dimension)?, stride)?.moved(start)?;
        stride = times(argument(0, dimension)?, stride)?;
    }
    Some(placed)
}

/// Numbers: processes, rank, dimensions, then for each dimension the size of the array, how it is
/// distributed, the argument of that, and the processes; order.
pub(super) fn darray(numbers: &[i64], element: Placed, extent: isize) -> Option<Placed> {
    let dimensions = count(numbers, 2)?;
    let position = |which: usize, dimension: usize| 3 + which * dimensions + dimension;
    let order = *numbers.get(position(4, 0))?;
    // The processes form a separate grid, whose last dimension runs fastest in either order.
    let mut coordinates = vec![0; dimensions];
    let mut rank = count(numbers, 1)?;
    for dimension in (0..dimensions).rev() {
        let processes = count(numbers, position(3, dimension))?;
        coordinates[dimension] = rank.checked_rem(processes)?;
        rank /= processes;
    }
    let (mut placed, mut stride) = (element, extent);
    for dimension in innermost_first(dimensions, order) {
        let axis = Axis {
            size: count(numbers, position(0, dimension))?,
            processes: count(numbers, position(3, dimension))?,
            coordinate: coordinates[dimension],
        };
        let block =
            axis.block(*numbers.get(position(1, dimension))?, *numbers.get(position(2, dimension))?)?;
        placed = axis.blocks(block, placed, stride)?;
        stride = times(axis.size, stride)?;
    }
    Some(placed)
}

/// One dimension of a distributed array.
struct Axis {
    size: usize,
    processes: usize,
    coordinate: usize,
}

impl Axis {
    /// Elements that a process has in a row: every distribution is a cyclic one of such blocks.
    fn block(&self, distribution: i64, argument: i64) -> Option<usize> {
        let mpi = constants();
        let [none, block, cyclic, default] =
            [mpi.distribute_none, mpi.distribute_block, mpi.distribute_cyclic, mpi.distribute_default]
                .map(i64::from);
        let given = if argument == default { None } else { Some(usize::try_from(argument).ok()?) };
        match distribution {
            _ if distribution == none => Some(self.size),
            _ if distribution == block => Some(given.unwrap_or(self.size.div_ceil(self.processes))),
            _ if distribution == cyclic => Some(given.unwrap_or(1)),
            _ => None,
        }
    }

    /// The blocks of this process: whole ones at equal distances, and a shorter one at the end.
    fn blocks(&self, block: usize, element: Placed, stride: isize) -> Option<Placed> {
        let round = block.checked_mul(self.processes)?;
        let begin = self.coordinate.checked_mul(block)?;
        let rest = self.size.saturating_sub(begin);
        let mut whole = rest.checked_div(round)?;
        let mut partial = rest % round;
        if partial >= block {
            (whole, partial) = (whole + 1, 0);
        }
        let mut builder = Builder::default();
        let blocks = element.clone().repeated(block, stride)?.repeated(whole, times(round, stride)?)?;
        builder.push(blocks.moved(times(begin, stride)?)?)?;
        let last = whole.checked_mul(round).and_then(|elements| elements.checked_add(begin))?;
        builder.push(element.repeated(partial, stride)?.moved(times(last, stride)?)?)?;
        builder.finish()
    }
}
