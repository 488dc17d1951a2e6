//! What messages cost their senders and receivers, where that was measured.
//!
//! The latency and the bandwidth of a [`Link`](super::Link) say how long a message is under way. These costs
//! are times of a processor: of the rank's own one, or of a few that all ranks of all nodes share, as hosts
//! of one machine do.

use super::bsp::not_negative;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The processor time of a message of a length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    pub bytes: u64,
    /// Of its sender and its receiver together, half of it each.
    pub us: f64,
}

/// What ranks that wait do, on a number of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poll {
    pub ranks: usize,
    /// How long a waiting rank keeps a shared processor in each of its turns until it yields it.
    pub us: f64,
    /// Turns in which a waiting rank does not notice a message between nodes that has arrived.
    pub missed_turns: f64,
    /// Half the round-trip time of messages of 8 bytes between all pairs of ranks of different nodes at the
    /// same time. Where it is absent, messages cost as much as for a single pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs_us: Option<f64>,
}

/// Costs of messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// Processors that all ranks of all nodes share; 0 where each rank has its own one.
    pub shared_cores: usize,
    /// Up to this length a message leaves before its receiver asks for it.
    pub eager_bytes: u64,
    /// What a byte of such a message costs its receiver in addition if it arrives before its receive is
    /// posted: a copy.
    #[serde(default)]
    pub copy_ns: f64,
    /// In ascending numbers of ranks, linear between them. Nothing where each rank has its own processor.
    #[serde(default)]
    pub polls: Vec<Poll>,
    /// Between nodes, in ascending lengths; linear between them.
    pub network: Vec<Cost>,
    /// Between ranks of a node.
    pub node: Vec<Cost>,
}

impl Messages {
    /// A figure of the polls on this number of ranks.
    fn of_polls(&self, ranks: usize, figure: impl Fn(&Poll) -> f64) -> f64 {
        let after = self.polls.partition_point(|poll| poll.ranks < ranks);
        match (self.polls[..after].last(), self.polls.get(after)) {
            (Some(before), Some(next)) => {
                let share = (ranks - before.ranks) as f64 / (next.ranks - before.ranks) as f64;
                figure(before) + share * (figure(next) - figure(before))
            }
            (Some(only), None) | (None, Some(only)) => figure(only),
            (None, None) => 0.0,
        }
    }

    /// Ranks on each of the processors that all of them share; 1 where each has its own.
    pub fn share(&self, ranks: usize) -> f64 {
        if self.shared_cores == 0 { 1.0 } else { (ranks as f64 / self.shared_cores as f64).max(1.0) }
    }

    /// Microseconds between two turns of a rank on a processor all of whose ranks wait.
    pub fn rotation_us(&self, ranks: usize) -> f64 {
        if self.shared_cores == 0 {
            return 0.0;
        }
        let per_core = ranks.div_ceil(self.shared_cores) as f64;
        per_core * self.of_polls(ranks, |poll| poll.us)
    }

    /// How much more a message between nodes costs where all ranks exchange messages at the same time than
    /// where a single pair does, as a factor.
    ///
    /// In a round trip of all pairs each rank handles a message in one of its turns, and polls in this turn
    /// and in those that it misses.
    fn crowding(&self, ranks: usize) -> f64 {
        let Some(single) = self.network.first().filter(|_| self.shared_cores > 0) else { return 1.0 };
        let factor = |poll: &Poll| {
            let share = self.share(poll.ranks);
            let cost = |pairs_us: f64| 2.0 * pairs_us / share - (1.0 + poll.missed_turns) * poll.us;
            poll.pairs_us.map_or(1.0, |pairs_us| (cost(pairs_us) / single.us).max(1.0))
        };
        self.of_polls(ranks, factor)
    }

    /// Lines of a platform's description.
    pub fn description(&self, ranks: usize) -> String {
        let poll = self.of_polls(ranks, |poll| poll.us) / 1e6;
        let missed = self.of_polls(ranks, |poll| poll.missed_turns);
        let Self { shared_cores, copy_ns, .. } = self;
        let copy = copy_ns / 1e9;
        let mut text =
            format!("shared_cores {shared_cores}\npoll {poll:e}\nmissed {missed:.3}\ncopy {copy:e}\n");
        let crowding = self.crowding(ranks);
        for (name, costs, factor) in [("network", &self.network, crowding), ("node", &self.node, 1.0)] {
            for side in ["send", "receive"] {
                let _ = write!(text, "{name}_{side}");
                for Cost { bytes, us } in costs {
                    let _ = write!(text, " {bytes} {:e}", 0.5 * factor * us / 1e6);
                }
                text.push('\n');
            }
        }
        text
    }

