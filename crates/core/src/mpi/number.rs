//! A number that MPI creates for the whole process: a key value of attributes, or an error code.

use crate::atomic::{AtomicI32, Ordering};
use crate::error::Result;
use std::ffi::c_int;

/// One number for the whole process, created at its first use. Threads that find it see what the one that has
/// created it has done before.
#[derive(Debug)]
pub(super) struct Number(AtomicI32);

const UNSET: i32 = i32::MIN;

impl Number {
    pub const fn new() -> Self {
        Self(AtomicI32::new(UNSET))
    }

    /// The number, if it has been created.
    #[inline]
    pub fn known(&self) -> Option<c_int> {
        Some(self.0.load(Ordering::Acquire)).filter(|&known| known != UNSET)
    }

    /// The number. Two threads may both create one: the loser frees its own, so that no lock is held while
    /// MPI is called.
    ///
    /// # Errors
    /// Errors of `create`.
    pub fn get_or_create(
        &self,
        create: impl FnOnce() -> Result<c_int>,
        free: impl FnOnce(c_int),
    ) -> Result<c_int> {
        if let Some(known) = self.known() {
            return Ok(known);
        }
        let created = create()?;
        match self.0.compare_exchange(UNSET, created, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Ok(created),
            Err(winner) => {
                free(created);
                Ok(winner)
            }
        }
    }
}

#[cfg(hcube_model)]
pub mod model;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn the_first_one_stays_and_a_later_one_is_freed() {
        let key = Number::new();
        assert_eq!(key.known(), None);
        let failed = Error::Internal("no more key values".into());
        assert_eq!(key.get_or_create(|| Err(failed.clone()), |_| unreachable!()), Err(failed));
        let mut freed = None;
        let late = || {
            // Another thread is quicker.
            key.get_or_create(|| Ok(7), |_| unreachable!())?;
            Ok(8)
        };
        assert_eq!(key.get_or_create(late, |created| freed = Some(created)), Ok(7));
        assert_eq!((key.known(), freed), (Some(7), Some(8)));
        assert_eq!(key.get_or_create(|| unreachable!(), |_| unreachable!()), Ok(7));
    }
}
