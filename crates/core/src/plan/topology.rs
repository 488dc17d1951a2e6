//! The placement of ranks on nodes.
//!
//! Plans divide *positions*: the ranks in an order in which the ranks of one node are neighbours. If the
//! launcher has placed ranks node by node, as most do by default, position and rank are equal.

use std::ops::Range;

/// Ranks in node order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Position of the first rank of every node, and the number of ranks at the end.
    starts: Vec<u32>,
    /// Rank at every position; empty if it is the position itself.
    rank_at: Vec<u32>,
    /// Position of every rank; empty if it is the rank itself.
    position_of: Vec<u32>,
}

impl Topology {
    /// Every rank on a separate node: only messages.
    pub fn without_nodes(size: usize) -> Self {
        Self { starts: (0..=size as u32).collect(), rank_at: Vec::new(), position_of: Vec::new() }
    }

    /// From a number per rank that is equal for ranks of one node. Nodes of more than `max_ranks` ranks are
    /// divided, to run mixed cases on one machine.
    pub fn from_node_numbers(numbers: &[u32], max_ranks: Option<usize>) -> Self {
        let limit = max_ranks.unwrap_or(usize::MAX).max(1);
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        // Stable: ranks of a node stay in rank order, nodes are ordered by their number, which is
        // the lowest rank on them.
        order.sort_by_key(|&rank| numbers[rank as usize]);
        let mut starts = vec![0];
        for position in 1..order.len() {
            let changed = numbers[order[position] as usize] != numbers[order[position - 1] as usize];
            let full = position - starts.last().copied().unwrap_or(0) as usize == limit;
            if changed || full {
                starts.push(position as u32);
            }
        }
        starts.push(order.len() as u32);
        let identity = order.iter().enumerate().all(|(position, &rank)| position == rank as usize);
        if identity {
            return Self { starts, rank_at: Vec::new(), position_of: Vec::new() };
        }
        let mut position_of = vec![0; order.len()];
        for (position, &rank) in order.iter().enumerate() {
            position_of[rank as usize] = position as u32;
        }
        Self { starts, rank_at: order, position_of }
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0) as usize
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The largest number of ranks on a node.
    pub fn most_on_a_node(&self) -> usize {
        self.starts.windows(2).map(|node| (node[1] - node[0]) as usize).max().unwrap_or(0)
    }

    /// The smallest number of ranks on a node.
    pub fn fewest_on_a_node(&self) -> usize {
        self.starts.windows(2).map(|node| (node[1] - node[0]) as usize).min().unwrap_or(0)
    }

    /// Bytes of its lists.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.rank_at) + size_of_val(&*self.position_of)
    }

    /// Whether position and rank are the same for all ranks.
    pub fn in_rank_order(&self) -> bool {
        self.rank_at.is_empty()
    }

    /// The rank at a position.
    pub fn rank(&self, position: usize) -> usize {
        self.rank_at.get(position).map_or(position, |&rank| rank as usize)
    }

    /// The position of a rank.
    pub fn position(&self, rank: usize) -> usize {
        self.position_of.get(rank).map_or(rank, |&position| position as usize)
    }

    /// The positions of nodes `nodes`.
    pub fn positions(&self, nodes: Range<usize>) -> Range<usize> {
        self.starts[nodes.start] as usize..self.starts[nodes.end] as usize
    }

    /// The node that holds a position.
    pub fn node_of(&self, position: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= position) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_placement_keeps_rank_order() {
        let topology = Topology::from_node_numbers(&[0, 0, 0, 3, 4, 4], None);
        assert!(topology.in_rank_order());
        assert_eq!((topology.nodes(), topology.size(), topology.most_on_a_node()), (3, 6, 3));
        assert_eq!(topology.positions(1..3), 3..6);
        assert_eq!((0..6).map(|p| topology.node_of(p)).collect::<Vec<_>>(), [0, 0, 0, 1, 2, 2]);
    }

    #[test]
    fn round_robin_placement_is_reordered() {
        let topology = Topology::from_node_numbers(&[0, 1, 0, 1, 0], None);
        assert!(!topology.in_rank_order());
        assert_eq!((0..5).map(|p| topology.rank(p)).collect::<Vec<_>>(), [0, 2, 4, 1, 3]);
        assert!((0..5).all(|rank| topology.rank(topology.position(rank)) == rank));
    }

    #[test]
    fn pretended_nodes_stay_inside_real_ones() {
        let topology = Topology::from_node_numbers(&[0, 0, 0, 3, 3], Some(2));
        assert_eq!((0..5).map(|p| topology.node_of(p)).collect::<Vec<_>>(), [0, 0, 1, 2, 2]);
    }
}
