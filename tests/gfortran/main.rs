//! Fortran programs with coarrays, as gfortran compiles them, linked to libhcube_caf.so. Their sources lie
//! here.

use hcube_testing as common;

mod preload;
mod statements;
mod statistics;
