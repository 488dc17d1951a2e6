//! Options of a run; the defaults are suitable without selection.

use hcube_core::options::{Kind, RANKS_PER_NODE, Spec};

/// The look-ahead that the rules of the benchmark permit, in values.
pub const DEFAULT_LOOK_AHEAD: usize = 1024;
/// The largest look-ahead that is accepted, in values.
pub const MAX_LOOK_AHEAD: usize = 1 << 20;

hcube_core::named_values! {
    /// The generators that the benchmark prescribes.
    pub enum StreamKind {
        /// Multiplication by x modulo x^64 + x^2 + x + 1 over GF(2); the low bits of a value select the word.
        Polynomial = 0, "polynomial", "HCUBE_STREAM_POLYNOMIAL";
        /// The 64-bit linear congruential generator of Knuth; the high bits of a value select the word.
        Lcg = 1, "lcg", "HCUBE_STREAM_LCG";
    }
}

hcube_core::named_values! {
    /// Path of values between ranks.
    pub enum Mode {
        /// Shared memory inside nodes if available; between nodes three hops, or the hypercube if three hops
        /// need many more messages.
        ///
        /// See [`three_hop::worthwhile`](hcube_core::plan::three_hop::worthwhile).
        Auto = 0, "auto", "HCUBE_MODE_AUTO";
        /// Only messages, as if every rank were on a separate node.
        Message = 1, "message", "HCUBE_MODE_MESSAGE";
        /// Shared memory inside nodes, the hypercube between them.
        Node = 2, "node", "HCUBE_MODE_NODE";
        /// Three hops, inside the node, between nodes and inside the node; every value crosses the network
        /// once.
        ThreeHop = 3, "three-hop", "HCUBE_MODE_THREE_HOP";
        /// On coarrays: routed along a hypercube by asynchronous copies with events, as in Jin et al. 2011,
        /// Figure 6. Needs a communicator of all processes.
        Events = 4, "events", "HCUBE_MODE_EVENTS";
        /// On coarrays: functions shipped to the owners of the words. Needs a communicator of all processes.
        Spawn = 5, "spawn", "HCUBE_MODE_SPAWN";
    }
}

hcube_core::named_set! {
    /// The optimisations of Plimpton et al. 2006, §4, Table 3, that concern the algorithm (the others change
    /// the MPI library). They act on stages of messages. The names are the numbers in Table 3.
    pub struct Optimisations as "HCUBE_OPTIMISATIONS_ALL" {
        /// The receives of all stages are posted before a round begins (Mod1).
        pub receive_ahead = 1, "1", "HCUBE_RECEIVE_AHEAD";
        /// A rank applies its own values after the last send, not before (Mod2).
        pub late_updates = 2, "2", "HCUBE_LATE_UPDATES";
        /// A rank waits for a message after it has divided its own values for the next stage (Mod3).
        pub late_waits = 4, "3", "HCUBE_LATE_WAITS";
        /// Sends do not block; every stage has separate send buffers (Mod7).
        pub overlapped_sends = 8, "7", "HCUBE_OVERLAPPED_SENDS";
    }
}

