//! The platform of a simulation: the part of a machine that its nodes need, as the description that
//! `lab/simgrid/platform.cpp` reads, and the list of the node of every rank.
//!
//! A run of few ranks uses a compact part of the machine. In a grid this is a block that grows from one node,
//! always in its shortest dimension that is not complete (the last if several are), until it holds all nodes;
//! a dimension shorter than the machine's does not wrap around. In a tree these are the first nodes and the
//! switches above them. Nodes are numbered with the first dimension
//! fastest, and ranks fill one node after the other, or are placed on nodes in turn.
//!
//! Routes share the links between nodes by max-min fairness, which takes too long for thousands of irregular
//! routes. Beyond `MAX_SHARING_NODES` nodes routes share only the ports of nodes, and links only add their
//! latency; the results say so. [`Sharing`] says what less is possible.

use hcube_results::machine::{Link, Machine, Topology};
use std::fmt::Write;

/// The largest number of nodes whose routes share links. Three rounds of RandomAccess on 4096 nodes take 17
/// to 19 s of a core, without shared links 15 s; on 8192 nodes they did not end in five minutes, without 36
/// s.
const MAX_SHARING_NODES: usize = 4096;

/// What messages compete for; the less, the fewer rates change when a message comes or goes, and the faster
/// the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// Links between nodes, and the ports of nodes.
    Links,
    /// The ports of nodes.
    Ports,
    /// The ports of nodes that send. Fits exchanges in which all nodes receive as much as they send.
    SendingPorts,
}

impl Sharing {
    /// In names of files.
    const fn suffix(self) -> &'static str {
        match self {
            Self::Links => "",
            Self::Ports => "-ports",
            Self::SendingPorts => "-sending-ports",
        }
    }
}

/// The part of a machine that a run uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Platform<'a> {
    machine: &'a Machine,
    /// Ranks per node; the last node may have fewer.
    pub ranks_per_node: usize,
    ranks: usize,
    scale: usize,
    lengths: Vec<usize>,
    /// Whether each dimension of a grid wraps around; `None` for a tree.
    wrapped: Option<Vec<bool>>,
    /// What messages compete for at most, on any number of nodes.
    at_most: Sharing,
    /// Ranks are placed on nodes in turn.
    is_cyclic: bool,
}

/// The block of a grid that holds `nodes` nodes.
fn block(whole: &[usize], nodes: usize) -> Vec<usize> {
    let mut lengths = vec![1; whole.len()];
    while lengths.iter().product::<usize>() < nodes {
        let room = (0..whole.len()).rev().filter(|&dimension| lengths[dimension] < whole[dimension]);
        // In reverse order the first minimum is the last dimension.
        let Some(shortest) = room.min_by_key(|&dimension| lengths[dimension]) else { break };
        lengths[shortest] += 1;
    }
    lengths
}

/// The tree with the switches of the upper levels that `nodes` nodes need.
fn subtree(down: &[usize], nodes: usize) -> Vec<usize> {
    let mut left = nodes;
    down.iter()
        .map(|&fanout| {
            let needed = left.min(fanout);
            left = left.div_ceil(fanout);
            // Switches of a level with several are complete.
            if left > 1 { fanout } else { needed.max(1) }
        })
        .collect()
}

impl<'a> Platform<'a> {
    /// Fails if the machine has too few nodes. More ranks per node than cores are permitted: they model
    /// larger nodes.
    pub fn new(machine: &'a Machine, ranks: usize, ranks_per_node: usize) -> Result<Self, String> {
        let name = &machine.name;
        let Some(topology) = &machine.topology else {
            return Err(format!("--machine {name}: it has no topology, so nothing can be simulated on it"));
        };
        let (needed, there) = (ranks.div_ceil(ranks_per_node), topology.nodes());
        if needed > there {
            return Err(format!(
                "--ranks {ranks}: with {ranks_per_node} per node they need {needed} nodes, and {name} has {there}: expected {} ranks at most",
                there * ranks_per_node
            ));
        }
        let (lengths, wrapped) = match topology {
            Topology::Grid { nodes, wrapped, .. } => {
                let lengths = block(nodes, needed);
                let joined = (0..nodes.len()).map(|at| wrapped[at] && lengths[at] == nodes[at]).collect();
                (lengths, Some(joined))
            }
            Topology::FatTree { down } => (subtree(down, needed), None),
        };
        Ok(Self {
            machine,
            ranks_per_node,
            ranks,
            scale: 1,
            lengths,
            wrapped,
            at_most: Sharing::Links,
            is_cyclic: false,
        })
    }

