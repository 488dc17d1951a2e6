//! Locks and critical constructs of a team whose images are all on one node: locks of the runtime, with the
//! errors of Fortran.

use crate::abi::{STAT_LOCKED, STAT_LOCKED_OTHER_IMAGE, STAT_UNLOCKED};
use crate::failure::Failure;
use hcube_caf::node_lock::{NodeLock, Refused};
use hcube_core::atomic::AtomicU64;

/// The lock at an address.
///
/// # Safety
/// There are two words of the shared memory, which are zeros at first and are accessed only by such locks.
pub unsafe fn at<'a>(address: *mut u8) -> NodeLock<'a> {
    // SAFETY: two words of the shared memory, which only such locks access.
    let word = |number| unsafe { AtomicU64::from_ptr(address.cast::<u64>().add(number)) };
    NodeLock::new([0, 1].map(word))
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let (stat, text) = match refused {
            Refused::LockedHere => (STAT_LOCKED, "the lock is locked by this image"),
            Refused::Unlocked => (STAT_UNLOCKED, "the lock is not locked"),
            Refused::LockedElsewhere => (STAT_LOCKED_OTHER_IMAGE, "the lock is locked by another image"),
            Refused::Other(error) => return error.into(),
        };
        Self { stat, text: text.into() }
    }
}
