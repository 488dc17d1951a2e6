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

/// Costs of messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// Processors that all ranks of all nodes share; 0 where each rank has its own one.
    pub shared_cores: usize,
    /// Up to this length a message leaves before its receiver asks for it.
    pub eager_bytes: u64,
    /// How long a waiting rank keeps a shared processor until it yields it.
    pub poll_us: f64,
    /// Between nodes, in ascending lengths; linear between them.
    pub network: Vec<Cost>,
    /// Between ranks of a node.
    pub node: Vec<Cost>,
}

impl Messages {
    /// Microseconds for which a rank that has waited waits on for its turn on a processor: the polls of the
    /// other ranks that share it.
    pub fn turn_us(&self, ranks: usize) -> f64 {
        let per_core = ranks as f64 / self.shared_cores.max(1) as f64;
        if self.shared_cores == 0 { 0.0 } else { self.poll_us * (per_core - 1.0).max(0.0) }
    }

    /// Lines of a platform's description.
    pub fn description(&self, ranks: usize) -> String {
        let mut text = format!("shared_cores {}\nturn {:e}\n", self.shared_cores, self.turn_us(ranks) / 1e6);
        for (name, costs) in [("network", &self.network), ("node", &self.node)] {
            for side in ["send", "receive"] {
                let _ = write!(text, "{name}_{side}");
                for Cost { bytes, us } in costs {
                    let _ = write!(text, " {bytes} {:e}", 0.5 * us / 1e6);
                }
                text.push('\n');
            }
        }
        text
    }

    /// Whether the figures are possible.
    pub(super) fn check(&self) -> Result<(), String> {
        not_negative("messages", "poll_us", self.poll_us)?;
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
        Messages { shared_cores: 2, eager_bytes: 65536, poll_us: 1.5, network, node }
    }

    #[test]
    fn a_turn_is_the_polls_of_the_others_on_a_core() {
        assert_eq!(messages().turn_us(16), 1.5 * 7.0);
        assert_eq!(messages().turn_us(2), 0.0);
        assert_eq!(messages().turn_us(1), 0.0);
        assert_eq!(Messages { shared_cores: 0, ..messages() }.turn_us(16), 0.0);
    }

    #[test]
    fn sender_and_receiver_have_half_of_the_cost() {
        let text = messages().description(4);
        for line in [
            "shared_cores 2",
            "turn 1.5e-6",
            "network_send 8 5e-6 1024 6e-6",
            "node_receive 8 5e-6 1024 6e-6",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} expected:\n{text}");
        }
    }

    #[test]
    fn impossible_costs_are_refused() {
        assert_eq!(messages().check(), Ok(()));
        let mut wrong = messages();
        wrong.node.reverse();
        assert!(wrong.check().is_err_and(|error| error.contains("messages.node: expected")));
        wrong.node.clear();
        assert!(wrong.check().is_err());
        assert!(Messages { poll_us: -1.0, ..messages() }.check().is_err());
    }
}
