//! What `hcube bench random-access` measures.

use super::arguments::{Arguments, Case};
use super::updates::{Measured, UpdateBench};
use crate::session::Session;
use hcube_core::Result;
use hcube_core::comm::agree;
use hcube_hpcc::random_access::State;
use hcube_random_access::{Options, StreamKind};

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub enum Competitor {
    /// Private tables, no communication.
    LocalBound(StreamKind),
    /// The case of that number.
    Case(usize),
}

/// All measurements of a competitor.
#[derive(Debug, Clone)]
pub struct Row {
    pub competitor: Competitor,
    pub measured: Vec<Measured>,
}

/// The table with the cases that are measured on it.
pub struct RandomAccess<'a> {
    pub arguments: &'a Arguments,
    pub cases: Vec<Case>,
    /// What hcube says about each case.
    pub descriptions: Vec<String>,
    pub bench: UpdateBench<'a>,
}

impl<'a> RandomAccess<'a> {
    /// Collective: a mode that cannot work here is refused before the first measurement.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let cases = arguments.cases(&agree(comm, Options::from_environment())?);
        let bench = UpdateBench::new(session, arguments.table_size, arguments.total_updates())?;
        let mut random_access = Self { arguments, cases, descriptions: Vec::new(), bench };
        if random_access.cases[0].options.huge_pages {
            random_access.bench.use_huge_pages()?;
        }
        for case in &random_access.cases {
            random_access.descriptions.push(State::new(comm, &case.options)?.describe());
        }
        Ok(random_access)
    }
}
