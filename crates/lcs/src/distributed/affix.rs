//! The common beginning and the common end of two strings whose parts lie on all ranks.
//!
//! Idea: as for one process ([`affix`](crate::affix)), in windows. A rank compares the symbols of its part of
//! string A with the symbols of string B, which come from the ranks that have them. The first window is
//! short, since most strings differ there; while all symbols of a window are equal, the next one has twice
//! its length.
//!
//! Cost: an exchange of all ranks with all and a reduction per window. Memory: the symbols of a window.

use super::parts::Parts;
use crate::packed::Packing;
use crate::symbol::Id;
use hcube_core::Error;
use hcube_core::comm::Comm;
use std::ops::Range;

/// Symbols of the first and of the longest window.
const MIN_WINDOW: usize = 1 << 10;
const MAX_WINDOW: usize = 1 << 20;

/// A string: the part of this rank, and where all parts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whole<I> {
    pub own: Vec<I>,
    pub parts: Parts,
}

impl<I: Id> Whole<I> {
    /// Leaves the symbols of a range.
    fn keep(&mut self, rank: usize, ranks: usize, range: &Range<usize>) {
        let own = self.parts.within(rank, range);
        self.own.truncate(own.end);
        self.own.drain(..own.start);
        self.parts = Parts::new((0..ranks).map(|rank| self.parts.within(rank, range).len()));
    }
}

/// Collective: takes off what both strings have in common at their ends; the number of symbols that went.
pub(super) fn strip<C: Comm, I: Id>(
    comm: &C,
    a: &mut Whole<I>,
    b: &mut Whole<I>,
    packing: Packing,
) -> Result<usize, Error> {
    let shorter = a.parts.length().min(b.parts.length());
    let strings = (&*a, &*b);
    let prefix = common(comm, strings, packing, shorter, End::First)?;
    let suffix = common(comm, strings, packing, shorter - prefix, End::Last)?;
    for string in [a, b] {
        let range = prefix..string.parts.length() - suffix;
        string.keep(comm.rank(), comm.size(), &range);
    }
    Ok(prefix + suffix)
}

/// An end of both strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl End {
    /// The window of a string behind the symbols that are equal.
    fn window(self, length: usize, equal: usize, symbols: usize) -> Range<usize> {
        match self {
            Self::First => equal..equal + symbols,
            Self::Last => length - equal - symbols..length - equal,
        }
    }
}

/// Collective: the number of equal symbols at an end, at most `limit`.
fn common<C: Comm, I: Id>(
    comm: &C,
    (a, b): (&Whole<I>, &Whole<I>),
    packing: Packing,
    limit: usize,
    end: End,
) -> Result<usize, Error> {
    let (mut equal, mut length) = (0, MIN_WINDOW);
    while equal < limit {
        let symbols = length.min(limit - equal);
        let [window_a, window_b] = [a, b].map(|string| end.window(string.parts.length(), equal, symbols));
        // Places in the window that a rank compares: those of its part of string A.
        let places = |rank: usize| {
            let own = a.parts.overlap(rank, &window_a);
            own.start - window_a.start..own.end - window_a.start
        };
        let of_b = |places: Range<usize>| window_b.start + places.start..window_b.start + places.end;
        let outgoing: Vec<Vec<u64>> = (0..comm.size())
            .map(|to| {
                let mut words = Vec::new();
                packing.pack(&b.own[b.parts.within(comm.rank(), &of_b(places(to)))], &mut words);
                words
            })
            .collect();
        let incoming = comm.all_to_all(&outgoing)?;
        let own = places(comm.rank());
        let mut theirs: Vec<I> = Vec::with_capacity(own.len());
        let mut rest = &incoming[..];
        for from in 0..comm.size() {
            let count = b.parts.within(from, &of_b(own.clone())).len();
            let (words, behind) = rest.split_at(packing.words(count));
            packing.unpack(words, count, &mut theirs);
            rest = behind;
        }
        let ours = &a.own[a.parts.within(comm.rank(), &window_a)];
        let mut differs = ours.iter().zip(&theirs).map(|(ours, theirs)| ours != theirs);
        let first = match end {
            End::First => differs.position(|differs| differs).map(|at| own.start + at),
            End::Last => differs.rposition(|differs| differs).map(|at| symbols - 1 - (own.start + at)),
        };
        let mut least = [-(first.unwrap_or(symbols) as i64)];
        comm.all_reduce_max(&mut least)?;
        let found = (-least[0]) as usize;
        equal += found;
        if found < symbols {
            break;
        }
        length = (2 * length).min(MAX_WINDOW);
    }
    Ok(equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    /// The parts of a string on ranks, the first of which has `first` symbols.
    fn whole(string: &[u8], rank: usize, ranks: usize, first: usize) -> Whole<u8> {
        let (first, others) = (first.min(string.len()), string.len() - first.min(string.len()));
        let bound =
            |rank: usize| if rank == 0 { 0 } else { first + others * (rank - 1) / (ranks - 1).max(1) };
        let end = |rank: usize| if rank + 1 == ranks { string.len() } else { bound(rank + 1) };
        let parts = Parts::new((0..ranks).map(|rank| end(rank) - bound(rank)));
        Whole { own: string[bound(rank)..end(rank)].to_vec(), parts }
    }

    #[test]
    fn ends_of_every_length_go_from_parts_of_any_length() {
        let lengths = [0, 1, 63, 1000, MIN_WINDOW, 3 * MIN_WINDOW, 3 * MIN_WINDOW + 1, 9000];
        for ranks in [1, 2, 3, 5] {
            for (number, &prefix) in lengths.iter().enumerate() {
                let suffix = lengths[(number * 3 + ranks) % lengths.len()];
                let string = |middle: &[u8]| [&vec![1; prefix], middle, &vec![2; suffix]].concat();
                for (middle_a, middle_b) in
                    [(&[3, 5, 4][..], &[6, 7][..]), (&[3], &[]), (&[], &[]), (&[0; 70], &[3; 3000])]
                {
                    let (a, b) = (string(middle_a), string(middle_b));
                    let found = threads::run(ranks, ranks, |comm| {
                        let rank = comm.rank();
                        let mut a = whole(&a, rank, ranks, number * 400);
                        let mut b = whole(&b, rank, ranks, 2500);
                        let went = strip(comm, &mut a, &mut b, Packing::new(8)).expect("threads");
                        (went, a, b)
                    });
                    let (expected, rest_a, rest_b) = crate::affix::strip(&a, &b);
                    let rest =
                        |string: &dyn Fn(usize) -> Vec<u8>| (0..ranks).flat_map(string).collect::<Vec<_>>();
                    assert!(
                        found.iter().all(|(went, ..)| *went == expected),
                        "{prefix} + {suffix}: {found:?}"
                    );
                    assert_eq!(rest(&|rank| found[rank].1.own.clone()), rest_a);
                    assert_eq!(rest(&|rank| found[rank].2.own.clone()), rest_b);
                    assert_eq!(found[0].1.parts.length(), rest_a.len());
                }
            }
        }
    }
}
