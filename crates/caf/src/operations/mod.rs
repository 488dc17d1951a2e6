//! The operations that a program calls.
//!
//! An operation locks the state of the image, begins, and waits in the engine until it is complete, or is
//! added to the pending operations. The table in `start.rs` has its handlers for messages of other images.

pub mod access;
pub mod allocation;
pub mod barrier;
mod barrier_async;
pub mod collective;
pub mod copointer;
pub mod copy;
mod ending;
pub mod event;
pub mod finish;
pub mod lock;
mod lockset;
#[cfg(hcube_model)]
pub(crate) mod model;
pub mod node_lock;
mod raw;
pub mod reduction;
pub mod spawn;
mod start;
pub mod status;
pub(crate) mod steps;
mod team;
