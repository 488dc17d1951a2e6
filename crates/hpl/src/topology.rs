//! The edges along which nodes forward a panel.
//!
//! Idea: positions number the nodes from the root's node, which is 0. A panel has parts, one for rings, one
//! per node of the ring for long broadcasts; a [`Route`] lists the parts that a position receives and sends,
//! and its partners. In rings the root has few sends, and a look-ahead hides the latency along the ring; the
//! modified forms serve position 1 first and remove it from the ring, because it has the next root, which
//! should not be busy with forwarding. Long broadcasts distribute the sends: halves of the parts are sent
//! down a binary tree, then each position forwards the parts that it receives to the next position.
//!
//! Restrictions: none. Cost for M nodes and L bytes: each node except the root's receives L bytes. Rings: M -
//! 1 messages of L bytes, at most one per node except the root's, which sends one (modified and two rings:
//! two,
//! both: three). Long: M - 1 messages of up to L / 2 bytes in the tree and up to (M - 1)^2 of L / M bytes in
//! the ring, where no node except the root's sends more than 3 L / 2, the root's less than 2 L (modified: 3
//! L), and 2 L instead of (M - 1) L bytes are on the critical path.
//!
//! Source: the broadcasts of HPL (A. Petitet et al., HPL - A Portable Implementation of the High-Performance
//! Linpack Benchmark, section Panel Broadcast). HPL's long broadcast exchanges parts with neighbours on
//! alternating sides, and resends the parts that the tree has already delivered; ours goes around in one
//! direction without them.

use crate::options::Topology;
use std::ops::Range;

/// The receives and sends of a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// Parts of a panel.
    pub parts: usize,
    /// The source position of each part, in the order of the messages of each position. The first message
    /// also identifies the panel.
    pub receives: Vec<(usize, usize)>,
    /// To which position each part goes, in the order of the messages to each position.
    pub sends: Vec<(usize, usize)>,
    /// The positions that learn from this one what the panel is.
    pub children: Vec<usize>,
}

/// The route of one of `nodes` positions.
///
/// # Panics
/// For a position that is not below `nodes`.
pub fn route(topology: Topology, nodes: usize, position: usize) -> Route {
    assert!(position < nodes, "position {position} of {nodes}");
    let first = 2.min(nodes);
    match topology {
        Topology::Ring => chains(std::slice::from_ref(&(1..nodes)), position),
        Topology::Auto | Topology::ModifiedRing => chains(&[1..first, first..nodes], position),
        Topology::TwoRings => {
            let second = nodes.div_ceil(2);
            chains(&[1..second, second..nodes], position)
        }
        Topology::ModifiedTwoRings => {
            let second = first + (nodes - first) / 2;
            chains(&[1..first, first..second, second..nodes], position)
        }
        Topology::Long => long(nodes, nodes, position),
        Topology::ModifiedLong => long(nodes, nodes.saturating_sub(1).max(1), position),
    }
}

/// The root sends to the first position of each chain, and each position of a chain to the next one.
fn chains(chains: &[Range<usize>], position: usize) -> Route {
    let mut route = Route { parts: 1, ..Route::default() };
    for chain in chains.iter().filter(|chain| !chain.is_empty()) {
        if position == 0 {
            route.children.push(chain.start);
        } else if chain.contains(&position) {
            route.receives = vec![(if position == chain.start { 0 } else { position - 1 }, 0)];
            route.children.extend(Some(position + 1).filter(|next| chain.contains(next)));
        }
    }
    route.sends = route.children.iter().map(|&child| (child, 0)).collect();
    route
}

/// The long broadcast on a ring of `members` positions: all of them, or all except position 1.
fn long(nodes: usize, members: usize, position: usize) -> Route {
    let apart = usize::from(members < nodes);
    let position_of = |member: usize| if member == 0 { 0 } else { member + apart };
    let mut route = Route { parts: members, ..Route::default() };
    if apart == 1 && position == 1 {
        route.receives = (0..members).map(|part| (0, part)).collect();
        return route;
    }
    let own = if position == 0 { 0 } else { position - apart };
    if apart == 1 && own == 0 {
        route.children.push(1);
        route.sends = (0..members).map(|part| (1, part)).collect();
    }
    let (parent, below) = subtree(members, own);
    route.receives.extend(parent.into_iter().flat_map(|parent| {
        let from = position_of(parent);
        below.clone().map(move |part| (from, part))
    }));
    for (child, parts) in children(members, own) {
        route.children.push(position_of(child));
        route.sends.extend(parts.map(|part| (position_of(child), part)));
    }
    // Around the ring: those parts that the tree does not bring.
    if own > 0 {
        let from = position_of(own - 1);
        route.receives.extend(rolled(members, own).map(|part| (from, part)));
    }
    if own + 1 < members {
        let to = position_of(own + 1);
        route.sends.extend(rolled(members, own + 1).map(|part| (to, part)));
    }
    route
}

/// The parts that a member receives around the ring, in their order: the predecessor's own part first.
fn rolled(members: usize, own: usize) -> impl Iterator<Item = usize> {
    let below = subtree(members, own).1;
    (1..members).map(move |step| (own + members - step) % members).filter(move |part| !below.contains(part))
}

/// Who sends to a member in the tree, and the parts that it gets, its own one and those for members below it.
fn subtree(members: usize, own: usize) -> (Option<usize>, Range<usize>) {
    let (mut parent, mut range) = (None, 0..members);
    while range.start != own {
        let middle = middle(&range);
        if own < middle {
            range.end = middle;
        } else {
            parent = Some(range.start);
            range.start = middle;
        }
    }
    (parent, range)
}

