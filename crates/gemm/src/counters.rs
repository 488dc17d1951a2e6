//! The progress of the ranks of a domain with the panels that they share.
//!
//! Idea: every rank processes the panels in order, so one number per rank tells which panels it has written,
//! completed or released ([`CountedMemory::counter`]). Publishing a number is a release, reading it an
//! acquire: a rank that reads it sees everything that the other rank has written before, and data that the
//! other rank has read before is not overwritten too early.
//!
//! Cost: one read of a cache line for each rank that is waited for. Source: our own.

use hcube_core::atomic::Ordering;
use hcube_core::node::counted_memory::{CountedMemory, Counter};

/// The counters of a domain, seen from one rank.
#[derive(Debug)]
pub struct Counters<'e> {
    memory: &'e CountedMemory,
    /// Numbers in the domain of those who read what this rank writes and write what it reads, if they are not
    /// all.
    mates: Option<Vec<usize>>,
}

impl<'e> Counters<'e> {
    /// Of the memory of a domain; `mates` are all its ranks if it is `None`.
    pub const fn new(memory: &'e CountedMemory, mates: Option<Vec<usize>>) -> Self {
        Self { memory, mates }
    }

    /// Whether only some ranks of the domain are mates.
    pub const fn has_mates(&self) -> bool {
        self.mates.is_some()
    }

    /// Publishes that this rank is done with the panels below a number.
    pub fn publish(&self, counter: Counter, count: u64) {
        self.memory.counter(self.memory.own_number(), counter).store(count, Ordering::Release);
    }

    /// Whether these ranks are done with the panels below a number: what they have written before is seen.
    pub fn have(&self, ranks: impl IntoIterator<Item = usize>, counter: Counter, count: u64) -> bool {
        let has = |rank| self.memory.counter(rank, counter).load(Ordering::Acquire) >= count;
        ranks.into_iter().all(has)
    }

    /// Whether all ranks of the domain are done with the panels below a number.
    pub fn all_have(&self, counter: Counter, count: u64) -> bool {
        self.have(0..self.memory.ranks(), counter, count)
    }

    /// Whether the mates are done with the panels below a number.
    pub fn mates_have(&self, counter: Counter, count: u64) -> bool {
        match &self.mates {
            Some(mates) => self.have(mates.iter().copied(), counter, count),
            None => self.all_have(counter, count),
        }
    }
}
