//! The kinds of calls that may be forwarded without votes, each compared by itself.

use crate::select::Situation;
use crate::without_votes::{IN_PLACE, LED, SHORT, WithoutVotes};

/// What a call has in common with the calls that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Out of place inside a node.
    Short,
    /// In place between nodes.
    InPlace,
    /// Out of place between nodes, of equal blocks that node leaders may exchange.
    Led,
    /// The same in place.
    LedInPlace,
}

impl Kind {
    pub(super) const COUNT: usize = Self::LedInPlace as usize + 1;

    /// Before the first call, in the order of the kinds.
    pub(super) const fn none() -> [WithoutVotes; Self::COUNT] {
        [
            WithoutVotes::new(&SHORT),
            WithoutVotes::new(&IN_PLACE),
            WithoutVotes::new(&LED),
            WithoutVotes::new(&LED),
        ]
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
            Self::Led | Self::LedInPlace => {
                "blocks between nodes, which the MPI library exchanges faster than node leaders"
            }
        }
    }
}
