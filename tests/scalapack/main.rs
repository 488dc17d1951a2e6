//! Programs that call PSGEMM, PDGEMM, PCGEMM and PZGEMM, or ScaLAPACK routines that call them, with hcube's
//! functions instead.
//!
//! The statistics tell which library has computed the products: otherwise a test might measure ScaLAPACK's
//! own functions.

use hcube_testing as common;

mod contexts;
mod cp2k;
mod errors;
mod linked;
mod memory;
mod products;
mod upstream;
