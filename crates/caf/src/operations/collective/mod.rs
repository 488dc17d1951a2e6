//! Collective operations of teams.
//!
//! All of them first compare the arguments of all members by a reduction of seven words, five on boards
//! (`agreement`): invalid or different arguments are an error on all members, before data is moved.
//! Asynchronous broadcasts compare them concurrently with their data. Members are reached by links, except in
//! alltoall, shift and permute, which look up images. A long block is copied once to an image of the same
//! node, or twice if it is not in the heap (`rendezvous`).
//!
//! Teams inside a node with a board (`team::board`) use it for reductions and for broadcasts of short blocks
//! (`pieces`).
//!
//! In the team of all images on several nodes, the leader of each node compares arguments with the other
//! leaders (`team::nodes`), and broadcasts and reductions use a tree with one edge to each node
//! (`node_tree`), reductions only if their order permits it.
//!
//! Trees of all images on several nodes have ⌈log2 N⌉ + ⌈log2 M⌉ edges, N nodes with at most M members.
//! Otherwise, for a team of S members and a block of n bytes, in addition to the reduction of the arguments
//! (⌈log2 S⌉ messages per member; for all images on N nodes ⌈log2 N⌉ per leader):
//!
//! | operation | rounds | bytes that a member sends, at most | additional memory |
//! |---|---|---|---|
//! | [`broadcast`] | ⌈log2 S⌉ | n ⌈log2 S⌉ (root) | a copy in the heap |
//! | [`gather`], scatter | ⌈log2 S⌉ | n S / 2 (next to the root), n (S - 1) (root of scatter) | n S / 2 |
//! | [`allgather`] | ⌈log2 S⌉ | n (S - 1) | n (S - 1), if `into` is not in the heap |
//! | [`alltoall`] | S / 2 | n (S - 1) | 6 n |
//! | [`shift`], [`permute`] | 1 | n | n |
//! | [`reduce`] | ⌈log2 S⌉ | 2 n | 3 n |
//! | [`allreduce`] | log2 S, or 2 ⌈log2 S⌉ | n ⌈log2 S⌉ | 2 n |
//! | [`scan`] | ⌈log2 S⌉ | n ⌈log2 S⌉ | 3 n |
//! | [`sort`] | p (p + 1) / 2, p = ⌈log2 S⌉ | n per round | 3 n |
//!
//! Source: Jin et al. 2011, §II-D and Table I.

pub(crate) mod agreement;
pub mod allgather;
pub mod allreduce;
pub mod alltoall;
pub mod broadcast;
pub mod gather;
pub(crate) mod members;
#[cfg(hcube_model)]
pub mod model;
mod node_tree;
pub mod permute;
mod pieces;
pub mod reduce;
mod rendezvous;
pub mod scan;
pub mod shift;
pub mod sort;
mod space;
mod tree;

/// Combines a block of lower ranks with one of higher ranks, in which the result is left.
pub type Combine<'a> = &'a mut dyn FnMut(&[u8], &mut [u8]);

/// The elements of a block, if an operation may combine some elements at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elements {
    /// Bytes of an element, the same on all members.
    pub bytes: usize,
    /// Whether blocks may be combined in any order: the operation gives the same bits when two blocks are
    /// swapped, and the program accepts the rounding of any order.
    pub commute: bool,
}
