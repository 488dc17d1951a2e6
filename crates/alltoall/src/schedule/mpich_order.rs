//! The order of MPICH: all pairs (i, j) with i < j, sorted by i and then by j.
//!
//! Idea: every rank goes through the same list of pairs and takes part in its own. For rank r these are ranks
//! 0 to r - 1 (as the larger of the pair), then r + 1 to the last: the others in ascending order. The
//! sequences are consistent because they are parts of one list.
//!
//! Restrictions: none.
//! Cost: P - 1 exchanges per rank in 2P - 3 steps: pair (i, j) cannot start before step i + j, so at the
//! beginning and at the end most ranks wait. Hofmann and Ruenger count 2P - 1 steps, including the exchange
//! of a rank with itself, which is omitted here. This schedule is provided for comparison.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3.1, after MPICH's `MPI_Alltoallv` with
//! `MPI_IN_PLACE`.

/// See [`super::partners`].
pub fn partners(rank: usize, size: usize) -> impl Iterator<Item = usize> {
    (0..rank).chain(rank + 1..size)
}
