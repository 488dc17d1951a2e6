//! What a user can choose for the all-to-all exchange, and by which name.

use hcube_core::error::{Error, Result};
use hcube_core::options::{self, RANKS_PER_NODE, Variable};

/// The order in which a rank exchanges with its partners by messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// hcube decides, and leaves what it does not make faster to the library.
    #[default]
    Auto,
    /// Lexicographic order of all pairs.
    Mpich,
    /// Step s joins the ranks whose sum is s modulo P.
    LinearShift,
    /// Halves of halves of the ranks.
    HierarchicalSets,
    /// The MPI library's own function, always.
    Library,
    /// Small blocks bundled along the hypercube; larger ones as hierarchical sets.
    Hypercube,
}

impl Schedule {
    /// Names as in `HCUBE_ALLTOALL`; the position is the value in the C interface.
    pub const NAMES: [(&str, Self); 6] = [
        ("auto", Self::Auto),
        ("mpich", Self::Mpich),
        ("linear-shift", Self::LinearShift),
        ("hierarchical-sets", Self::HierarchicalSets),
        ("library", Self::Library),
        ("hypercube", Self::Hypercube),
    ];
}

/// How ranks of one node exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Path {
    /// Whichever is fastest of those that work here.
    #[default]
    Auto,
    /// One process reads and writes the other's memory; needs the kernel's permission.
    SingleCopy,
    /// Through a segment of memory that the ranks of a node share.
    Shared,
    /// Messages, as between nodes.
    Message,
}

impl Path {
    /// Names as in `HCUBE_PATH`; the position is the value in the C interface.
    pub const NAMES: [(&str, Self); 4] = [
        ("auto", Self::Auto),
        ("single-copy", Self::SingleCopy),
        ("shared", Self::Shared),
        ("message", Self::Message),
    ];
}

/// Default of [`Options::memory`] in bytes. Less costs little in simulations of hierarchical sets (`hcube simulate
/// --sections memory`, 1 MiB per rank on 16 and 64 ranks of the machine juropa, times relative to 1 MiB, which is
/// room for all blocks: 256 KiB 1.05 and 1.01, 64 KiB 1.13 and 1.03, the least 1.16 and 1.07).
pub const DEFAULT_MEMORY: usize = 1 << 20;
/// Largest memory bound that is accepted, 1 TiB: more is a slip of the pen.
pub const LARGEST_MEMORY: usize = 1 << 40;

/// The choices for a communicator; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Order of the exchanges by messages.
    pub schedule: Schedule,
    /// Way inside a node.
    pub path: Path,
    /// Additional memory per rank and communicator in bytes, 0 for the least that works.
    pub memory: usize,
    /// Pretends that nodes hold at most so many ranks; 0 for nodes as they are.
    pub ranks_per_node: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { schedule: Schedule::Auto, path: Path::Auto, memory: DEFAULT_MEMORY, ranks_per_node: 0 }
    }
}

/// The environment variables that change the defaults.
pub const ENVIRONMENT: [Variable; 4] = [
    Variable::new(
        "HCUBE_ALLTOALL",
        "auto, mpich, linear-shift, hierarchical-sets, hypercube, library",
        "auto",
        "order of the messages; library leaves every exchange to the MPI library",
    )
    .field("schedule"),
    Variable::new("HCUBE_PATH", "auto, single-copy, shared, message", "auto", "way inside a node")
        .field("path"),
    Variable::new(
        "HCUBE_MEMORY",
        "bytes up to 1T; k, M, G and T stand for powers of 1024",
        "1M",
        "additional memory per rank and communicator; 0 for the least that works",
    )
    .field("memory"),
    RANKS_PER_NODE,
];

/// The value that belongs to a name.
fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
}

/// Bytes as a user writes them: `65536`, `64k`, `1M`.
pub fn parse_bytes(text: &str) -> Option<usize> {
    let number = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let shift = match &text[number.len()..] {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return None,
    };
    let number: usize = number.parse().ok()?;
    number.checked_mul(1 << shift)
}

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
        match name {
            "HCUBE_ALLTOALL" => self.schedule = named(&Schedule::NAMES, value)?,
            "HCUBE_PATH" => self.path = named(&Path::NAMES, value)?,
            "HCUBE_MEMORY" => self.memory = parse_bytes(value)?,
            "HCUBE_RANKS_PER_NODE" => self.ranks_per_node = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    /// Checks the ranges.
    pub fn check(&self) -> Result<()> {
        if self.memory > LARGEST_MEMORY {
            let range = format!("0 to {LARGEST_MEMORY} bytes");
            return Err(Error::argument("options.memory", self.memory, range));
        }
        Ok(())
    }

    /// What must be the same on all ranks.
    pub fn agreement(&self) -> [(&'static str, i64); 4] {
        [
            ("options.schedule", self.schedule as i64),
            ("options.path", self.path as i64),
            ("options.memory", self.memory as i64),
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
            "HCUBE_ALLTOALL" => Some("linear-shift".into()),
            "HCUBE_MEMORY" => Some("64k".into()),
            "HCUBE_PATH" => Some(String::new()),
            _ => None,
        };
        let options = Options::from_variables(set).expect("valid");
        let expected = Options { schedule: Schedule::LinearShift, memory: 65536, ..Options::default() };
        assert_eq!(options, expected);
    }

    #[test]
    fn the_table_says_the_defaults_and_the_names() {
        options::check_table(&ENVIRONMENT, &Options::default(), |value| Options::from_variables(value));
        let sorted = |names: Vec<&'static str>| {
            let mut names = names;
            names.sort_unstable();
            names
        };
        for (variable, names) in [
            (&ENVIRONMENT[0], Schedule::NAMES.iter().map(|&(name, _)| name).collect()),
            (&ENVIRONMENT[1], Path::NAMES.iter().map(|&(name, _)| name).collect()),
        ] {
            assert_eq!(sorted(variable.values.split(", ").collect()), sorted(names), "{}", variable.name);
        }
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_ALLTOALL", "fast"),
            ("HCUBE_PATH", "singlecopy"),
            ("HCUBE_MEMORY", "-1"),
            ("HCUBE_MEMORY", "1Q"),
            ("HCUBE_MEMORY", "99999999999T"),
            ("HCUBE_RANKS_PER_NODE", "1.5"),
        ] {
            let error =
                Options::from_variables(|asked| (asked == name).then(|| value.into())).expect_err("refused");
            assert!(error.to_string().starts_with(&format!("{name} = '{value}'")), "{error}");
        }
        let error =
            Options { memory: LARGEST_MEMORY + 1, ..Options::default() }.check().expect_err("refused");
        assert!(error.to_string().starts_with("options.memory"), "{error}");
    }

    #[test]
    fn bytes_have_units() {
        let read = ["0", "65536", "64k", "1M", "2G", "1T"].map(|text| parse_bytes(text).expect("valid"));
        assert_eq!(read, [0, 65536, 65536, 1 << 20, 2 << 30, 1 << 40]);
        assert!(["", "k", "1kk", "0x10", "1.5M"].iter().all(|text| parse_bytes(text).is_none()));
    }
}
