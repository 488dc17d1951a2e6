//! Hierarchical sets: the ranks are halved, the halves exchange with each other, then each half is halved
//! in turn.
//!
//! Idea: between a lower half of n ranks and an upper half of m = n or n + 1, there are m steps. In
//! step s rank a of the lower half (counted in the half) meets rank (a + s) mod m of the upper
//! half. For the upper half, rank b meets a = (b - s) mod m, and where that is n, which does not
//! exist, it is idle. An idle rank does not wait but skips the step, so its sequence is b, b - 1, ... modulo
//! n, which starts at n - 1 for the last rank of a larger half, idle first. Both halves form the same pairs.
//!
//! Restrictions: none.
//! Cost: P - 1 exchanges per rank; P - 1 steps where P is a power of two, else at most
//! P + ceil(log2 P) - 2: each halving of an odd number may cost one more. Exchanges over the largest
//! distance come first, and most pairs of late steps are neighbours: where ranks are placed in
//! blocks, as on nodes, late steps stay inside them.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3.3, Figure 4.

use std::iter::successors;
use std::ops::Range;

/// The two halves of a set: first the one in which this rank is.
fn halves(set: &Range<usize>, rank: usize) -> [Range<usize>; 2] {
    let middle = set.start + set.len() / 2;
    let (lower, upper) = (set.start..middle, middle..set.end);
    if rank < middle { [lower, upper] } else { [upper, lower] }
}

/// The partners in the other half of a set.
fn across(set: &Range<usize>, rank: usize) -> impl Iterator<Item = usize> + use<> {
    let [own, other] = halves(set, rank);
    let (number, others, is_lower) = (rank - own.start, other.len(), own.start < other.start);
    let first = if is_lower { number } else { number.min(others - 1) };
    (0..others).map(move |step| {
        let place = if is_lower { first + step } else { first + others - step };
        other.start + place % others
    })
}

/// See [`super::partners`].
pub fn partners(rank: usize, size: usize) -> impl Iterator<Item = usize> {
    let sets = successors(Some(0..size), move |set| (set.len() > 1).then(|| halves(set, rank)[0].clone()));
    sets.take_while(|set| set.len() > 1).flat_map(move |set| across(&set, rank))
}
