//! The HPCC kernels of Jin et al. 2011 on coarrays.
//!
//! | module | holds |
//! |---|---|
//! | [`fft`] | Fourier transforms by binary exchange |
//! | [`process`] | the coarray runtime of a process, and the state of the systems that use it |
//! | [`random_access`] | RandomAccess by copies with events, and by shipped functions |
//!
//! Source: Jin, Mellor-Crummey, Adhianto, Scherer, Yang 2011, "Implementation and Performance Evaluation of
//! the HPC Challenge Benchmarks in Coarray Fortran 2.0", §III.

pub mod fft;
pub mod process;
pub mod random_access;
