//! The state of an image, in parts that know nothing of the program nor of each other's fields.
//!
//! None of them waits. What sends messages or reads the words of other images is given the heap for it.

pub mod coarray;
pub(crate) mod finish;
pub mod handles;
pub(crate) mod locks;
pub(crate) mod messages;
pub(crate) mod notices;
pub mod options;
pub mod others;
pub(crate) mod participation;
pub(crate) mod pending;
pub mod place;
pub(crate) mod shipped;
pub(crate) mod staging;
pub mod statistics;
pub(crate) mod steps;
pub mod team;
