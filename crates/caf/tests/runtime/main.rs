//! The coarray runtime with images as threads, and a program with it under mpirun.

mod collectives;
mod copies;
mod failures;
mod functions;
mod images;
mod languages;
mod leaving;
mod locks;
mod process;
mod random;
mod schedules;
mod support;
mod survivors;