/// The members to which a member sends in the tree, and their parts: the larger halves first.
fn children(members: usize, own: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut range = subtree(members, own).1;
    std::iter::from_fn(move || {
        (range.len() > 1).then(|| {
            let middle = middle(&range);
            let upper = middle..std::mem::replace(&mut range.end, middle);
            (middle, upper)
        })
    })
}

fn middle(range: &Range<usize>) -> usize {
    range.start + range.len().div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    const ALL: [Topology; 7] = [
        Topology::Auto,
        Topology::Ring,
        Topology::ModifiedRing,
        Topology::TwoRings,
        Topology::ModifiedTwoRings,
        Topology::Long,
        Topology::ModifiedLong,
    ];

    fn routes(topology: Topology, nodes: usize) -> Vec<Route> {
        (0..nodes).map(|position| route(topology, nodes, position)).collect()
    }

    /// The messages from one position to another, in order.
    fn messages(list: &[(usize, usize)], other: usize) -> Vec<usize> {
        list.iter().filter(|&&(position, _)| position == other).map(|&(_, part)| part).collect()
    }

    #[test]
    fn each_node_gets_each_part_once_and_expects_what_is_sent() {
        for topology in ALL {
            for nodes in 1..=130 {
                let routes = routes(topology, nodes);
                for (position, route) in routes.iter().enumerate() {
                    let mut parts: Vec<usize> = route.receives.iter().map(|&(_, part)| part).collect();
                    parts.sort_unstable();
                    let expected = if position == 0 { 0 } else { route.parts };
                    assert_eq!(
                        parts,
                        (0..expected).collect::<Vec<_>>(),
                        "{topology:?} {position} of {nodes}"
                    );
                    for &(from, _) in &route.receives {
                        let [sent, received] =
                            [messages(&routes[from].sends, position), messages(&route.receives, from)];
                        assert_eq!(sent, received, "{topology:?} {from} to {position} of {nodes}");
                    }
                    for &(to, _) in &route.sends {
                        assert!(!messages(&routes[to].receives, position).is_empty());
                    }
                    for &child in &route.children {
                        assert_eq!(routes[child].receives[0].0, position, "{topology:?} {child} of {nodes}");
                    }
                }
                assert_eq!(routes.iter().map(|route| route.children.len()).sum::<usize>(), nodes - 1);
            }
        }
    }

    /// Sends of a position that wait in their order for its receives, which come in their order per sender,
    /// end.
    #[test]
    fn every_message_is_sent() {
        for topology in ALL {
            for nodes in [1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31, 64, 130] {
                let routes = routes(topology, nodes);
                let mut has: Vec<Vec<bool>> =
                    routes.iter().enumerate().map(|(p, route)| vec![p == 0; route.parts]).collect();
                let mut edges: VecDeque<(usize, usize, VecDeque<usize>)> = VecDeque::new();
                for (from, route) in routes.iter().enumerate() {
                    let mut to: Vec<usize> = route.sends.iter().map(|&(to, _)| to).collect();
                    to.sort_unstable();
                    to.dedup();
                    edges.extend(to.into_iter().map(|to| (from, to, messages(&route.sends, to).into())));
                }
                let mut moved = true;
                while moved {
                    moved = false;
                    for (from, to, parts) in &mut edges {
                        while let Some(&part) = parts.front().filter(|&&part| has[*from][part]) {
                            has[*to][part] = true;
                            parts.pop_front();
                            moved = true;
                        }
                    }
                }
                assert!(has.iter().flatten().all(|&has| has), "{topology:?} of {nodes}");
            }
        }
    }

    #[test]
    fn the_shapes_are_those_of_hpl() {
        let sends = |topology, nodes: usize| {
            let all = routes(topology, nodes).into_iter().map(|route| route.children);
            all.map(|children| children.iter().map(usize::to_string).collect::<String>()).collect::<Vec<_>>()
        };
        assert_eq!(sends(Topology::Ring, 5), ["1", "2", "3", "4", ""]);
        assert_eq!(sends(Topology::ModifiedRing, 5), ["12", "", "3", "4", ""]);
        assert_eq!(sends(Topology::TwoRings, 6), ["13", "2", "", "4", "5", ""]);
        assert_eq!(sends(Topology::ModifiedTwoRings, 6), ["124", "", "3", "", "5", ""]);
        assert_eq!(sends(Topology::Long, 4), ["21", "", "3", ""]);
        assert_eq!(sends(Topology::ModifiedLong, 5), ["132", "", "", "4", ""]);
        for topology in ALL {
            assert_eq!(sends(topology, 2), ["1", ""], "{topology:?}");
            assert_eq!(sends(topology, 1), [""], "{topology:?}");
        }
    }

    /// The bounds of the module comment.
    #[test]
    fn long_broadcasts_share_the_sends_out() {
        for (topology, most) in [(Topology::Long, 2), (Topology::ModifiedLong, 3)] {
            for nodes in 2..=130 {
                let routes = routes(topology, nodes);
                for (position, route) in routes.iter().enumerate().skip(1) {
                    let sent = route.sends.len() as f64 / route.parts as f64;
                    let bound = 1.5 + 1.0 / route.parts as f64;
                    assert!(sent <= bound, "{topology:?}: {position} of {nodes} sends {sent}");
                }
                assert!(routes[0].sends.len() < most * routes[0].parts, "{topology:?} of {nodes}");
            }
        }
    }
}
