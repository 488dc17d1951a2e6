//! Nonblocking exchanges inside a node: of two ranks, the rank that starts later copies the blocks in both
//! directions.
//!
//! Idea: a rank that starts an exchange describes its blocks in its memory (`description`) and enters the
//! address of the description in a table of the node ([`Arrivals`]). Of two ranks exactly one is the later
//! one. It reads the description of the earlier rank, copies the blocks in both directions by single copy,
//! and marks them as done in the description. A rank that has started has nothing left to do, so its
//! computation is not interrupted. When all ranks have started, all data has arrived: the exchange is
//! complete when a barrier is complete that starts after the copies. Ranks that start at about the same time
//! share the work (`sharing`). Persistent exchanges ([`persistent`](super::persistent)) read the descriptions
//! in advance.
//!
//! Restrictions: all ranks on one node, single copy between all of them. The rank that would copy a block
//! detects that it is longer than expected; it returns the error and does not copy the block. A rank may be
//! any number of exchanges ahead of another rank; from 4096 exchanges on, a start costs both ranks some
//! additional system calls.
//! Cost: 1 copy per byte, by the later rank of each pair or by both; 4 system calls per pair of ranks, 6
//! where they share, and more for blocks of many runs. Memory: 33 KiB and 34 KiB per rank of the node in a
//! table, whose pages become resident when they are used, 64 bytes per rank of the node for each pending
//! exchange, and 16 bytes for each run of its blocks.
//! Source: our own.

#[cfg(hcube_model)]
pub mod model;

use super::description::{Blocks, Description, Part, note_done, of_refusal, too_long};
use super::sharing::{MIN_SHARED_BYTES, Offers, share_with_later};
use crate::copies::copy_own;
use crate::node::Node;
use crate::task::Task;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::node::arrivals::Arrivals;
use hcube_core::node::device::Devices;
use hcube_core::node::single_copy::Process;
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;

/// The state of a rank for its nonblocking exchanges.
#[derive(Debug)]
pub struct Nonblocking {
    arrivals: Arrivals,
    /// The processes of the node's ranks.
    processes: Vec<Process>,
    /// Those that other ranks may still have to read, the earliest first.
    under_way: VecDeque<Description>,
}

impl Drop for Nonblocking {
    /// A rank may start an exchange after another one has freed the communicator: what it reads then stays.
    fn drop(&mut self) {
        self.under_way.drain(..).filter(|description| !description.is_done()).for_each(std::mem::forget);
    }
}

impl Nonblocking {
    /// Collective over `comm`; `ranks` are the ranks of this rank's node, whose processes these are.
    ///
    /// # Errors
    /// On all ranks, if the ranks of a node cannot share memory, or a process may have device memory, which
    /// the kernel does not copy: a rank that finds such memory later could not notify the ranks that have
    /// started the exchange.
    pub fn new<C: Comm + ?Sized>(comm: &C, ranks: &[usize], processes: Vec<Process>) -> Result<Self> {
        let reachable = match Devices::new().exist() {
            false => Ok(()),
            true => Err(Error::Unsupported("device memory in nonblocking exchanges".into())),
        };
        agree(comm, reachable)?;
        Ok(Self { arrivals: Arrivals::create(comm, ranks)?, processes, under_way: VecDeque::new() })
    }

    /// Bytes of memory of this rank: its part of the table, and the descriptions of pending exchanges.
    pub fn memory(&self) -> usize {
        self.arrivals.bytes() + self.under_way.iter().map(Description::memory).sum::<usize>()
    }

    /// Local: starts the exchange with this key, the same on all ranks and not 0, and copies what this rank
    /// has to copy of each pair of ranks.
    ///
    /// # Errors
    /// [`Error::Truncate`] for a block that is longer than the other rank expects; the others are copied.
    /// [`Error::Memory`] if there is no memory or the kernel refuses a copy: the job must end, as other ranks
    /// take the exchange for complete.
    ///
    /// # Safety
    /// The memory of the blocks stays until all ranks have started the exchange and a barrier after it is
    /// complete, and until then only the sent blocks may be read.
    pub unsafe fn start<C: Comm>(
        &mut self,
        comm: &C,
        node: &mut Node,
        key: u64,
        task: &Task<'_>,
        patience: Patience,
    ) -> Result<()> {
        let description = Description::new(task, node)?;
        let Node { ranks, chunk, .. } = node;
        while self.under_way.front().is_some_and(Description::is_done) {
            self.under_way.pop_front();
        }
        let bytes: u64 = description.others().map(|number| description.bytes_with(number)).sum();
        // Nobody needs this core meanwhile, and there is something to share.
        let offers = !patience.shares_cores() && bytes >= MIN_SHARED_BYTES;
        if offers {
            description.others().for_each(|partner| self.arrivals.make_offer(partner, key));
        }
        let before = self.arrivals.enter(key, description.address(), &self.processes)?;
        let (arrivals, processes) = (&self.arrivals, &self.processes[..]);
        let mut pairs = Pairs { comm, processes, ranks, description: &description, mismatch: None };
        let later = description.others().filter(|partner| before.iter().all(|(rank, _)| rank != partner));
        let later: Vec<usize> = later.collect();
        let arrived = Arrived { arrivals, key, offers };
        // SAFETY: the memory of the blocks stays until all ranks have started the exchange and a barrier
        // after it is complete, and is not accessed until then; the words in `before` belong to this
        // exchange.
        unsafe {
            pairs.copy_with_earlier(&arrived, &before)?;
            if pairs.fits_itself() {
                copy_own(comm, task, chunk, false);
            }
            if offers {
                let bytes = later.iter().map(|&partner| description.bytes_with(partner)).sum();
                let copy = |partner, address| pairs.copy(partner, address, Part::Received);
                share_with_later(&arrived, later, bytes, || comm.seconds(), copy)?;
            }
        }
        comm.settle();
        let mismatch = pairs.mismatch;
        self.under_way.push_back(description);
        match mismatch {
            None => Ok(()),
            Some(message) => Err(Error::Truncate { message, first: true }),
        }
    }
}

