//! The coarray runtime of a process, and the state of the systems that use it.
//!
//! A program initialises coarrays once ([`hcube_caf::process`]). If it has done so itself, its runtime is
//! used and the program ends it. Otherwise the runtime is started with the first set-up that needs it, and
//! ended in `MPI_Finalize`: the state of a process is an attribute of `MPI_COMM_SELF`, which is deleted
//! first, while MPI is still active.
//!
//! Restriction: a runtime belongs to one thread. If it is started here, this is the main thread of MPI, which
//! calls `MPI_Finalize`; calls of other threads return an error.

use crate::{fft, random_access};
use hcube_caf::Runtime;
use hcube_caf::process::{self as coarrays, Owner};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::Result;
use hcube_core::mpi::{MpiComm, gate, lifetime};

/// The state of a process until `MPI_Finalize`.
#[derive(Debug, Default)]
pub struct ProcessState {
    /// RandomAccess.
    pub random_access: Option<random_access::Images>,
    /// Fourier transforms.
    pub transforms: Option<fft::Images>,
}

impl Drop for ProcessState {
    fn drop(&mut self) {
        // Nobody is left to report an error to; images that wait for this one find that it has ended.
        drop(coarrays::finalise_of(Owner::Library));
    }
}

/// Collective over all processes of the job: runs `work` with the runtime, which is started if need be. The
/// ranks of `comm` are the images ([`is_world`]).
///
/// # Errors
/// On all ranks, if coarrays are not available on one of them; errors of `work`.
pub fn with<T>(
    comm: &MpiComm,
    work: impl FnOnce(&Runtime<MpiComm>, &mut ProcessState) -> Result<T>,
) -> Result<T> {
    let mut is_entered = false;
    let result = gate::on_process(|state: &mut Option<ProcessState>| {
        is_entered = true;
        let state = state.get_or_insert_default();
        start(comm, state)?;
        coarrays::with(|runtime| work(runtime, state))
    });
    match result {
        // The others wait in `start`.
        Err(error) if !is_entered => {
            agree_on_runtime(comm, Err(error)).map(|_| unreachable!("this rank has an error"))
        }
        result => result,
    }
}

/// Local: whether this rank and the number of ranks of a communicator are as in `MPI_COMM_WORLD`. If this
/// holds on all ranks, the communicator is congruent to it.
///
/// # Errors
/// Errors of MPI.
pub fn is_world(comm: &MpiComm) -> Result<bool> {
    Ok(lifetime::world_place()? == (comm.rank(), comm.size()))
}

/// Collective: whether the runtime is active, on all ranks or on none; one reduction if it is.
///
/// # Errors
/// On all ranks: the error of one of them, and [`Error::Mismatch`](hcube_core::Error::Mismatch).
fn agree_on_runtime(comm: &MpiComm, found: Result<bool>) -> Result<bool> {
    let mut is_missing = [i64::from(!matches!(found, Ok(true)))];
    comm.all_reduce_max(&mut is_missing)?;
    if is_missing == [0] {
        return Ok(true);
    }
    let is_active = agree(comm, found)?;
    agree_on(comm, &[("whether hcube_caf_init was called", i64::from(is_active))])?;
    Ok(is_active)
}

/// Collective: starts the runtime where the program has not.
fn start(comm: &MpiComm, state: &mut ProcessState) -> Result<()> {
    if agree_on_runtime(comm, coarrays::is_active())? {
        return Ok(());
    }
    agree(comm, lifetime::check_main_thread())?;
    // Coarrays, events and functions of an earlier runtime, as simulated processes may have had one, ended
    // with it.
    *state = ProcessState::default();
    coarrays::initialise_for(Owner::Library)
}
