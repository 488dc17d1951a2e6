//! Coarray Fortran 2.0 as a library: teams, coarrays, events, asynchronous copies, collectives, shipped
//! functions.
//!
//! Three layers, each of which uses only those below it:
//!
//! | module | holds |
//! |---|---|
//! | [`operations`] | the functions of programs: accesses, copies, events, locks, collective operations, shipped functions, teams |
//! | `engine` | an image, and waits, which serve other images |
//! | [`state`] | the parts of an image's state: teams, coarrays, locks, received messages, failed and stopped images |
//!
//! In addition, [`process`] holds the one state of a process.
//!
//! Source: Jin, Mellor-Crummey, Adhianto, Scherer, Yang 2011, "Implementation and Performance Evaluation of
//! the HPC Challenge Benchmarks in Coarray Fortran 2.0".

mod engine;
pub mod operations;
pub mod process;
pub mod state;
mod turns;

pub use engine::runtime::{Function, Runtime};
pub use operations::{collective, copointer, copy, event, node_lock};
pub use state::handles::{self, Handle};
pub use state::options::{self, Options};
pub use state::{coarray, others, statistics, team};

/// The models of the protocols of this crate.
#[cfg(hcube_model)]
pub const MODELS: &[&[hcube_core::atomic::model::Model]] = &[
    operations::barrier::model::MODELS,
    operations::reduction::model::MODELS,
    operations::lock::model::MODELS,
    node_lock::model::MODELS,
    event::model::MODELS,
    operations::finish::model::MODELS,
    collective::model::MODELS,
    operations::status::model::MODELS,
    state::finish::model::MODELS,
];
