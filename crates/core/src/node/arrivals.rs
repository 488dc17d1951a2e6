//! The ranks of a node that have started an operation, for operations that ranks start at different times
//! without waiting.
//!
//! Idea: a table in shared memory has a row for each operation that some ranks have started and others have
//! not, with a word of each rank that has. A rank that starts it enters its own word and reads the words of
//! the earlier ranks, under a lock that is held for this time only: of two ranks exactly one is the later
//! one, and knows both words. The row is free again when the last rank has started. Rows are found by the
//! operation's key in one of several buckets, so that operations of different communicators, which ranks
//! start in different orders, do not collide.
//!
//! A rank that waits for a while after it has entered can share the work of a pair with the later rank: it
//! makes an offer to that rank for that operation, which the later rank takes, or which it withdraws itself.
//! The first of these two actions wins.
//!
//! If all rows of a bucket are in use by operations that some ranks have not started, a rank puts a further
//! operation into a list in its own memory (`queue`), where the others find it: no rank ever waits for
//! another rank to start an operation. An operation that some ranks have started is either in a row or in the
//! lists of all of them.
//!
//! Restrictions: for the lists, the ranks of the node can read and write each other's memory by single copy.
//! Cost: a lock, up to 128 words read, and one more per earlier rank; an atomic operation per offer; for an
//! operation in a list also two system calls, while others wait for the lock. Memory: 33 KiB and 34 KiB per
//! rank of the node, more above 64 ranks, whose pages become resident when they are used, 16 bytes per pair,
//! and 16 bytes for each operation in a list. Source: our own.

pub mod pairs;
mod queue;

use super::single_copy::Process;
use super::slots::{self, Slots};
use crate::atomic::{self, AtomicU64, Ordering};
use crate::comm::Comm;
use crate::error::Result;
use queue::{Place, Queue, Queued};

/// Operations of one bucket that not all ranks have started.
const ROWS: usize = if cfg!(hcube_model) { 1 } else { 64 };
/// Buckets: operations with consecutive keys are in different ones.
const BUCKETS: usize = if cfg!(hcube_model) { 1 } else { 64 };

/// Words of a bucket: its lock, the number of entries in the lists of all ranks, the keys of its rows (0 for
/// a free one), the words of the ranks that have started each, and where the lists of the ranks are.
const LOCK: usize = 0;
const QUEUED: usize = 1;
const FIRST_KEY: usize = 2;
const FIRST_WORD: usize = FIRST_KEY + ROWS;

/// Words of an offer.
const OFFER_WORDS: usize = 2;
/// The state of an offer that was taken. Before, it is the key of the operation; without an offer it is 0.
const TAKEN: u64 = u64::MAX;

/// The table of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Arrivals {
    slots: Slots,
    /// Of each bucket, the operations of this rank that no row had room for.
    queues: Vec<Queue>,
}

impl Drop for Arrivals {
    /// A rank may start an operation after another one has freed the communicator.
    fn drop(&mut self) {
        self.queues.iter_mut().for_each(Queue::abandon);
    }
}

