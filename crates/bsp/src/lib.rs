//! Bulk-synchronous programs: BSPlib's registration, one-sided access and messages.
//!
//! A program calls the functions of [`Spmd`] and ends supersteps with [`Spmd::sync`].
//!
//! | file | holds |
//! |---|---|
//! | [`spmd`] | one process of the SPMD part, and what it may ask for in a superstep |
//! | [`sync`] | the end of a superstep |
//! | [`registry`], [`mates`] | what this process has registered, and what those of its node have |
//! | [`messages`] | the queue of messages, and sizes of tags |
//! | [`agreement`] | what all processes must have done alike |
//! | [`record`] | the form in which requests, data and messages travel |
//! | [`transit`] | the way between nodes |
//! | [`direct`] | unbuffered copies inside a node |
//! | [`collective`] | broadcast and fold |
//! | [`process`] | the state of the process, and the life of MPI |
//! | [`profile`] | what each superstep has cost |
//! | [`options`] | what a user can choose |

pub mod agreement;
pub mod collective;
pub mod direct;
pub mod mates;
pub mod messages;
pub mod options;
pub mod process;
pub mod profile;
pub mod record;
pub mod registry;
pub mod spmd;
pub mod sync;
pub mod transit;

pub use options::Options;
pub use spmd::Spmd;
