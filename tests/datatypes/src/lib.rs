//! Random MPI datatypes and buffers of them, for a test of hcube-core and for a fuzz target. A program that
//! uses them has initialised MPI and contains hcube-core, whose shim they call.

#![expect(missing_docs, reason = "no public crate: only tests use it")]
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "tests pass datatypes that they have made; a handle is a pointer with some MPI libraries only"
)]

mod memory;
mod random;

pub use memory::Memory;
pub use random::{Measure, Random, free, measure};
