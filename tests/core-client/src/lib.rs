//! Checks of the communication of `hcube-core`. They are written against the trait [`Comm`], so the same
//! checks run with ranks as threads, under an MPI launcher and in simulation. Checks of the state on a
//! communicator run with MPI and in simulation.
//!
//! A check that fails is recorded and the next one follows: a rank that stopped would leave others waiting.

mod broadcast;
mod harness;
mod pollers;
mod reductions;
mod requests;
mod split;
mod state;

use hcube_core::comm::Comm;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::handle::Handle;
use std::ffi::c_int;

pub use harness::Report;

/// Collective: all checks except those that need MPI.
pub fn run<C: Comm + Send + 'static>(comm: &C) -> Report {
    let mut report = Report::default();
    split::check(comm, &mut report);
    requests::check(comm, &mut report);
    reductions::check(comm, &mut report);
    broadcast::check(comm, &mut report);
    pollers::check(comm, &mut report);
    report
}

/// All checks on `MPI_COMM_WORLD`; prints what was wrong, and on rank 0 how many checks there were. The
/// number of failures.
#[unsafe(no_mangle)]
pub extern "C" fn hcube_core_client() -> c_int {
    // SAFETY: the client has one thread, which has initialised MPI.
    let world = unsafe { Handle::world() };
    let comm = MpiComm::duplicate(world).expect("MPI_COMM_WORLD can be duplicated");
    let mut report = run(&comm);
    state::check(world, comm.size(), &mut report);
    for failure in &report.failures {
        eprintln!("rank {} of {}: {failure}", comm.rank(), comm.size());
    }
    if comm.rank() == 0 {
        println!("{} checks on {} ranks", report.checks, comm.size());
    }
    comm.barrier().expect("all ranks get here");
    report.failures.len().min(100) as c_int
}
