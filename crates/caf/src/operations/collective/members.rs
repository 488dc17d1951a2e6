//! The team data that a collective operation needs, captured when the operation begins.

use super::Elements;
use super::node_tree::NodeTree;
use crate::engine::image::Image;
use crate::state::handles::Handle;
use crate::state::participation::Series;
use crate::state::steps;
use crate::state::team::Team;
use crate::state::team::ring::{BACKWARD, FORWARD};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::plan::Topology;
use std::sync::Arc;

/// Rounds of an operation: what each range of them is for. The agreement on the arguments comes first.
pub(crate) const TREE: usize = 64;
/// See [`super::broadcast`].
pub(crate) const BROADCAST: usize = 192;
/// Exchanges with members at several distances.
pub(crate) const EXCHANGE: usize = 256;
/// Of the answer to a block: this and the round of the block.
pub(crate) const ANSWER: usize = 1 << 14;
/// Of the word that a block may come: this and the round of the block.
pub(crate) const READY: usize = 1 << 15;

const _: () = assert!(EXCHANGE + crate::state::team::network::STEPS < ANSWER);

/// A team in an operation. It does not change when the team is freed during the operation.
#[derive(Debug, Clone)]
pub(crate) struct Members {
    /// The identity of the team.
    pub team: u64,
    /// The number of the operation, the same on all members.
    pub operation: u64,
    pub rank: usize,
    pub size: usize,
    /// Images forward and backward, by powers of two.
    links: Vec<[usize; 2]>,
    /// Where the members are, in the team of all images on several nodes, one of which has several: their
    /// ranks are images.
    topology: Option<Arc<Topology>>,
}

impl Members {
    fn of(team: &mut Team) -> Self {
        Self {
            team: team.identity(),
            operation: team.next_operation(),
            rank: team.rank(),
            size: team.size(),
            links: (0..team.ring().powers())
                .map(|power| [FORWARD, BACKWARD].map(|direction| team.ring().link(power, direction).image))
                .collect(),
            topology: team.nodes().map(|nodes| Arc::clone(nodes.topology())),
        }
    }

    /// The tree from a root with one edge to each node, of images, if the nodes of all members are known.
    pub fn node_tree(&self, root: usize) -> Option<NodeTree> {
        self.topology.as_ref().map(|topology| NodeTree::new(topology, self.rank, root))
    }

    /// As [`Self::node_tree`], for a reduction: none if its elements do not commute and subtrees are not in
    /// the order of ranks.
    pub fn node_tree_to_reduce(&self, root: usize, elements: Elements) -> Option<NodeTree> {
        let is_in_order = self.topology.as_ref().is_some_and(|topology| topology.in_rank_order());
        if elements.commute || root == 0 && is_in_order { self.node_tree(root) } else { None }
    }

    /// The number of a round of this operation.
    pub fn step(&self, round: usize) -> u64 {
        steps::step(self.operation, round)
    }

    /// Powers of two that have links.
    pub fn powers(&self) -> usize {
        self.links.len()
    }

    /// The image of the member at distance 2^`power` forward.
    pub fn forward(&self, power: usize) -> usize {
        self.links[power][FORWARD]
    }

    /// The image of the member at distance 2^`power` backward.
    pub fn backward(&self, power: usize) -> usize {
        self.links[power][BACKWARD]
    }

    /// The image of a member whose rank differs by a power of two.
    pub fn linked(&self, rank: usize) -> usize {
        let power = rank.abs_diff(self.rank).trailing_zeros() as usize;
        self.links[power][if rank > self.rank { FORWARD } else { BACKWARD }]
    }

    /// The rank at a distance forward.
    pub fn ahead(&self, distance: usize) -> usize {
        (self.rank + distance) % self.size
    }

    /// The rank at a distance backward, of less than a turn.
    pub fn behind(&self, distance: usize) -> usize {
        (self.rank + self.size - distance) % self.size
    }
}

impl<C: Comm> Image<C> {
    /// Begins a collective operation of a team.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function.
    pub(crate) fn begin(&mut self, team: Handle) -> Result<Members> {
        self.shipped.refuse_inside("collective functions")?;
        let members = Members::of(self.teams.get_mut(team)?);
        self.participation.begin(members.team, Series::Operations, members.operation, &self.others);
        Ok(members)
    }
}
