//! The hypercube for any number of nodes: recursive division.
//!
//! Idea: the positions that a value can still reach are divided into contiguous parts, which are divided
//! again, until a part is one node (or one rank, without nodes). With two parts in every stage this is the
//! hypercube for a power of two and recursive halving for any other count; with P parts in one stage it is
//! the direct exchange; the dimensionality d selects intermediate forms.
//! Restrictions: none; any number of ranks, any number of ranks per node.
//! Cost: the first four rows of the table in [`super`]. Extra memory: none.
//! Source: Plimpton et al. 2006, §2.

use super::share::overlaps;
use super::stage::{Parting, Send, Source, Stage, Transport};
use super::topology::Topology;
use std::ops::Range;

/// The stages of a rank, with at most `dimensions` stages of messages (0: as many as the hypercube has). A
/// node of several ranks ends with a stage through shared memory.
pub fn stages(topology: &Topology, rank: usize, dimensions: usize) -> Vec<Stage> {
    let node = topology.node_of(topology.position(rank));
    let (mut group, mut stages) = (0..topology.nodes(), Vec::new());
    let mut left = stage_count(topology.nodes(), dimensions);
    while group.len() > 1 {
        let bounds = divide(&group, left);
        let part = bounds.partition_point(|&bound| bound <= node) - 1;
        stages.push(message_stage(topology, rank, &bounds, part));
        group = bounds[part]..bounds[part + 1];
        left = left.saturating_sub(1).max(1);
    }
    if topology.positions(group).len() > 1 {
        stages.push(Stage::deliver(topology, rank));
    }
    stages
}

/// Number of message stages: d, but at most as many as the hypercube has.
fn stage_count(nodes: usize, dimensions: usize) -> usize {
    let hypercube = nodes.next_power_of_two().trailing_zeros() as usize;
    if dimensions == 0 { hypercube } else { dimensions.min(hypercube) }.max(1)
}

/// Bounds that divide a group as evenly as possible into as few parts as let `left` stages suffice:
/// the left-th root of its size, rounded up. The smaller parts come first.
fn divide(group: &Range<usize>, left: usize) -> Vec<usize> {
    let mut parts = 2usize;
    while parts.checked_pow(left as u32).is_some_and(|reached| reached < group.len()) {
        parts += 1;
    }
    let parts = parts.min(group.len());
    (0..=parts).map(|part| group.start + group.len() * part / parts).collect()
}

/// A stage in which the nodes `bounds[own] .. bounds[own + 1]` keep their values.
fn message_stage(topology: &Topology, rank: usize, bounds: &[usize], own: usize) -> Stage {
    let positions: Vec<usize> = bounds.iter().map(|&node| boundary(topology, node)).collect();
    let (first, last) = (positions[0], positions[bounds.len() - 1]);
    let group = (last - first) as u64;
    let (mine, parts) = (positions[own]..positions[own + 1], bounds.len() - 1);
    let index = topology.position(rank) - mine.start;
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    // Starting after the own part distributes the load if there are many parts.
    for part in (1..parts).map(|distance| (own + distance) % parts) {
        let theirs = positions[part]..positions[part + 1];
        for overlap in overlaps(index, mine.len(), theirs.len()) {
            let partner = topology.rank(theirs.start + overlap.partner);
            // The same number in both directions: both sides derive their bounds from it.
            let mean = (overlap.to - overlap.from, group);
            let (from_share, to_share, of) = (overlap.from, overlap.to, overlap.of);
            sends.push(Send { part, to: partner, from_share, to_share, of, mean });
            receives.push(Source { from: partner, mean });
        }
    }
    let parting = Parting::new(topology, positions);
    Stage { parts, own, parting, transport: Transport::Messages { sends, receives } }
}

/// The position at which a node starts; for the number of nodes, the number of ranks.
fn boundary(topology: &Topology, node: usize) -> usize {
    topology.positions(0..node).end
}
