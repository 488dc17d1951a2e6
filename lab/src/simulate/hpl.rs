//! LU factorisation: its broadcasts of panels at some places of the factorisation, and what the whole takes.
//!
//! Matrices of the machines do not fit into the memory of this one, and a factorisation has thousands of panels. So some
//! successive panels are simulated at five places, from the first panel to the last ones, and the time of the whole is the
//! integral over them (Simpson's rule). Panels are real messages of hcube between the ranks of all process rows, `scale` times
//! shorter on a machine with as much less bandwidth. Everything else is time that a rank lets pass: the update and the
//! factorisation of a panel at the rate of local products, the search for pivots and the exchange of rows by a formula
//! ([`Work`]), as if they met no other messages. Every byte of a panel is compared.

pub mod cases;
pub mod table;

use crate::records::Record;
use hcube_results::factorisation::BLOCK;
use hcube_results::machine::Machine;
use serde::Serialize;

/// Panels that are simulated at a place.
pub const PANELS: usize = 8;
/// Bytes of a matrix element.
const ELEMENT: f64 = 8.0;

/// Panels at a place of a factorisation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Panels {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// Of the process grid.
    pub rows: usize,
    pub columns: usize,
    /// Order of the matrix.
    pub order: usize,
    /// Order of what is left to factor.
    pub trailing: usize,
    /// Bytes are fewer in the simulation by this factor.
    pub scale: usize,
    pub topology: &'static str,
    /// Simulated, of one panel.
    pub seconds: f64,
    /// The same if panels took no time to travel, computed.
    pub bound_seconds: f64,
    /// Wrong bytes.
    pub errors: u64,
    pub links_shared: bool,
    #[serde(skip)]
    pub work: Work,
}

/// Time that a rank lets pass at a place, in nanoseconds.
///
/// Source of the formulas: A. Petitet, R. C. Whaley, J. Dongarra, A. Cleary, HPL, "Scalability".
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// A process column factors a panel.
    pub factor: f64,
    /// A rank updates the columns of the next panel.
    pub next: f64,
    /// And all others, with the exchange of rows.
    pub rest: f64,
}

impl Work {
    /// For what is left to factor on this grid.
    pub fn new(machine: &Machine, ranks_per_node: usize, grid: (usize, usize), trailing: usize) -> Self {
        let (rows, columns) = (grid.0 as f64, grid.1 as f64);
        let (block, trailing) = (BLOCK as f64, trailing as f64);
        let (height, width) = (trailing / rows, trailing / columns);
        let multiply = machine.costs.multiply_ns;
        let latency = 1e3 * machine.network.latency_us;
        // Ranks of a node are in columns of their own, which send at the same time.
        let byte = ranks_per_node as f64 / machine.network.bandwidth_gb_s;
        // Every column of a panel: the largest element is found, and its row exchanged, in log2 P steps.
        let steps = rows.log2().ceil();
        let pivots = block * steps * (latency + byte * ELEMENT * (2.0 * block + 4.0));
        let exchange = latency * (steps + rows - 1.0).max(0.0) + 3.0 * byte * ELEMENT * block * width;
        let exchange = if rows > 1.0 { exchange } else { 0.0 };
        let next = multiply * block * block * height;
        Self {
            factor: multiply * block * block * height + pivots,
            next,
            rest: multiply * block * height * (width - block).max(0.0)
                + multiply * block * block / 2.0 * width
                + exchange,
        }
    }
}

impl Panels {
    /// Bytes of a panel on a rank.
    fn bytes(&self) -> usize {
        (self.trailing / self.rows + BLOCK) * BLOCK * ELEMENT as usize
    }

    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let Self { rows, topology, scale, work: Work { factor, next, rest }, .. } = self;
        let bytes = (self.bytes() / scale).next_multiple_of(ELEMENT as usize);
        format!(
            "rows={rows},topology={topology},bytes={bytes},panels={PANELS},factor={factor:.0},next={next:.0},rest={rest:.0}"
        )
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")? / PANELS as f64;
        self.errors = record.count("errors")?;
        Ok(())
    }

    /// Bytes of a simulation for a rank: four slots of panels at most.
    pub fn bytes_per_rank(&self) -> u64 {
        (4 * self.bytes() / self.scale) as u64 + (64 << 10)
    }

    /// The factorisation that it belongs to.
    pub fn whole(&self) -> (usize, usize, &'static str) {
        (self.ranks, self.ranks_per_node, self.topology)
    }
}
