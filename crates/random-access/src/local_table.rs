//! The words of the table that a rank owns, and the values waiting to be applied to them.

use super::kernel::update::{DelayLine, Words};
use super::table::Index;

/// The words that this rank owns, with the delay line before them.
#[derive(Debug)]
pub struct LocalTable<'a> {
    words: Words<'a>,
    line: DelayLine,
    accepted: u64,
}

impl<'a> LocalTable<'a> {
    /// `first` is the global index of the first word.
    pub fn new(words: &'a mut [u64], first: u64, index: Index) -> Self {
        Self { words: Words { words, first, index, foreign: 0 }, line: DelayLine::default(), accepted: 0 }
    }

    /// Takes values that this rank owns; the last of them may stay unapplied for a while, see
    /// [`Self::applied`].
    pub fn update(&mut self, values: &[u64]) {
        self.line.update(values, &mut self.words);
        self.accepted += values.len() as u64;
    }

    /// Applies all values taken.
    pub fn flush(&mut self) {
        self.line.flush(&mut self.words);
    }

    /// Number of values taken.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Number of values taken and not applied yet.
    pub fn waiting(&self) -> usize {
        self.line.waiting()
    }

    /// Number of values applied, in the order in which they were taken.
    pub fn applied(&self) -> u64 {
        self.accepted - self.waiting() as u64
    }

    /// Number of values that this rank does not own: a defect of the routing. They were not applied.
    pub fn foreign(&self) -> u64 {
        self.words.foreign
    }
}
