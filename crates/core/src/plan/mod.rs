//! The plan of stages: the routes of values from the rank that generates them to the rank that owns them.
//!
//! Everything here is a pure function of (rank, size, nodes), tested for every size up to 130 without MPI.
//!
//! A *plan* is a list of *stages*. In a stage the ranks that a value can still reach are divided into
//! *parts*; a rank keeps the values for its own part and sends the values for the other parts. After the last
//! stage every value is at its owner.
//!
//! | routing | stages | messages per rank and round | words sent, of Q generated |
//! |---|---|---|---|
//! | direct, d = 1 | 1 | P - 1 | Q (P-1)/P |
//! | d dimensions | d | d (P^(1/d) - 1) | d Q (P^(1/d)-1) / P^(1/d) |
//! | hypercube, d = log2 P | log2 P | log2 P | log2(P) Q/2 |
//! | nodes, hypercube between them | log2 M + 1 | log2 M | log2(M) Q/2, the rest in shared memory |
//! | three hops (local, network, local) | 3 | (M-1)/k | Q (M-1)/M, each value crosses once |
//!
//! for P ranks on M nodes of k. Source of the first three rows: Plimpton et al. 2006, §2.

pub mod halving;
pub mod routing;
pub mod share;
pub mod stage;
pub mod three_hop;
pub mod topology;

pub use routing::{Plan, Routing};
pub use stage::{Entry, Parting, Send, Source, Stage, Transport};
pub use topology::Topology;
