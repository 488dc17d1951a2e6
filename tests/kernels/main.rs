//! Transpositions, transforms, products of matrices, broadcasts of panels and subsequences by the C
//! interface.

use hcube_testing as common;

mod fft;
mod gemm;
mod gemm_blacs;
mod grid_transpose;
mod lcs;
mod matmul;
mod panel;
mod transpose;
