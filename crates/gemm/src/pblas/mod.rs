//! From the arguments of PBLAS' `p?gemm_` to a product: the one entry point of the C interface and of the
//! library that replaces ScaLAPACK's functions.
//!
//! | file | holds |
//! |---|---|
//! | `call` | the arguments of a call |
//! | `blacs` | the grid of a context |
//! | `program` | libraries of the program: ScaLAPACK, BLACS, BLAS |
//! | `service` | which grids are served, and their products |
//! | `setup` | the agreement of all ranks of a grid at their first call |

mod blacs;
mod call;
pub mod program;
mod service;
mod setup;

pub use blacs::Blacs;
pub use call::{Call, Function, Passed};
pub use service::{Left, Service, no_blas};

use crate::arguments::Refusal;
use crate::product::Product;
use hcube_core::mpi::handle::{Handle, check_state};
use std::fmt;

/// Why a call is no product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The program has no BLACS.
    NoBlacs,
    /// MPI is not initialised, or finalised.
    Inactive,
    /// The caller has 64-bit integers.
    Wide,
    /// This process is not in the grid, or there is no such context.
    NotInGrid,
    /// An argument is not valid.
    Invalid(Refusal),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlacs => out.write_str("no BLACS is loaded: expected ScaLAPACK in the program"),
            Self::Inactive => out.write_str("MPI is not initialised yet or already finalised"),
            Self::Wide => out.write_str("64-bit integers: expected 32-bit integers"),
            Self::NotInGrid => out.write_str("DESCA(CTXT_): expected a context whose grid has this process"),
            Self::Invalid(refusal) => write!(out, "{refusal} (error {} of PBLAS)", refusal.number),
        }
    }
}

/// The product of a call, and the communicator of its grid.
///
/// # Errors
/// Why hcube cannot compute the product. All ranks of a grid agree, except on leading dimensions.
///
/// # Safety
/// The call comes from a program that calls PBLAS; its matrices may be read, and C written, as long as the
/// product lives.
pub unsafe fn product<'a>(call: &Call) -> Result<(Product<'a>, Handle), Obstacle> {
    let blacs = Blacs::of_program().ok_or(Obstacle::NoBlacs)?;
    if check_state().is_err() {
        return Err(Obstacle::Inactive);
    }
    // SAFETY: the arguments come from a program that calls PBLAS.
    let arguments = unsafe { call.arguments() };
    if arguments.are_wide() {
        return Err(Obstacle::Wide);
    }
    // SAFETY: the arguments come from a program that calls PBLAS.
    let context = unsafe { call.context() };
    // SAFETY: MPI is active, as was just checked; no other thread of a program that calls PBLAS ends its grid
    // meanwhile.
    let (grid, comm) = unsafe { blacs.grid(context) }.ok_or(Obstacle::NotInGrid)?;
    let operations = arguments.check(grid).map_err(Obstacle::Invalid)?;
    // SAFETY: the arguments are valid; the matrices may be read, and C written, as long as the product lives.
    let product = unsafe { call.product(&arguments, grid, operations) };
    Ok((product, comm))
}
