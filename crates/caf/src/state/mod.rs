//! The state of an image, in parts that are independent of the program and of each other's fields.
//!
//! No part blocks. A part that sends messages or reads the words of other images receives the heap as an
//! argument.

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
