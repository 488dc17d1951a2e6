//! The figures of a machine, which one a process is on, the cost of the stages of a plan, units of simulated
//! work, and the instructions of its processors.

pub mod identity;
pub mod instructions;
pub mod parameters;
pub mod traffic;
pub mod work;

pub use parameters::{EXAMPLE, Link, Parameters, Placement, log2};
