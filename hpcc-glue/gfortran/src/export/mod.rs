//! The exported functions. Each converts its arguments and calls one function of a module of this crate.
//!
//! `# Safety` of these functions says "As gfortran calls it", which means:
//!
//! - A token is NULL or valid: `register` has returned it, and `deregister` has not freed it.
//! - A descriptor is valid: its variable exists during the call, it has as many dimensions as its rank
//!   says, and its elements may be accessed as the statement does.
//! - Subscripts and references belong to the descriptor or the coarray with which they are passed.
//! - A place for a result or a status is NULL or writable. A text has the length that is passed with it;
//!   the address for `errmsg=` may be invalid.

pub mod accessors;
mod atomic;
mod collective;
mod memory;
mod program;
mod random;
mod reference;
mod status;
mod synchronise;
mod team;
mod transfer;
