//! The C interface. Every exported function converts its arguments, checks them, makes one safe
//! call and returns a code; [`boundary`] keeps panics from unwinding into C. The header
//! `include/hcube.h` is generated from these files.

pub mod boundary;
pub mod library;
pub mod random_access;
pub mod types;
