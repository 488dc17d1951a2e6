//! Which ranks of a node have started an operation, for operations that ranks start at different times without waiting.
//!
//! Idea: a table in shared memory has a row for each operation that some ranks have started and others have not, with a
//! word of each rank that has. A rank that starts it enters its own word and learns those of the ranks before it, under a lock
//! that is held for as long as that takes: so of two ranks exactly one is the later one, and knows both words. The row is free
//! again when the last rank has started. Rows are found by the operation's key in one of several buckets, by which operations of
//! different communicators, which ranks start in different orders, do not meet.
//!
//! A rank that stays for a while after it has entered can share the work of a pair with the later rank: it leaves an offer for that
//! rank and that operation, which the later one takes, or which it withdraws itself. Whoever comes first decides.
//!
//! Restrictions: at most 64 operations of a bucket that only some ranks have started; of further ones a rank has to wait
//! until others are complete.
//! Cost: a lock, up to 128 words read, and one per rank before; an atomic operation per offer. Memory: 65 KiB and 32 KiB per
//! rank of the node, more above 64 ranks, whose pages become resident when they are used, and 16 bytes per pair. Source: our own.

use super::slots::{self, Slots};
use crate::comm::Comm;
use crate::error::Result;
use std::sync::atomic::{AtomicU64, Ordering};

/// Operations of one bucket that not all ranks have started.
const ROWS: usize = 64;
/// Buckets: operations with keys one behind the other lie in different ones.
const BUCKETS: usize = 64;

/// Words of a bucket: its lock, the keys of its rows (0 for a free one), how many ranks have started each, and their words.
const LOCK: usize = 0;
const FIRST_KEY: usize = 1;
const FIRST_COUNT: usize = FIRST_KEY + ROWS;
const FIRST_WORD: usize = FIRST_COUNT + ROWS;

/// Words of an offer.
const OFFER_WORDS: usize = 2;
/// The state of an offer that was taken. Before, it is the key of the operation; without an offer it is 0.
const TAKEN: u64 = u64::MAX;

/// The table of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Arrivals {
    slots: Slots,
}

impl Arrivals {
    /// Collective over `comm`: one table for each node; `ranks` are the ranks of this rank's node in ascending order.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize]) -> Result<Self> {
        // The buckets are dealt out to the regions of all ranks.
        let counters = Self::first_offer(ranks.len()) + OFFER_WORDS * ranks.len();
        let layout = slots::Layout::new(super::LINE_PAIR, counters, 1, 0)?;
        Ok(Self { slots: Slots::create(comm, ranks, layout)? })
    }

    fn bucket_words(ranks: usize) -> usize {
        FIRST_WORD + ROWS * ranks
    }

    /// Bytes of this rank's part of the table.
    pub fn bytes(&self) -> usize {
        self.slots.bytes_per_rank()
    }

    /// Where the offers of a rank begin among its words, behind its buckets.
    fn first_offer(ranks: usize) -> usize {
        BUCKETS.div_ceil(ranks) * Self::bucket_words(ranks)
    }

    /// The state of the offer of a rank to another one, and the word of that one.
    fn offer(&self, from: usize, to: usize) -> [&AtomicU64; OFFER_WORDS] {
        let first = Self::first_offer(self.slots.ranks()) + OFFER_WORDS * to;
        [self.slots.counter(from, first), self.slots.counter(from, first + 1)]
    }

    /// Offers another rank of the node to share the work of the operation with this key, before this rank enters it.
    pub fn make_offer(&self, to: usize, key: u64) {
        // Release: whoever takes it sees what this rank has written before.
        self.offer(self.slots.own(), to)[0].store(key, Ordering::Release);
    }

    /// Takes the offer of a rank that has entered before: whether there is one for this operation. That rank gets the word, which is
    /// not 0.
    pub fn take_offer(&self, from: usize, key: u64, own_word: u64) -> bool {
        let [state, word] = self.offer(from, self.slots.own());
        if state.load(Ordering::Relaxed) != key {
            return false;
        }
        // Nobody reads it unless the offer is taken.
        word.store(own_word, Ordering::Relaxed);
        state.compare_exchange(key, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
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
        match state.compare_exchange(key, 0, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => None,
            Err(_) => self.taken_offer(to),
        }
    }

    fn word(&self, bucket: usize, word: usize) -> &AtomicU64 {
        let ranks = self.slots.ranks();
        self.slots.counter(bucket % ranks, bucket / ranks * Self::bucket_words(ranks) + word)
    }

    /// Enters that this rank has started the operation with this key, which is not 0, with a word for the ranks that start it
    /// later. Returns the ranks of the node before this one with their words; `None`, with nothing entered, where the table has no
    /// room for the operation yet. What a rank has written before is seen by those that find its word.
    pub fn enter(&self, key: u64, own_word: u64) -> Option<Vec<(usize, u64)>> {
        let bucket = bucket_of(key);
        let lock = self.word(bucket, LOCK);
        while lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // Held for some hundred nanoseconds, unless its holder has lost its core.
            std::thread::yield_now();
        }
        let before = self.enter_locked(bucket, key, own_word);
        lock.store(0, Ordering::Release);
        before
    }

    fn enter_locked(&self, bucket: usize, key: u64, own_word: u64) -> Option<Vec<(usize, u64)>> {
        let ranks = self.slots.ranks();
        let key_of = |row: usize| self.word(bucket, FIRST_KEY + row);
        let row_with = |key: u64| (0..ROWS).find(|&row| key_of(row).load(Ordering::Relaxed) == key);
        let row = row_with(key).or_else(|| row_with(0))?;
        let word_of = |rank: usize| self.word(bucket, FIRST_WORD + row * ranks + rank);
        let count = self.word(bucket, FIRST_COUNT + row);
        let before: Vec<(usize, u64)> = match count.load(Ordering::Relaxed) {
            0 => Vec::new(),
            _ => (0..ranks)
                .map(|rank| (rank, word_of(rank).load(Ordering::Relaxed)))
                .filter(|&(_, word)| word != 0)
                .collect(),
        };
        if before.len() + 1 == ranks {
            (0..ranks).for_each(|rank| word_of(rank).store(0, Ordering::Relaxed));
            count.store(0, Ordering::Relaxed);
            key_of(row).store(0, Ordering::Relaxed);
        } else {
            word_of(self.slots.own()).store(own_word, Ordering::Relaxed);
            count.store(before.len() as u64 + 1, Ordering::Relaxed);
            key_of(row).store(key, Ordering::Relaxed);
        }
        Some(before)
    }
}