impl Arrivals {
    /// Collective over `comm`: one table for each node; `ranks` are the ranks of this rank's node in
    /// ascending order.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize]) -> Result<Self> {
        Ok(Self::on(Slots::create(comm, ranks, Self::layout(ranks.len())?)?))
    }

    /// The tables of some ranks in the memory of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut atomic::model::Scene, ranks: usize) -> Vec<Self> {
        let slots = Slots::of_model(scene, ranks, Self::layout(ranks).expect("small"));
        slots.into_iter().map(Self::on).collect()
    }

    fn layout(ranks: usize) -> Result<slots::Layout> {
        // The buckets are distributed over the regions of all ranks.
        let counters = Self::first_offer(ranks) + OFFER_WORDS * ranks;
        slots::Layout::new(super::LINE_PAIR, counters, 1, 0)
    }

    /// The table in words that are all 0.
    fn on(slots: Slots) -> Self {
        Self { slots, queues: (0..BUCKETS).map(|_| Queue::default()).collect() }
    }

    /// Bytes of this rank's part of the table, and of its lists.
    pub fn bytes(&self) -> usize {
        self.slots.bytes_per_rank() + self.queues.iter().map(Queue::bytes).sum::<usize>()
    }

    /// The start of the offers of a rank among its words, after its buckets.
    fn first_offer(ranks: usize) -> usize {
        BUCKETS.div_ceil(ranks) * bucket_words(ranks)
    }

    /// The state of the offer of a rank to another one, and the word of that one.
    fn offer(&self, from: usize, to: usize) -> [&AtomicU64; OFFER_WORDS] {
        let first = Self::first_offer(self.slots.ranks()) + OFFER_WORDS * to;
        [self.slots.counter(from, first), self.slots.counter(from, first + 1)]
    }

    /// Offers another rank of the node to share the work of the operation with this key, before this rank
    /// enters it.
    pub fn make_offer(&self, to: usize, key: u64) {
        // Relaxed: a rank that may take it has found that this rank has entered.
        self.offer(self.slots.own(), to)[0].store(key, Ordering::Relaxed);
    }

    /// Takes the offer of a rank that [`Self::enter`] has found: whether there is one for this operation.
    /// That rank gets the word, which is not 0, and sees everything that this rank has written before.
    pub fn take_offer(&self, from: usize, key: u64, own_word: u64) -> bool {
        let [state, word] = self.offer(from, self.slots.own());
        if state.load(Ordering::Relaxed) != key {
            return false;
        }
        // Nobody reads it unless the offer is taken.
        word.store(own_word, Ordering::Relaxed);
        state.compare_exchange(key, TAKEN, Ordering::Release, Ordering::Relaxed).is_ok()
    }

    /// The word of a rank that has taken this rank's offer, if it has. That ends the offer.
    pub fn taken_offer(&self, to: usize) -> Option<u64> {
        let [state, word] = self.offer(self.slots.own(), to);
        if state.load(Ordering::Acquire) != TAKEN {
            return None;
        }
        state.store(0, Ordering::Relaxed);
        Some(word.load(Ordering::Relaxed))
    }

    /// Withdraws this rank's offer, unless it was taken before: then the word of the rank that has taken it.
    pub fn withdraw_offer(&self, to: usize, key: u64) -> Option<u64> {
        let [state, _] = self.offer(self.slots.own(), to);
        // Relaxed: it passes nothing on, and `taken_offer` acquires what the other rank has written.
        match state.compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => None,
            Err(_) => self.taken_offer(to),
        }
    }

    fn word(&self, bucket: usize, number: usize) -> &AtomicU64 {
        word(&self.slots, bucket, number)
    }

    /// Enters that this rank has started the operation with this key, which is not 0, with a word for the
    /// ranks that start it later, which is not 0 either. Returns the earlier ranks of the node with their
    /// words. Ranks that find a word see everything that its rank has written before. Local. `processes` are
    /// the processes of the node's ranks.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) if a list has no memory or cannot be read: it is then unknown
    /// which ranks have started the operation, and the job must end.
    pub fn enter(&mut self, key: u64, own_word: u64, processes: &[Process]) -> Result<Vec<(usize, u64)>> {
        let bucket = bucket_of(key);
        let lock = self.word(bucket, LOCK);
        while lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // Held for some hundred nanoseconds, unless its holder has lost its core.
            atomic::yield_now();
        }
        let before = self.enter_locked(bucket, key, own_word, processes);
        self.word(bucket, LOCK).store(0, Ordering::Release);
        before
    }

    fn enter_locked(
        &mut self,
        bucket: usize,
        key: u64,
        own_word: u64,
        processes: &[Process],
    ) -> Result<Vec<(usize, u64)>> {
        let (ranks, own) = (self.slots.ranks(), self.slots.own());
        if self.word(bucket, QUEUED).load(Ordering::Relaxed) == 0 {
            self.queues[bucket].clear(&place(&self.slots, bucket, own));
        }
        let row_with = |key: u64| {
            (0..ROWS).find(|&row| self.word(bucket, FIRST_KEY + row).load(Ordering::Relaxed) == key)
        };
        let known = row_with(key);
        let row = known.or_else(|| row_with(0));
        let queued = if known.is_none() { self.find_queued(bucket, key, processes)? } else { Vec::new() };
        let before: Vec<(usize, u64)> = match known {
            Some(row) => (0..ranks)
                .map(|rank| (rank, self.row_word(bucket, row, rank).load(Ordering::Relaxed)))
                .filter(|&(_, word)| word != 0)
                .collect(),
            None => queued.iter().map(|found| (found.rank, found.word)).collect(),
        };
        let is_last = before.len() + 1 == ranks;
        if is_last || row.is_some() {
            self.remove_queued(bucket, &queued, processes)?;
        }
        match row {
            _ if is_last => {
                if let Some(row) = known {
                    (0..ranks).for_each(|rank| self.row_word(bucket, row, rank).store(0, Ordering::Relaxed));
                    self.set_row(bucket, row, 0);
                }
            }
            Some(row) => {
                // Words that come from lists, and the word of this rank.
                for &(rank, word) in before.iter().chain(&[(own, own_word)]) {
                    self.row_word(bucket, row, rank).store(word, Ordering::Relaxed);
                }
                self.set_row(bucket, row, key);
            }
            None => self.push(bucket, key, own_word)?,
        }
        Ok(before)
    }

    fn row_word(&self, bucket: usize, row: usize, rank: usize) -> &AtomicU64 {
        self.word(bucket, FIRST_WORD + row * self.slots.ranks() + rank)
    }

    fn set_row(&self, bucket: usize, row: usize, key: u64) {
        self.word(bucket, FIRST_KEY + row).store(key, Ordering::Relaxed);
    }

    /// The entries for an operation in the lists of other ranks.
    fn find_queued(&self, bucket: usize, key: u64, processes: &[Process]) -> Result<Vec<Queued>> {
        if self.word(bucket, QUEUED).load(Ordering::Relaxed) == 0 {
            return Ok(Vec::new());
        }
        let others = (0..self.slots.ranks()).filter(|&rank| rank != self.slots.own());
        let found = others.map(|rank| place(&self.slots, bucket, rank).find(rank, processes[rank], key));
        found.filter_map(Result::transpose).collect()
    }

    fn remove_queued(&self, bucket: usize, queued: &[Queued], processes: &[Process]) -> Result<()> {
        for &found in queued {
            place(&self.slots, bucket, found.rank).remove(processes[found.rank], found)?;
            self.word(bucket, QUEUED).fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn push(&mut self, bucket: usize, key: u64, own_word: u64) -> Result<()> {
        self.queues[bucket].push(&place(&self.slots, bucket, self.slots.own()), key, own_word)?;
        self.word(bucket, QUEUED).fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn first_place(ranks: usize) -> usize {
    FIRST_WORD + ROWS * ranks
}

/// Words of a bucket for this number of ranks.
fn bucket_words(ranks: usize) -> usize {
    first_place(ranks) + queue::WORDS * ranks
}

fn word(slots: &Slots, bucket: usize, word: usize) -> &AtomicU64 {
    let ranks = slots.ranks();
    slots.counter(bucket % ranks, bucket / ranks * bucket_words(ranks) + word)
}

/// Where the list of a rank is.
fn place(slots: &Slots, bucket: usize, rank: usize) -> Place<'_> {
    let first = first_place(slots.ranks()) + queue::WORDS * rank;
    Place::new(std::array::from_fn(|number| word(slots, bucket, first + number)))
}

fn bucket_of(key: u64) -> usize {
    ((key ^ key >> 32) % BUCKETS as u64) as usize
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
