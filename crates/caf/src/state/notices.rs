//! Notifications that other images consume for this image, for copies with a predicate on another image.

use std::collections::BTreeSet;

/// The notices for which this image has asked.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    asked: u64,
    /// Those that were taken and are not known to their copies, by the numbers of the questions.
    taken: BTreeSet<u64>,
}

impl Notices {
    /// This image asks for a notice: the number of the question.
    pub fn ask(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// Another image has taken a notice for this one. Whether it was asked for it.
    #[must_use]
    pub fn note_taken(&mut self, number: u64) -> bool {
        (1..=self.asked).contains(&number) && self.taken.insert(number)
    }

    /// Whether a notice has been taken, which is said once.
    pub fn is_taken(&mut self, number: u64) -> bool {
        self.taken.remove(&number)
    }
}
