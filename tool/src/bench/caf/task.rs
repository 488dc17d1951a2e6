//! What is measured, and the data by which it is verified.

use crate::bench::lengths::name;
use clap::ValueEnum;
use hcube_results::caf::Subject;
use hcube_results::measured::Place;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a word, in which data is verified.
pub const WORD: usize = size_of::<u64>();
/// Elements of a strided put, and words from one to the next.
pub const ELEMENTS: usize = 1000;
pub const STRIDE: usize = 8;
/// Words of a rank that shipped functions change: more than a second-level cache has room for, except in
/// tests, since other tests that run at the same time measure the memory of the process.
pub const TABLE_WORDS: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// What is measured, in the order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Operation {
    /// a contiguous put to the next image
    Put,
    /// a contiguous get from the next image
    Get,
    /// a put of 1000 elements of 8 bytes, 64 bytes apart
    PutStrided,
    /// an atomic addition to a word of the next image
    FetchAdd,
    /// an atomic compare-and-swap of a word of the next image
    CompareSwap,
    /// notify and wait, back and forth between two images; the time of one way
    Event,
    /// lock and unlock, on the next image
    Lock,
    /// a barrier of all images
    Barrier,
    /// a finish block in which nothing is shipped
    Finish,
    /// functions shipped to random images, each an exclusive-or on a random word
    SpawnXor,
    /// an asynchronous copy to the next image, until its event
    CopyAsync,
    /// a broadcast
    Broadcast,
    /// a sum of 64-bit integers on all images
    Allreduce,
}

/// Sizes without `--sizes`.
const ACCESSES: [usize; 5] = [8, 64, 4 << 10, 64 << 10, 1 << 20];
const COLLECTIVES: [usize; 2] = [8, 1 << 20];

impl Operation {
    /// Bytes without `--sizes`, which may be another list where the second value says so.
    pub fn sizes(self) -> (&'static [usize], bool) {
        match self {
            Self::Put | Self::Get => (&ACCESSES, true),
            Self::CopyAsync => (&COLLECTIVES[1..], true),
            Self::Broadcast | Self::Allreduce => (&COLLECTIVES, true),
            Self::PutStrided => (&[ELEMENTS * WORD], false),
            Self::FetchAdd | Self::CompareSwap | Self::SpawnXor => (&[WORD], false),
            Self::Event | Self::Lock | Self::Barrier | Self::Finish => (&[0], false),
        }
    }

    /// Whether all ranks do the same, rather than only the first one.
    pub fn is_collective(self) -> bool {
        matches!(self, Self::Barrier | Self::Finish | Self::SpawnXor | Self::Broadcast | Self::Allreduce)
    }
}

/// An operation and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    pub operation: Operation,
    pub bytes: usize,
}

/// A pseudorandom number, computed from this number.
fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (number ^ number >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ number >> 32
}

/// The word that a rank sends at a place.
fn word(rank: usize, place: usize) -> u64 {
    mixed((rank as u64 + 1) << 32 | place as u64) >> 8
}

/// The words that a rank changes: rank, index, what is combined with it.
pub struct Stream(u64);

impl Stream {
    pub fn new(rank: usize) -> Self {
        Self(88_172_645_463_325_252 + 7919 * rank as u64)
    }

    /// The next one, of a number of ranks.
    #[inline]
    pub fn next(&mut self, ranks: usize) -> (usize, usize, u64) {
        let Self(x) = self;
        *x ^= *x << 13;
        *x ^= *x >> 7;
        *x ^= *x << 17;
        ((*x >> 40) as usize % ranks, *x as usize % TABLE_WORDS, *x)
    }
}

/// Operations by which one is verified.
pub const VERIFIED: u32 = 64;

impl Task {
    /// Without any repetition, only what ends a batch.
    pub const NOTHING: Self = Self { operation: Operation::Barrier, bytes: 0 };

    /// Words that a rank has of the memory that others access.
    pub fn shared_words(&self) -> usize {
        match self.operation {
            Operation::PutStrided => ELEMENTS * STRIDE,
            Operation::SpawnXor => TABLE_WORDS,
            _ => (self.bytes / WORD).max(1),
        }
    }

    /// Words of the memory that only a rank itself uses.
    pub fn own_words(&self) -> usize {
        (self.bytes / WORD).max(1)
    }

    /// What results say of it.
    pub fn described(&self, place: Place) -> Subject {
        Subject { place, operation: name(self.operation), bytes: self.bytes }
    }

    /// Operations by which it is verified.
    pub fn verified_by(&self) -> u32 {
        if self.bytes > 64 { 1 } else { VERIFIED }
    }

    /// Known data where it comes from, and none where it arrives.
    pub fn fill(&self, own: &[AtomicU64], shared: &[AtomicU64], rank: usize) {
        let (own, shared) = (&own[..self.own_words()], &shared[..self.shared_words()]);
        let is_get = self.operation == Operation::Get;
        let set = |area: &[AtomicU64], known: bool| {
            for (place, to) in area.iter().enumerate() {
                to.store(if known { word(rank, place) } else { 0 }, Ordering::Relaxed);
            }
        };
        set(own, !is_get);
        set(shared, is_get);
    }

