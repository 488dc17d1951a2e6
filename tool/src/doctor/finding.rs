//! What `hcube doctor` reports.

use clap::ValueEnum;
use serde::Serialize;

/// The rating of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Good,
    /// A fact that is neither good nor bad.
    Fact,
    /// Works, but slower than it could be.
    Slow,
    Wrong,
}

impl State {
    pub fn mark(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Fact => "--",
            Self::Slow => "slow",
            Self::Wrong => "BAD",
        }
    }
}

/// What a finding is about. doc/troubleshooting.md has a section for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    #[value(name = "MPI")]
    Mpi,
    Ranks,
    Cores,
    #[value(name = "host name")]
    HostName,
    #[value(name = "single copy")]
    SingleCopy,
    #[value(name = "shared memory")]
    SharedMemory,
    #[value(name = "huge pages")]
    HugePages,
    Instructions,
    Environment,
    Choice,
    #[value(name = "all-to-all")]
    Alltoall,
    #[value(name = "ScaLAPACK")]
    Scalapack,
    #[value(name = "BSPlib")]
    Bsplib,
    Coarrays,
    #[value(name = "gfortran")]
    Gfortran,
    #[value(name = "HPCC")]
    Hpcc,
    #[value(name = "LLCS")]
    Llcs,
}

impl Topic {
    /// As it is printed, and the title of its section.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// One thing that was examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub topic: String,
    pub state: State,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// A finding without advice.
    pub fn new(topic: Topic, state: State, text: impl Into<String>) -> Self {
        Self { topic: topic.name(), state, text: text.into(), advice: None }
    }

    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// What the doctor reports.
#[derive(Debug, Serialize)]
pub struct Results {
    pub hcube: &'static str,
    pub findings: Vec<Finding>,
    pub choice: Option<String>,
    pub alltoall_choice: Option<String>,
    pub gemm_choice: Option<String>,
    pub bsp_choice: Option<String>,
    pub caf_choice: Option<String>,
}
