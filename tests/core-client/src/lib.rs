//! Checks of what `hcube-core` gives to systems for communication. They are written against the trait
//! [`Comm`], so the same checks run with ranks as threads, under an MPI launcher and in simulation.
//!
//! A check that fails is noted and the next one follows: a rank that stopped would leave others waiting.

mod broadcast;
mod pollers;
mod reductions;
mod requests;
mod split;

use hcube_core::comm::Comm;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::handle::Handle;
use hcube_core::progress::wait::Patience;
use std::ffi::c_int;
use std::fmt::Debug;

/// What the checks of one rank have found.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of checks.
    pub checks: usize,
    /// What was wrong.
    pub failures: Vec<String>,
}

impl Report {
    fn check(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !right {
            self.failures.push(what());
        }
    }

    fn equal<T: PartialEq + Debug>(&mut self, what: &str, found: T, expected: T) {
        let right = found == expected;
        self.check(right, || format!("{what}: {found:?}, expected {expected:?}"));
    }
}

/// Collective: all checks.
pub fn run<C: Comm + 'static>(comm: &C) -> Report {
    let mut report = Report::default();
    split::check(comm, &mut report);
    requests::check(comm, &mut report);
    reductions::check(comm, &mut report);
    broadcast::check(comm, &mut report);
    pollers::check(comm, &mut report);
    report
}

/// How the ranks wait: as ranks do that share cores.
fn patience<C: Comm>(comm: &C) -> Patience {
    Patience::new(true, comm.simulated())
}

/// All checks on `MPI_COMM_WORLD`; prints what was wrong, and on rank 0 how many checks there were. The number of
/// failures.
#[unsafe(no_mangle)]
pub extern "C" fn hcube_core_client() -> c_int {
    let comm = MpiComm::duplicate(Handle::world()).expect("MPI_COMM_WORLD can be duplicated");
    let report = run(&comm);
    for failure in &report.failures {
        eprintln!("rank {} of {}: {failure}", comm.rank(), comm.size());
    }
    if comm.rank() == 0 {
        println!("{} checks on {} ranks", report.checks, comm.size());
    }
    comm.barrier().expect("all ranks get here");
    report.failures.len().min(100) as c_int
}
