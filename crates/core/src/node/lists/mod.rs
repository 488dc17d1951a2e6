//! Lists of records in shared memory from each rank of a node to the others.
//!
//! Idea: every rank writes its data for others into its memory that all ranks of the node map, as lists of
//! records; the caller defines the meaning of list numbers. A round ends with a barrier
//! ([`RecordLists::meet`]), after which every rank reads its lists in place. The memory is double-buffered:
//! lists that were written in one turn ([`RecordLists::turn`]) do not change until the reader enters the
//! first barrier of the next turn. One barrier per turn therefore suffices, and a reader may keep pointers
//! into lists.
//!
//! Restrictions: between a turn and the next there is at least one barrier. A list is located after the
//! barrier that published it and before the rank meets the others again ([`RecordLists::list`]).
//!
//! Cost: per record 16 bytes in addition to its payload, which is copied once by the writer; per barrier one
//! pair of cache lines per rank, which contains the counter of the barrier, the notice and the lists for up
//! to eight readers.
//! Memory: the records of two turns, in steps. The address range is much larger ([`reserve`]), so that
//! nothing ever moves. Without shared memory a rank has private memory of this kind, so that algorithms need
//! no second path.
//! Source: our own.

mod list;

pub use list::{LABELS, List, MAX_PAYLOAD_BYTES, Record, Records};

use super::LINE_PAIR;
use super::segment::{self, Segment};
use crate::atomic::{AtomicU64, Ordering};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::Progress;
use crate::progress::wait::Patience;
use list::Writer;

/// Words from a rank to all others in a round.
pub const NOTICE_WORDS: usize = 5;

/// Bytes of a page.
const PAGE: usize = 4096;
/// Address range of one buffer of a rank, unless the process is limited.
const MAX_RESERVE: usize = 1 << 36;
/// Address range of a node's ranks together: an eighth of the address space of a process with 48 address
/// bits.
const MAX_TOTAL: usize = 1 << 44;
/// Less is not worth a list.
const MIN_RESERVE: usize = 1 << 20;
/// Memory that a buffer gets at first; each step adds half of what there is.
const FIRST_STEP: usize = 256 << 10;
/// Turns of a buffer after which unused memory is returned to the system.
const IDLE_TURNS: u32 = 64;

/// Both buffers of a rank.
const BUFFERS: usize = 2;

/// Address range of the buffers of a rank, unless the process is limited or a node has many ranks.
pub const MAX_ADDRESS_BYTES: usize = BUFFERS * MAX_RESERVE;
/// Turns of a rank after which memory that none of them has used is returned to the system: for each buffer
/// the rest of the turns in which it was last used, and as many without.
pub const MAX_IDLE_TURNS: u32 = BUFFERS as u32 * 2 * IDLE_TURNS;

/// Words before the lists in a block: the counter of the barrier and the notice, padded to 64 bytes.
const BLOCK_HEAD: usize = 8;

/// Byte offsets in the segment.
#[derive(Debug, Clone, Copy)]
struct Layout {
    ranks: usize,
    /// Lists of a rank.
    lists: usize,
    /// Bytes of a buffer.
    reserve: usize,
}

impl Layout {
    /// Bytes of the block that a rank publishes in a round; there are two, for rounds with even and odd
    /// numbers.
    fn block(self) -> usize {
        ((BLOCK_HEAD + self.lists) * size_of::<u64>()).next_multiple_of(LINE_PAIR)
    }

    /// Bytes of what is not in buffers: the blocks, and a counter of turns per rank.
    fn head(self) -> usize {
        (self.ranks * (2 * self.block() + LINE_PAIR)).next_multiple_of(PAGE)
    }

    fn length(self) -> usize {
        self.head() + self.ranks * BUFFERS * self.reserve
    }
}

/// One of the two buffers of this rank.
#[derive(Debug, Clone, Copy, Default)]
struct Buffer {
    /// Bytes in use.
    used: usize,
    /// Bytes for which the kernel has given memory.
    present: usize,
    /// The maximum number of bytes in use since memory was last returned, and turns since then.
    peak: usize,
    idle: u32,
}

/// The lists of the ranks of a node, seen from one of them.
#[derive(Debug)]
pub struct RecordLists {
    segment: Segment,
    layout: Layout,
    own: usize,
    /// Barriers so far.
    round: u64,
    /// Turns so far; its parity selects the buffer.
    turn: u64,
    buffers: [Buffer; BUFFERS],
    /// One for each list.
    writers: Vec<Writer>,
}

/// Bytes of address range for one buffer, where `ranks` of a node have two each: within what the limits of
/// this process permit, which holds the lists of `processes` (several if ranks are simulated).
#[must_use]
pub fn reserve(ranks: usize, processes: usize) -> usize {
    let limit = (segment::max_bytes() / 4).min(MAX_TOTAL) / (BUFFERS * ranks * processes);
    let bytes = limit.clamp(MIN_RESERVE, MAX_RESERVE);
    bytes - bytes % PAGE
}

