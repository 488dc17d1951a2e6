//! The command `hcube`, with the parts that the lab and the fuzz targets use as well.

#![expect(missing_docs, reason = "no public crate: only the tool, the lab and the fuzz targets use it")]

pub mod alltoall;
pub mod bench;
pub mod choices;
pub mod command_line;
pub mod doctor;
pub mod fftw;
pub mod launched;
pub mod machine;
pub mod model;
pub mod numbers;
pub mod output;
pub mod plot;
pub mod probe;
pub mod progress;
pub mod published;
pub mod session;
pub mod table;
pub mod variables;
