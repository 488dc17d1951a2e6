//! Cases of drivers, which are rows of results after their simulation.

use super::platform::Sharing;
use crate::records::Record;
use hcube_core::machine::work::Unit;
use hcube_results::machine::Machine;
use serde::{Deserialize, Serialize};

/// Where a case runs, and the section that it is part of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    pub section: String,
    pub machine: String,
    /// 0 in rows that have their number of processes elsewhere.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ranks: usize,
    pub ranks_per_node: usize,
}

impl Site {
    /// Its fields that are more than 0 in results.
    pub fn positive(&self) -> Vec<(&'static str, f64)> {
        vec![("ranks", self.ranks as f64), ("ranks_per_node", self.ranks_per_node as f64)]
    }
}

fn is_zero(ranks: &usize) -> bool {
    *ranks == 0
}

/// What a simulation says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Wrong values, bytes, elements or lengths.
    pub errors: u64,
    /// Whether routes shared the links between nodes; otherwise only the ports of nodes. In files without
    /// this field they did.
    #[serde(default = "shared")]
    pub links_shared: bool,
}

fn shared() -> bool {
    true
}

impl Default for Outcome {
    fn default() -> Self {
        Self { errors: 0, links_shared: shared() }
    }
}

/// A case before its simulation, and a row of results after it.
pub trait Row {
    /// The driver, and its arguments before the cases.
    fn driver(&self) -> (&'static str, Option<String>);

    /// In the form that the driver reads.
    fn text(&self) -> String;

    /// Takes the figures that the driver has printed.
    fn fill(&mut self, record: &Record) -> Result<(), String>;

    /// Where it runs, and the outcome.
    fn place(&self) -> (&Site, &Outcome);

    /// The outcome, to be filled.
    fn outcome(&mut self) -> &mut Outcome;

    /// Fields that are more than 0 in results.
    fn positive(&self) -> Vec<(&'static str, f64)>;

    /// The factor by which the bandwidth of the machine is reduced. Matrices in products have fewer rows and
    /// columns by this factor, and vectors, panels and strings are shorter by it.
    fn scale(&self) -> usize {
        1
    }

    /// Bytes of a simulation for a rank, in addition to the memory of SimGrid.
    fn bytes_per_rank(&self) -> u64 {
        0
    }

    /// What messages compete for at most. The bandwidth of links among thousands of images that all send to
    /// partners in other parts of the machine takes the simulator many times longer than the images
    /// themselves; so do already the ports of nodes that receive, where each image has messages to many
    /// others under way, as transforms have.
    fn sharing(&self) -> Sharing {
        Sharing::Links
    }

    /// Whether ranks are placed on nodes in turn instead of filling one node after the other.
    fn is_cyclic(&self) -> bool {
        false
    }

    /// Whether a simulation opens a file for the memory of each node, as coarray programs do.
    fn opens_files(&self) -> bool {
        false
    }

    /// Nanoseconds of units of work where they differ from the other systems, on a machine with this many
    /// times less bandwidth.
    fn costs(&self, _machine: &Machine, _scale: f64) -> Vec<(Unit, f64)> {
        Vec::new()
    }

    /// Options of SimGrid in addition to the options of all simulations.
    fn collectives(&self) -> &'static [&'static str] {
        &[]
    }
}

/// Takes the figures of a record, if it is of this case.
pub fn take(row: &mut dyn Row, record: &Record, links_shared: bool) -> Result<(), String> {
    let asked = row.text();
    let mut fill = || {
        let found = record.text("case")?;
        if found != asked {
            return Err(format!("the driver has run '{found}'"));
        }
        *row.outcome() = Outcome { errors: record.count("errors")?, links_shared };
        row.fill(record)
    };
    fill().map_err(|error| format!("output of a driver for case {asked}: {error}"))
}

/// Cases of one simulation, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch<T> {
    pub machine: Machine,
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub cases: Vec<T>,
}

impl<T> Batch<T> {
    /// The batch with `kind` of each case.
    pub fn map<U>(self, kind: impl Fn(T) -> U) -> Batch<U> {
        let Self { machine, ranks, ranks_per_node, cases } = self;
        Batch { machine, ranks, ranks_per_node, cases: cases.into_iter().map(kind).collect() }
    }
}
