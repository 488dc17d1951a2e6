//! libhcube_caf.so: programs with coarrays, compiled by gfortran with `-fcoarray=lib`, run unchanged on
//! hcube.
//!
//! The library exports the functions that gfortran 12 to 14 calls, `_gfortran_caf_*`, and
//! `_gfortran_caf_get_communicator` of OpenCoarrays. gfortran 15 has another interface, which the library
//! refuses.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the types that gfortran passes |
//! | `export` | the exported functions, by kind of statement |
//! | `job` | begin and ends of the program |
//! | `failure` | the runtime of this image, errors |
//! | `units` | output that libgfortran must write at the end |
//! | `statement` | kinds of statements, and how each of them runs |
//! | `statistics` | statistics for `HCUBE_STATS` |
//! | `token` | coarrays and components as the compiler knows them |
//! | `block`, `memory` | the memory of components; memory of the C library |
//! | `team` | teams, numbers of images |
//! | `section`, `convert`, `transfer` | sections of arrays, conversion of types, copies between both |
//! | `index` | numbers and distances of elements for subscripts of any size |
//! | `span` | which descriptors have a distance of elements |
//! | `reference` | components and their elements on other images |
//! | `request` | requests to other images |
//! | `synchronise` | `sync images`, events, locks |
//! | `reduce`, `broadcast` | reductions, broadcasts |
//! | `random` | seeds that all images share |
//!
//! An error without `stat=` in the statement ends all images with a line that names image, statement and
//! cause.

mod abi;
mod block;
mod broadcast;
mod convert;
mod export;
mod failure;
mod index;
mod job;
mod memory;
mod random;
mod reduce;
mod reference;
mod request;
mod section;
mod span;
mod statement;
mod statistics;
mod synchronise;
mod team;
mod token;
mod transfer;
mod units;
