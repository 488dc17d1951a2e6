//! What the ranks of a node tell each other before they read each other's parts of A, and their two waits.
//!
//! Cost: a line of the cache for each rank, and two meetings ([`CountedMemory::meet`]).

use hcube_core::atomic;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::progress::{Progress, wait::Patience};

/// Bytes of what a rank publishes: a line of the cache.
const SLOT: usize = 64;

/// The location of a rank's part of A, for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Where it begins in the part of the memory.
    pub offset: u64,
    /// Numbers from column to column.
    pub stride: u64,
    /// The code of its error, or 0.
    pub code: u64,
}

/// The notices of the ranks of a node.
#[derive(Debug)]
pub struct Notices {
    memory: CountedMemory,
    patience: Patience,
    /// Meetings so far.
    meetings: u64,
}

impl Notices {
    /// Collective: of ranks that share memory.
    ///
    /// # Errors
    /// On all ranks, where one has no memory.
    pub fn new<C: Comm>(comm: &C, patience: Patience) -> Result<Self> {
        let ranks: Vec<usize> = (0..comm.size()).collect();
        Ok(Self::on(CountedMemory::share(comm, &ranks, SLOT * ranks.len())?, patience))
    }

    fn on(memory: CountedMemory, patience: Patience) -> Self {
        Self { memory, patience, meetings: 0 }
    }

    /// Collective: tells the others where this rank's part is, and returns the notices of all ranks when all
    /// parts may be read.
    pub fn exchange<P: Progress>(&mut self, comm: &P, own: Notice) -> Vec<Notice> {
        self.publish(own);
        self.meet(comm);
        (0..self.memory.ranks()).map(|rank| self.notice(rank)).collect()
    }

    /// Collective: returns when no rank reads the parts of others any more.
    pub fn finish<P: Progress>(&mut self, comm: &P) {
        self.meet(comm);
    }

    fn slot(&self, rank: usize) -> Region<'_> {
        // Only that rank writes it, before the first meeting; others read it between both.
        self.memory.region(SLOT * rank..SLOT * (rank + 1))
    }

    fn publish(&self, Notice { offset, stride, code }: Notice) {
        let words = [offset, stride, code].map(u64::to_ne_bytes);
        let (words, slot) = (words.as_flattened(), self.slot(self.memory.own_number()));
        atomic::written(slot.address());
        slot.part(0..words.len()).write(words);
    }

    fn notice(&self, rank: usize) -> Notice {
        let mut words = [[0; size_of::<u64>()]; 3];
        let (bytes, slot) = (words.as_flattened_mut(), self.slot(rank));
        atomic::read(slot.address());
        slot.part(0..bytes.len()).read(bytes);
        let [offset, stride, code] = words.map(u64::from_ne_bytes);
        Notice { offset, stride, code }
    }

    fn meet<P: Progress>(&mut self, comm: &P) {
        self.meetings += 1;
        self.memory.meet(self.meetings, self.patience, comm);
    }
}

#[cfg(hcube_model)]
pub mod model;