    /// Words that are not what they have to be after [`Self::verified_by`] operations; nothing where no data
    /// shows it.
    pub fn wrong(&self, own: &[AtomicU64], shared: &[AtomicU64], rank: usize, ranks: usize) -> Option<u64> {
        let (own, shared) = (&own[..self.own_words()], &shared[..self.shared_words()]);
        let (is_target, is_first) = (rank == 1 % ranks, rank == 0);
        let count = |area: &[AtomicU64], expected: &dyn Fn(usize) -> u64| {
            let wrong =
                |(place, word): &(usize, &AtomicU64)| word.load(Ordering::Relaxed) != expected(*place);
            area.iter().enumerate().filter(wrong).count() as u64
        };
        Some(match self.operation {
            Operation::Put | Operation::CopyAsync if is_target => count(shared, &|place| word(0, place)),
            Operation::PutStrided if is_target => count(shared, &|place| {
                if place % STRIDE == 0 { word(0, place / STRIDE) } else { 0 }
            }),
            Operation::FetchAdd | Operation::CompareSwap if is_target => {
                count(shared, &|_| u64::from(self.verified_by()))
            }
            Operation::Get if is_first => count(own, &|place| word(1 % ranks, place)),
            Operation::Broadcast => count(own, &|place| word(0, place)),
            Operation::Allreduce => count(shared, &|place| {
                (0..ranks).fold(0, |sum: u64, from| sum.wrapping_add(word(from, place)))
            }),
            Operation::SpawnXor => {
                let table = self.changed(rank, ranks);
                count(shared, &|place| table[place])
            }
            Operation::Event | Operation::Lock | Operation::Barrier | Operation::Finish => return None,
            _ => 0,
        })
    }

    /// What the table of a rank is after the verified operations of all ranks.
    fn changed(&self, rank: usize, ranks: usize) -> Vec<u64> {
        let mut table = vec![0; TABLE_WORDS];
        for from in 0..ranks {
            let mut stream = Stream::new(from);
            for _ in 0..self.verified_by() {
                let (to, index, value) = stream.next(ranks);
                if to == rank {
                    table[index] ^= value;
                }
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::caf::{BARRIER, FINISH, SPAWN, STRIDED, SWEPT};

    fn area(words: usize) -> Vec<AtomicU64> {
        (0..words).map(|_| AtomicU64::new(7)).collect()
    }

    #[test]
    fn names_are_those_of_results() {
        let names =
            [Operation::PutStrided, Operation::Barrier, Operation::Finish, Operation::SpawnXor].map(name);
        assert_eq!(names, [STRIDED, BARRIER, FINISH, SPAWN]);
        let all: Vec<String> = Operation::value_variants().iter().map(|&one| name(one)).collect();
        assert!(SWEPT.iter().all(|name| all.iter().any(|one| one == name)), "{all:?}");
    }

    #[test]
    fn what_has_not_arrived_is_found() {
        for &operation in Operation::value_variants() {
            let task = Task { operation, bytes: operation.sizes().0[0].min(ELEMENTS * WORD) };
            let areas: Vec<_> = (0..3).map(|_| [area(task.own_words()), area(task.shared_words())]).collect();
            for (rank, [own, shared]) in areas.iter().enumerate() {
                task.fill(own, shared, rank);
            }
            let wrong =
                areas.iter().enumerate().map(|(rank, [own, shared])| task.wrong(own, shared, rank, 3));
            let wrong: Vec<_> = wrong.collect();
            if task.bytes == 0 {
                assert_eq!(wrong, [None; 3], "{operation:?}");
                continue;
            }
            assert!(wrong.iter().flatten().sum::<u64>() > 0, "{operation:?}: {wrong:?}");
            let places = if operation.is_collective() { 0..3 } else { 0..2 };
            assert!(
                !operation.is_collective() || wrong[places.start + 1] > Some(0),
                "{operation:?}: {wrong:?}"
            );
        }
    }

    #[test]
    fn what_has_arrived_is_right() {
        let task = Task { operation: Operation::SpawnXor, bytes: WORD };
        let tables: Vec<_> = (0..3).map(|_| area(TABLE_WORDS)).collect();
        tables.iter().for_each(|table| task.fill(&area(1), table, 0));
        for from in 0..3 {
            let mut stream = Stream::new(from);
            for _ in 0..task.verified_by() {
                let (to, index, value) = stream.next(3);
                tables[to][index].fetch_xor(value, Ordering::Relaxed);
            }
        }
        for (rank, table) in tables.iter().enumerate() {
            assert_eq!(task.wrong(&area(1), table, rank, 3), Some(0));
        }
        let task = Task { operation: Operation::Get, bytes: 64 };
        let (own, shared) = (area(8), area(8));
        task.fill(&own, &shared, 1);
        assert_eq!(task.wrong(&shared, &own, 0, 2), Some(0));
        assert_eq!(task.wrong(&own, &shared, 0, 2), Some(8));
    }
}
