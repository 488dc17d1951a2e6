//! The broadcasts, and the messages of a member in one of them.

use super::message::Plan;
use super::{binomial, ring, scatter_allgather};
use std::ops::Range;

/// How the members of one level pass a panel on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Broadcast {
    /// A [`binomial`] tree.
    Binomial,
    /// A pipelined [`ring`].
    Ring,
    /// Scatter and all-gather, van de Geijn's broadcast: [`scatter_allgather`].
    ScatterAllgather,
}

impl Broadcast {
    /// All broadcasts.
    pub const ALL: [Self; 3] = [Self::Binomial, Self::Ring, Self::ScatterAllgather];

    /// The name in options and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binomial => "binomial",
            Self::Ring => "ring",
            Self::ScatterAllgather => "scatter-allgather",
        }
    }

    /// The messages of a member for one block: a binomial tree and a ring send the block in one message,
    /// scatter and all-gather divides its parts among the members.
    pub fn block(self, members: usize, root: usize, me: usize, parts: Range<usize>) -> Plan {
        assert!(root < members && me < members, "member {me} and root {root} of {members}");
        let relative = (me + members - root) % members;
        let plan = match self {
            Self::Binomial => binomial::plan(members, relative, parts),
            Self::Ring => ring::plan(members, relative, parts),
            Self::ScatterAllgather => scatter_allgather::plan(members, relative, parts),
        };
        plan.renumbered(|partner| (partner + root) % members)
    }
}
