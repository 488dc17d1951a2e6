//! The all-to-all exchange of MPI, in place and out of place.

pub mod options;
pub mod report;
pub mod select;

pub use options::{Options, Path, Schedule};
pub use report::{Report, Way};
