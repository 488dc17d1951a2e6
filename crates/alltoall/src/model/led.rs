//! What an exchange by node leaders costs a rank and a node, counted in the routes of the production code;
//! and lower bounds and estimates of its time on machines that are too large for a simulation.
//!
//! Idea: messages, bytes through the port of a node and copied bytes of each rank of a node are counted for
//! blocks of one size; the rank with the most counts. All nodes have the same number of ranks.
//!
//! - *MPI library, messages of single blocks*: a bound. No exchange of single blocks ends before a rank has
//!   sent its P - 1 messages, each of which keeps its processor for the overhead, and before all bytes of a
//!   node have left by its port.
//! - *Node leaders*: an estimate, for memory in which all blocks fit into one round. Two notices inside the
//!   node, the messages that a leader sends, one latency, all bytes through the port, all copies: one after
//!   the other, though copies of different ranks overlap with messages.
//! - *Radix*: an estimate for leaders that pass blocks on by Bruck's algorithm with a radix. The ranks of a
//!   node divide the destinations by their numbers in the node. In a round of radix r, a leader sends r - 1
//!   messages with the blocks whose number of nodes to travel has that digit; every byte leaves the port once
//!   for each digit that is not 0, and is copied twice for each message. One latency for each round.
//!
//! Source of the radix: Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 8 (1997).

use crate::leaders::{LENGTH_BYTES, MAX_ROUNDS, Routes, max_piece};
use crate::state::{BASE_MEMORY_BYTES, Shares};
use hcube_core::machine::{Parameters, Placement};

/// Largest memory bound that is tried.
const MAX_MEMORY: usize = 1 << 40;

/// What an exchange costs the rank with the most, and its node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages that a rank sends.
    pub sent: usize,
    /// Messages that it receives.
    pub received: usize,
    /// Bytes of the messages that a rank sends.
    pub bytes_sent: usize,
    /// Bytes that a rank copies.
    pub copied: usize,
    /// Bytes that leave the node.
    pub port: usize,
}

impl Counts {
    /// By messages of single blocks of `block` bytes; a rank copies its own block.
    pub fn of_library(placement: &Placement, block: usize) -> Self {
        let (ranks, here) = (placement.ranks, placement.max_on_node());
        let messages = ranks - 1;
        let port = (ranks - here) * here * block;
        Self { sent: messages, received: messages, bytes_sent: messages * block, copied: block, port }
    }

    /// By node leaders; `None` on one node, or if no memory is sufficient.
    pub fn of_leaders(placement: &Placement, block: usize) -> Option<Self> {
        let (ranks, here) = (placement.ranks, placement.max_on_node());
        if placement.nodes() < 2 {
            return None;
        }
        let routes = Routes::new(placement.topology(), 0, MAX_MEMORY, MAX_MEMORY)?;
        // A rank writes its blocks into its notices, once for leaders and once for its node, and copies what
        // has arrived.
        let own = 2 * (ranks - 1) * block + block + routes.notice_bytes();
        let of_rank = |number: usize| {
            let passed: usize =
                routes.led_by(number).map(|route| here * routes.targets(route).len() * block).sum();
            let table = routes.led_by(number).map(|route| routes.receivers(route).len()).sum::<usize>();
            let messages = routes.led_by(number).count();
            Self {
                sent: messages,
                received: messages,
                bytes_sent: passed,
                copied: own + passed + table * LENGTH_BYTES,
                port: passed,
            }
        };
        Some((0..here).map(of_rank).fold(Self::default(), |most, one| Self {
            sent: most.sent.max(one.sent),
            received: most.received.max(one.received),
            bytes_sent: most.bytes_sent.max(one.bytes_sent),
            copied: most.copied.max(one.copied),
            port: most.port + one.port,
        }))
    }
}

/// Longest piece of a block that node leaders pass on in a round, within a memory bound of a rank; `None` for
/// none.
pub(super) fn longest_piece(placement: &Placement, memory: usize) -> Option<usize> {
    let (nodes, here) = (placement.nodes(), placement.max_on_node());
    if nodes < 2 {
        return None;
    }
    let Shares { slot, scratch, .. } = Shares::of(memory + BASE_MEMORY_BYTES, true);
    max_piece((0..nodes).map(|node| here.min(placement.ranks - node * here)), slot, scratch)
}

/// Longest block that they pass on, in several rounds.
pub fn longest_block(placement: &Placement, memory: usize) -> Option<usize> {
    longest_piece(placement, memory).map(|piece| MAX_ROUNDS * piece)
}

/// Seconds of the processor for a message: half of the shorter latency, as in simulations.
fn overhead(machine: &Parameters) -> f64 {
    0.5 * machine.network.latency.min(machine.node.latency)
}

/// A lower bound of the seconds of an exchange by messages of single blocks.
pub fn bound_of_library(placement: &Placement, block: usize, machine: &Parameters) -> f64 {
    let counts = Counts::of_library(placement, block);
    let processor = counts.sent as f64 * overhead(machine) + counts.copied as f64 * machine.copy;
    processor.max(machine.network.transfer(counts.port as f64))
}

