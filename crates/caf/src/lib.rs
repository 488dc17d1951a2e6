//! Coarray Fortran 2.0 as a library: teams, coarrays, events, asynchronous copies, collectives, shipped functions.
//!
//! | module | holds |
//! |---|---|
//! | [`runtime`] | what a program calls: an image, and waiting, which does what other images ask for |
//! | [`image`] | the state of an image |
//! | [`team`] | teams: their rings of links, formation, lookup of members |
//! | [`coarray`], [`access`] | allocation, addresses on other images; put, get, atomic operations |
//! | [`copointer`] | pointers to coarrays of other images |
//! | [`event`], [`lock`] | events, locks |
//! | [`barrier`] | the dissemination barrier |
//! | [`collective`] | broadcast, reductions, exchanges and sorting over a team |
//! | [`copy`] | asynchronous copies with events |
//! | [`spawn`], [`finish`] | shipped functions, and their termination |
//! | [`others`], [`status`] | images that have failed or stopped |
//! | `participation` | which images that are gone have taken part in an operation |
//! | `ending` | the end of a program whose images end one by one |
//! | `raw` | memory by address, for compilers |
//! | [`process`] | the one state of a process |
//!
//! Source: Jin, Mellor-Crummey, Adhianto, Scherer, Yang 2011, "Implementation and Performance Evaluation of the HPC
//! Challenge Benchmarks in Coarray Fortran 2.0".

pub mod access;
pub mod barrier;
pub mod coarray;
pub mod collective;
pub mod copointer;
pub mod copy;
mod ending;
pub mod event;
pub mod finish;
pub mod handles;
pub mod image;
pub mod lock;
mod lockset;
mod mail;
mod operation;
pub mod options;
pub mod others;
mod participation;
pub mod process;
mod raw;
mod reduction;
pub mod runtime;
pub mod spawn;
pub mod statistics;
pub mod status;
pub mod team;
mod turns;

pub use handles::Handle;
pub use options::Options;
pub use runtime::Runtime;
