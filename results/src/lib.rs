//! Results, without anything that runs under MPI: the formats of the files that the tool writes and the lab
//! reads, their tables and pictures, machines, and the figures of the papers.

#![expect(missing_docs, reason = "no public crate: only the tool and the lab use it")]

pub mod alltoall;
pub mod bsp;
pub mod caf;
pub mod factorisation;
pub mod fft;
pub mod fftw;
pub mod gemm;
pub mod gfortran;
pub mod hosts;
pub mod hpcc;
pub mod json;
pub mod lists;
pub mod llcs;
pub mod machine;
pub mod measured;
pub mod models;
pub mod noise;
pub mod numbers;
pub mod panels;
pub mod plot;
pub mod preload;
pub mod profile;
pub mod published;
pub mod runs;
pub mod simulated;
pub mod stream;
pub mod table;
pub mod taken;
pub mod usage;