    /// Whether the figures are possible.
    pub(super) fn check(&self) -> Result<(), String> {
        not_negative("messages", "copy_ns", self.copy_ns)?;
        for poll in &self.polls {
            not_negative("messages.polls", "missed_turns", poll.missed_turns)?;
            not_negative("messages.polls", "pairs_us", poll.pairs_us.unwrap_or(0.0))?;
        }
        // Without time, ranks that wait would poll for ever.
        let have_time = self.polls.iter().all(|poll| poll.us > 0.0);
        let are_ascending = self.polls.is_sorted_by(|one, next| one.ranks < next.ranks);
        if !(have_time && are_ascending && (self.shared_cores == 0 || !self.polls.is_empty())) {
            return Err("messages.polls: expected times above 0 in ascending numbers of ranks".to_owned());
        }
        for (name, costs) in [("network", &self.network), ("node", &self.node)] {
            let place = format!("messages.{name}");
            costs.iter().try_for_each(|cost| not_negative(&place, "us", cost.us))?;
            if costs.is_empty() || !costs.is_sorted_by(|one, next| one.bytes < next.bytes) {
                return Err(format!("{place}: expected costs in ascending lengths"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Messages {
        let costs = vec![Cost { bytes: 8, us: 10.0 }, Cost { bytes: 1024, us: 12.0 }];
        let (network, node) = (costs.clone(), costs);
        let poll = |ranks, us| Poll { ranks, us, missed_turns: 1.5, pairs_us: None };
        let polls = vec![poll(4, 2.0), poll(16, 8.0)];
        Messages { shared_cores: 2, eager_bytes: 65536, copy_ns: 0.5, polls, network, node }
    }

    #[test]
    fn a_rotation_is_the_polls_of_all_on_a_core() {
        assert_eq!(messages().rotation_us(16), 8.0 * 8.0);
        assert_eq!(messages().rotation_us(10), 5.0 * 5.0);
        assert_eq!([2, 4, 32].map(|ranks| messages().rotation_us(ranks)), [2.0, 4.0, 128.0]);
        assert_eq!(Messages { shared_cores: 0, ..messages() }.rotation_us(16), 0.0);
    }

    #[test]
    fn messages_cost_more_where_all_ranks_exchange_them() {
        let mut crowded = messages();
        crowded.polls[1].pairs_us = Some(160.0);
        // 8 ranks on a core: 40 us for a message and 2.5 polls of 8 us, so 20 us instead of 10.
        let text = crowded.description(16);
        let has = |line: &str| text.lines().any(|found| found == line);
        assert!(has("network_send 8 1e-5 1024 1.2e-5") && has("node_send 8 5e-6 1024 6e-6"), "{text}");
        // Interpolated between 4 ranks, without a measurement, and 16; at least the cost of a pair.
        assert!((crowded.crowding(10) - 1.5).abs() < 1e-9);
        crowded.polls[1].pairs_us = Some(1.0);
        assert!((crowded.crowding(16) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn sender_and_receiver_have_half_of_the_cost() {
        let text = messages().description(4);
        for line in [
            "shared_cores 2",
            "poll 2e-6",
            "missed 1.500",
            "copy 5e-10",
            "network_send 8 5e-6 1024 6e-6",
            "node_receive 8 5e-6 1024 6e-6",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} expected:\n{text}");
        }
    }

    #[test]
    fn impossible_costs_are_refused() {
        assert_eq!(messages().check(), Ok(()));
        assert!(Messages { copy_ns: -1.0, ..messages() }.check().is_err());
        let mut wrong = messages();
        wrong.node.reverse();
        assert!(wrong.check().is_err_and(|error| error.contains("messages.node: expected")));
        wrong.node.clear();
        assert!(wrong.check().is_err());
        assert!(Messages { polls: Vec::new(), ..messages() }.check().is_err());
        let mut wrong = messages();
        wrong.polls[0].pairs_us = Some(-1.0);
        assert!(wrong.check().is_err_and(|error| error.contains("pairs_us")));
        let mut wrong = messages();
        wrong.polls[1].us = 0.0;
        assert!(wrong.check().is_err_and(|error| error.contains("messages.polls")));
        let alone = Messages { shared_cores: 0, polls: Vec::new(), ..messages() };
        assert_eq!(alone.check(), Ok(()));
    }
}
