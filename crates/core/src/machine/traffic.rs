//! Time of the stages of a plan, and of a round of RandomAccess.
//!
//! Idea: T_P = T_1 + T_C log2 P (Plimpton et al. 2006, §3), in which T_1 is the time to generate and apply
//! the values of a round, and T_C the time of a stage: latency, the bytes of half a round, and dividing every
//! value once. Here the stages are taken from the production plan ([`Plan`]), so that messages, words and
//! divided values are counted, for any number of ranks, any dimensionality, nodes and three hops. With two
//! parts of equal size in every stage this is the same equation.
//!
//! Assumptions in addition to [`super::parameters`]: stages do not overlap. The messages of a rank in one
//! stage are sent one after the other, each with its whole latency, as in Plimpton et al. 2006, §2 (for 200,
//! 300 and 10240 ranks of Red Storm, where ranks of odd parts have two messages, this agrees better with
//! Table 2 there than one latency for both). A stage through shared memory costs one latency of the node, two
//! copies of each byte, and two cache lines for each partner. A barrier, which a look-ahead of one value
//! needs, costs log2 of the ranks of a node times the latency inside, and log2 of the nodes times the latency
//! between them; mailboxes on a single node need none.
//! Omitted, in addition to the points of [`super::parameters`]: mailboxes on a single node work without
//! rounds, so a rank there waits less than predicted.
//! Source: Plimpton et al. 2006, §2 (messages and volume) and §3 (the equation).

use super::parameters::{Link, Parameters, Placement, log2};
use crate::plan::{Parting, Plan, Routing, Stage, Topology, Transport};

/// Bytes of a value.
const WORD_BYTES: f64 = 8.0;
/// Bytes that move when a partner's flag and the end of its slice are read: a cache line each.
const NOTICE_BYTES: f64 = 128.0;
/// Largest number of ranks whose plans are counted; of more ranks, a sample of this size.
const MAX_PLANS: usize = 256;
/// Largest number of words of all counted plans: plans of a direct exchange have one message per rank.
const MAX_PLAN_WORDS: usize = 1 << 24;

/// The messages of a rank over one kind of link in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Number of messages per round.
    pub messages: f64,
    /// Words per word that a rank generates.
    pub words: f64,
}

/// The load of a rank in a stage. Words and values are per value that a rank generates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Values that are put on lists; every halving of a list counts.
    pub divided: f64,
    /// Messages to other nodes.
    pub far: Flow,
    /// Messages inside the node.
    pub near: Flow,
    /// Ranks of the node that use its link to the network at the same time.
    pub sharing: f64,
    /// Words written to and read from shared memory.
    pub shared: f64,
    /// Partners in shared memory; 0 in a stage of messages.
    pub partners: f64,
}

/// Seconds of a round or a part of one, by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Parts {
    /// Generating values.
    pub generate: f64,
    /// Applying values.
    pub update: f64,
    /// Putting values on lists.
    pub divide: f64,
    /// Copies into and out of shared memory.
    pub copy: f64,
    /// Latency of messages and flags.
    pub latency: f64,
    /// Bytes of messages over bandwidth.
    pub transfer: f64,
}

impl Parts {
    /// Seconds of all parts.
    pub fn total(&self) -> f64 {
        let Self { generate, update, divide, copy, latency, transfer } = self;
        generate + update + divide + copy + latency + transfer
    }

    fn add(&mut self, other: &Self) {
        self.generate += other.generate;
        self.update += other.update;
        self.divide += other.divide;
        self.copy += other.copy;
        self.latency += other.latency;
        self.transfer += other.transfer;
    }
}

impl Load {
    fn seconds(&self, parameters: &Parameters, round: f64) -> Parts {
        let Parameters { network, node, divide, copy, .. } = parameters;
        let bytes = |words: f64| WORD_BYTES * round * words;
        let over = |link: &Link, flow: &Flow| flow.messages * link.latency;
        let notice = if self.partners > 0.0 { node.latency } else { 0.0 };
        Parts {
            divide: self.divided * round * divide,
            copy: (bytes(self.shared) + NOTICE_BYTES * self.partners) * copy,
            latency: over(network, &self.far) + over(node, &self.near) + notice,
            transfer: network.transfer(bytes(self.far.words) * self.sharing)
                + node.transfer(bytes(self.near.words)),
            ..Parts::default()
        }
    }
}

/// The loads of all ranks in the stages of a round, independent of the parameters of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    placement: Placement,
    /// Mailboxes on a single node, which need neither rounds nor a barrier.
    only_mailboxes: bool,
    /// Per stage the loads that differ.
    stages: Vec<Vec<Load>>,
    /// Messages that a rank sends in a round; the mean of the counted ranks.
    pub messages: f64,
    /// Words that a rank sends in messages, per word that it generates; the mean of the counted ranks.
    pub words: f64,
}

