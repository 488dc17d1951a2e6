//! Memory for two blocks of the vector on each rank, which all ranks of the node can read and write.
//!
//! Idea: a block in this memory need not be copied to blocks for other ranks, nor from blocks that they have
//! written: the ranks read and write it directly. Ranks on several nodes have private memory, on huge pages.
//!
//! Cost: 32 bytes per number of the vector, in total.

use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::CountedMemory;
use std::ops::Range;

/// Parts of a rank.
pub const PARTS: usize = 2;

/// Parts begin at lines of the cache.
const LINE: usize = 64;

/// The blocks of all ranks that share memory, or of one rank.
#[derive(Debug)]
pub struct Memory {
    memory: CountedMemory,
    /// Bytes of a part.
    bytes: usize,
}

/// Distance from the start of a block to the start of the next.
fn distance(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(LINE)
}

impl Memory {
    /// Collective: blocks of `bytes` for each rank; shared, if all ranks agree.
    ///
    /// # Errors
    /// [`Error::Memory`] on all ranks.
    pub fn new<C: Comm>(comm: &C, bytes: usize, shared: bool) -> Result<Self> {
        let ranks = if shared { comm.size() } else { 1 };
        let capacity = distance(bytes).and_then(|distance| distance.checked_mul(PARTS * ranks));
        let capacity = capacity.ok_or_else(|| Error::Memory(format!("parts of {bytes} bytes")))?;
        let memory = match shared {
            true => CountedMemory::share_large(comm, &(0..ranks).collect::<Vec<_>>(), capacity),
            false => agree(comm, CountedMemory::own_large(capacity)),
        }?;
        Ok(Self { memory, bytes })
    }

    /// Where a part of a rank is.
    ///
    /// # Panics
    /// For another part.
    pub fn range(&self, rank: usize, part: usize) -> Range<usize> {
        assert!(part < PARTS, "part {part} of {PARTS}");
        let start = (PARTS * rank + part) * distance(self.bytes).expect("allocated");
        start..start + self.bytes
    }

    /// The memory of all parts.
    pub fn all(&self) -> &CountedMemory {
        &self.memory
    }

    /// Whether pieces of two cache lines are stored in it at the rate of long pieces.
    pub fn has_large_pages(&self) -> bool {
        self.memory.has_large_pages()
    }

    /// Where the parts of the calling rank begin.
    pub fn own(&self) -> [*mut u8; PARTS] {
        let own = self.memory.own_number();
        [0, 1].map(|part| self.memory.place(self.range(own, part)))
    }

    /// Which of this rank's parts begins where a region does.
    pub fn which(&self, region: Region<'_>) -> Option<usize> {
        self.own().iter().position(|&part| part == region.address())
    }
}
