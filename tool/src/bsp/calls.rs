//! The calls of other libraries: of the BLAS that is measured.

pub mod blas;
