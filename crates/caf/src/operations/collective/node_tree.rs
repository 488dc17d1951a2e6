//! The tree of the team of all images on several nodes, from any root.
//!
//! Idea: a binomial tree of the nodes from the node of the root, whose edges join the *heads* of the nodes:
//! the root, and the first member of each other node. From each head, a binomial tree of the members of its
//! node. So N - 1 of the S - 1 edges pass between nodes, wherever the members are.
//!
//! Restrictions: subtrees are ranges of ranks, in ascending order from the smallest one, only if ranks are in
//! the order of nodes and the root is the first one. Otherwise a reduction changes the order of blocks.
//! Cost: from the root to the farthest member ⌈log2 N⌉ edges between nodes, then ⌈log2 M⌉ inside a node of M
//! members. Source: the binomial tree ([`tree`](super::tree)), of nodes and of members.

use super::tree::Tree;
use hcube_core::plan::Topology;

/// The tree, seen from a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeTree {
    pub parent: Option<usize>,
    /// Other nodes first; among those and on this node, the largest subtree first.
    pub children: Vec<usize>,
}

impl NodeTree {
    pub fn new(topology: &Topology, rank: usize, root: usize) -> Self {
        let place = |rank: usize| {
            let position = topology.position(rank);
            let node = topology.node_of(position);
            (node, position - topology.positions(node..node + 1).start)
        };
        let (root_node, of_root) = place(root);
        let (node, number) = place(rank);
        let members_of = |node: usize| topology.positions(node..node + 1);
        let head_of = |node: usize| if node == root_node { of_root } else { 0 };
        let rank_of = |node: usize, number: usize| topology.rank(members_of(node).start + number);
        let inside = Tree::new(number, members_of(node).len(), head_of(node));
        let behind = |tree: Tree, power: usize| tree.rank(tree.number - (1 << power));
        let ahead = |tree: Tree, power: usize| tree.rank(tree.number + (1 << power));
        let mut children = Vec::new();
        let parent = match inside.parent() {
            Some(power) => Some(rank_of(node, behind(inside, power))),
            None => {
                let between = Tree::new(node, topology.nodes(), root_node);
                let of_node = |node: usize| rank_of(node, head_of(node));
                children.extend(between.children().rev().map(|power| of_node(ahead(between, power))));
                between.parent().map(|power| of_node(behind(between, power)))
            }
        };
        children.extend(inside.children().rev().map(|power| rank_of(node, ahead(inside, power))));
        Self { parent, children }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Placements of ranks on nodes: in order, in turn, unequal, and mixed.
    fn placements(size: usize) -> Vec<Topology> {
        let in_order = |each: usize| (0..size).map(move |rank| rank / each * each).collect::<Vec<_>>();
        let in_turn = |nodes: usize| (0..size).map(move |rank| rank % nodes).collect();
        let mixed = (0..size).map(|rank| (rank * rank + rank / 3) % 7).collect();
        let unequal = (0..size).map(|rank| rank.checked_ilog2().map_or(0, |power| power as usize)).collect();
        let all = [in_order(1), in_order(3), in_order(4), in_turn(2), in_turn(5), in_turn(8), mixed, unequal];
        let numbered = |nodes: Vec<usize>| {
            // As MPI libraries say it: the lowest rank on the node.
            let first = |node: &usize| nodes.iter().position(|other| other == node).expect("it is there");
            nodes.iter().map(|node| first(node) as u32).collect::<Vec<_>>()
        };
        all.map(numbered).iter().map(|numbers| Topology::from_node_numbers(numbers, None)).collect()
    }

    #[test]
    fn one_edge_to_each_node_and_no_long_paths() {
        for size in 1..=130 {
            for topology in placements(size) {
                for root in [0, 1, size / 2, size - 1].map(|root| root % size) {
                    check(&topology, root);
                }
            }
        }
    }

    /// The ranks of a subtree: of the member, then of its children from the last one on.
    fn subtree(topology: &Topology, rank: usize) -> Vec<usize> {
        let children = NodeTree::new(topology, rank, 0).children;
        let below = children.iter().rev().flat_map(|&child| subtree(topology, child));
        std::iter::once(rank).chain(below).collect()
    }

    #[test]
    fn blocks_are_in_rank_order_from_the_first_rank_on() {
        for size in 1..=130 {
            let topologies = placements(size).into_iter().filter(Topology::in_rank_order);
            assert!(topologies.clone().count() >= 3, "{size} ranks");
            topologies.for_each(|topology| assert!(subtree(&topology, 0).into_iter().eq(0..size)));
        }
    }

    fn check(topology: &Topology, root: usize) {
        let size = topology.size();
        let node = |rank: usize| topology.node_of(topology.position(rank));
        let trees: Vec<NodeTree> = (0..size).map(|rank| NodeTree::new(topology, rank, root)).collect();
        let (mut reached, mut between) = (vec![0; size], 0);
        for (rank, tree) in trees.iter().enumerate() {
            for &child in &tree.children {
                assert_eq!(trees[child].parent, Some(rank));
                reached[child] += 1;
                between += usize::from(node(child) != node(rank));
            }
        }
        // Every member except the root once; with the parents, a path leads to the root from each.
        let expected: Vec<usize> = (0..size).map(|rank| usize::from(rank != root)).collect();
        assert_eq!((reached, between), (expected, topology.nodes() - 1), "{topology:?}, root {root}");
        let log = |count: usize| count.next_power_of_two().ilog2() as usize;
        for rank in 0..size {
            let path = std::iter::successors(Some(rank), |&rank| trees[rank].parent);
            let path: Vec<usize> = path.take(size + 1).collect();
            assert_eq!(path.last(), Some(&root));
            let crossed = path.windows(2).filter(|edge| node(edge[0]) != node(edge[1])).count();
            assert!(crossed <= log(topology.nodes()), "{topology:?}: {path:?}");
            assert!(path.len() - 1 - crossed <= log(topology.most_on_a_node()), "{topology:?}: {path:?}");
        }
    }
}
