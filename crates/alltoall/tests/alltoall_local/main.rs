//! The all-to-all engine with ranks as threads, without mpirun: every byte of every buffer is compared,
//! and the way that the data took.

mod faults;
mod image;
mod nodes;
mod sequences;
mod sizes;
mod ways;
