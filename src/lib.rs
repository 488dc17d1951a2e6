//! hcube takes over the communication-heavy inner loops of MPI programs that link it, preload it or
//! plug it in. This version holds the hypercube algorithm for the HPCC RandomAccess benchmark
//! (Plimpton, Brightwell, Vaughan, Underwood and Davis, IEEE Cluster 2006) and in-place algorithms for
//! the all-to-all exchange (Hofmann and Ruenger, EuroMPI 2013).
//!
//! # Map
//!
//! | module | holds | may use |
//! |---|---|---|
//! | [`ffi`] | the C interface: convert, check, one safe call, code | everything |
//! | [`variables`] | all environment variables in one table | everything |
//! | [`model`] | predicted times, from the plans and a few figures of a machine; pure functions | `alltoall`, `random_access`, `hypercube` |
//! | [`transpose`] | transposition of a distributed matrix | `alltoall`, `comm` |
//! | [`alltoall`] | the all-to-all exchange, in place and out of place | `hypercube`, `node`, `comm` |
//! | [`random_access`] | streams of random values, the table, rounds of generate / route / update | `hypercube`, `node`, `comm` |
//! | [`hypercube`] | the plan of stages by which values travel to their owners; pure functions | nothing |
//! | [`node`] | what ranks on one node share: memory, waiting, huge pages; all system calls | `comm` |
//! | [`comm`] | the only module that calls MPI; a second back end with ranks as threads | `error` |
//! | [`environment`] | options from environment variables | `error` |
//! | [`error`] | the one error type and its C codes | nothing |
//!
//! Dependencies point downwards in this table. `unsafe` stands in `ffi`, `comm`, `node` and the
//! measured kernels of `random_access::kernel`, nowhere else.

pub mod alltoall;
pub mod comm;
pub mod environment;
pub mod error;
pub mod ffi;
pub mod hypercube;
pub mod model;
pub mod node;
pub mod random_access;
pub mod transpose;
pub mod variables;

pub use error::{Error, Result};
