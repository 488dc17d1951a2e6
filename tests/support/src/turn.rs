//! Which jobs run at the same time.
//!
//! Starting a job is mostly waiting and work of one process, so two at a time take little longer than one. But ranks that
//! wait without giving up their cores take them from other jobs: these run alone.

use super::Mpi;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TURN: RwLock<()> = RwLock::new(());

/// Held while a job runs.
#[expect(dead_code, reason = "their ends matter")]
pub(crate) enum Turn {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

impl Turn {
    /// Waits for the turn of a job with this number of ranks.
    pub(crate) fn wait(ranks: usize) -> Self {
        if gives_up_cores(ranks) {
            Self::Shared(TURN.read().unwrap_or_else(PoisonError::into_inner))
        } else {
            Self::Alone(TURN.write().unwrap_or_else(PoisonError::into_inner))
        }
    }
}

/// Whether ranks that wait let others run. hcube and Open MPI do so where there are more ranks than cores; MPICH never does.
fn gives_up_cores(ranks: usize) -> bool {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    ranks == 1 || (Mpi::selected() == Mpi::Open && ranks > cores)
}
