//! The exported functions. Each converts its arguments and calls one function of a module of this crate.
//!
//! `# Safety` of these functions says "As gfortran calls it", which means:
//!
//! - A token is NULL or living: `register` has given it, and `deregister` has not taken it back.
//! - A descriptor is living: its variable exists during the call, behind its head lie as many dimensions as
//!   its rank says, and its elements may be accessed as the statement does.
//! - Subscripts and references belong to the descriptor or the coarray with which they are passed.
//! - A place for a result or a status is NULL or may be written. A text has the length that is passed with
//!   it; that of `errmsg=` may be no address of memory at all.

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