fn bucket_of(key: u64) -> usize {
    ((key ^ key >> 32) % BUCKETS as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    #[test]
    fn of_two_ranks_exactly_one_finds_the_other() {
        const OPERATIONS: u64 = 2000;
        for ranks in [2, 3, 5] {
            let all: Vec<usize> = (0..ranks).collect();
            let found = threads::run(ranks, ranks, |comm| -> Result<_> {
                let arrivals = Arrivals::create(comm, &all)?;
                let mut found = Vec::new();
                for operation in 1..=OPERATIONS {
                    let own = comm.rank() as u64 + 1;
                    let before = loop {
                        match arrivals.enter(operation, 1000 * operation + own) {
                            Some(before) => break before,
                            None => std::thread::yield_now(),
                        }
                    };
                    for (rank, word) in before {
                        assert_eq!(word, 1000 * operation + rank as u64 + 1);
                        found.push((operation, rank.min(comm.rank()), rank.max(comm.rank())));
                    }
                }
                comm.barrier()?;
                Ok(found)
            });
            let mut pairs: Vec<_> = found.into_iter().flat_map(|pairs| pairs.expect("no errors")).collect();
            let expected = OPERATIONS as usize * ranks * (ranks - 1) / 2;
            assert_eq!(pairs.len(), expected, "{ranks} ranks");
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), expected, "{ranks} ranks");
        }
    }

    #[test]
    fn an_offer_is_taken_once_and_not_after_it_was_withdrawn() {
        let results = threads::run(2, 2, |comm| {
            let arrivals = Arrivals::create(comm, &[0, 1])?;
            for (key, is_withdrawn) in [(1, false), (2, true), (3, false)] {
                if comm.rank() == 0 {
                    arrivals.make_offer(1, key);
                    assert_eq!(arrivals.enter(key, 7), Some(Vec::new()));
                    if is_withdrawn {
                        assert_eq!(arrivals.withdraw_offer(1, key), None);
                    }
                }
                comm.barrier()?;
                if comm.rank() == 1 {
                    assert_eq!(arrivals.enter(key, 9), Some(vec![(0, 7)]));
                    // An offer holds for its operation only.
                    assert!(!arrivals.take_offer(0, key + 10, 9));
                    assert_eq!(arrivals.take_offer(0, key, 9), !is_withdrawn);
                }
                comm.barrier()?;
                if comm.rank() == 0 {
                    assert_eq!(arrivals.taken_offer(1), (!is_withdrawn).then_some(9));
                    assert_eq!(arrivals.taken_offer(1), None);
                }
                comm.barrier()?;
            }
            comm.barrier()
        });
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }

    /// Both ranks learn the same of each offer, whoever comes first.
    #[test]
    fn offers_are_taken_or_withdrawn() {
        const OPERATIONS: u64 = 3000;
        let results = threads::run(2, 2, |comm| -> Result<Vec<bool>> {
            let arrivals = Arrivals::create(comm, &[0, 1])?;
            let (own, other) = (comm.rank(), 1 - comm.rank());
            let mut shared = Vec::new();
            for operation in 1..=OPERATIONS {
                arrivals.make_offer(other, operation);
                let word = 10 * operation + own as u64;
                let before = loop {
                    match arrivals.enter(operation, word) {
                        Some(before) => break before,
                        None => std::thread::yield_now(),
                    }
                };
                shared.push(if before.is_empty() {
                    let taken = (0..operation % 50).find_map(|_| arrivals.taken_offer(other));
                    let taken = taken.or_else(|| arrivals.withdraw_offer(other, operation));
                    assert!(taken.is_none_or(|word| word == 10 * operation + other as u64), "{taken:?}");
                    taken.is_some()
                } else {
                    assert_eq!(arrivals.withdraw_offer(other, operation), None);
                    arrivals.take_offer(other, operation, word)
                });
            }
            comm.barrier()?;
            Ok(shared)
        });
        let shared: Vec<Vec<bool>> = results.into_iter().map(|shared| shared.expect("no errors")).collect();
        assert_eq!(shared[0], shared[1]);
    }

    #[test]
    fn a_full_bucket_takes_no_further_operation_until_one_is_complete() {
        let results = threads::run(2, 2, |comm| {
            let arrivals = Arrivals::create(comm, &[0, 1])?;
            let key = |number: usize| ((number + 1) * BUCKETS) as u64;
            if comm.rank() == 0 {
                (0..ROWS).for_each(|number| assert_eq!(arrivals.enter(key(number), 7), Some(Vec::new())));
                assert_eq!(arrivals.enter(key(ROWS), 7), None);
            }
            comm.barrier()?;
            if comm.rank() == 1 {
                assert_eq!(arrivals.enter(key(3), 9), Some(vec![(0, 7)]));
            }
            comm.barrier()?;
            if comm.rank() == 0 {
                assert_eq!(arrivals.enter(key(ROWS), 7), Some(Vec::new()));
            }
            comm.barrier()
        });
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }
}
