//! Three hops: local, network, local. Each value crosses the network once.
//!
//! Idea: through shared memory, all ranks of a node pass their values for another node to one of them (its
//! *lane*); the lane sends them in one message to a lane of that node, which passes them to their owners
//! through shared memory. With more ranks on a node than other nodes, several lanes serve one node.
//!
//! Restrictions: several nodes, one of them with several ranks. [`worthwhile`] compares the number of
//! messages with the hypercube between nodes.
//! Cost per rank and round of Q values, M nodes of k ranks: about (M-1)/k messages of k Q/M words
//! for k < M; the words cross shared memory twice. Extra memory: a second mailbox.
//! Source: lanes are our own, in the rounds of Plimpton et al. 2006. The three hops of bale's conveyors
//! (Maley and DeVinney, IA3 2019) also send values across the network once, aggregated on both sides; they
//! are later than Plimpton et al. 2006, who cite a routing along the three dimensions of a torus for BlueGene
//! (Garg and Sabharwal 2006).

use super::stage::{Entry, Parting, Send, Source, Stage, Transport};
use super::topology::Topology;

/// The ranks of a node that serve one other node: `first .. first + count`, counted in the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lanes {
    first: usize,
    count: usize,
}

/// The lanes on `node` (of `ranks` ranks) that serve `other`, among `nodes` nodes.
fn lanes(node: usize, ranks: usize, other: usize, nodes: usize) -> Lanes {
    // Counted from the node onwards, so that different nodes use different lanes for one target.
    let distance = (other + nodes - node - 1) % nodes;
    let count = (ranks / (nodes - 1)).max(1);
    Lanes { first: if ranks >= nodes - 1 { distance * count } else { distance % ranks }, count }
}

/// Messages of three hops that cost no more than a stage of the hypercube. They are outstanding at the same
/// time, so that each costs little beyond its call, and values are divided in three stages instead of log2 M,
/// whereas a stage of the hypercube waits for its message. Speed-up of three hops over the hypercube between
/// nodes, simulated on juropa and on juqueen (`hcube-lab simulate --sections nodes`, with --full from 512
/// ranks on), with the messages of a rank per stage of the hypercube in brackets: 16 nodes of 8 ranks 1.21
/// and 1.10 (0.5), 16 of 16 1.70 and 1.47 (0.2), 64 of 8 1.69 and 1.41 (1.3), 32 of 4 1.33 and 1.17 (1.6),
/// 128 of 4 1.58 and 1.26 (4.5), 256 of 2 0.87 and 0.72 (16). The simulation does not charge a rank for
/// receiving a message, so the bound is below the last gain. On up to four nodes the hypercube has only two
/// stages, and three hops are chosen where their messages are larger: 4 nodes of 2 ranks 0.96 and 0.91, of 16
/// ranks 1.03 and 0.96 (undecided), of 64 ranks 1.15 and 1.09.
const MESSAGES_PER_STAGE: f64 = 4.0;

/// Whether three hops are faster than the hypercube between nodes.
pub fn worthwhile(topology: &Topology) -> bool {
    let (nodes, size) = (topology.nodes(), topology.size());
    let per_node = size / nodes.max(1);
    // With two nodes, values cross the network once in the hypercube as well, with one pass through shared
    // memory less.
    nodes > 2 && per_node > 1 && {
        let messages = (nodes - 1) as f64 / per_node as f64;
        // A message carries k Q / (M lanes) words here and Q / 2 there.
        let lanes = (per_node / (nodes - 1)).max(1);
        let larger = 2 * per_node > nodes * lanes;
        messages <= MESSAGES_PER_STAGE * (nodes as f64).log2() && (nodes > 4 || larger)
    }
}

/// The three stages of one rank.
pub fn stages(topology: &Topology, rank: usize) -> Vec<Stage> {
    let position = topology.position(rank);
    let (nodes, node) = (topology.nodes(), topology.node_of(position));
    let home = topology.positions(node..node + 1);
    let own = position - home.start;
    if nodes == 1 {
        return vec![Stage::deliver(topology, rank)];
    }
    vec![
        Stage { parts: home.len(), own, parting: collect(topology, node), transport: Transport::Node },
        cross(topology, node, own),
        Stage::deliver(topology, rank),
    ]
}

/// First hop: values for this node go to their owner, all others to a lane of their node.
fn collect(topology: &Topology, node: usize) -> Parting {
    let home = topology.positions(node..node + 1);
    let entry = |rank| {
        let position = topology.position(rank);
        let target = topology.node_of(position);
        if target == node {
            return Entry { first: (position - home.start) as u32, count: 1 };
        }
        let lanes = lanes(node, home.len(), target, topology.nodes());
        Entry { first: lanes.first as u32, count: lanes.count as u32 }
    };
    Parting::Entries((0..topology.size()).map(entry).collect())
}

/// Second hop: this lane's messages. Part 0 stays; the others are the nodes that this lane serves.
fn cross(topology: &Topology, node: usize, own: usize) -> Stage {
    let (nodes, size) = (topology.nodes(), topology.size());
    let ranks = |node: usize| topology.positions(node..node + 1).len();
    let served: Vec<usize> = (1..nodes)
        .map(|distance| (node + distance) % nodes)
        .filter(|&other| {
            let lanes = lanes(node, ranks(node), other, nodes);
            (lanes.first..lanes.first + lanes.count).contains(&own)
        })
        .collect();
    let mut part_of_node = vec![0; nodes];
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (index, &other) in served.iter().enumerate() {
        part_of_node[other] = index as u32 + 1;
        let (here, there) = (lanes(node, ranks(node), other, nodes), lanes(other, ranks(other), node, nodes));
        let first_there = topology.positions(other..other + 1).start + there.first;
        let lane = own - here.first;
        let mean = |lanes: usize| (ranks(node) as u64 * ranks(other) as u64, size as u64 * lanes as u64);
        let to = topology.rank(first_there + lane % there.count);
        sends.push(Send { part: index + 1, to, from_share: 0, to_share: 1, of: 1, mean: mean(here.count) });
        // The lanes of the other node that send to this one.
        for from in (0..there.count).filter(|from| from % here.count == lane) {
            receives.push(Source { from: topology.rank(first_there + from), mean: mean(there.count) });
        }
    }
    let entry = |rank| Entry { first: part_of_node[topology.node_of(topology.position(rank))], count: 1 };
    Stage {
        parts: served.len() + 1,
        own: 0,
        parting: Parting::Entries((0..size).map(entry).collect()),
        transport: Transport::Messages { sends, receives },
    }
}
