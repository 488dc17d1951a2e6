//! The jobs that run at the same time.
//!
//! The start of a job is mostly waiting and work of one process, so that two at the same time take little
//! longer than one. Their number is the number of test threads, by default one per core. But waiting ranks of
//! MPICH never yield and use the cores of other jobs: no other job runs beside these.

use super::Mpi;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static TURN: RwLock<()> = RwLock::new(());

/// Held while a job runs.
#[expect(dead_code, reason = "held only for its drop")]
pub(crate) enum Turn {
    Shared(RwLockReadGuard<'static, ()>),
    Alone(RwLockWriteGuard<'static, ()>),
}

impl Turn {
    /// Waits for the turn of a job with this number of ranks.
    pub(crate) fn wait(ranks: usize, alone: bool) -> Self {
        if !alone && (ranks == 1 || Mpi::selected() == Mpi::Open) {
            Self::Shared(TURN.read().unwrap_or_else(PoisonError::into_inner))
        } else {
            Self::Alone(TURN.write().unwrap_or_else(PoisonError::into_inner))
        }
    }
}