hcube_core::options_table! {
    /// The options of a run; the same on all ranks.
    pub struct Options {
        /// Look-ahead Q: the maximum number of values that a rank has generated and that are not yet applied.
        /// The rules of the benchmark permit 1024.
        pub look_ahead: usize =
            Spec::count("HCUBE_LOOK_AHEAD", 1, MAX_LOOK_AHEAD as i64, "values")
                .default(DEFAULT_LOOK_AHEAD as i64).flag("--look-ahead"),
        /// Path of values between ranks.
        pub mode: Mode =
            Spec::new("HCUBE_MODE", Kind::One(Mode::NAMES), Mode::Auto as i64).flag("--mode"),
        /// Dimensionality d of the message stages, from 1 (every rank sends to every other) to log2 of the
        /// number of nodes (the hypercube); 0 selects the hypercube.
        ///
        /// In simulations (`hcube-lab simulate --sections dimensions`, Red Storm) the hypercube reaches 95 %
        /// of the best of 1, 2, 3 and log2 on 64 ranks and 99 % on 256.
        pub dimensions: usize = Spec::any_count("HCUBE_DIMENSIONS", "dimensions").flag("--dimensions"),
        /// Overlap of whole rounds of Q values. A rank then has up to 3 Q values outstanding, which the rules
        /// of the benchmark do not permit.
        pub relaxed: bool = Spec::new("HCUBE_RELAXED", Kind::Flag, 0).flag("--relaxed"),
        /// Optimisations of the message stages, by their numbers in Plimpton et al. 2006, Table 3.
        pub optimisations: Optimisations =
            Spec::new("HCUBE_OPTIMISATIONS", Optimisations::KIND, Optimisations::KIND.all()).flag("--optimisations"),
        /// 2 MiB pages for the table, where the kernel permits them and they are faster.
        pub huge_pages: bool = Spec::new("HCUBE_HUGE_PAGES", Kind::Flag, 1).flag("--no-huge-pages"),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE.flag("--ranks-per-node"),
    }
}

impl Mode {
    /// Whether the ranks are images of the coarray runtime.
    pub fn uses_coarrays(self) -> bool {
        matches!(self, Self::Events | Self::Spawn)
    }
}

impl Options {
    /// Values that a rank generates for one round.
    pub fn round(&self) -> usize {
        if self.relaxed { self.look_ahead } else { (self.look_ahead / 2).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_change_the_defaults() {
        let set = |name: &str| match name {
            "HCUBE_LOOK_AHEAD" => Some("64".into()),
            "HCUBE_MODE" => Some("three-hop".into()),
            "HCUBE_OPTIMISATIONS" => Some("1,7".into()),
            "HCUBE_RELAXED" => Some(String::new()),
            _ => None,
        };
        let options = Options::from_variables(set).expect("valid");
        assert_eq!((options.look_ahead, options.mode), (64, Mode::ThreeHop));
        assert_eq!(options.optimisations.to_list(), "1,7");
        assert!(!options.relaxed && options.huge_pages);
    }

    #[test]
    fn the_defaults_are_those_of_the_benchmark() {
        let Options { look_ahead, mode, dimensions, relaxed, optimisations, huge_pages, ranks_per_node } =
            Options::default();
        assert_eq!((look_ahead, mode, dimensions, ranks_per_node), (1024, Mode::Auto, 0, 0));
        assert_eq!((relaxed, optimisations, huge_pages), (false, Optimisations::ALL, true));
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_LOOK_AHEAD", "many"),
            ("HCUBE_LOOK_AHEAD", "-1"),
            ("HCUBE_LOOK_AHEAD", "0"),
            ("HCUBE_LOOK_AHEAD", "1048577"),
            ("HCUBE_MODE", "fast"),
            ("HCUBE_RELAXED", "yes"),
            ("HCUBE_OPTIMISATIONS", "1,4"),
            ("HCUBE_RANKS_PER_NODE", "1.5"),
        ] {
            let error =
                Options::from_variables(|asked| (asked == name).then(|| value.into())).expect_err("refused");
            assert!(error.to_string().starts_with(&format!("{name} = '{value}'")), "{error}");
        }
        for look_ahead in [0, MAX_LOOK_AHEAD + 1] {
            let error = Options { look_ahead, ..Options::default() }.check().expect_err("refused");
            assert!(error.to_string().starts_with(&format!("options.look_ahead = {look_ahead}")), "{error}");
        }
    }

    #[test]
    fn optimisation_lists_round_trip() {
        for list in ["1", "2,3", "1,2,3,7", "none"] {
            assert_eq!(Optimisations::from_list(list).expect("valid").to_list(), list);
        }
    }
}
