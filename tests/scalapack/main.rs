//! Programs that call PSGEMM, PDGEMM, PCGEMM and PZGEMM, or routines of ScaLAPACK that do, with hcube in
//! their place.
//!
//! Statistics are asked who has computed the products: a test of ScaLAPACK's own would prove nothing.

use hcube_testing as common;

mod contexts;
mod cp2k;
mod errors;
mod linked;
mod memory;
mod products;
mod upstream;
