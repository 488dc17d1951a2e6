//! What the models of protocols have covered: `tests/models/record.json`, which `make models RECORD=1`
//! writes.

use serde::{Deserialize, Serialize};

/// All models, in their order, and the fates of mutations.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub models: Vec<Row>,
    pub mutations: Vec<Mutated>,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub protocol: String,
    pub case: String,
    /// Which executions are explored.
    pub extent: String,
    pub is_long: bool,
    pub participants: usize,
    pub executions: u64,
    pub seconds: f64,
}

/// A mutation of the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mutated {
    pub file: String,
    pub line: u32,
    pub change: String,
    /// Protocols and cases that were seen to notice it; none for one that is kept.
    pub caught_by: Vec<[String; 2]>,
}

impl Row {
    /// Protocol and case.
    pub fn name(&self) -> String {
        format!("{} {}", self.protocol, self.case)
    }

    /// The same except the time, which depends on the machine.
    pub fn is_as(&self, other: &Self) -> bool {
        Self { seconds: 0.0, ..self.clone() } == Self { seconds: 0.0, ..other.clone() }
    }
}
