//! The parts of a string on the ranks of a communicator, and their way to those that compute with them.
//!
//! A string consists of all ranks' parts in the order of ranks; parts may be empty, so that a string may lie
//! on one rank.

use crate::grid::Grid;
use crate::packed::Packing;
use crate::symbol::Id;
use hcube_core::Error;
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::reserve;
use std::ops::Range;

/// Where the parts of a string are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Where the part of each rank begins, and the length.
    bounds: Vec<usize>,
}

impl Parts {
    /// Of parts of these lengths.
    pub fn new(lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut bounds = vec![0];
        let mut end = 0;
        bounds.extend(lengths.into_iter().map(|length| {
            end += length;
            end
        }));
        Self { bounds }
    }

    /// Length of the string.
    pub fn length(&self) -> usize {
        self.bounds[self.bounds.len() - 1]
    }

    /// The places of a range of the string in the part of a rank.
    pub fn within(&self, rank: usize, range: &Range<usize>) -> Range<usize> {
        let (begin, end) = (self.bounds[rank], self.bounds[rank + 1]);
        let place = |at: usize| at.clamp(begin, end) - begin;
        place(range.start)..place(range.end)
    }

    /// The symbols of a range that are in the part of a rank, by their places in the string.
    pub fn overlap(&self, rank: usize, range: &Range<usize>) -> Range<usize> {
        let (begin, end) = (self.bounds[rank], self.bounds[rank + 1]);
        let place = |at: usize| at.clamp(begin, end).clamp(range.start, range.end);
        place(range.start)..place(range.end)
    }

    /// The ranks whose parts have symbols of a range, with their numbers of symbols.
    pub fn sources(&self, range: &Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let ranks = (0..self.bounds.len() - 1).map(|rank| (rank, self.within(rank, range).len()));
        ranks.filter(|&(_, symbols)| symbols > 0)
    }
}

/// Collective: the symbols of each block column of this rank.
///
/// # Errors
/// Errors of communication; [`Error::Memory`] or [`Error::Remote`] where a rank has no room for its columns.
pub fn columns<C: Comm, I: Id>(
    comm: &C,
    part: &[I],
    parts: &Parts,
    grid: &Grid,
    packing: Packing,
) -> Result<Vec<Vec<I>>, Error> {
    let range = |x| grid.columns(x, parts.length());
    let outgoing: Vec<Vec<u64>> = (0..comm.size())
        .map(|to| {
            let mut words = Vec::new();
            for x in grid.columns_of(to) {
                packing.pack(&part[parts.within(comm.rank(), &range(x))], &mut words);
            }
            words
        })
        .collect();
    let incoming = comm.all_to_all(&outgoing)?;
    let widths = grid.columns_of(comm.rank()).map(|x| range(x).len());
    let mut bands: Vec<Vec<I>> =
        agree(comm, widths.map(|width| reserve::with_room(width, "symbols of columns")).collect())?;
    let mut rest = &incoming[..];
    for from in 0..comm.size() {
        for (x, band) in grid.columns_of(comm.rank()).zip(&mut bands) {
            let symbols = parts.within(from, &range(x)).len();
            let (words, behind) = rest.split_at(packing.words(symbols));
            packing.unpack(words, symbols, band);
            rest = behind;
        }
    }
    Ok(bands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_in_parts() {
        let parts = Parts::new([3, 0, 5, 0]);
        assert_eq!((parts.length(), parts.within(2, &(1..6)), parts.within(0, &(1..6))), (8, 0..3, 1..3));
        assert_eq!((parts.overlap(2, &(1..6)), parts.overlap(1, &(1..6)).len()), (3..6, 0));
        assert_eq!(parts.sources(&(1..6)).collect::<Vec<_>>(), [(0, 2), (2, 3)]);
        assert_eq!(parts.sources(&(3..3)).count(), 0);
        assert_eq!(Parts::new([0, 0]).length(), 0);
    }
}
