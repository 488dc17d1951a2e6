//! Exchanges between nodes that are drawn from bytes, for a test and for a fuzz target: nodes of any sizes,
//! blocks around the limit of node leaders, counts that do not match, arguments that are refused. Ranks are
//! threads; a serial reference has the expected contents of all memory.

mod buffer;
mod job;
pub mod run;

pub use job::Job;
