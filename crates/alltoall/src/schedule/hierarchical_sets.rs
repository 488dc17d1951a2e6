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

/// See [`super::partners`].
pub fn partners(rank: usize, size: usize) -> Vec<usize> {
    let mut partners = Vec::with_capacity(size.saturating_sub(1));
    let mut set = 0..size;
    while set.len() > 1 {
        let middle = set.start + set.len() / 2;
        if rank < middle {
            let (own, others) = (rank - set.start, set.end - middle);
            partners.extend((0..others).map(|step| middle + (own + step) % others));
            set.end = middle;
        } else {
            let others = middle - set.start;
            let first = (rank - middle).min(others - 1);
            partners.extend((0..others).map(|step| set.start + (first + others - step) % others));
            set.start = middle;
        }
    }
    partners
}
