//! Linear shift: step s joins the ranks whose sum is s modulo P.
//!
//! Idea: the partner of rank r in step s is (s - r) mod P, whose partner is r. A rank that is its own partner
//! skips the step and waits for its partner in the next step.
//!
//! Restrictions: none.
//! Cost: P - 1 exchanges per rank in P steps (1 for P = 2). With an odd number of ranks one rank is idle in
//! every step; with an even number two ranks are idle in every even step, and no rank in odd steps. The
//! distances between partners vary from small to large in every step, so that every step loads the whole
//! network.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3.2, Figure 3.

/// See [`super::partners`].
pub fn partners(rank: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..size).map(move |step| (step + size - rank) % size).filter(move |&partner| partner != rank)
}
