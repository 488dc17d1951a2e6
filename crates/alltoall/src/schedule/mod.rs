//! The order in which a rank exchanges with all others, one pair at a time.
//!
//! Everything here is a pure function of (rank, size), tested for every size up to 130 without MPI. Every
//! pair of ranks occurs once in the sequence of each of the two, and the sequences are consistent: ranks that
//! finish every exchange before they start the next never wait in a circle.
//!
//! By default the schedules of ranks that know their nodes are over another order of the ranks, which depends
//! on the shape of the nodes: [`on_nodes`].
//!
//! | schedule | steps for P ranks, one exchange per rank and step | locality |
//! |---|---|---|
//! | [`mpich_order`] | 2P - 3, a rank idle in about half of them | none |
//! | [`linear_shift`] | P, or P - 1 for P = 2 | none |
//! | [`hierarchical_sets`] | P - 1 for powers of two, at most P + ceil(log2 P) - 2 | halves of halves |
//!
//! Source: Hofmann and Ruenger, "In-place algorithms for the symmetric all-to-all exchange with MPI", EuroMPI
//! 2013, §3. They count the exchange of a rank with itself as a step of the first schedule (2P - 1); here it
//! is omitted, because in place it moves nothing.

pub mod hierarchical_sets;
pub mod linear_shift;
pub mod mpich_order;
pub mod on_nodes;

use super::options::Schedule;

/// The partners of `rank` among `size` ranks in the order in which it exchanges with them, without the rank
/// itself. [`Schedule::Auto`] means hierarchical sets, and so do [`Schedule::Library`], whose order is not
/// known, and [`Schedule::Hypercube`] and [`Schedule::NodeLeaders`], which have no order of partners.
/// An iterator: on many ranks, a list would exceed the memory bound.
///
/// # Panics
/// Unless `rank < size`.
pub fn partners(schedule: Schedule, rank: usize, size: usize) -> Box<dyn Iterator<Item = usize>> {
    assert!(rank < size, "rank {rank} of {size}");
    match schedule {
        Schedule::Mpich => Box::new(mpich_order::partners(rank, size)),
        Schedule::LinearShift => Box::new(linear_shift::partners(rank, size)),
        Schedule::Auto
        | Schedule::HierarchicalSets
        | Schedule::Library
        | Schedule::Hypercube
        | Schedule::NodeLeaders => Box::new(hierarchical_sets::partners(rank, size)),
    }
}
