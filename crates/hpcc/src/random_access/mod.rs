//! RandomAccess on coarrays: the modes `events` and `spawn`, beside those of `hcube-random-access`.
//!
//! | module | holds |
//! |---|---|
//! | [`state`] | what is kept on a communicator: a state of `hcube-random-access`, or images |
//! | [`process`] | what a process keeps: the coarray runtime, where hcube has started it |
//! | [`images`] | what an image keeps between runs; a run from arguments to statistics |
//! | `exchange` | what both ways of exchanging values need |
//! | `edges` | between which images values travel, and their places in coarrays and among events |
//! | `events` | routing by copies with events |
//! | `spawn` | shipped functions |
//! | `desk` | what shipped functions share with the program |
//!
//! Streams, tables, the division of lists and the update loop are those of `hcube-random-access`. The table is the
//! program's, not a coarray: values travel, and their owner applies them.

mod desk;
mod edges;
mod events;
mod exchange;
pub mod images;
pub mod process;
mod spawn;
pub mod state;

pub use images::Images;
pub use state::State;