    /// The same with the bandwidth divided by `scale`.
    pub fn scaled(self, scale: usize) -> Self {
        Self { scale, ..self }
    }

    /// The same with messages that compete for this at most.
    pub fn sharing_at_most(self, at_most: Sharing) -> Self {
        Self { at_most, ..self }
    }

    /// The same with ranks that are placed on nodes in turn, if so.
    pub fn placed_in_turn(self, is_cyclic: bool) -> Self {
        Self { is_cyclic, ..self }
    }

    /// Nodes that hold ranks.
    pub fn nodes(&self) -> usize {
        self.ranks.div_ceil(self.ranks_per_node)
    }

    /// What messages compete for.
    pub fn sharing(&self) -> Sharing {
        let possible = if self.nodes() <= MAX_SHARING_NODES { Sharing::Links } else { Sharing::Ports };
        self.at_most.max(possible)
    }

    /// The name of its files; equal for equal platforms.
    pub fn name(&self) -> String {
        let shared = self.at_most.suffix();
        let placed = if self.is_cyclic { "-cyclic" } else { "" };
        let name = format!("{}-{}x{}{placed}{shared}", self.machine.name, self.ranks, self.ranks_per_node);
        if self.scale == 1 { name } else { format!("{name}-{}", self.scale) }
    }

    /// Seconds that a rank spends on sending a message of any length, inside a node or between nodes: half of
    /// the shorter of both latencies, which is an estimate. SimGrid accepts one figure for all messages;
    /// without it, any number of messages would cost no more than one. The time is a part of the latency, not
    /// added to it. SimGrid does not charge it for blocking sends. hcube has no blocking sends, but some of
    /// SimGrid's collectives do: they are too fast by this time.
    pub fn overhead(&self) -> f64 {
        0.5e-6 * self.machine.network.latency_us.min(self.machine.node.latency_us)
    }

    /// The description: names and values in bytes per second and seconds.
    pub fn description(&self) -> String {
        let Link { latency_us, hop_latency_us, bandwidth_gb_s } = self.machine.network;
        let link_bandwidth = match &self.machine.topology {
            Some(Topology::Grid { link_gb_s: Some(links), .. }) => *links,
            _ => bandwidth_gb_s,
        };
        let mut text = format!("# {}. This is a model.\n", self.machine.title);
        for source in &self.machine.sources {
            let _ = writeln!(text, "# {source}");
        }
        let list = |values: &[usize]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let mut put = |name: &str, value: String| {
            let _ = writeln!(text, "{name} {value}");
        };
        put("grid", u8::from(self.wrapped.is_some()).to_string());
        put("lengths", list(&self.lengths));
        if let Some(wrapped) = &self.wrapped {
            put("wrapped", list(&wrapped.iter().map(|&joined| usize::from(joined)).collect::<Vec<_>>()));
        }
        put("nodes", self.nodes().to_string());
        put("links_shared", u8::from(self.sharing() == Sharing::Links).to_string());
        put("receivers_shared", u8::from(self.sharing() != Sharing::SendingPorts).to_string());
        // A core for every rank, so that no rank waits for another.
        put("cores", self.ranks_per_node.to_string());
        put("ranks", self.ranks.to_string());
        let giga = 1e9 / self.scale as f64;
        for (name, value) in [
            ("bandwidth", giga * bandwidth_gb_s),
            ("latency", 1e-6 * latency_us - self.overhead()),
            ("link_bandwidth", giga * link_bandwidth),
            ("link_latency", 1e-6 * hop_latency_us),
            ("node_bandwidth", giga * self.machine.node.bandwidth_gb_s),
            ("node_latency", 1e-6 * self.machine.node.latency_us - self.overhead()),
        ] {
            put(name, format!("{value:e}"));
        }
        let messages = self.machine.messages.as_ref();
        text + &messages.map_or(String::new(), |messages| messages.description(self.ranks))
    }

