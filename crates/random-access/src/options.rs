//! What a caller chooses about a run, with defaults that are right without choosing.

use hcube_core::error::{Error, Result};
use hcube_core::options::{self, RANKS_PER_NODE, Variable};

/// The look-ahead that the benchmark's rules permit.
pub const DEFAULT_LOOK_AHEAD: usize = 1024;
/// The largest look-ahead that is accepted.
pub const LARGEST_LOOK_AHEAD: usize = 1 << 20;

/// How values travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Shared memory inside nodes where it works; between nodes whichever of the two below is faster by
    /// the number of messages, see [`three_hop::worthwhile`](hcube_core::plan::three_hop::worthwhile).
    Auto,
    /// Messages alone, as if every rank were a node.
    Message,
    /// Shared memory inside nodes, the hypercube between them.
    Node,
    /// Local, network, local: every value crosses the network once.
    ThreeHop,
}

impl Mode {
    /// All modes with their names in options and environment variables.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("auto", Self::Auto),
        ("message", Self::Message),
        ("node", Self::Node),
        ("three-hop", Self::ThreeHop),
    ];

    /// The mode of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, mode)| mode)
    }
}

/// The optimisations of Plimpton et al. 2006, §4, Table 3, that concern the algorithm (the others
/// change the MPI library). They act on stages of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Optimisations {
    /// Mod1: the receives of all stages are posted before a round begins.
    pub receive_ahead: bool,
    /// Mod2: a rank's own values are applied after the last stage has been sent, not before.
    pub late_updates: bool,
    /// Mod3: a message is waited for after the kept list has been divided for the next stage.
    pub late_waits: bool,
    /// Mod7: sends do not block; every stage has send lists of its own.
    pub overlapped_sends: bool,
}

impl Optimisations {
    /// All on.
    pub const ALL: Self =
        Self { receive_ahead: true, late_updates: true, late_waits: true, overlapped_sends: true };
    /// All off: the paper's original version.
    pub const NONE: Self =
        Self { receive_ahead: false, late_updates: false, late_waits: false, overlapped_sends: false };

    /// From a list such as `1,3`, `all` or `none`: the numbers of the paper.
    pub fn from_list(list: &str) -> Option<Self> {
        match list {
            "all" => return Some(Self::ALL),
            "none" | "" => return Some(Self::NONE),
            _ => {}
        }
        let mut chosen = Self::NONE;
        for number in list.split(',') {
            match number.trim() {
                "1" => chosen.receive_ahead = true,
                "2" => chosen.late_updates = true,
                "3" => chosen.late_waits = true,
                "7" => chosen.overlapped_sends = true,
                _ => return None,
            }
        }
        Some(chosen)
    }

    /// The inverse of [`Self::from_list`].
    pub fn to_list(self) -> String {
        let numbers = [
            ("1", self.receive_ahead),
            ("2", self.late_updates),
            ("3", self.late_waits),
            ("7", self.overlapped_sends),
        ];
        let chosen: Vec<&str> = numbers.iter().filter(|(_, on)| *on).map(|&(number, _)| number).collect();
        if chosen.is_empty() { "none".to_owned() } else { chosen.join(",") }
    }

    /// As bits of one number, for comparing across ranks.
    pub(super) fn bits(self) -> i64 {
        [self.receive_ahead, self.late_updates, self.late_waits, self.overlapped_sends]
            .iter()
            .rev()
            .fold(0, |bits, &on| bits << 1 | i64::from(on))
    }
}

/// The choices of a run; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Look-ahead Q: how many values a rank may have generated that are not yet applied.
    pub look_ahead: usize,
    /// How values travel.
    pub mode: Mode,
    /// Dimensionality d of the message stages, 1 (direct) to log2 of the nodes; 0 for log2, which in
    /// simulations (`hcube simulate --sections dimensions`, Red Storm) reaches 95 % of the best of 1, 2, 3 and
    /// log2 on 64 ranks and 99 % on 256.
    pub dimensions: usize,
    /// Whole rounds of Q overlap: up to 3 Q values of a rank may be open. Outside the rules of the
    /// benchmark; the statistics say so.
    pub relaxed: bool,
    /// The paper's optimisations.
    pub optimisations: Optimisations,
    /// 2 MiB pages for the table where that pays.
    pub huge_pages: bool,
    /// Pretends that nodes hold at most so many ranks; 0 for nodes as they are.
    pub ranks_per_node: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            look_ahead: DEFAULT_LOOK_AHEAD,
            mode: Mode::Auto,
            dimensions: 0,
            relaxed: false,
            optimisations: Optimisations::ALL,
            huge_pages: true,
            ranks_per_node: 0,
        }
    }
}

