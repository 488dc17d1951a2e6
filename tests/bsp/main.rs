//! BSPlib by its C interface, with processes of the MPI library under test: what each function does, on one
//! node and on several, errors, the parts of a program, and random programs against a serial model.
//!
//! The programs lie in tests/c/bsp. Those of MPICH have 2 processes: it never yields a core.

use hcube_testing as common;

mod errors;
mod life;
mod random;
mod semantics;
