//! The kinds of calls that may be forwarded without votes, each compared by itself ([`crate::without_votes`]).

use super::arguments::block_bytes;
use super::call::{Call, Function};
use super::state::Engine;
use crate::select::Situation;
use crate::without_votes::{IN_PLACE, LED, SHORT, WithoutVotes};
use hcube_core::error::Result;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::shared::Shared;

/// What a call has in common with the calls that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Out of place inside a node.
    Short,
    /// In place between nodes.
    InPlace,
    /// Out of place between nodes, of equal blocks that node leaders may exchange.
    Led,
}

impl Kind {
    /// Before the first call, in the order of the kinds.
    pub(super) const fn none() -> [WithoutVotes; 3] {
        [WithoutVotes::new(&SHORT), WithoutVotes::new(&IN_PLACE), WithoutVotes::new(&LED)]
    }

    /// Whether exchanges between nodes are compared.
    pub(super) fn is_compared_between_nodes(situation: &Situation) -> bool {
        situation.ranks > 1 && !situation.shared && !situation.is_asked()
    }

    /// The kind of a call on a communicator that is set up; the same on all ranks whose arguments are valid.
    ///
    /// # Safety
    /// Memory and handles of the call are as MPI requires.
    #[inline]
    pub(super) unsafe fn of(
        call: &Call,
        comm: &MpiComm,
        engine: &Shared<Engine>,
        between_nodes: bool,
    ) -> Result<Option<Self>> {
        if call.function.is_of_neighbours() {
            return Ok(None);
        }
        Ok(match (between_nodes, call.in_place()) {
            (false, false) => call.guest.then_some(Self::Short),
            (true, true) => call.guest.then_some(Self::InPlace),
            // SAFETY: memory and handles of the call are as MPI requires.
            (true, false) => unsafe { is_led(call, comm, engine) }?.then_some(Self::Led),
            (false, true) => None,
        })
    }

    /// Why its calls are forwarded without votes.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Short => "short blocks out of place, which the MPI library exchanges faster",
            Self::InPlace => "short blocks in place between nodes, which the MPI library exchanges faster",
            Self::Led => {
                "blocks out of place between nodes, which the MPI library exchanges faster than node leaders"
            }
        }
    }
}

/// # Safety
/// As [`Kind::of`].
#[cold]
unsafe fn is_led(call: &Call, comm: &MpiComm, engine: &Shared<Engine>) -> Result<bool> {
    if call.function != Function::Alltoall || !call.library_has_function() {
        return Ok(false);
    }
    engine.with(|Engine { exchange, named, .. }| {
        // SAFETY: the datatype of the call is as MPI requires.
        Ok(exchange.situation().leads_equal(false, || unsafe { block_bytes(call, comm, named) }))
    })
}
