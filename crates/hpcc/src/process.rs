//! The coarray runtime of a process, and the state of the systems that use it.
//!
//! A program initialises coarrays once ([`hcube_caf::process`]). If it has done so itself, its runtime is used and remains its
//! own. Otherwise the runtime is started with the first set-up that needs it, and ended in `MPI_Finalize`: the state of a
//! process is an attribute of `MPI_COMM_SELF`, which is deleted first, while MPI is still active.

use crate::{fft, random_access};
use hcube_caf::Runtime;
use hcube_caf::process as coarrays;
use hcube_core::comm::{Comm, agree_on};
use hcube_core::error::Result;
use hcube_core::mpi::{MpiComm, gate, lifetime};

/// The state of a process until `MPI_Finalize`.
#[derive(Debug, Default)]
pub struct ProcessState {
    /// Whether the runtime was started here, and is to be ended here.
    owns_runtime: bool,
    /// RandomAccess.
    pub random_access: Option<random_access::Images>,
    /// Fourier transforms.
    pub transforms: Option<fft::Images>,
}

impl Drop for ProcessState {
    fn drop(&mut self) {
        if self.owns_runtime {
            // Nobody is left to report an error to; images that wait for this one find that it has ended.
            drop(coarrays::finalise());
        }
    }
}

/// Collective over all processes of the job: runs `work` with the runtime, which is started if need be. The ranks of `comm` are
/// the images ([`is_world`]).
///
/// # Errors
/// On all ranks, where coarrays are not available; those of `work`.
pub fn with<T>(
    comm: &MpiComm,
    work: impl FnOnce(&Runtime<MpiComm>, &mut ProcessState) -> Result<T>,
) -> Result<T> {
    gate::on_process(|state: &mut Option<ProcessState>| {
        let state = state.get_or_insert_default();
        start(comm, state)?;
        coarrays::with(|runtime| work(runtime, state))
    })
}

/// Local: whether this rank and the number of ranks of a communicator are those of `MPI_COMM_WORLD`. If all ranks say so, the
/// communicator is congruent to it.
///
/// # Errors
/// Those of MPI.
pub fn is_world(comm: &MpiComm) -> Result<bool> {
    Ok(lifetime::world_place()? == (comm.rank(), comm.size()))
}

/// Collective: starts the runtime where the program has not.
fn start(comm: &MpiComm, state: &mut ProcessState) -> Result<()> {
    let is_active = coarrays::with(|_| Ok(())).is_ok();
    agree_on(comm, &[("whether hcube_caf_init was called", i64::from(is_active))])?;
    if !is_active {
        // Coarrays, events and functions of an earlier runtime, as simulated processes may have had one, ended with it.
        state.owns_runtime = false;
        *state = ProcessState::default();
        coarrays::initialise()?;
        state.owns_runtime = true;
    }
    Ok(())
}
