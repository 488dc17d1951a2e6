//! What a process keeps: the coarray runtime, if hcube has started it for RandomAccess, and the images.
//!
//! A program has coarrays once ([`hcube_caf::process`]). If it has initialised them itself before, its runtime is used and
//! stays its own. Otherwise the runtime is started with the first set-up of a mode that needs it, and ends in `MPI_Finalize`,
//! which releases what is kept for a process while MPI is still active.

use super::images::Images;
use hcube_caf::Runtime;
use hcube_caf::process as coarrays;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::{MpiComm, gate, lifetime};
use hcube_random_access::Options;

/// What is kept until `MPI_Finalize`.
#[derive(Debug, Default)]
struct Kept {
    owns_runtime: bool,
    images: Option<Images>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.owns_runtime {
            // Nobody is left who could be told; images that wait for this one learn that it has ended.
            drop(coarrays::finalise());
        }
    }
}

/// Collective over all processes of the job: runs `work` with the runtime, which is started if need be, and images for these
/// options.
///
/// # Errors
/// On all ranks, for a communicator that is not congruent to `MPI_COMM_WORLD` and where coarrays are not available; those of
/// `work`.
pub fn with<T>(
    comm: &MpiComm,
    options: &Options,
    work: impl FnOnce(&Runtime<MpiComm>, &mut Images) -> Result<T>,
) -> Result<T> {
    agree(comm, check_world(comm, options))?;
    gate::on_process(|kept: &mut Option<Kept>| {
        let kept = kept.get_or_insert_default();
        start(comm, kept)?;
        coarrays::with(|runtime| {
            let images = Images::prepare(&mut kept.images, comm, runtime, options)?;
            work(runtime, images)
        })
    })
}

/// That the ranks of a communicator are the images.
fn check_world(comm: &MpiComm, options: &Options) -> Result<()> {
    let (own, all) = lifetime::world_place()?;
    if (comm.rank(), comm.size()) == (own, all) {
        return Ok(());
    }
    let given = format!("{} on a communicator of {} of {all} processes", options.mode.name(), comm.size());
    let expected = "a communicator congruent to MPI_COMM_WORLD, whose processes are the images";
    Err(Error::argument("options.mode", given, expected))
}

/// Collective: starts the runtime where the program has not.
fn start(comm: &MpiComm, kept: &mut Kept) -> Result<()> {
    let is_active = coarrays::with(|_| Ok(())).is_ok();
    agree_on(comm, &[("whether hcube_caf_init was called", i64::from(is_active))])?;
    if !is_active {
        coarrays::initialise()?;
        kept.owns_runtime = true;
    }
    Ok(())
}
