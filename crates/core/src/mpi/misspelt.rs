//! Misspelt variables of the environment, which rank 0 names once.

use super::handle::{check_state, rank, simulated, world};
use crate::atomic::{AtomicBool, Ordering};
use crate::options::known;

/// A file name, or a part of it, that `LD_PRELOAD` contains where the preload library reports.
const PRELOADED: &str = "libhcube_preload.so";

/// Local, between MPI_Init and MPI_Finalize: at the first call of a process, rank 0 of MPI_COMM_WORLD names
/// the variables that are misspelt. Each library of hcube has a copy of this function; where the preload
/// library is loaded, which sees MPI_Init before all others are used, it reports and the others do not.
#[cold]
pub fn report() {
    let preload = std::env::var("LD_PRELOAD").is_ok_and(|libraries| libraries.contains(PRELOADED));
    if !preload {
        report_here();
    }
}

/// As [`report`], in the preload library.
pub fn report_here() {
    static DONE: AtomicBool = AtomicBool::new(false);
    // Simulated ranks share one process, which the lab has started with its own variables.
    if simulated() || check_state().is_err() || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    if rank(world()) == Ok(0) {
        for sentence in known::misspelt() {
            eprintln!("hcube: {sentence}");
        }
    }
}
