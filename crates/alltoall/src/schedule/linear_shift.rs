//! Linear shift: step s joins the ranks whose sum is s modulo P.
//!
//! Idea: the partner of rank r in step s is (s - r) mod P, whose partner is r again. A rank that
//! would meet itself leaves the step out and waits for its partner of the next.
//!
//! Restrictions: none.
//! Cost: P - 1 exchanges per rank in P steps (P - 1 for P = 2). With an odd number of ranks one is
//! idle in every step; with an even number two are in every even step and none in odd ones.
//! Neighbouring steps take a rank to neighbouring partners all around, so that every step loads
//! the whole network.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3.2, Figure 3.

/// See [`super::partners`].
pub fn partners(rank: usize, size: usize) -> Vec<usize> {
    (0..size).map(|step| (step + size - rank) % size).filter(|&partner| partner != rank).collect()
}
