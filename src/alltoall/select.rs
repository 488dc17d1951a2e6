//! Which algorithm makes an exchange: a table for people, and the decision, which every rank makes
//! from the same facts.

use super::options::{Path, Schedule};
use super::trials::{Class, Trials};
use super::vote::{Property, Vote};

/// The algorithms: name, what they need, cost per rank, and when `auto` takes them (P ranks, n bytes for
/// each other rank, k ranks on a node).
pub const ALGORITHMS: [[&str; 4]; 8] = [
    ["alone", "one rank, or nothing to move", "no communication", "always then"],
    [
        "shared",
        "shared memory inside the node",
        "2 copies per byte, 1 round per slot",
        "inside a node: one slot (0.4 HCUBE_MEMORY) or 128 KiB per rank at most, or gaps",
    ],
    [
        "single-copy",
        "process_vm_readv and _writev inside the node, blocks without gaps",
        "in place 1.5 copies per byte, else 1; 2 rounds",
        "inside a node: above that, tried in turn with shared; the faster stays",
    ],
    ["linear-shift", "none", "P steps, pieces within HCUBE_MEMORY", "when asked for"],
    [
        "hierarchical-sets",
        "none",
        "P + ceil(log2 P) - 2 steps, pieces within HCUBE_MEMORY",
        "between nodes, in place; no shared memory, in place",
    ],
    ["mpich", "none", "2 P - 1 steps, pieces within HCUBE_MEMORY", "when asked for"],
    [
        "hypercube",
        "blocks of at most 256 B that fit into HCUBE_MEMORY",
        "ceil(log2 P) messages, log2 P copies per byte",
        "several nodes, in place, 32 ranks or more",
    ],
    [
        "library",
        "the MPI library's own function",
        "what that costs",
        "several nodes, out of place; intercommunicators; memory of devices; unknown datatypes",
    ],
];

/// How an exchange is to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Nothing goes to another rank.
    Alone,
    /// The notices of the first round hold all of it.
    Enclosed,
    /// Through the slots of shared memory in several rounds.
    Shared,
    /// Directly between the memories of processes.
    SingleCopy,
    /// Messages, and shared memory or single copy between ranks of a node.
    Messages,
    /// Small blocks along the hypercube.
    Hypercube,
}

/// What is the same for all exchanges on a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Ranks.
    pub ranks: usize,
    /// All ranks are on one node and share memory.
    pub shared: bool,
    /// Single copy works between all ranks of a node.
    pub single_copy: bool,
    /// What the user asked for.
    pub schedule: Schedule,
    /// What the user asked for.
    pub path: Path,
}

/// Ranks from which small blocks are bundled: P - 1 messages of about 0.5 us each against log2 P stages
/// of about 2 us and the copies of P / 2 records each.
const BUNDLED_FROM: usize = 32;

/// Mean bytes per rank from which single copy is tried: below, its system calls cost more than the
/// copies that it saves.
const SINGLE_COPY_FROM: u64 = 128 << 10;

/// Whether a call is left to the library without asking the other ranks.
pub fn left_to_library(situation: &Situation, in_place: bool) -> Option<&'static str> {
    if situation.ranks > Vote::MOST_RANKS {
        return Some("more than 65535 ranks");
    }
    if situation.schedule == Schedule::Library {
        return Some("HCUBE_ALLTOALL=library");
    }
    let asked = situation.schedule != Schedule::Auto || situation.path != Path::Auto;
    let between_nodes = situation.ranks > 1 && !situation.shared;
    (between_nodes && !in_place && !asked).then_some("out of place between nodes")
}

/// The decision, from the sum of all votes.
pub fn choose(situation: &Situation, sum: &Vote, trials: &mut Trials) -> Choice {
    if sum.bytes == 0 {
        return Choice::Alone;
    }
    if !situation.shared {
        let small = sum.count(Property::Small) == situation.ranks;
        let many = situation.schedule == Schedule::Auto && situation.ranks >= BUNDLED_FROM;
        let bundled = small && (many || situation.schedule == Schedule::Hypercube);
        return if bundled { Choice::Hypercube } else { Choice::Messages };
    }
    let enclosed = sum.count(Property::Enclosed) == situation.ranks;
    inside_node(situation, sum, trials, enclosed)
}

/// The decision between the ways inside a node.
pub fn inside_node(situation: &Situation, sum: &Vote, trials: &mut Trials, enclosed: bool) -> Choice {
    let single_copy = situation.single_copy && !sum.any(Property::Packed);
    let mean = sum.bytes / situation.ranks as u64;
    match situation.path {
        Path::SingleCopy if single_copy => Choice::SingleCopy,
        _ if enclosed => Choice::Enclosed,
        Path::Auto if single_copy && mean >= SINGLE_COPY_FROM => {
            trials.next(Class::new(sum.any(Property::InPlace), mean))
        }
        _ => Choice::Shared,
    }
}
