//! Products of distributed matrices.
//!
//! A call goes through these files from top to bottom:
//!
//! | file | holds |
//! |---|---|
//! | [`arguments`], [`pblas`], [`entrance`] | from the arguments of PBLAS, or of C, to a product |
//! | [`product`], [`element`] | the product: grid, matrices, scalars |
//! | [`state`] | the state of a communicator between calls, and the choice of the algorithm |
//! | `route`, `trials`, `network` | the route of panels between nodes: by the model, and by measured times |
//! | `summa`, `stationary`, `scale` | the algorithms |
//! | `pipeline`, `broadcasts`, `shares`, `partial` | panels, shares of panels and partial products in progress |
//! | `panels`, `ring`, `domain`, `counters` | widths and places of panels, the ranks that share them, and how far these are |
//! | `factor`, [`axis`], `runs`, `fill` | a factor's panels, index maps, and copies by them |
//! | [`local`] | the product of a rank's own panels, by the program's BLAS |
//! | [`schedule`] | messages of a broadcast, with and without groups |
//! | [`model`] | predicted times |
//! | [`options`], [`report`], [`describe`](mod@describe) | options of users; the result; descriptions of both |

pub mod arguments;
pub mod axis;
mod broadcasts;
mod counters;
pub mod describe;
mod domain;
pub mod element;
pub mod entrance;
mod factor;
mod fill;
pub mod local;
pub mod model;
mod network;
pub mod options;
mod panels;
mod partial;
pub mod pblas;
mod pipeline;
pub mod product;
mod recent;
pub mod report;
mod ring;
mod route;
mod runs;
mod scale;
pub mod schedule;
mod shares;
pub mod state;
mod stationary;
mod summa;
mod trials;

pub use options::Options;

pub use pipeline::COPY_BYTE;
pub use summa::MULTIPLY_ADD;

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[pipeline::model::MODELS];
