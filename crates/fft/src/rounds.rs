//! What the ranks of a node tell each other in a transform, and their three waits.
//!
//! Idea: before the first wait each rank tells the others where its input and its output are, or that it has
//! an error. After an error all return at that wait, and a rank may be in its next transform before others
//! have read it; transforms therefore use two counters for errors in turn, and a rank cannot be two
//! transforms ahead of another.
//!
//! Cost: two stores, and three meetings ([`CountedMemory::meet`]).

use crate::memory::PARTS;
use hcube_core::atomic::{AtomicU64, Ordering};
use hcube_core::error::{Error, Result};
use hcube_core::node::counted_memory::{CountedMemory, Counter};
use hcube_core::progress::{Progress, wait::Patience};

/// Waits of a transform.
const WAITS: u64 = 3;
/// Bits for the code of an error.
const CODE_BITS: u32 = 8;

/// Where the input and the output of this rank are: numbers of its parts in shared memory, or its own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// The part with the input.
    pub input: Option<usize>,
    /// The part with the output.
    pub output: Option<usize>,
}

impl Places {
    /// As a number, for others.
    fn number(self) -> u64 {
        let digit = |part: Option<usize>| part.map_or(PARTS, |part| part) as u64;
        digit(self.input) * (PARTS as u64 + 1) + digit(self.output)
    }

    /// The converse.
    fn of(number: u64) -> Self {
        let base = PARTS as u64 + 1;
        let part = |digit: u64| (digit < PARTS as u64).then_some(digit as usize);
        Self { input: part(number / base % base), output: part(number % base) }
    }
}

/// The transforms of ranks that share memory, one after the other.
#[derive(Debug)]
pub struct Rounds {
    memory: CountedMemory,
    patience: Patience,
    /// Waits of earlier transforms.
    waits: u64,
}

impl Rounds {
    /// Before the first transform.
    pub const fn new(memory: CountedMemory, patience: Patience) -> Self {
        Self { memory, patience, waits: 0 }
    }

    /// The memory that the ranks share.
    pub const fn memory(&self) -> &CountedMemory {
        &self.memory
    }

    fn own_counter(&self, counter: Counter) -> &AtomicU64 {
        self.memory.counter(self.memory.own_number(), counter)
    }

    /// Where an error of this transform is told.
    const fn refusals(&self) -> Counter {
        if (self.waits / WAITS).is_multiple_of(2) { Counter::Complete } else { Counter::Released }
    }

    /// Tells the others the places of this rank, or its error, before the first wait.
    pub fn tell(&self, places: std::result::Result<Places, &Error>) {
        match places {
            Ok(places) => self.own_counter(Counter::Multiplied).store(places.number(), Ordering::Relaxed),
            Err(error) => {
                let number = (self.waits + 1) << CODE_BITS | error.code() as u64;
                self.own_counter(self.refusals()).store(number, Ordering::Relaxed);
            }
        }
    }

    /// Wait number 1, 2 or 3 of a transform: returns when all ranks have come to it.
    pub fn wait<P: Progress>(&self, comm: &P, number: u64) {
        self.memory.meet(self.waits + number, self.patience, comm);
    }

    /// The places of all ranks, or the error of the first rank that has one, after the first wait.
    ///
    /// # Errors
    /// Of another rank.
    pub fn all_places(&self) -> Result<Vec<Places>> {
        let ranks = 0..self.memory.ranks();
        let read = |rank, counter| self.memory.counter(rank, counter).load(Ordering::Relaxed);
        for rank in ranks.clone() {
            let number = read(rank, self.refusals());
            if number >> CODE_BITS == self.waits + 1 {
                let code = (number % (1 << CODE_BITS)) as i32;
                let message = "its part of the vector is not valid".into();
                return Err(Error::Remote { rank, code, message });
            }
        }
        // Without an error all ranks stay in this transform until its last wait.
        Ok(ranks.map(|rank| Places::of(read(rank, Counter::Multiplied))).collect())
    }

    /// The transform has ended on this rank, after its last wait or an error.
    pub const fn end(&mut self) {
        self.waits += WAITS;
    }
}

#[cfg(hcube_model)]
pub mod model;
