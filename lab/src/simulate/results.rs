//! Parameters and results of simulations: the rows of the JSON.

use super::bsp::Superstep;
use super::bsp_programs::{BspProgram, MIN_RANKS_LARGE};
use super::caf::{Team, Updates};
use super::fft::{MAX_RANKS_SHARING, Transform};
use super::gemm::Gemm;
use super::hpl::Panels;
use super::lcs::Subsequence;
use super::platform::Sharing;
use crate::records::Record;
use hcube_results::alltoall::RING_OUT_OF_PLACE;
use hcube_results::machine::Machine;
use hcube_tool::bsp::program::Program;
use serde::Serialize;

/// Images up to which those of a coarray program share the links between nodes.
const MAX_IMAGES_SHARING: usize = 1024;

/// Cases of one simulation, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub machine: Machine,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// The machine has this many times less bandwidth, for products of matrices that have as many times fewer rows
    /// and columns, and for vectors, panels and strings that are as many times shorter.
    pub scale: usize,
    pub cases: Vec<Case>,
}

impl Batch {
    /// What messages compete for at most. The bandwidth of links among thousands of images that all send to partners in
    /// other parts of the machine takes the simulator many times longer than the images themselves; so do already the ports of
    /// nodes that receive, where each image has messages to many others under way, as transforms have.
    pub fn sharing(&self) -> Sharing {
        match self.cases.first() {
            Some(Case::Fft(_)) if self.ranks > MAX_RANKS_SHARING => Sharing::SendingPorts,
            // Gets of large blocks, by which nodes receive as much as they send.
            Some(Case::BspProgram(program))
                if program.program == Program::Matmul && self.ranks >= MIN_RANKS_LARGE =>
            {
                Sharing::SendingPorts
            }
            Some(Case::Team(_) | Case::Updates(_) | Case::Hpl(_)) if self.ranks > MAX_IMAGES_SHARING => {
                Sharing::Ports
            }
            _ => Sharing::Links,
        }
    }
}

/// What a table says of the links between nodes.
pub fn links(shared: bool) -> String {
    if shared { "shared" } else { "ports only" }.to_owned()
}

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
    /// Bytes of each block, where all are equal and the exchange is out of place.
    pub block: Option<u64>,
    /// Simulated.
    pub seconds: f64,
    pub errors: u64,
    pub way: Option<String>,
    pub links_shared: bool,
}

#[derive(Debug, Default, Serialize)]
pub struct Results {
    pub machines: Vec<Machine>,
    pub random_access: Vec<RandomAccess>,
    pub alltoall: Vec<Alltoall>,
    pub gemm: Vec<Gemm>,
    pub bsp: Vec<Superstep>,
    pub teams: Vec<Team>,
    pub coarray_updates: Vec<Updates>,
    pub fft: Vec<Transform>,
    pub hpl: Vec<Panels>,
    pub lcs: Vec<Subsequence>,
    pub bsp_programs: Vec<BspProgram>,
    /// Failed simulations and the reasons.
    pub failures: Vec<String>,
}

/// A row without its figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Case {
    RandomAccess(RandomAccess),
    Alltoall(Alltoall),
    Gemm(Gemm),
    Bsp(Superstep),
    Team(Team),
    Updates(Updates),
    Fft(Transform),
    Hpl(Panels),
    Lcs(Subsequence),
    BspProgram(BspProgram),
}

impl RandomAccess {
    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.updates = record.count("updates")?;
        self.errors = record.count("errors")?;
        self.messages = record.count("messages")?;
        self.message_bytes = record.count("message_bytes")?;
        record.text("plan")?.clone_into(&mut self.plan);
        self.gups = hcube_results::numbers::gups(self.updates, self.seconds);
        Ok(())
    }

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

/// The name by which the driver knows an algorithm.
pub fn of_driver(algorithm: &str) -> &str {
    match algorithm {
        RING_OUT_OF_PLACE | "mpich-out-of-place" | "ompi-out-of-place" => "library-out-of-place",
        _ => algorithm,
    }
}

impl Alltoall {
    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.errors = record.count("errors")?;
        self.way = Some(record.text("way")?.to_owned()).filter(|way| !way.is_empty());
        Ok(())
    }
}

impl Case {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        match self {
            Self::RandomAccess(case) => case.text(),
            Self::Alltoall(case) => format!(
                "algorithm={}{},path={},memory={},bytes={},counts={},repeat={}",
                of_driver(case.algorithm),
                case.block.map(|bytes| format!(",block={bytes}")).unwrap_or_default(),
                case.path,
                case.memory,
                case.bytes_per_rank,
                if case.section == "small" { "equal" } else { "random" },
                // hcube tries two paths inside a node before it selects one.
                if case.path == "auto" && case.ranks_per_node > 1 && case.block.is_none() { 5 } else { 1 }
            ),
            Self::Gemm(case) => case.text(),
            Self::Bsp(case) => case.text(),
            Self::Team(case) => case.text(),
            Self::Updates(case) => case.text(),
            Self::Fft(case) => case.text(),
            Self::Hpl(case) => case.text(),
            Self::Lcs(case) => case.text(),
            Self::BspProgram(case) => case.text(),
        }
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        let asked = self.text();
        let filled = match record.text("case") {
            Ok(found) if found != asked => Err(format!("the driver has run '{found}'")),
            Ok(_) => match self {
                Self::RandomAccess(case) => case.fill(record),
                Self::Alltoall(case) => case.fill(record),
                Self::Gemm(case) => case.fill(record),
                Self::Bsp(case) => case.fill(record),
                Self::Team(case) => case.fill(record),
                Self::Updates(case) => case.fill(record),
                Self::Fft(case) => case.fill(record),
                Self::Hpl(case) => case.fill(record),
                Self::Lcs(case) => case.fill(record),
                Self::BspProgram(case) => case.fill(record),
            },
            Err(error) => Err(error),
        };
        filled.map_err(|error| format!("output of a driver for case {asked}: {error}"))
    }

    /// The number of wrong values, bytes or elements.
    pub fn errors(&self) -> u64 {
        match self {
            Self::RandomAccess(case) => case.errors,
            Self::Alltoall(case) => case.errors,
            Self::Gemm(case) => case.errors,
            Self::Bsp(case) => case.errors,
            Self::Team(case) => case.errors,
            Self::Updates(case) => case.errors,
            Self::Fft(case) => case.errors,
            Self::Hpl(case) => case.errors,
            Self::Lcs(case) => case.errors,
            Self::BspProgram(case) => case.errors(),
        }
    }
}
