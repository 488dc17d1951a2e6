//! The figures of a machine, which one a process is on, the cost of the stages of a plan, and units of simulated work.

pub mod identity;
pub mod parameters;
pub mod traffic;
pub mod work;

pub use parameters::{EXAMPLE, Link, Parameters, Placement, log2};
