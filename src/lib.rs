//! The C interface of hcube: the functions of `include/hcube.h`, and nothing else.
//!
//! Every exported function converts its arguments, checks them, makes one safe call and returns a code;
//! `boundary` keeps panics from unwinding into C. The header is generated from these files.

pub mod alltoall;
pub mod alltoall_in_place;
mod alltoall_neighbours;
mod alltoall_nonblocking;
mod alltoall_persistent;
mod boundary;
pub mod caf;
pub mod fft;
pub mod fortran;
pub mod fortran_alltoall;
pub mod fortran_caf;
pub mod gemm;
mod gemm_arguments;
pub mod lcs;
pub mod library;
pub mod matmul;
pub mod panel;
pub mod pblas;
pub mod random_access;
mod sized;
pub mod stream;
pub mod transpose;
pub mod transpose_grid;
pub mod types;
