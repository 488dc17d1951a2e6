//! The C interface. Every exported function converts its arguments, checks them, makes one safe
//! call and returns a code; `boundary` keeps panics from unwinding into C. The header
//! `include/hcube.h` is generated from these files.
//!
//! Functions are exported to C with the feature `c-interface` alone, so that a library that takes
//! the place of another, such as the preload library, exports the names of that one and no others.

#[cfg(feature = "c-interface")]
pub mod alltoall;
mod arguments;
#[cfg(feature = "c-interface")]
pub mod boundary;
pub mod collective;
#[cfg(feature = "c-interface")]
pub mod fortran;
#[cfg(feature = "c-interface")]
pub mod fortran_alltoall;
#[cfg(feature = "c-interface")]
pub mod library;
#[cfg(feature = "c-interface")]
pub mod random_access;
#[cfg(feature = "c-interface")]
mod sized;
#[cfg(feature = "c-interface")]
pub mod transpose;
#[cfg(feature = "c-interface")]
pub mod types;
