//! The HPCC kernels of Jin et al. 2011 on coarrays.
//!
//! | module | holds |
//! |---|---|
//! | [`random_access`] | RandomAccess by copies with events, and by shipped functions |
//!
//! Source: Jin, Mellor-Crummey, Adhianto, Scherer, Yang 2011, "Implementation and Performance Evaluation of the HPC
//! Challenge Benchmarks in Coarray Fortran 2.0", §III.

pub mod random_access;
