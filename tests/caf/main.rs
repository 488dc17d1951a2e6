//! Coarrays by the C interface and the Fortran module.

use hcube_testing as common;

mod failures;
mod interface;
mod random_access;
mod variables;
