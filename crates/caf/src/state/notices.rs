//! Notifications that other images consume for this image, for copies with a predicate on another image.

use std::collections::BTreeSet;

/// The notifications that this image has requested.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    asked: u64,
    /// Those that were taken and are not known to their copies, by the numbers of the questions.
    taken: BTreeSet<u64>,
}

impl Notices {
    /// This image requests a notification: the number of the request.
    pub fn ask(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// Another image has consumed a notification for this one. Returns whether it was requested.
    #[must_use]
    pub fn note_taken(&mut self, number: u64) -> bool {
        (1..=self.asked).contains(&number) && self.taken.insert(number)
    }

    /// Whether a notification has been consumed, which is reported once.
    pub fn is_taken(&mut self, number: u64) -> bool {
        self.taken.remove(&number)
    }
}
