//! The common basis of all systems of hcube; exports no C symbol.
//!
//! | module | holds | uses |
//! |---|---|---|
//! | [`mpi`] | the only place that calls MPI: bindings, handles, attributes, errors, datatypes, the MPI back end | `comm`, `memory`, `machine`, `progress` |
//! | [`node`] | shared resources of the ranks of a node, huge pages; all system calls | `comm`, `memory`, `progress` |
//! | [`onesided`] | put, get, strided access and atomic operations on the heaps of all ranks | `active`, `node`, `comm`, `memory`, `machine`, `plan` |
//! | [`active`] | active messages between any two ranks | `node`, `comm`, `plan` |
//! | [`comm`] | the trait [`Comm`](comm::Comm); ranks as threads; request sets, reductions, pipelined broadcast, tags | `memory`, `machine`, `progress` |
//! | [`progress`] | how ranks wait, and the pollers that every waiting loop drives | `error` |
//! | [`machine`] | the figures of a machine, the cost of stages, units of simulated work | `plan`, `error` |
//! | [`memory`] | regions, blocks, layouts of datatypes, grids, ordinary and streaming copies, scratch | `error` |
//! | [`plan`] | the stages of the routes of values; pure functions | nothing |
//! | [`options`] | environment variables in declarative tables | `error` |
//! | [`error`] | the one error type and its C codes | nothing |

pub mod active;
pub mod atomic;
pub mod comm;
pub mod error;
pub mod machine;
pub mod memory;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod node;
pub mod onesided;
pub mod options;
pub mod plan;
pub mod progress;

pub use error::{Error, Result};

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[atomic::model::Model]] = &[
    active::model::BATCHES,
    active::model::MODELS,
    #[cfg(feature = "mpi")]
    mpi::number::model::MODELS,
    #[cfg(feature = "mpi")]
    mpi::state::model::MODELS,
    node::absence::model::MODELS,
    node::arrivals::model::MODELS,
    node::arrivals::pairs::model::MODELS,
    node::board::model::MODELS,
    node::counted_memory::model::MODELS,
    node::lists::model::MODELS,
    node::mailbox::model::MODELS,
    node::refusals::model::MODELS,
    node::rings::model::MODELS,
    onesided::model::MODELS,
];
