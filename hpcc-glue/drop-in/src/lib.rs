//! The common code of libraries that replace functions of other libraries (libhcube_preload.so,
//! libhcube_pblas.so): the MPI library of the program, and statistics at `MPI_Finalize`.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | `figures` | counters of this process, and figures of all ranks |
//! | `collection` | how figures of all ranks come to rank 0 |
//! | `output` | `HCUBE_STATS`, tables and JSON files |
//! | `launcher` | the launcher's variables in the environment |
//! | `mpi_library` | the MPI library of the program, and whether it is the build's |
//! | `world` | calls of MPI for these, on `MPI_COMM_WORLD` |

pub mod collection;
pub mod figures;
pub mod launcher;
pub mod mpi_library;
pub mod output;
pub mod world;