/// The environment variables that change the defaults.
pub const ENVIRONMENT: [Variable; 7] = [
    Variable::new(
        "HCUBE_LOOK_AHEAD",
        "1 to 1048576",
        "1024",
        "look-ahead Q: how many values a rank may have generated that are not yet applied; the benchmark's rules \
         permit 1024",
    )
    .option("--look-ahead")
    .field("look_ahead"),
    Variable::new("HCUBE_MODE", "auto, message, node, three-hop", "auto", "how values travel")
        .option("--mode")
        .field("mode"),
    Variable::new(
        "HCUBE_DIMENSIONS",
        "0 or more",
        "0",
        "dimensionality of the message stages: 1 sends directly, 0 takes the hypercube (log2 of the nodes)",
    )
    .option("--dimensions")
    .field("dimensions"),
    Variable::new("HCUBE_RELAXED", "0 or 1", "0", "overlap whole rounds of Q, outside the benchmark's rules")
        .option("--relaxed")
        .field("relaxed"),
    Variable::new(
        "HCUBE_OPTIMISATIONS",
        "all, none, or of 1,2,3,7",
        "all",
        "optimisations of Plimpton et al. 2006, Table 3: Mod1, Mod2, Mod3, Mod7",
    )
    .option("--optimisations")
    .field("optimisations"),
    Variable::new("HCUBE_HUGE_PAGES", "0 or 1", "1", "2 MiB pages for the table where that pays")
        .option("--no-huge-pages")
        .field("huge_pages"),
    RANKS_PER_NODE.option("--ranks-per-node"),
];

impl Options {
    /// The defaults, changed by the environment variables of [`ENVIRONMENT`].
    ///
    /// # Errors
    /// Names the variable whose value cannot be read.
    pub fn from_environment() -> Result<Self> {
        Self::from_variables(options::value)
    }

    /// The defaults, changed by the variables of [`ENVIRONMENT`] whose values `variable` knows.
    ///
    /// # Errors
    /// As [`Self::from_environment`].
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let mut options = Self::default();
        options::read(&ENVIRONMENT, variable, |name, value| options.set(name, value))?;
        options.check()?;
        Ok(options)
    }

    /// Sets what a variable stands for; `None` where the value cannot be read.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let flag = |value: &str| match value {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        };
        match name {
            "HCUBE_LOOK_AHEAD" => self.look_ahead = value.parse().ok()?,
            "HCUBE_MODE" => self.mode = Mode::from_name(value)?,
            "HCUBE_DIMENSIONS" => self.dimensions = value.parse().ok()?,
            "HCUBE_RELAXED" => self.relaxed = flag(value)?,
            "HCUBE_OPTIMISATIONS" => self.optimisations = Optimisations::from_list(value)?,
            "HCUBE_HUGE_PAGES" => self.huge_pages = flag(value)?,
            "HCUBE_RANKS_PER_NODE" => self.ranks_per_node = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    /// Checks the ranges.
    pub fn check(&self) -> Result<()> {
        if !(1..=LARGEST_LOOK_AHEAD).contains(&self.look_ahead) {
            let range = format!("1 to {LARGEST_LOOK_AHEAD} values");
            return Err(Error::argument("options.look_ahead", self.look_ahead, range));
        }
        Ok(())
    }

    /// Values that a rank generates for one round.
    pub fn round(&self) -> usize {
        if self.relaxed { self.look_ahead } else { (self.look_ahead / 2).max(1) }
    }

    /// What must be the same on all ranks.
    pub fn agreement(&self) -> [(&'static str, i64); 7] {
        [
            ("options.look_ahead", self.look_ahead as i64),
            ("options.mode", self.mode as i64),
            ("options.dimensions", self.dimensions as i64),
            ("options.relaxed", i64::from(self.relaxed)),
            ("options.optimisations", self.optimisations.bits()),
            ("options.huge_pages", i64::from(self.huge_pages)),
            ("options.ranks_per_node", self.ranks_per_node as i64),
        ]
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
    fn the_table_says_the_defaults_and_the_names() {
        options::check_table(&ENVIRONMENT, &Options::default(), |value| Options::from_variables(value));
        assert_eq!(ENVIRONMENT[1].values, Mode::NAMES.map(|(name, _)| name).join(", "));
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_LOOK_AHEAD", "many"),
            ("HCUBE_LOOK_AHEAD", "-1"),
            ("HCUBE_MODE", "fast"),
            ("HCUBE_RELAXED", "yes"),
            ("HCUBE_OPTIMISATIONS", "1,4"),
            ("HCUBE_RANKS_PER_NODE", "1.5"),
        ] {
            let error =
                Options::from_variables(|asked| (asked == name).then(|| value.into())).expect_err("refused");
            assert!(error.to_string().starts_with(&format!("{name} = '{value}'")), "{error}");
        }
        for look_ahead in [0, LARGEST_LOOK_AHEAD + 1] {
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
