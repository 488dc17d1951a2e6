//! From the arguments of MPI's all-to-all functions to an exchange: the one entrance of the C interface
//! and the preload library.

mod arguments;
pub mod call;
pub mod collective;

pub use call::{Call, Counts, Function, Side, Types};
pub use collective::{Refusal, Verdict, exchange};
