//! BSPlib by its C interface, with processes of the MPI library under test: each function, on one node and on
//! several, errors, the parts of a program, and random programs compared with a serial model.
//!
//! The programs are in tests/c/bsp. With MPICH they have 2 processes: MPICH busy-waits and never yields.

use hcube_testing as common;

mod errors;
mod life;
mod privileged;
mod random;
mod semantics;
