//! Memory with a part for each rank that all ranks of the node can read: each rank keeps its matrices in its
//! own part.
//!
//! Cost: no message after the allocation. Memory: the parts are aligned to pages.

use hcube_alltoall::Options;
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::plan::Topology;
use std::ops::Range;

/// Parts start at page boundaries, so that a page belongs to one rank.
const PAGE: usize = 4096;

/// The memory of a node, as one of its ranks sees it.
#[derive(Debug)]
pub struct Memory {
    memory: CountedMemory,
    /// Bytes from part to part.
    distance: usize,
    bytes: usize,
    /// Distinguishes it from memory of another node, and from other memory of this kind.
    identity: [u64; 2],
}

impl Memory {
    /// Collective: parts of `bytes` bytes, the same on all ranks, all zero. Or the error that all ranks are
    /// to report.
    ///
    /// # Errors
    /// On all ranks: [`Error::Mismatch`], [`Error::Memory`].
    pub fn new<C: Comm>(comm: &C, bytes: Result<usize>, options: &Options) -> Result<Self> {
        let checked = bytes.and_then(|bytes| {
            let distance = bytes.max(1).checked_next_multiple_of(PAGE);
            let total = distance.and_then(|distance| distance.checked_mul(comm.size()));
            let total = total.filter(|&total| isize::try_from(total).is_ok());
            let total = total.and(distance).map(|distance| (bytes, distance));
            total.ok_or_else(|| Error::Memory(format!("{bytes} bytes on each of {} ranks", comm.size())))
        });
        let (bytes, distance) = agree(comm, checked)?;
        agree_on(comm, &[&[("bytes", bytes as i64)], &options.agreement()[..]].concat())?;
        let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
        let topology = Topology::from_node_numbers(&comm.node_numbers()?, limit);
        let node = topology.node_of(topology.position(comm.rank()));
        let ranks: Vec<usize> =
            topology.positions(node..node + 1).map(|position| topology.rank(position)).collect();
        let memory = CountedMemory::share_large(comm, &ranks, distance * ranks.len())?;
        let address = memory.place(0..0).addr() as u64;
        let all = comm.all_gather(&[u64::from(std::process::id()), address])?;
        let first = 2 * ranks[0];
        Ok(Self { memory, distance, bytes, identity: [all[first], all[first + 1]] })
    }

    /// Where the part of this rank begins.
    pub fn address(&self) -> *mut u8 {
        self.memory.place(self.range(self.own_number()))
    }

    /// Bytes of each part.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// This rank's number among the ranks of the node.
    pub fn own_number(&self) -> usize {
        self.memory.own_number()
    }

    fn range(&self, number: usize) -> Range<usize> {
        let start = number * self.distance;
        start..start + self.bytes
    }

    /// The part of a rank of the node. Only that rank and its program write to it; others read what it has
    /// published, as long as it writes nothing there: ranks agree on the time.
    ///
    /// # Panics
    /// Where there is no such rank.
    pub fn part(&self, number: usize) -> Region<'_> {
        self.memory.region(self.range(number))
    }

    /// A number that is the same on the ranks of a node, and differs between nodes and from other such
    /// memory.
    pub fn identity(&self) -> [u64; 2] {
        self.identity
    }
}
