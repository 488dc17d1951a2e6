//! The parameters of a machine, the identity of the machine of a process, the cost of the stages of a plan,
//! units of simulated work, and the instructions of processors.

pub mod identity;
pub mod instructions;
pub mod parameters;
pub mod traffic;
pub mod work;

pub use parameters::{EXAMPLE, Link, Parameters, Placement, log2};
