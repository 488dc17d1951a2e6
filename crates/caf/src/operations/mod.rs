//! What a program calls.
//!
//! An operation takes the state of the image, begins, and waits by the engine until it has ended, or is added
//! to the operations that go on. What it does with messages of other images stands in the table in
//! `start.rs`.

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
mod raw;
mod reduction;
pub mod spawn;
mod start;
pub mod status;
pub(crate) mod steps;
mod team;
