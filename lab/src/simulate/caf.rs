//! Coarrays: the rows. Teams, their storage and their lookups; and RandomAccess by the two programs that coarrays offer.

pub mod cases;
pub mod table;

use crate::records::Record;
use hcube_results::machine::Costs;
use serde::Serialize;

/// Bytes of a simulated image: its part of the heap of the node, what it knows of all others, rings.
const IMAGE_BYTES: u64 = 512 << 10;

/// A team of a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Team {
    pub section: &'static str,
    pub machine: String,
    /// Images of the program.
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `world`, or `all`, `row` and `column` for those that were split from it.
    pub team: &'static str,
    /// Images of the team.
    pub members: usize,
    /// 64-bit words that an image keeps for the team.
    pub words: u64,
    /// Simulated, to form the team; 0 for the team of all images, which exists.
    pub split_seconds: f64,
    pub barrier_seconds: f64,
    /// To get a word of a member for the first time, and again: the slowest of all.
    pub lookup_seconds: f64,
    pub access_seconds: f64,
    /// Members that were looked up, on all images.
    pub lookups: u64,
    /// Links that a lookup has read on other images, at most.
    pub reads: u64,
    /// Wrong words.
    pub errors: u64,
    pub links_shared: bool,
}

impl Team {
    /// Bytes of a simulation for an image.
    pub fn bytes_per_rank(&self) -> u64 {
        IMAGE_BYTES
    }

    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        format!("what=team,team={}", self.team)
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.members = record.count("members")? as usize;
        self.words = record.count("words")?;
        self.split_seconds = record.number("split")?;
        self.barrier_seconds = record.number("barrier")?;
        self.lookup_seconds = record.number("lookup")?;
        self.access_seconds = record.number("access")?;
        self.lookups = record.count("lookups")?;
        self.reads = record.count("reads")?;
        self.errors = record.count("errors")?;
        Ok(())
    }
}

/// RandomAccess on coarrays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Updates {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `events` for routing by copies with events, `spawn` for shipped functions.
    pub by: &'static str,
    /// Values that an image generates before it waits until they are applied.
    pub values: usize,
    /// Of all images, in the time.
    pub updates: u64,
    /// Simulated.
    pub seconds: f64,
    pub gups: f64,
    /// Reductions of all finish blocks.
    pub reductions: u64,
    /// Wrong words of the table.
    pub errors: u64,
    pub links_shared: bool,
    pub published_gups: Option<f64>,
    #[serde(skip)]
    pub costs: Costs,
}

impl Updates {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let Costs { generate_ns, update_ns, divide_ns, ship_ns, .. } = self.costs;
        // Rounds of shipped functions are many messages each.
        let rounds = if self.by == "spawn" && self.ranks > 256 { 1 } else { 2 };
        format!(
            "what={},values={},rounds={rounds},generate={generate_ns},divide={divide_ns},update={update_ns},ship={ship_ns}",
            self.by, self.values
        )
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.updates = record.count("updates")?;
        self.reductions = record.count("reductions")?;
        self.errors = record.count("errors")?;
        self.gups = hcube_results::numbers::gups(self.updates, self.seconds);
        Ok(())
    }

    /// Bytes of a simulation for an image: two buffers per dimension, and its part of the table twice.
    pub fn bytes_per_rank(&self) -> u64 {
        let dimensions = u64::from(self.ranks.next_power_of_two().ilog2()) + 1;
        IMAGE_BYTES + 16 * (dimensions + 2) * (self.values as u64 + 129) + (16 << 10)
    }
}
