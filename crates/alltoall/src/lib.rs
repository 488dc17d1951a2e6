//! The all-to-all exchange of MPI, in place and out of place.
//!
//! A call goes through these files from top to bottom; no file uses one above it:
//!
//! | file | holds |
//! |---|---|
//! | [`mpi_front`] | from the arguments of MPI's functions to an exchange |
//! | [`exchange`](mod@exchange) | one exchange, from the votes to the last byte |
//! | `ballot`, `vote`, `factors` | the votes by which all ranks decide before anything is written |
//! | `mismatch` | which ranks have passed counts that do not match |
//! | [`select`], `trials`, `choice`, `situation` | the decision: by rules, and by measured times |
//! | `without_votes`, `forwardable` | exchanges that the MPI library makes faster, and what may be forwarded to it |
//! | `enclosed`, `slots`, `single_copy` | algorithms inside a node |
//! | `messages`, [`schedule`] | messages, and the orders of partners |
//! | `bundles` | small blocks along the hypercube |
//! | `leaders` | small blocks between nodes, by messages between leaders of the nodes |
//! | [`general`] | the exchange in place with send and receive blocks of their own |
//! | `copies` | the copies that algorithms have in common |
//! | [`state`], `node` | the state between exchanges |
//! | [`task`], [`conditions`], [`options`], [`report`] | the blocks of a rank, its conditions; options of users; the result |
//! | [`model`] | predicted times |
//!
//! The algorithms are private: single copy writes to addresses that another rank has posted, and only
//! [`exchange`](mod@exchange) ensures that all ranks have posted blocks of matching lengths.
//!
//! ```compile_fail,E0603
//! use hcube_alltoall::single_copy::exchange::exchange;
//! ```

mod ballot;
mod bundles;
mod choice;
pub mod conditions;
mod copies;
mod enclosed;
pub mod exchange;
mod factors;
mod forwardable;
pub mod general;
mod leaders;
mod messages;
mod mismatch;
pub mod model;
pub mod mpi_front;
mod node;
pub mod options;
pub mod report;
pub mod schedule;
pub mod select;
mod single_copy;
mod situation;
mod slots;
pub mod state;
pub mod task;
mod trials;
mod vote;
mod without_votes;

pub use conditions::Conditions;
pub use exchange::{Outcome, exchange};
pub use options::{Options, Path, Schedule};
pub use report::{Report, UsedPath};
pub use state::ExchangeState;
pub use task::Task;

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[
    ballot::model::MODELS,
    slots::model::MODELS,
    single_copy::exchange::model::MODELS,
    single_copy::nonblocking::model::MODELS,
    single_copy::persistent::model::MODELS,
    leaders::model::MODELS,
    general::model::MODELS,
    mpi_front::allowance::model::MODELS,
    mpi_front::one_rank::model::MODELS,
    mpi_front::persistent::model::MODELS,
];
