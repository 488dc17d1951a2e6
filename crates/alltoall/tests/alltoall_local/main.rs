//! The all-to-all engine with ranks as threads, without mpirun: every byte of every buffer is compared,
//! and the path that the data used.

mod between;
mod drawn;
mod faults;
mod general;
mod image;
mod nodes;
mod paths;
mod random;
mod refusals;
mod sequences;
mod sizes;
mod stated;
