//! Models of protocols: their own code in all interleavings of a small case.
//!
//! A [`Model`] is a case of a protocol: a function that builds the views of some participants on common
//! memory, and what each of them does. [`Model::explore`] runs it in every order of their accesses that can
//! make a difference, and with every value that a load may return under the orderings of the source (loom:
//! dynamic partial-order reduction over the C11 memory model). A case fails where an assertion does, where
//! two marked accesses of memory that is not atomic are not ordered ([`read`](super::read),
//! [`written`](super::written)), or where a participant waits for ever.
//!
//! Restrictions: four participants; `SeqCst` accesses count as `AcqRel`, only fences are stronger; a
//! comparison never fails without a reason; participants share nothing but the memory of the scene and
//! process-wide atomics; one that waits has found nothing to do. [`Extent::Random`] (shuttle) is for cases
//! that are too large: random schedules, in which every load returns the latest value.

pub mod cells;
pub mod mutation;
mod run;
mod scene;

pub use run::participant;
pub use scene::{End, Scene};

use crate::error::Error;
use crate::progress::{Progress, pollers::Pollers};
use mutation::{Mutation, Site};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Which executions are explored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All.
    All,
    /// Those with at most this number of switches away from a participant that could go on.
    Preemptions(usize),
    /// This number of random schedules.
    Random(usize),
}

/// A case of a protocol.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// The module of the protocol.
    pub protocol: &'static str,
    /// What the participants do.
    pub case: &'static str,
    /// Which executions are explored.
    pub extent: Extent,
    /// Whether it takes too long for every test run.
    pub is_long: bool,
    /// Builds the participants, once for each execution.
    pub scene: fn(&mut Scene),
}

/// What an exploration has covered.
#[derive(Debug, Clone, Copy)]
pub struct Explored {
    /// Executions that differ.
    pub executions: u64,
    /// Participants of each.
    pub participants: usize,
    /// How long it took.
    pub time: Duration,
}

/// How an execution has failed.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The execution, counted from 1.
    pub execution: u64,
    /// The panic.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(output, "execution {}: {}", self.execution, self.message)
    }
}

impl Model {
    /// A case of which all executions are explored in every test run.
    pub const fn new(protocol: &'static str, case: &'static str, scene: fn(&mut Scene)) -> Self {
        Self { protocol, case, extent: Extent::All, is_long: false, scene }
    }

    /// The same with other executions.
    pub const fn with(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// The same for long checks only.
    pub const fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Explores it, with a mutation of the source; returns the sites that it has visited as well.
    pub fn explore(&self, mutation: Option<Mutation>) -> (Result<Explored, Failure>, Vec<Site>) {
        run::explore(*self, mutation)
    }
}

/// A rank of a model, which has no MPI.
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
