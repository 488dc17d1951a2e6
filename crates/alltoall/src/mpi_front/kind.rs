//! The kinds of calls that may be forwarded without votes, each compared by itself.

use crate::select::{Blocks, Situation};
use crate::without_votes::{IN_PLACE, LED, SHORT, WithoutVotes};

/// What a call has in common with the calls that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Out of place inside a node.
    Short,
    /// In place between nodes, of blocks that node leaders do not exchange.
    InPlace,
    /// Out of place between nodes, where node leaders pass on the votes: of [`Blocks::Short`].
    LedShort,
    LedShortInPlace,
    /// Of [`Blocks::Long`].
    LedLong,
    LedLongInPlace,
    /// Of [`Blocks::Any`].
    LedAny,
    LedAnyInPlace,
}

impl Kind {
    pub(super) const COUNT: usize = Self::LedAnyInPlace as usize + 1;

    /// Before the first call, in the order of the kinds.
    pub(super) const fn none() -> [WithoutVotes; Self::COUNT] {
        [
            WithoutVotes::new(&SHORT),
            WithoutVotes::new(&IN_PLACE),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&IN_PLACE),
        ]
    }

    /// Of a call whose votes node leaders pass on.
    pub(super) const fn led(blocks: Blocks, in_place: bool) -> Self {
        match (blocks, in_place) {
            (Blocks::Short, false) => Self::LedShort,
            (Blocks::Short, true) => Self::LedShortInPlace,
            (Blocks::Long, false) => Self::LedLong,
            (Blocks::Long, true) => Self::LedLongInPlace,
            (Blocks::Any, false) => Self::LedAny,
            (Blocks::Any, true) => Self::LedAnyInPlace,
        }
    }

    /// Whether exchanges between nodes are compared.
    pub(super) fn is_compared_between_nodes(situation: &Situation) -> bool {
        situation.ranks > 1 && !situation.shared && !situation.is_asked()
    }

    /// Why its calls are forwarded without votes.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Short => "short blocks out of place, which the MPI library exchanges faster",
            Self::InPlace => "short blocks in place between nodes, which the MPI library exchanges faster",
            _ => "exchanges between nodes, which the MPI library makes faster than hcube",
        }
    }
}
