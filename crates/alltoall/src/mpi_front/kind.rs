//! The kinds of calls that may be forwarded without votes, each compared by itself.

use super::call::Function;
use crate::select::Situation;
use crate::without_votes::{IN_PLACE, LED, SHORT, WithoutVotes};

/// What a call has in common with the calls that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Out of place inside a node.
    Short,
    /// In place between nodes, of blocks that node leaders do not exchange.
    InPlace,
    /// Out of place between nodes, of equal blocks that node leaders may exchange.
    Equal,
    /// The same in place.
    EqualInPlace,
    /// Out of place between nodes, of blocks of several sizes, which node leaders may exchange if all are
    /// small.
    Counted,
    /// The same in place.
    CountedInPlace,
}

impl Kind {
    pub(super) const COUNT: usize = Self::CountedInPlace as usize + 1;

    /// Before the first call, in the order of the kinds.
    pub(super) const fn none() -> [WithoutVotes; Self::COUNT] {
        [
            WithoutVotes::new(&SHORT),
            WithoutVotes::new(&IN_PLACE),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&IN_PLACE),
        ]
    }

    /// Of a call whose votes node leaders pass on.
    pub(super) fn led(function: Function, in_place: bool) -> Self {
        match (function, in_place) {
            (Function::Alltoall, false) => Self::Equal,
            (Function::Alltoall, true) => Self::EqualInPlace,
            (_, false) => Self::Counted,
            (_, true) => Self::CountedInPlace,
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
            Self::Equal | Self::EqualInPlace | Self::Counted | Self::CountedInPlace => {
                "exchanges between nodes, which the MPI library makes faster than hcube"
            }
        }
    }
}
