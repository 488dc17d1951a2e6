//! The exported functions. Each converts its arguments and calls one function of a module of this crate.

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
