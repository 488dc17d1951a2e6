//! Persistent exchanges inside a node.
//!
//! Idea: as in [`nonblocking`](super::nonblocking), the later of two ranks copies the blocks in both
//! directions, or each rank copies half of them. A rank reads the descriptions of other ranks once, when the
//! exchange is initialised, and compares the lengths. A start only determines the later rank of each pair
//! ([`Pairs`]), and copies.
//!
//! Restrictions: all ranks on one node, single copy between all of them; a rank starts an exchange again only
//! after its completion, as MPI requires.
//! Cost of a start: 1 copy per byte, one atomic operation and 2 system calls per pair of ranks, both by the
//! later rank or one by each; more for blocks of many runs. Memory: 16 bytes for each run of the blocks of a
//! rank and of the corresponding blocks of its partners, and at least a page of shared memory. Source: our
//! own.

#[cfg(hcube_model)]
pub mod model;

use super::description::{Blocks, Description, Part, of_refusal, too_long};
use super::sharing::{MIN_SHARED_BYTES, Offers, share_with_later};
use crate::node::Node;
use crate::task::Task;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::node::arrivals::pairs::{Order, Pairs};
use hcube_core::node::single_copy::{Process, copy_own_runs};
use hcube_core::progress::wait::Patience;
use std::time::Instant;

/// An exchange that was initialised.
#[derive(Debug)]
pub struct Persistent {
    pairs: Pairs,
    partners: Vec<Partner>,
    /// This rank's blocks for itself.
    own: Blocks,
    /// Whether a rank may stay for others.
    stays: bool,
    /// Bytes of the lists.
    lists: usize,
}

/// Another rank of the node.
#[derive(Debug)]
struct Partner {
    /// Its number on the node.
    number: usize,
    rank: usize,
    process: Process,
    mine: Blocks,
    theirs: Blocks,
}

impl Partner {
    /// Bytes in both directions.
    fn bytes(&self) -> u64 {
        self.mine.send.bytes + self.mine.receive.bytes
    }
}

impl Persistent {
    /// Collective over `comm`, whose ranks are all on this node: initialises the exchange. `None` if no
    /// shared memory is available, or a rank has no memory or may not read the blocks of another one.
    ///
    /// # Errors
    /// On all ranks: [`Error::Truncate`] for a block that is longer than the other rank expects, and errors
    /// of MPI.
    pub fn new<C: Comm>(
        comm: &C,
        node: &Node,
        processes: &[Process],
        task: &Task<'_>,
        patience: Patience,
    ) -> Result<Option<Self>> {
        // Where it fails, it fails on all ranks.
        let Ok(pairs) = Pairs::create(comm, &node.ranks) else { return Ok(None) };
        let description = Description::new(task, node);
        let addresses = comm.all_gather(&[description.as_ref().map_or(0, Description::address)])?;
        let partners: Option<Vec<Partner>> = match &description {
            Ok(description) if addresses.iter().all(|&address| address != 0) => {
                let read = description.others().map(|number| {
                    let (rank, process) = (node.ranks[number], processes[number]);
                    // SAFETY: the rank has told the address, and keeps the description until all have agreed
                    // below.
                    let theirs =
                        unsafe { Blocks::read(process, addresses[rank], description.own(), Part::Both) }
                            .ok()?;
                    Some(Partner { number, rank, process, mine: description.blocks(number), theirs })
                });
                read.collect()
            }
            _ => None,
        };
        let mut refused = [i64::from(partners.is_none())];
        comm.all_reduce_max(&mut refused)?;
        let (Ok(description), Some(partners), [0]) = (description, partners, refused) else {
            return Ok(None);
        };
        let own = description.blocks(description.own());
        agree(comm, check(comm.rank(), &own, &partners))?;
        let bytes: u64 = partners.iter().map(Partner::bytes).sum();
        let stays = !patience.shares_cores() && bytes >= MIN_SHARED_BYTES;
        // Those of the others are as long.
        let lists = 2 * description.memory();
        Ok(Some(Self { pairs, partners, own, stays, lists }))
    }

    /// Bytes sent to other ranks in each exchange.
    pub fn bytes_sent(&self) -> u64 {
        self.partners.iter().map(|partner| partner.mine.send.bytes).sum()
    }

    /// Bytes of memory of this rank.
    pub fn memory(&self) -> usize {
        self.pairs.bytes() + self.lists
    }

    /// Local: starts the exchange, and copies what this rank has to copy of each pair of ranks.
    ///
    /// # Errors
    /// [`Error::Memory`] where the kernel refuses a copy: the job must end, as other ranks take the exchange
    /// for complete.
    ///
    /// # Safety
    /// The memory of the blocks stays until all ranks have started the exchange and a barrier after it is
    /// complete, and until then only the sent blocks may be read. All ranks have completed the previous
    /// exchange in this way.
    pub unsafe fn start(&mut self) -> Result<()> {
        let begin = Instant::now();
        // All of them first, so that the others can begin.
        let found = self.partners.iter().map(|partner| self.pairs.start(partner.number, self.stays));
        let found: Vec<(usize, Order)> = found.enumerate().collect();
        // SAFETY: nobody else copies these blocks, by `Pairs`; their memory stays until a barrier after all
        // starts is complete.
        let copy = |index: usize, part| unsafe { self.partners[index].copy(part) };
        for &(index, found) in &found {
            match found {
                Order::Earlier => {}
                Order::Later => copy(index, Part::Both)?,
                Order::LaterShared => copy(index, Part::Received)?,
            }
        }
        // SAFETY: the blocks of this rank for itself, by the contract of this function; others do not access
        // them.
        unsafe { copy_own_runs(&self.own.send.runs, &self.own.receive.runs) };
        if !self.stays {
            return Ok(());
        }
        let later = found.iter().filter(|(_, found)| *found == Order::Earlier).map(|&(index, _)| index);
        let later: Vec<usize> = later.collect();
        let bytes = later.iter().map(|&index| self.partners[index].bytes()).sum();
        let copy = |index, ()| copy(index, Part::Received);
        share_with_later(self, later, bytes, || begin.elapsed().as_secs_f64(), copy)
    }
}

impl Partner {
    /// # Safety
    /// As [`Persistent::start`]; the partner does the same or the other part.
    unsafe fn copy(&self, part: Part) -> Result<()> {
        // SAFETY: the blocks stay, and nobody else copies them: the partner does the same or the other part.
        let copied = unsafe { self.mine.copy(self.process, &self.theirs, part) };
        copied.map(drop).map_err(|refused| of_refusal(self.rank, &refused))
    }
}

/// Offers to the partners with these indices.
impl Offers for Persistent {
    type Word = ();

    fn taken(&self, index: usize) -> Option<()> {
        self.pairs.taken_offer(self.partners[index].number).then_some(())
    }

    fn withdraw(&self, index: usize) -> Option<()> {
        self.pairs.withdraw_offer(self.partners[index].number).then_some(())
    }
}

/// Whether no block of this rank, or for it, is longer than expected.
fn check(rank: usize, own: &Blocks, partners: &[Partner]) -> Result<()> {
    let of_itself = too_long(&own.send, &own.receive).map(|text| (rank, text));
    let of_partner = |partner: &Partner| {
        let text = too_long(&partner.theirs.send, &partner.mine.receive)?;
        Some((partner.rank, text))
    };
    match of_itself.or_else(|| partners.iter().find_map(of_partner)) {
        None => Ok(()),
        Some((rank, text)) => {
            Err(Error::Truncate { message: format!("from rank {rank}: {text}"), first: true })
        }
    }
}
