//! Notices that other images take for this one, whose copies wait for them.

use hcube_core::error::{Error, Result};
use std::collections::BTreeMap;

/// The notices for which this image has asked.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    asked: u64,
    /// Whether each of them has been taken, by the numbers of the questions.
    awaited: BTreeMap<u64, bool>,
}

impl Notices {
    /// This image asks for a notice: the number of the question.
    pub fn ask(&mut self) -> u64 {
        self.asked += 1;
        self.awaited.insert(self.asked, false);
        self.asked
    }

    /// Another image has taken a notice for this one.
    ///
    /// # Errors
    /// [`Error::Internal`] where this image has not asked for it.
    pub fn note_taken(&mut self, number: u64) -> Result<()> {
        let is_taken = self.awaited.get_mut(&number);
        *is_taken.ok_or_else(|| Error::Internal("a notice for no copy".into()))? = true;
        Ok(())
    }

    /// Whether a notice has been taken. If so, the question is forgotten.
    pub fn is_taken(&mut self, number: u64) -> bool {
        let is_taken = self.awaited.get(&number) == Some(&true);
        if is_taken {
            self.awaited.remove(&number);
        }
        is_taken
    }
}
