//! A rank of a model, which has no MPI.

use super::Progress;
use super::pollers::Pollers;
use crate::error::Error;
use std::sync::Arc;

/// A rank of a model.
#[derive(Debug, Clone, Copy)]
pub struct Rank;

// SAFETY: `abort` panics, and nobody else uses the memory of a model.
unsafe impl Progress for Rank {
    fn progress(&self) {}

    fn pollers(&self) -> &Arc<Pollers> {
        unreachable!("no poller in a model")
    }

    fn abort(&self, error: &Error) -> ! {
        panic!("{error}")
    }
}
