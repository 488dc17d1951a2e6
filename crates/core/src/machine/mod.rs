//! The figures of a machine, what stages of a plan cost on it, and units of simulated work.

pub mod parameters;
pub mod traffic;
pub mod work;

pub use parameters::{EXAMPLE, Link, Parameters, Placement, log2};
