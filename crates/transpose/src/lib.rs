//! Transposition of a matrix that is distributed over the ranks of a communicator.
//!
//! | file | holds |
//! |---|---|
//! | [`transpose`](mod@transpose) | the algorithm, in place and out of place |
//! | [`sliced`] | the algorithm in place for shapes that are not symmetric |
//! | `exchange` | the exchange of both |
//! | `blocks` | the location of blocks, and the order of their bytes |
//! | [`shape`] | the shape of a distributed matrix |
//! | [`grid`] | block-cyclic matrices on a grid of processes |

mod blocks;
mod exchange;
pub mod grid;
pub mod shape;
pub mod sliced;
pub mod transpose;

pub use shape::{Layout, Shape};
pub use transpose::{Parts, check, transpose};

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[grid::notices::model::MODELS];
