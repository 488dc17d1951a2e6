//! The parts of the command `hcube`, which `lab` and the fuzz targets use as well.

#![expect(missing_docs, reason = "no public crate: only the tool, the lab and the fuzz targets use it")]

pub mod alltoall;
pub mod doctor;
pub mod fftw;
pub mod gups;
pub mod launched;
pub mod machine;
pub mod manual;
pub mod memory;
pub mod model;
pub mod numbers;
pub mod output;
pub mod plot;
pub mod progress;
pub mod published;
pub mod session;
pub mod table;
pub mod variables;
