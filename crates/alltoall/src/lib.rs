//! The all-to-all exchange of MPI, in place and out of place.
//!
//! | module | holds |
//! |---|---|
//! | [`options`] | what a user can choose |
//! | [`select`] | the table of algorithms and the decision |
//! | [`schedule`] | orders of partners: pure functions |
//! | [`trials`] | which way is faster here |
//! | [`task`] | the blocks of one rank |
//! | [`vote`] | what ranks tell each other before anything is written |
//! | [`on_node`] | shared memory and single copy |
//! | [`bundles`] | small blocks along the hypercube |
//! | [`messages`] | the engine for messages along a schedule |
//! | [`exchange`](mod@exchange) | one exchange from the first notice to the last byte |
//! | [`mpi_front`] | from the arguments of MPI's functions to an exchange |
//! | [`model`] | predicted times |
//! | [`mismatch`] | who has passed counts that do not match |
//! | [`prepare`] | what is kept between exchanges |
//! | [`report`] | what an exchange has done |

pub mod bundles;
pub mod exchange;
pub mod messages;
pub mod mismatch;
pub mod model;
pub mod mpi_front;
pub mod on_node;
pub mod options;
pub mod prepare;
pub mod report;
pub mod schedule;
pub mod select;
pub mod task;
pub mod trials;
pub mod vote;

pub use exchange::{Facts, Outcome, exchange};
pub use options::{Options, Path, Schedule};
pub use prepare::Prepared;
pub use report::{Report, Way};
pub use task::Task;