    /// Options of SimGrid in addition to the options of all machines. Where messages have costs, short ones
    /// leave at once and their senders go on; the senders of others wait until they have been received.
    pub fn options(&self) -> Vec<String> {
        let Some(messages) = &self.machine.messages else { return Vec::new() };
        // Shorter messages than these thresholds.
        let bytes = messages.eager_bytes + 1;
        ["send-is-detached", "async-small"].map(|name| format!("--cfg=smpi/{name}-thresh:{bytes}")).into()
    }

    /// Whether messages cost their senders and receivers time of processors, for which the platform takes the
    /// place of functions of SMPI.
    pub fn has_costs(&self) -> bool {
        self.machine.messages.is_some()
    }

    /// The node of every rank, one line each.
    pub fn hosts(&self) -> String {
        (0..self.ranks).fold(String::new(), |mut text, rank| {
            let node = if self.is_cyclic { rank % self.nodes() } else { rank / self.ranks_per_node };
            let _ = writeln!(text, "node-{node}");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_compact_and_hold_the_nodes() {
        assert_eq!(block(&[27, 16, 24], 1), [1, 1, 1]);
        assert_eq!(block(&[27, 16, 24], 64), [4, 4, 4]);
        assert_eq!(block(&[27, 16, 24], 5), [2, 2, 2]);
        assert_eq!(block(&[27, 16, 24], 10_368), [27, 16, 24]);
        for nodes in 1..=500 {
            assert!(block(&[16, 16, 14, 4, 2], nodes).iter().product::<usize>() >= nodes, "{nodes}");
        }
    }

    #[test]
    fn trees_have_the_switches_that_are_needed() {
        assert_eq!(subtree(&[24, 96], 3), [3, 1]);
        assert_eq!(subtree(&[24, 96], 24), [24, 1]);
        assert_eq!(subtree(&[24, 96], 25), [24, 2]);
        assert_eq!(subtree(&[24, 96], 2304), [24, 96]);
    }

    #[test]
    fn descriptions_say_what_they_stand_on() {
        let machine = Machine::find("red-storm").expect("valid");
        let platform = Platform::new(&machine, 64, 1).expect("there is room");
        let text = platform.description();
        assert!(text.contains("This is a model.") && text.contains("# Network: Plimpton"), "{text}");
        for line in [
            "lengths 4 4 4",
            "wrapped 0 0 0",
            "nodes 64",
            "links_shared 1",
            "receivers_shared 1",
            "bandwidth 1.1e9",
            "link_bandwidth 3.8e9",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} expected:\n{text}");
        }
        // The overhead of sending is a part of the latency.
        let wire = text.lines().find_map(|line| line.strip_prefix("latency ")).expect("a line of its own");
        let wire: f64 = wire.parse().expect("a number");
        assert!((wire + platform.overhead() - 7e-6).abs() < 1e-12, "{wire}");
        let whole = Platform::new(&machine, 10_368, 1).expect("there is room").description();
        assert!(whole.contains("wrapped 0 0 1") && whole.contains("links_shared 0"), "{whole}");
        assert_eq!(
            Platform::new(&machine, 5, 2).expect("room").hosts(),
            "node-0\nnode-0\nnode-1\nnode-1\nnode-2\n"
        );
        let in_turn = Platform::new(&machine, 5, 2).expect("room").placed_in_turn(true);
        assert_eq!(in_turn.hosts(), "node-0\nnode-1\nnode-2\nnode-0\nnode-1\n");
        assert_ne!(in_turn.name(), in_turn.clone().placed_in_turn(false).name());
    }

    #[test]
    fn machines_without_room_are_refused() {
        let mut machine = Machine::find("red-storm").expect("valid");
        let error = Platform::new(&machine, 10_369, 1).expect_err("too many");
        assert!(error.contains("10369") && error.contains("10368 ranks at most"), "{error}");
        machine.topology = None;
        assert!(Platform::new(&machine, 1, 1).expect_err("nothing known").contains("no topology"));
    }
}
