//! Parameters and results of simulations: the rows of the JSON.

use hcube_tool::machine::Machine;
use serde::{Deserialize, Serialize};

/// A run of RandomAccess.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RandomAccess {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub mode: &'static str,
    pub dimensions: u32,
    pub optimisations: u32,
    pub look_ahead: u64,
    /// Rounds of Q values, as in the paper; otherwise rounds of Q/2 values.
    pub relaxed: bool,
    /// Of all ranks, in the time.
    pub updates: u64,
    pub log2_table: u32,
    /// Simulated.
    pub seconds: f64,
    pub gups: f64,
    pub errors: u64,
    pub messages: u64,
    pub message_bytes: u64,
    pub plan: String,
    /// Whether routes shared the links between nodes; otherwise they shared only the ports of nodes.
    pub links_shared: bool,
    pub published_gups: Option<f64>,
    pub published_model_gups: Option<f64>,
}

/// A run of the all-to-all exchange.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alltoall {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub algorithm: &'static str,
    pub path: &'static str,
    pub memory: u64,
    pub bytes_per_rank: u64,
    /// Simulated.
    pub seconds: f64,
    pub errors: u64,
    pub way: Option<String>,
    pub links_shared: bool,
    /// Time that the simulator's own function takes for each byte that it copies in place.
    #[serde(skip)]
    pub copy_ns: f64,
}

/// All results.
#[derive(Debug, Default, Serialize)]
pub struct Results {
    pub machines: Vec<Machine>,
    pub random_access: Vec<RandomAccess>,
    pub alltoall: Vec<Alltoall>,
    /// Failed simulations and the reasons.
    pub failures: Vec<String>,
}

/// Output of the driver of RandomAccess.
#[derive(Debug, Deserialize)]
struct RandomAccessLine {
    case: String,
    seconds: f64,
    updates: u64,
    errors: u64,
    messages: u64,
    message_bytes: u64,
    plan: String,
}

/// Output of the driver of the exchange.
#[derive(Debug, Deserialize)]
struct AlltoallLine {
    case: String,
    seconds: f64,
    errors: u64,
    way: Option<String>,
}

/// A row without its figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    RandomAccess(RandomAccess),
    Alltoall(Alltoall),
}

/// The line of a case among those that a driver has printed.
fn line<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("a driver's line '{text}': {error}"))
}

fn same(expected: &str, found: &str) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("a driver has run '{found}' instead of '{expected}'"))
    }
}

impl RandomAccess {
    fn text(&self) -> String {
        let Self { mode, dimensions, optimisations, look_ahead, relaxed, .. } = self;
        // One round to warm up, and timed rounds: fewer where rounds take long.
        let warmup = if *relaxed { *look_ahead } else { look_ahead.div_ceil(2) };
        let rounds = match self.ranks {
            0..=256 => 4,
            257..=1024 => 2,
            _ => 1,
        };
        let updates = warmup + rounds * look_ahead;
        format!(
            "mode={mode},dimensions={dimensions},optimisations={optimisations},look_ahead={look_ahead},relaxed={},\
             warmup={warmup},updates={updates}",
            u8::from(*relaxed)
        )
    }
}

impl Case {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        match self {
            Self::RandomAccess(case) => case.text(),
            Self::Alltoall(case) => format!(
                "algorithm={},copy={},path={},memory={},bytes={},counts={},repeat={}",
                case.algorithm,
                case.copy_ns,
                case.path,
                case.memory,
                case.bytes_per_rank,
                if case.section == "small" { "equal" } else { "random" },
                // hcube tries two paths inside a node before it selects one.
                if case.path == "auto" && case.ranks_per_node > 1 { 5 } else { 1 }
            ),
        }
    }

    /// Takes the figures from the driver's line.
    pub fn fill(&mut self, text: &str) -> Result<(), String> {
        let asked = self.text();
        match self {
            Self::RandomAccess(case) => {
                let found: RandomAccessLine = line(text)?;
                same(&asked, &found.case)?;
                case.gups = hcube_tool::numbers::gups(found.updates, found.seconds);
                (case.seconds, case.updates, case.errors) = (found.seconds, found.updates, found.errors);
                (case.messages, case.message_bytes) = (found.messages, found.message_bytes);
                case.plan = found.plan;
            }
            Self::Alltoall(case) => {
                let found: AlltoallLine = line(text)?;
                same(&asked, &found.case)?;
                (case.seconds, case.errors) = (found.seconds, found.errors);
                case.way = found.way.filter(|way| !way.is_empty());
            }
        }
        Ok(())
    }

    /// The number of wrong values or bytes.
    pub fn errors(&self) -> u64 {
        match self {
            Self::RandomAccess(case) => case.errors,
            Self::Alltoall(case) => case.errors,
        }
    }
}
