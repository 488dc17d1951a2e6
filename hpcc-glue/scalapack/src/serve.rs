//! Decides for each call of the program: hcube or ScaLAPACK.
//!
//! The decision follows from arguments that are the same on all ranks, and from one vote per communicator at its first
//! call. A call whose arguments are not valid is ScaLAPACK's: it reports the error as its users know it. A leading
//! dimension is the only argument that is a rank's own; an error there ends the job, also where other ranks have begun.

use crate::verdict::{Reason, Verdict};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::handle::{Handle, abort};
use hcube_core::mpi::{MpiComm, gate};
use hcube_drop_in::launcher::is_first_rank;
use hcube_drop_in::mpi_library;
use hcube_gemm::options::{Algorithm, Options};
use hcube_gemm::pblas::program::locals;
use hcube_gemm::pblas::{Call, Obstacle, product, setup};
use hcube_gemm::product::{Grid, Product};
use hcube_gemm::state::State;
use std::sync::OnceLock;

/// What was decided about a call.
#[derive(Debug, Clone)]
pub struct Decision {
    /// What becomes of it.
    pub verdict: Verdict,
    /// This rank's share of its floating-point operations.
    pub flops: u64,
}

/// What stays on the communicator of a grid between calls.
#[derive(Debug)]
enum GridState {
    Serving(Box<State>),
    Original(Reason),
}

/// The options of this process.
fn options() -> &'static Result<Options> {
    static OPTIONS: OnceLock<Result<Options>> = OnceLock::new();
    OPTIONS.get_or_init(Options::from_environment)
}

/// Whether the program uses another MPI library than the one that this library was built for.
fn is_foreign() -> bool {
    static FOREIGN: OnceLock<bool> = OnceLock::new();
    *FOREIGN.get_or_init(|| {
        let Some([program, build]) = mpi_library::foreign() else { return false };
        if is_first_rank() {
            eprintln!(
                "hcube: this program uses {program}, but libhcube_pblas.so was built for {build}: all calls are left \
                 to ScaLAPACK"
            );
        }
        true
    })
}

/// Serves a call, or says why not.
///
/// # Safety
/// The call is that of a program that calls PBLAS.
pub unsafe fn serve(call: &Call) -> Decision {
    let left = |reason| Decision { verdict: Verdict::Original(reason), flops: 0 };
    if is_foreign() {
        return left(Reason::OtherMpi);
    }
    // SAFETY: the contract of this function.
    match unsafe { product(call) } {
        Err(obstacle) => left(match obstacle {
            Obstacle::NoBlacs => Reason::NoBlacs,
            Obstacle::Inactive => Reason::Inactive,
            Obstacle::Wide => Reason::Wide,
            Obstacle::NotInGrid => Reason::NotInGrid,
            Obstacle::Invalid(_) => Reason::Invalid,
        }),
        Ok((product, comm)) => match compute(&product, comm) {
            Ok(verdict) => Decision { verdict, flops: product.flops() / product.grid.size() as u64 },
            Err(error) => end(&error),
        },
    }
}

fn compute(product: &Product<'_>, comm: Handle) -> Result<Verdict> {
    gate::enter_without_messages(comm, |comm, kept: &mut Option<GridState>| {
        let kept = match kept {
            Some(kept) => kept,
            None => kept.insert(vote(comm, product.grid)?),
        };
        match (kept, &locals()[product.element as usize]) {
            (GridState::Serving(state), Some(local)) => {
                state.multiply(comm, product, local).map(Verdict::Served)
            }
            (GridState::Original(reason), _) => Ok(Verdict::Original(*reason)),
            _ => Err(Error::Internal("a vote without a local product".into())),
        }
    })
}

/// Collective: whether all ranks of a grid can be served.
fn vote(comm: &MpiComm, grid: Grid) -> Result<GridState> {
    setup::meet(comm)?;
    let fits = grid == Grid::of_rank(grid.rows, grid.columns, comm.rank()) && grid.size() == comm.size();
    let own = match () {
        () if !locals().iter().all(Option::is_some) => Some(Reason::NoBlas),
        () if !fits => Some(Reason::OtherOrder),
        () => None,
    };
    let number = own.map_or(0, |reason| 1 + reason as i64);
    let (options, number) =
        setup::options(comm, options(), number).unwrap_or_else(|error| end_together(comm, &error));
    if options.algorithm == Algorithm::Library {
        return Ok(GridState::Original(Reason::Chosen));
    }
    match usize::try_from(number - 1).ok().and_then(|number| Reason::ALL.get(number)) {
        Some(&reason) => Ok(GridState::Original(reason)),
        None => Ok(GridState::Serving(Box::new(State::new(comm, grid, &options)?))),
    }
}

/// Collective: an error that all ranks of the grid have. One of them reports it.
#[cold]
fn end_together(comm: &MpiComm, error: &Error) -> ! {
    if comm.rank() == 0 || matches!(error, Error::Mpi { .. }) {
        eprintln!("hcube: {error}: ending the job");
    }
    // Without the barrier, another rank could end the job before this message is printed.
    if !matches!(error, Error::Mpi { .. }) {
        drop(comm.barrier());
    }
    abort(None)
}

/// A failure in the middle of a collective call, which has no way to return an error.
#[cold]
fn end(error: &Error) -> ! {
    eprintln!("hcube: {error}; other ranks are waiting for this one: ending the job");
    abort(None)
}