/// Estimated seconds of an exchange by node leaders.
pub fn estimate_of_leaders(placement: &Placement, block: usize, machine: &Parameters) -> Option<f64> {
    let counts = Counts::of_leaders(placement, block)?;
    Some(seconds(machine, counts.sent as f64, 1.0, counts.port as f64, counts.copied as f64))
}

/// Estimated seconds of the same where leaders use Bruck's algorithm with this radix, 2 or more.
pub fn estimate_of_radix(
    placement: &Placement,
    block: usize,
    radix: usize,
    machine: &Parameters,
) -> Option<f64> {
    let counts = Counts::of_leaders(placement, block)?;
    let (nodes, here) = (placement.nodes(), placement.max_on_node());
    let (mut rounds, mut messages, mut hops, mut distance) = (0, 0, 0, 1);
    while distance < nodes {
        rounds += 1;
        messages += (radix - 1).min((nodes - 1) / distance);
        hops += (0..nodes).filter(|number| number / distance % radix != 0).count();
        distance *= radix;
    }
    // For each node to travel to, the blocks of all pairs of ranks of two nodes.
    let port = hops * here * here * block;
    let copied = counts.copied + 2 * (port - counts.port.min(port)) / here;
    Some(seconds(machine, messages as f64, f64::from(rounds), port as f64, copied as f64))
}

fn seconds(machine: &Parameters, messages: f64, rounds: f64, port: f64, copied: f64) -> f64 {
    let latencies = 2.0 * machine.node.latency + rounds * machine.network.latency;
    latencies + messages * overhead(machine) + machine.network.transfer(port) + copied * machine.copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::machine::EXAMPLE;

    const FAT: [Placement; 2] = [
        Placement { ranks: 64 * 64, ranks_per_node: 64 },
        Placement { ranks: 1024 * 64, ranks_per_node: 64 },
    ];

    #[test]
    fn messages_of_thousands_of_ranks() {
        for (placement, messages) in FAT.into_iter().zip([1, 16]) {
            let led = Counts::of_leaders(&placement, 8).expect("several nodes");
            let single = Counts::of_library(&placement, 8);
            assert_eq!((led.sent, led.received), (messages, messages));
            assert_eq!((single.sent, single.received), (placement.ranks - 1, placement.ranks - 1));
            // The same bytes leave a node.
            assert_eq!((led.port, single.port), ((placement.ranks - 64) * 64 * 8, led.port));
            // A message has the blocks of all pairs of ranks of two nodes.
            assert_eq!(led.bytes_sent, messages * 64 * 64 * 8);
            // Three copies of blocks for others, two inside the node, and lengths.
            let blocks = 8 * (2 * (placement.ranks - 1) + 1) + led.bytes_sent;
            assert!(led.copied > blocks && led.copied < blocks + 5 * placement.ranks, "{led:?}");
        }
    }

    #[test]
    fn blocks_fit_into_a_memory_bound() {
        let [nodes64, nodes1024] = FAT;
        // By default, 1 MiB; as doc/alltoall.md says.
        assert_eq!(longest_block(&nodes64, 1 << 20), Some(8 * 46));
        // The lengths that a rank states for all others do not fit.
        assert_eq!(longest_block(&nodes1024, 1 << 20), None);
        for placement in FAT {
            let block = |memory| longest_block(&placement, memory).expect("sufficient");
            assert!(block(32 << 20) > 2 * block(16 << 20) && block(64 << 20) > 2 * block(32 << 20));
        }
        assert_eq!(longest_block(&Placement { ranks: 8, ranks_per_node: 8 }, 1 << 20), None);
    }

    /// With radix N leaders send to all nodes in one round.
    #[test]
    fn the_largest_radix_is_a_message_to_each_node() {
        for (nodes, here) in [(2, 4), (7, 1), (64, 1), (100, 2)] {
            let placement = Placement { ranks: nodes * here, ranks_per_node: here };
            let radix = estimate_of_radix(&placement, 8, nodes, &EXAMPLE).expect("several nodes");
            let messages =
                (nodes - 1) as f64 - Counts::of_leaders(&placement, 8).expect("several").sent as f64;
            let direct = estimate_of_leaders(&placement, 8, &EXAMPLE).expect("several nodes");
            assert!(
                (radix - direct - messages * overhead(&EXAMPLE)).abs() < 1e-12,
                "{nodes} nodes of {here}"
            );
        }
    }

    #[test]
    fn radix_saves_messages_where_nodes_have_few_ranks() {
        let gain = |nodes: usize, here: usize, radix| {
            let placement = Placement { ranks: nodes * here, ranks_per_node: here };
            let direct = estimate_of_leaders(&placement, 8, &EXAMPLE).expect("several nodes");
            direct / estimate_of_radix(&placement, 8, radix, &EXAMPLE).expect("several nodes")
        };
        assert!(gain(1024, 1, 4) > 2.0 && gain(1024, 64, 4) < 0.5);
    }
}
