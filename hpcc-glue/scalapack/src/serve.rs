//! Decides for each call of the program: hcube or ScaLAPACK.
//!
//! The decision follows from arguments that are the same on all ranks, and from one vote per communicator at its first
//! call. A call whose arguments are not valid is ScaLAPACK's: it reports the error as its users know it. A leading
//! dimension is the only argument that is a rank's own; an error there ends the job, also where other ranks have begun.

use crate::blacs::Blacs;
use crate::call::Call;
use crate::loader;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::handle::{Handle, check_state};
use hcube_core::mpi::{MpiComm, gate};
use hcube_gemm::element::Element;
use hcube_gemm::local::LocalGemm;
use hcube_gemm::options::Options;
use hcube_gemm::product::{Grid, Product};
use hcube_gemm::report::Report;
use hcube_gemm::state::State;
use std::sync::OnceLock;

/// What becomes of a call.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// hcube has computed the product.
    Served(Report),
    /// ScaLAPACK's, for this reason.
    Original(&'static str),
}

/// What is kept on the communicator of a grid.
#[derive(Debug)]
enum Kept {
    Serving(State),
    Original(&'static str),
}

/// The local products of the program's BLAS, for all types of elements; none where it has none.
fn locals() -> &'static [Option<LocalGemm>; 4] {
    static FOUND: OnceLock<[Option<LocalGemm>; 4]> = OnceLock::new();
    FOUND.get_or_init(|| {
        let names = [c"sgemm_", c"dgemm_", c"cgemm_", c"zgemm_"];
        std::array::from_fn(|number| {
            let function = loader::function(names[number])?;
            // SAFETY: functions of these names have the type of BLAS', and are what ScaLAPACK calls.
            Some(unsafe { LocalGemm::new(Element::ALL[number], function) })
        })
    })
}

/// Serves a call, or says why not.
///
/// # Safety
/// The call is that of a program that calls PBLAS.
pub unsafe fn serve(call: &Call) -> Verdict {
    // SAFETY: the contract of this function.
    match unsafe { product(call) } {
        Err(reason) => Verdict::Original(reason),
        Ok((product, comm)) => match compute(&product, comm) {
            Ok(verdict) => verdict,
            Err(error) => end(&error),
        },
    }
}

/// The product of a call and the communicator of its grid; or why ScaLAPACK gets it.
///
/// # Safety
/// As [`serve`].
unsafe fn product<'a>(call: &Call) -> std::result::Result<(Product<'a>, Handle), &'static str> {
    let blacs = Blacs::of_program().ok_or("no BLACS found")?;
    if check_state().is_err() {
        return Err("MPI is not active");
    }
    // SAFETY: the contract of this function.
    let arguments = unsafe { call.arguments() };
    if arguments.are_wide() {
        return Err("64-bit integers");
    }
    // SAFETY: the contract of this function.
    let grid = unsafe { call.grid(blacs) }.ok_or("not in the grid")?;
    let operations = arguments.check(grid).map_err(|_| "arguments that are not valid")?;
    // SAFETY: the contract of this function, and arguments that are valid.
    let product = unsafe { call.product(&arguments, grid, operations) };
    // SAFETY: the contract of this function; a grid was found.
    let context = unsafe { call.context() };
    Ok((product, blacs.communicator(context)))
}

fn compute(product: &Product<'_>, comm: Handle) -> Result<Verdict> {
    let local = locals()[product.element as usize];
    gate::enter_without_messages(comm, |comm, kept: &mut Option<Kept>| {
        if kept.is_none() {
            *kept = Some(vote(comm, product.grid)?);
        }
        match (kept, local) {
            (Some(Kept::Serving(state)), Some(local)) => {
                state.multiply(comm, product, &local).map(Verdict::Served)
            }
            (Some(Kept::Original(reason)), _) => Ok(Verdict::Original(reason)),
            _ => Err(Error::Internal("a vote without a local product".into())),
        }
    })
}

/// Collective: whether all ranks of a grid can be served.
fn vote(comm: &MpiComm, grid: Grid) -> Result<Kept> {
    const REASONS: [&str; 4] =
        ["", "no BLAS found", "ranks of the grid in another order", "HCUBE_GEMM=library"];
    let fits = grid == Grid::of_rank(grid.rows, grid.columns, comm.rank()) && grid.size() == comm.size();
    let found = locals().iter().all(Option::is_some);
    let own: i64 = if !found {
        1
    } else if !fits {
        2
    } else {
        0
    };
    let mut reason = [own];
    comm.all_reduce_max(&mut reason)?;
    if reason[0] != 0 {
        return Ok(Kept::Original(REASONS[reason[0] as usize]));
    }
    State::new(comm, grid, &Options::default()).map(Kept::Serving)
}

/// A failure in the middle of a collective call, which has no way to return an error.
#[cold]
fn end(error: &Error) -> ! {
    eprintln!("hcube: {error}; other ranks are waiting for this one: ending the job");
    hcube_core::mpi::handle::abort(None)
}
