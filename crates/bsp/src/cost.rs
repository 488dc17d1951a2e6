//! The time of a bulk-synchronous program, predicted from the parameters of a machine.
//!
//! Idea: the cost of a program consists of the operations W of the process that computes most, superstep by
//! superstep, the exchanged words H, and the number S of supersteps. Its time is `f W + g H + l S`. The gap g
//! is one number, or depends on the words h of a superstep, or also on the words h* of a message, since the
//! start of communication and every message have a cost.
//!
//! Restrictions: communication is balanced, and the messages of a superstep have similar lengths.
//!
//! Units: a word has 64 bits, times are seconds.
//!
//! Source: Krusche 2005, §2.1 and §2.2, equations 2.3 to 2.6.

/// The cost of moving words by an operation of BSPlib.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Seconds per word in long messages and large supersteps (g_inf).
    pub infinite: f64,
    /// Words of a superstep that take twice as long as at `infinite` (h_half).
    pub half: f64,
    /// Words of a message that take twice as long as at `infinite` (o).
    pub overhead: f64,
}

/// The parameters of the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Nothing: g = g_inf, and a superstep with communication has the latency l.
    Constant,
    /// The words of a superstep: g(h), with the latency l_0 of a superstep without communication.
    Words,
    /// Also the words of a message: g(h, h*), with l_0.
    Messages,
}

impl Model {
    /// All, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Constant, Self::Words, Self::Messages];

    /// In tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant g",
            Self::Words => "g(h)",
            Self::Messages => "g(h,h*)",
        }
    }
}

impl Gap {
    /// Seconds per word in a superstep of `words` words in messages of `message` words: equations 2.5 and
    /// 2.6.
    pub fn per_word(&self, model: Model, words: f64, message: f64) -> f64 {
        let start = if model == Model::Constant { 0.0 } else { self.half / words };
        let messages = if model == Model::Messages { self.overhead / message } else { 0.0 };
        self.infinite * (start + messages + 1.0)
    }

    /// Seconds that an exchange takes.
    pub fn seconds(&self, model: Model, exchange: &Exchange) -> f64 {
        if exchange.words <= 0.0 {
            return 0.0;
        }
        exchange.count * exchange.words * self.per_word(model, exchange.words, exchange.message)
    }
}

/// A machine, for a number of processes and an operation of BSPlib.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Seconds per operation of the program (f).
    pub operation: f64,
    /// Seconds per word.
    pub gap: Gap,
    /// Seconds per superstep with communication (l).
    pub latency: f64,
    /// Seconds per superstep without (l_0).
    pub empty: f64,
}

/// Supersteps in which a process sends or receives the same number of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exchange {
    /// Number of these supersteps.
    pub count: f64,
    /// Words of the process that has most (h).
    pub words: f64,
    /// Words of a message (h*).
    pub message: f64,
}

/// The cost of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Operations (W).
    pub operations: f64,
    /// Supersteps that communicate (H is the sum of count times words).
    pub exchanges: Vec<Exchange>,
    /// All supersteps (S).
    pub supersteps: f64,
}

impl Cost {
    /// Words of communication (H).
    pub fn words(&self) -> f64 {
        self.exchanges.iter().map(|exchange| exchange.count * exchange.words).sum()
    }

    /// The predicted seconds (equation 2.3).
    pub fn seconds(&self, model: Model, machine: &Machine) -> f64 {
        let communication: f64 =
            self.exchanges.iter().map(|exchange| machine.gap.seconds(model, exchange)).sum();
        let latency = if model == Model::Constant { machine.latency } else { machine.empty };
        machine.operation * self.operations + communication + latency * self.supersteps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Gap = Gap { infinite: 1.0, half: 500.0, overhead: 200.0 };

    /// The example of §2.2: a process that sends 1000 words in a message, and one that sends 500 in five.
    #[test]
    fn the_example_of_the_thesis() {
        let seconds = |words, message| GAP.seconds(Model::Messages, &Exchange { count: 1.0, words, message });
        assert!((seconds(1000.0, 1000.0) - 1700.0).abs() < 1e-9);
        assert!((seconds(500.0, 100.0) - 2000.0).abs() < 1e-9);
    }

    #[test]
    fn half_of_the_bandwidth_is_reached_at_h_half() {
        assert_eq!(GAP.per_word(Model::Constant, 500.0, 500.0), 1.0);
        assert_eq!(GAP.per_word(Model::Words, 500.0, 500.0), 2.0);
        assert_eq!(GAP.per_word(Model::Messages, 500.0, 200.0), 3.0);
        assert!((GAP.per_word(Model::Messages, 1e12, 1e12) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn terms_are_added() {
        let machine = Machine { operation: 2.0, gap: GAP, latency: 7.0, empty: 3.0 };
        let exchange = |count, words| Exchange { count, words, message: words };
        let cost = Cost {
            operations: 10.0,
            exchanges: vec![exchange(4.0, 100.0), exchange(2.0, 0.0)],
            supersteps: 5.0,
        };
        assert_eq!(cost.words(), 400.0);
        assert_eq!(cost.seconds(Model::Constant, &machine), 20.0 + 400.0 + 35.0);
        assert_eq!(cost.seconds(Model::Words, &machine), 20.0 + 4.0 * 600.0 + 15.0);
        assert_eq!(cost.seconds(Model::Messages, &machine), 20.0 + 4.0 * 800.0 + 15.0);
        assert_eq!(Model::ALL.map(Model::name), ["constant g", "g(h)", "g(h,h*)"]);
    }
}