impl RecordLists {
    /// Collective over `comm`: record lists for each node. `ranks` are the ranks of this rank's node, in node
    /// order; every rank of `comm` calls it. The number of `lists` of a rank and `reserve` are the same on a
    /// node; see [`reserve`].
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn share<C: Comm + ?Sized>(comm: &C, ranks: &[usize], lists: usize, reserve: usize) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let layout = Layout { ranks: ranks.len(), lists, reserve };
        let segment = segment::share(comm, ranks, layout.length(), (reserve ^ lists) as u64)?;
        segment.without_dump();
        Ok(Self::new(segment, layout, own))
    }

    /// Local: record lists of one rank.
    ///
    /// # Errors
    /// Where the process may not have the address range, not even a small one.
    pub fn own(lists: usize) -> Result<Self> {
        let mut layout = Layout { ranks: 1, lists, reserve: reserve(1, 1) };
        loop {
            match Segment::own(layout.length()) {
                Ok(segment) => return Ok(Self::new(segment, layout, 0)),
                // A system that never promises more memory than it has (vm.overcommit_memory = 2) counts all
                // of it.
                Err(_) if layout.reserve > MIN_RESERVE => {
                    layout.reserve = (layout.reserve / 2).max(MIN_RESERVE).next_multiple_of(PAGE);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn new(segment: Segment, layout: Layout, own: usize) -> Self {
        let writers = vec![Writer::default(); layout.lists];
        let buffers = [Buffer::default(); BUFFERS];
        Self { segment, layout, own, round: 0, turn: 0, buffers, writers }
    }

    /// The lists of each of some ranks in the memory of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut crate::atomic::model::Scene, ranks: usize, lists: usize) -> Vec<Self> {
        let layout = Layout { ranks, lists, reserve: 8 * PAGE };
        let place = scene.memory(layout.length());
        let of_rank = |own| Self::new(Segment::of_model(place, layout.length()), layout, own);
        (0..ranks).map(of_rank).collect()
    }

    /// Ranks that share it.
    pub fn ranks(&self) -> usize {
        self.layout.ranks
    }

    /// This rank's number among them.
    #[inline]
    pub fn own_number(&self) -> usize {
        self.own
    }

    /// Bytes of records since the last turn.
    pub fn used(&self) -> usize {
        self.buffers[self.parity()].used
    }

    #[inline]
    fn parity(&self) -> usize {
        (self.turn % BUFFERS as u64) as usize
    }

    /// Where the buffer with a parity of a rank begins in the segment.
    fn buffer(&self, rank: usize, parity: usize) -> usize {
        self.layout.head() + (rank * BUFFERS + parity) * self.layout.reserve
    }

    /// A word of the block of a rank for a round.
    #[inline]
    fn word(&self, rank: usize, round: u64, number: usize) -> &AtomicU64 {
        debug_assert!(rank < self.layout.ranks && (number + 1) * size_of::<u64>() <= self.layout.block());
        let block = (rank * 2 + (round % 2) as usize) * self.layout.block();
        // SAFETY: in the head of the segment, aligned to a word; all ranks access it as an atomic.
        unsafe { self.segment.address().add(block).cast::<AtomicU64>().add(number).as_ref() }
    }

    /// The turns that a rank has finished; see [`Self::finish`].
    fn finished(&self, rank: usize) -> &AtomicU64 {
        assert!(rank < self.layout.ranks, "rank {rank} of {}", self.layout.ranks);
        let offset = self.layout.ranks * 2 * self.layout.block() + rank * LINE_PAIR;
        // SAFETY: in the head of the segment, aligned to a word; all ranks access it as an atomic.
        unsafe { self.segment.address().add(offset).cast::<AtomicU64>().as_ref() }
    }

    /// Adds a record to a list of this rank: a value and a label of the caller's, below [`LABELS`], and
    /// memory for `length` bytes, at most [`MAX_PAYLOAD_BYTES`], which are not initialised. The payload
    /// begins at a multiple of 16 bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no memory for it.
    #[inline(always)]
    pub fn record(&mut self, list: usize, value: u64, label: u32, length: usize) -> Result<Region<'_>> {
        let bytes = list::record_bytes(length);
        if bytes > self.writers[list].left() {
            self.extend(list, bytes)?;
        }
        let at = self.writers[list].take(bytes);
        // SAFETY: inside the chunk of this list, in this rank's buffer, which nobody else accesses before the
        // next barrier; it is borrowed as long as the region lives.
        unsafe { Ok(list::write(self.segment.address().add(at), list::Head::new(value, label, length))) }
    }

    /// Gives a list a further chunk that has room for a record.
    #[cold]
    fn extend(&mut self, list: usize, bytes: usize) -> Result<()> {
        let length = self.writers[list].next_chunk(bytes, self.layout.lists);
        let (parity, rest) = (self.parity(), self.layout.reserve - self.used());
        if length > rest {
            return Err(Error::Memory(format!(
                "{} bytes are buffered until the next synchronisation, and the address range has no room for {bytes} more",
                self.used()
            )));
        }
        let begin = self.buffers[parity].used;
        self.provide(parity, begin + length)?;
        self.buffers[parity].used += length;
        let place = self.buffer(self.own, parity) + begin;
        // SAFETY: both chunks lie in this rank's buffer, which nobody else accesses before the next barrier.
        unsafe { self.writers[list].append(self.segment.address(), place, length) };
        Ok(())
    }

    /// Requests the kernel to commit memory for the first `bytes` of a buffer, in steps.
    fn provide(&mut self, parity: usize, bytes: usize) -> Result<()> {
        let present = self.buffers[parity].present;
        if bytes <= present {
            return Ok(());
        }
        let step = FIRST_STEP.max(present / 2);
        let end = bytes.max(present + step).next_multiple_of(PAGE).min(self.layout.reserve);
        let begin = self.buffer(self.own, parity);
        self.segment.provide(begin + present..begin + end)?;
        self.buffers[parity].present = end;
        Ok(())
    }

    /// Publishes the lists and a notice, and waits until all ranks of the node have done so. Lists are empty
    /// afterwards.
    pub fn meet<P: Progress + ?Sized>(
        &mut self,
        comm: &P,
        patience: Patience,
        settle: impl FnOnce(),
        notice: [u64; NOTICE_WORDS],
    ) {
        self.round += 1;
        let round = self.round;
        for (number, word) in notice.into_iter().enumerate() {
            self.word(self.own, round, number + 1).store(word, Ordering::Relaxed);
        }
        for list in 0..self.writers.len() {
            // SAFETY: the chunks of a list that this rank has written and has not published.
            let first = unsafe { self.writers[list].close(self.segment.address()) };
            self.word(self.own, round, BLOCK_HEAD + list).store(first, Ordering::Relaxed);
        }
        settle();
        self.word(self.own, round, 0).store(round, Ordering::Release);
        for distance in 1..self.layout.ranks {
            let rank = (self.own + distance) % self.layout.ranks;
            let counter = self.word(rank, round, 0);
            if counter.load(Ordering::Acquire) < round {
                let mut wait = patience.wait();
                while counter.load(Ordering::Acquire) < round {
                    wait.pause(comm);
                }
            }
        }
    }

    /// The notice of a rank in the round that has ended.
    #[inline]
    pub fn notice(&self, rank: usize) -> [u64; NOTICE_WORDS] {
        assert!(rank < self.layout.ranks, "rank {rank} of {}", self.layout.ranks);
        std::array::from_fn(|number| self.word(rank, self.round, number + 1).load(Ordering::Relaxed))
    }

    /// A list of a rank that was published in the round that has ended.
    #[inline]
    pub fn list(&self, from: usize, number: usize) -> List {
        assert!(from < self.layout.ranks && number < self.layout.lists, "list {number} of {from}");
        List::at(self.word(from, self.round, BLOCK_HEAD + number).load(Ordering::Relaxed))
    }

    /// The records of a list.
    ///
    /// # Safety
    /// The list was located in this turn or the one before, and the records are used until this rank next
    /// meets the others in the turn after that in which the list was located.
    #[inline]
    pub unsafe fn records<'a>(&self, list: List) -> Records<'a> {
        // SAFETY: its writer leaves the memory of a list of that turn alone until this rank meets the others
        // again.
        unsafe { list.records(self.segment.address()) }
    }

    /// Ends the time in which others may not yet access memory of this rank directly: it has done all that
    /// the turn asks of it.
    #[inline]
    pub fn finish(&self) {
        self.finished(self.own).store(self.turn, Ordering::Release);
    }

    /// Waits until a rank has finished the turns that this rank has.
    pub fn wait_for<P: Progress + ?Sized>(&self, rank: usize, comm: &P, patience: Patience) {
        let finished = self.finished(rank);
        let mut wait = patience.wait();
        while finished.load(Ordering::Acquire) < self.turn {
            wait.pause(comm);
        }
    }

    /// Begins a turn: records are written to the other buffer, whose lists no rank reads any more.
    pub fn turn(&mut self) {
        self.turn += 1;
        let parity = self.parity();
        let buffer = &mut self.buffers[parity];
        buffer.peak = buffer.peak.max(buffer.used);
        buffer.used = 0;
        buffer.idle += 1;
        if buffer.idle >= IDLE_TURNS {
            self.give_back(parity);
        }
        debug_assert!(self.writers.iter().all(Writer::is_empty), "records that were not published");
    }

    /// Gives memory back that no turn has used for a while.
    #[cold]
    fn give_back(&mut self, parity: usize) {
        let Buffer { present, peak, .. } = self.buffers[parity];
        let kept = (2 * peak).max(FIRST_STEP).next_multiple_of(PAGE);
        if kept < present / 2 {
            let begin = self.buffer(self.own, parity);
            self.segment.give_back(begin + kept..begin + present);
            self.buffers[parity].present = kept;
        }
        self.buffers[parity] = Buffer { idle: 0, peak: 0, ..self.buffers[parity] };
    }

    /// Bytes for which the kernel has given memory to this rank.
    pub fn present(&self) -> usize {
        self.buffers.iter().map(|buffer| buffer.present).sum()
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
