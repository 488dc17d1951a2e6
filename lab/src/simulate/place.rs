//! A section on one machine.

use super::arguments::{Arguments, Section};
use super::row::{Batch, Site};
use hcube_results::machine::Machine;
use hcube_results::published::MACHINE;

/// Machine, numbers of ranks, ranks per node; 0 for one on each core.
pub type Shape = (&'static str, &'static [usize], usize);

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
        (machine, ranks, ranks_per_node): Shape,
    ) -> Result<Self, String> {
        let asked = arguments.machine.as_deref();
        let machine = Machine::find(asked.unwrap_or(machine))?;
        let ranks_per_node = match arguments.ranks_per_node {
            Some(ranks) => ranks as usize,
            // The section's number belongs to another machine, except where the section varies it.
            None if asked.is_some() && section != Section::Nodes => machine.cores,
            None if ranks_per_node == 0 => machine.cores,
            None => ranks_per_node,
        };
        let ranks = arguments.ranks.as_ref().map_or(ranks, |ranks| &ranks.0);
        Ok(Self { section, machine, ranks, ranks_per_node })
    }

    /// A simulation of these cases on a number of ranks.
    pub fn batch<T>(&self, ranks: usize, cases: Vec<T>) -> Batch<T> {
        let (machine, ranks_per_node) = (self.machine.clone(), self.ranks_per_node);
        Batch { machine, ranks, ranks_per_node, cases }
    }

    /// A simulation for each number of ranks.
    pub fn batches<T>(&self, cases: impl Fn(usize) -> Vec<T>) -> Vec<Batch<T>> {
        self.variants([()], |(), ranks| cases(ranks))
    }

    /// A simulation for each variant and number of ranks that have cases.
    pub fn variants<V: Copy, T, C: IntoIterator<Item = T>>(
        &self,
        variants: impl IntoIterator<Item = V>,
        cases: impl Fn(V, usize) -> C,
    ) -> Vec<Batch<T>> {
        let mut batches = Vec::new();
        for variant in variants {
            for &ranks in self.ranks {
                let cases: Vec<T> = cases(variant, ranks).into_iter().collect();
                if !cases.is_empty() {
                    batches.push(self.batch(ranks, cases));
                }
            }
        }
        batches
    }

    /// Where a case on this number of ranks runs.
    pub fn site(&self, ranks: usize) -> Site {
        let (machine, ranks_per_node) = (self.machine.name.clone(), self.ranks_per_node);
        Site { section: self.section.name(), machine, ranks, ranks_per_node }
    }

    /// Whether Plimpton et al. 2006 have figures of it.
    pub fn is_published(&self) -> bool {
        self.machine.name == MACHINE && self.ranks_per_node == 1
    }
}