/// The entry of an exchange in the table, and the offers that belong to it.
struct Arrived<'a> {
    arrivals: &'a Arrivals,
    key: u64,
    /// Whether this rank has made offers.
    offers: bool,
}

impl Offers for Arrived<'_> {
    /// The address of the description of the later rank.
    type Word = u64;

    fn taken(&self, rank: usize) -> Option<u64> {
        self.arrivals.taken_offer(rank)
    }

    fn withdraw(&self, rank: usize) -> Option<u64> {
        self.arrivals.withdraw_offer(rank, self.key)
    }
}

/// The pairs of ranks that this rank belongs to, in one exchange.
struct Pairs<'a, C> {
    comm: &'a C,
    processes: &'a [Process],
    ranks: &'a [usize],
    description: &'a Description,
    /// The first block that is longer than expected.
    mismatch: Option<String>,
}

impl<C: Comm> Pairs<'_, C> {
    /// Whether the block of this rank for itself is not longer than it expects.
    fn fits_itself(&mut self) -> bool {
        let Blocks { send, receive } = self.description.blocks(self.description.own());
        let mismatch = too_long(&send, &receive);
        let fits = mismatch.is_none();
        self.mismatch = self.mismatch.take().or(mismatch);
        fits
    }

    /// Copies with the ranks that have started before, whose numbers and descriptions these are.
    ///
    /// # Safety
    /// As [`Nonblocking::start`]; the words belong to this exchange.
    unsafe fn copy_with_earlier(&mut self, arrived: &Arrived<'_>, before: &[(usize, u64)]) -> Result<()> {
        let &Arrived { arrivals, key, offers } = arrived;
        let own = self.description.address();
        let take_offer_of = |&(partner, address): &(usize, u64)| {
            if offers {
                arrivals.withdraw_offer(partner, key);
            }
            let is_shared = arrivals.take_offer(partner, key, own);
            (partner, address, if is_shared { Part::Received } else { Part::Both })
        };
        // All of them first, so that the others can begin.
        let taken: Vec<_> = before.iter().map(take_offer_of).collect();
        // SAFETY: the partners have passed the addresses of their descriptions of this exchange, and keep
        // them until this rank has noted that it is done.
        taken
            .into_iter()
            .try_for_each(|(partner, address, part)| unsafe { self.copy(partner, address, part) })
    }

    /// Copies with one other rank.
    ///
    /// # Safety
    /// As [`Nonblocking::start`]; `address` is the address of the partner's description of this exchange,
    /// which the partner keeps until this rank has marked it as done, and the partner does the same or the
    /// other part.
    unsafe fn copy(&mut self, partner: usize, address: u64, part: Part) -> Result<()> {
        let (process, own) = (self.processes[partner], self.description.own());
        let mine = self.description.blocks(partner);
        // SAFETY: nobody else copies these blocks, and the description stays until the note.
        let copied = unsafe {
            Blocks::read(process, address, own, part).and_then(|theirs| {
                let copied = mine.copy(process, &theirs, part)?;
                note_done(process, address, own)?;
                Ok(copied)
            })
        };
        let mut bytes = mine.receive.bytes;
        if part == Part::Both {
            self.description.note_done(partner);
            bytes += mine.send.bytes;
        }
        self.comm.charge(COPY.of(bytes as usize));
        let rank = self.ranks[partner];
        match copied {
            Ok(None) => Ok(()),
            Ok(Some(text)) => {
                self.mismatch.get_or_insert_with(|| format!("rank {rank}: {text}"));
                Ok(())
            }
            Err(refused) => Err(of_refusal(rank, &refused)),
        }
    }
}
