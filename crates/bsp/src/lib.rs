//! Bulk-synchronous programs: BSPlib's registration, one-sided access and messages.
//!
//! A program calls the functions of [`Spmd`] and ends supersteps with [`Spmd::sync`].
//!
//! | file | holds |
//! |---|---|
//! | [`spmd`] | one process of the SPMD part, and its requests in a superstep |
//! | [`sync`] | the end of a superstep |
//! | [`memory`] | registered memory that the library owns |
//! | [`registry`], [`mates`] | the registrations of this process, and of the processes of its node |
//! | [`messages`] | the queue of messages, and sizes of tags |
//! | [`agreement`] | the check that all processes have made the same collective calls |
//! | [`record`] | the form of requests, data and messages |
//! | [`forwarding`] | the transport between nodes |
//! | `unbuffered`, [`direct`] | direct copies between processes of a node |
//! | [`collective`] | broadcast and fold |
//! | `process` | with the feature `mpi`: the state of the process; initialisation and finalisation of MPI |
//! | [`profile`] | the cost of each superstep |
//! | [`options`] | options of a run |
//! | [`cost`] | the predicted time of a program |

pub mod agreement;
pub mod collective;
pub mod cost;
pub mod direct;
pub mod forwarding;
pub mod mates;
pub mod memory;
pub mod messages;
pub mod options;
#[cfg(feature = "mpi")]
pub mod process;
pub mod profile;
pub mod record;
pub mod registry;
pub mod spmd;
pub mod sync;
mod unbuffered;

pub use options::Options;
pub use spmd::Spmd;

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[sync::model::MODELS];
