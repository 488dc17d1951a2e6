//! RandomAccess on coarrays: the modes `events` and `spawn`, in addition to the modes of
//! `hcube-random-access`.
//!
//! | module | holds |
//! |---|---|
//! | [`state`] | the state of a communicator: state of `hcube-random-access`, or images |
//! | [`images`] | the state of an image between runs; a run from arguments to statistics |
//! | `exchange` | the arguments that both modes share |
//! | `edges` | the pairs of images that exchange values, and their slots in coarrays and events |
//! | `events` | routing by copies with events |
//! | `spawn` | shipped functions |
//! | `run_state` | the state of a run that shipped functions and the program share |
//!
//! Streams, tables, the division of lists and the update loop come from `hcube-random-access`. The table
//! belongs to the program and is not a coarray: values are sent, and their owner applies them.

mod edges;
mod events;
mod exchange;
pub mod images;
mod run_state;
mod spawn;
pub mod state;

pub use images::Images;
pub use state::State;