impl Traffic {
    /// The traffic of the production plans for these ranks. `nodes`: ranks of a node share memory; otherwise
    /// all of them send messages.
    pub fn new(placement: &Placement, nodes: bool, routing: Routing) -> Self {
        let topology = if nodes { placement.topology() } else { Topology::without_nodes(placement.ranks) };
        let mut traffic = Self {
            placement: *placement,
            only_mailboxes: nodes && placement.nodes() == 1,
            stages: Vec::new(),
            messages: 0.0,
            words: 0.0,
        };
        let chosen = sample(placement.ranks);
        for &rank in &chosen {
            for (number, load) in loads(placement, &topology, rank, routing).into_iter().enumerate() {
                if traffic.stages.len() == number {
                    traffic.stages.push(Vec::new());
                }
                if !traffic.stages[number].contains(&load) {
                    traffic.stages[number].push(load);
                }
                traffic.messages += (load.far.messages + load.near.messages) / chosen.len() as f64;
                traffic.words += (load.far.words + load.near.words) / chosen.len() as f64;
            }
        }
        traffic
    }

    /// Number of stages.
    pub fn stages(&self) -> usize {
        self.stages.len()
    }

    /// For every stage the parts of the rank that takes longest.
    pub fn slowest(&self, parts: impl Fn(&Load) -> Parts) -> impl Iterator<Item = Parts> {
        self.stages.iter().map(move |stage| {
            let all = stage.iter().map(&parts);
            all.max_by(|one, other| one.total().total_cmp(&other.total())).unwrap_or_default()
        })
    }

    /// Seconds of a round in which every rank generates `round` values. `barrier`: a barrier ends the round,
    /// as for a look-ahead of one value.
    pub fn round(&self, parameters: &Parameters, round: usize, barrier: bool) -> Parts {
        let values = round as f64;
        let mut sum = Parts {
            generate: values * parameters.generate,
            update: values * parameters.update,
            ..Parts::default()
        };
        self.slowest(|load| load.seconds(parameters, values)).for_each(|stage| sum.add(&stage));
        if barrier && !self.only_mailboxes {
            sum.latency += self.barrier(parameters);
        }
        sum
    }

    /// Seconds of a barrier of all ranks.
    fn barrier(&self, parameters: &Parameters) -> f64 {
        let Parameters { network, node, .. } = parameters;
        f64::from(log2(self.placement.max_on_node())) * node.latency
            + f64::from(log2(self.placement.nodes())) * network.latency
    }
}

/// The ranks whose plans stand for all, at varying distances, so that they occur at all positions of a group.
fn sample(ranks: usize) -> Vec<usize> {
    let count = (MAX_PLAN_WORDS / ranks).clamp(1, MAX_PLANS).min(ranks);
    let stretch = ranks / count;
    (0..count).map(|number| number * ranks / count + number % stretch).collect()
}

/// Number of halvings of a list until every part has its own.
fn halvings(stage: &Stage) -> f64 {
    match stage.parting {
        Parting::Ranks(_) => f64::from(log2(stage.parts)),
        // A single lookup returns the part of a value.
        Parting::Entries(_) => 1.0,
    }
}

/// The share of the values of all owners that stays on this rank in a stage.
fn kept(stage: &Stage, ranks: usize) -> f64 {
    let Parting::Entries(entries) = &stage.parting else { return 1.0 / stage.parts as f64 };
    let own = stage.own as u32;
    let mine = entries.iter().filter(|entry| (entry.first..entry.first + entry.count).contains(&own));
    mine.map(|entry| 1.0 / f64::from(entry.count)).sum::<f64>() / ranks as f64
}

/// The loads of one rank in its stages.
fn loads(placement: &Placement, topology: &Topology, rank: usize, routing: Routing) -> Vec<Load> {
    let plan = Plan::new(topology, rank, routing);
    let last = plan.stages.len().saturating_sub(1);
    let home = placement
        .ranks_per_node
        .min(placement.ranks - rank / placement.ranks_per_node * placement.ranks_per_node);
    // Values that the rank has, and the number of them that are known to be its own.
    let (mut held, mut settled) = (1.0, 0.0);
    let mut loads = Vec::new();
    for (number, stage) in plan.stages.iter().enumerate() {
        let mut load = Load { divided: held * halvings(stage), sharing: 1.0, ..Load::default() };
        match &stage.transport {
            Transport::Messages { sends, receives } => {
                for send in sends {
                    let near = placement.same_node(rank, send.to);
                    let flow = if near { &mut load.near } else { &mut load.far };
                    flow.messages += 1.0;
                    flow.words += fraction(send.mean);
                }
                load.sharing = senders(placement.nodes(), home, routing) as f64;
                held -= load.near.words + load.far.words;
                held += receives.iter().map(|source| fraction(source.mean)).sum::<f64>();
            }
            Transport::Node => {
                load.partners = (stage.parts - 1) as f64;
                if number < last {
                    let kept = kept(stage, placement.ranks);
                    let read = load.partners * kept;
                    load.shared = (held - kept) + read;
                    (held, settled) = (kept + read, stage.parts as f64 / placement.ranks as f64);
                } else {
                    // Values are evenly distributed over the ranks of the node, and each ends with the number
                    // that it has generated.
                    let foreign = held - settled;
                    let mine = settled + foreign / stage.parts as f64;
                    load.shared = (held - mine) + (1.0 - mine);
                }
            }
        }
        loads.push(load);
    }
    loads
}

/// Ranks of a node that send to other nodes at the same time.
fn senders(nodes: usize, home: usize, routing: Routing) -> usize {
    if routing.three_hop && nodes > 1 { (home / (nodes - 1)).max(1) * (nodes - 1).min(home) } else { home }
}

fn fraction((numerator, denominator): (u64, u64)) -> f64 {
    numerator as f64 / denominator as f64
}

#[cfg(test)]
mod tests;
