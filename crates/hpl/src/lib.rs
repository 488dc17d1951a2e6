//! The communication of LU factorisations as in HPL: panels along process rows, pivots and rows in process
//! columns.
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | the topologies, and the options of a communicator |
//! | [`panels`] | the panels of a row: numbers, slots in the memory of a node, releases |
//! | [`slots`] | the memory of a node and its slots |
//! | [`holders`] | who holds each panel on each node |
//! | [`network`] | panels that come from other nodes, and that go there |
//! | [`topology`] | the edges along which nodes pass a panel on |

pub mod holders;
pub mod network;
pub mod options;
pub mod panels;
pub mod slots;
pub mod topology;

pub use options::{Options, Topology};
pub use panels::{Memory, Panels};

#[cfg(test)]
mod tests;

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[panels::model::MODELS];
