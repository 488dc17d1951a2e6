//! The products on the grids of a program: the vote of all ranks of a grid at its first call, and its state
//! afterwards.
//!
//! Whether a call is served follows from arguments that are the same on all ranks of the grid and from that
//! one vote, so that no rank waits for a rank whose call was forwarded to the program's own function.

use super::program::locals;
use super::setup;
use crate::element::Element;
use crate::options::{Algorithm, Options};
use crate::product::{Grid, Product};
use crate::report::Report;
use crate::state::State;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::handle::{Handle, abort};
use hcube_core::mpi::{MpiComm, gate};
use std::ffi::CStr;

/// Why the products of a grid are forwarded to the program's own functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// `HCUBE_GEMM=library`.
    Chosen,
    /// The communicator does not have the ranks of the grid row by row.
    OtherOrder,
    /// A rank has no `?gemm_`.
    NoBlas,
}

impl Left {
    /// The reasons that ranks vote for, by their numbers.
    const VOTED: [Self; 2] = [Self::OtherOrder, Self::NoBlas];
}

/// The state of the communicator of a grid between calls.
#[derive(Debug)]
enum GridState {
    Serving(Box<State>),
    Left(Left),
}

/// How a library serves.
#[derive(Debug, Clone, Copy)]
pub struct Service<'a> {
    /// The function that is called by a name of hcube's own, for messages: PBLAS' name.
    pub name: Option<&'a CStr>,
    /// Its options.
    pub options: fn() -> Result<Options>,
    /// The types of elements for which the program must have a BLAS.
    pub elements: &'a [Element],
}

impl Service<'_> {
    /// Collective over the grid of the product, whose communicator this is: computes it, or returns why no
    /// product of this grid is computed. Options that are invalid, or not the same on all ranks, end the job
    /// with one message.
    ///
    /// # Errors
    /// Errors of [`State::multiply`] and of MPI; other ranks may be waiting for this one.
    /// [`Error::Unsupported`] where the program has no BLAS for elements of this type.
    pub fn multiply(self, product: &Product<'_>, comm: Handle) -> Result<std::result::Result<Report, Left>> {
        gate::enter_without_messages(comm, |comm, kept: &mut Option<GridState>| {
            let kept = match kept {
                Some(kept) => kept,
                None => kept.insert(self.vote(comm, product.grid)?),
            };
            match (kept, &locals()[product.element as usize]) {
                (GridState::Left(left), _) => Ok(Err(*left)),
                (GridState::Serving(state), Some(local)) => state.multiply(comm, product, local).map(Ok),
                (GridState::Serving(_), None) => Err(no_blas(product.element)),
            }
        })
    }

    /// Collective: whether all ranks of a grid can be served.
    fn vote(self, comm: &MpiComm, grid: Grid) -> Result<GridState> {
        setup::meet(comm)?;
        let fits = grid == Grid::of_rank(grid.rows, grid.columns, comm.rank()) && grid.size() == comm.size();
        let own = match () {
            () if !self.elements.iter().all(|&element| locals()[element as usize].is_some()) => {
                Some(Left::NoBlas)
            }
            () if !fits => Some(Left::OtherOrder),
            () => None,
        };
        let number =
            own.map_or(0, |own| 1 + Left::VOTED.iter().position(|&left| left == own).expect("voted") as i64);
        let (options, number) = setup::options(comm, &(self.options)(), number)
            .unwrap_or_else(|error| self.end_together(comm, &error));
        if options.algorithm == Algorithm::Library {
            return Ok(GridState::Left(Left::Chosen));
        }
        match usize::try_from(number - 1).ok().and_then(|number| Left::VOTED.get(number)) {
            Some(&left) => Ok(GridState::Left(left)),
            None => Ok(GridState::Serving(Box::new(State::new(comm, grid, &options)?))),
        }
    }

    /// Collective: an error that all ranks of the grid have. One of them reports it.
    #[cold]
    fn end_together(self, comm: &MpiComm, error: &Error) -> ! {
        let of_mpi = matches!(error, Error::Mpi { .. });
        if comm.rank() == 0 || of_mpi {
            // One write: other ranks may print as well.
            let name =
                self.name.map(|name| format!("hcube_{}: ", name.to_string_lossy())).unwrap_or_default();
            let message = format!("hcube: {name}{error}: ending the job\n");
            eprint!("{message}");
        }
        // Without the barrier, another rank could end the job before this message is printed.
        if !of_mpi {
            drop(comm.barrier());
        }
        abort(None)
    }
}

/// The error of a program without a BLAS for elements of a type.
pub fn no_blas(element: Element) -> Error {
    Error::Unsupported(format!("no BLAS with {}gemm_ is loaded", element.letter()))
}
