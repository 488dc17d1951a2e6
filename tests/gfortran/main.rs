//! Fortran programs with coarrays, compiled by gfortran, linked to libhcube_caf.so. This directory contains
//! their sources.

use hcube_testing as common;

mod preload;
mod statements;
mod statistics;
