//! A section on one machine, and the runs there that sections vary.

use super::arguments::{Arguments, Section};
use super::results::{Alltoall, Batch, Case, RandomAccess};
use hcube_results::machine::Machine;
use hcube_results::published::{ALL_OPTIMISATIONS, MACHINE};
use hcube_tool::session::Failure;

/// The look-ahead of HPCC's rules.
const LOOK_AHEAD: u64 = 1024;
/// Words of the table per rank; few, so that the check of all words is fast.
pub const LOG2_WORDS: u32 = 10;
/// Bytes that a rank sends in total, in sections that do not vary it.
pub const BYTES: u64 = 1 << 20;

/// A section on one machine.
pub struct Place<'a> {
    pub section: Section,
    pub machine: Machine,
    pub ranks: &'a [usize],
    pub ranks_per_node: usize,
}

impl<'a> Place<'a> {
    /// A place of the section, with the options of the command line in place of its own.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn new(
        section: Section,
        arguments: &'a Arguments,
        (machine, ranks, ranks_per_node): (&str, &'static [usize], usize),
    ) -> Result<Self, Failure> {
        let asked = arguments.machine.as_deref();
        let machine = Machine::find(asked.unwrap_or(machine))?;
        let ranks_per_node = match arguments.ranks_per_node {
            Some(ranks) => ranks as usize,
            // The section's number belongs to another machine, except where the section varies it.
            None if asked.is_some() && section != Section::Nodes => machine.cores,
            None => ranks_per_node,
        };
        let ranks = arguments.ranks.as_ref().map_or(ranks, |ranks| &ranks.0);
        Ok(Self { section, machine, ranks, ranks_per_node })
    }

    /// A simulation for each number of ranks.
    pub fn batches(&self, cases: impl Fn(&Self, usize) -> Vec<Case>) -> Vec<Batch> {
        let batch = |&ranks: &usize| Batch {
            machine: self.machine.clone(),
            ranks,
            ranks_per_node: self.ranks_per_node,
            scale: 1,
            cases: cases(self, ranks),
        };
        self.ranks.iter().map(batch).collect()
    }

    /// Whether the paper has figures of it.
    pub fn is_published(&self) -> bool {
        self.machine.name == MACHINE && self.ranks_per_node == 1
    }

    /// A run of RandomAccess, without what a section varies.
    pub fn random_access(&self, ranks: usize, mode: &'static str) -> RandomAccess {
        RandomAccess {
            section: self.section.name(),
            machine: self.machine.name.clone(),
            ranks,
            ranks_per_node: self.ranks_per_node,
            mode,
            dimensions: 0,
            optimisations: ALL_OPTIMISATIONS,
            look_ahead: LOOK_AHEAD,
            relaxed: false,
            updates: 0,
            log2_table: ranks.next_power_of_two().ilog2() + LOG2_WORDS,
            seconds: 0.0,
            gups: 0.0,
            errors: 0,
            messages: 0,
            message_bytes: 0,
            plan: String::new(),
            links_shared: true,
            published_gups: None,
            published_model_gups: None,
        }
    }

    /// An exchange, without what a section varies.
    pub fn alltoall(&self, ranks: usize, algorithm: &'static str) -> Alltoall {
        Alltoall {
            section: self.section.name(),
            machine: self.machine.name.clone(),
            ranks,
            ranks_per_node: self.ranks_per_node,
            algorithm,
            path: "message",
            memory: BYTES,
            bytes_per_rank: BYTES,
            block: None,
            seconds: 0.0,
            errors: 0,
            way: None,
            links_shared: true,
        }
    }
}
