//! Private communicators that several communicators of the program share.
//!
//! Idea: MPI libraries support few communicators (MPICH about 2,000 per process), and a program that uses
//! most of them must get as many with hcube as without. Communicators of the same processes in the same order
//! therefore share the private communicator of the first of them. Each has separate tags, and no collective
//! function is called on the shared communicator: no message of one communicator is received for another,
//! even if threads use them at the same time, and in a different order on each rank.
//!
//! The first rank of a communicator selects a private communicator and a number for the tags. It is the same
//! process for all communicators that share, and assigns a number to only one of them at a time. All ranks
//! agree that they have that private communicator; if one does not, because another thread is still creating
//! it, a new one is created.
//!
//! Restrictions: communicators whose members are known ([`Members`]), at most as many as there are numbers
//! below `MPI_TAG_UB`. A number that is free again is reused after all others, as some rank may still be in
//! its last exchange with it.
//! Cost: a broadcast and an all-reduce.

use super::MpiComm;
use super::messages::{Messages, Numbers, Private, Sharing};
use crate::atomic::{AtomicU64, Ordering};
use crate::comm::Comm;
use crate::comm::tags::TAGS;
use crate::error::Result;
use crate::mpi::constants::constants;
use crate::mpi::handle::world;
use crate::mpi::membership::Members;
use crate::mpi::raw;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The private communicators of this process that may be shared.
static ALL: Mutex<Vec<Weak<Private>>> = Mutex::new(Vec::new());

/// Numbers of tags that the MPI library has.
fn bound() -> c_int {
    let (mut value, mut found) = (std::ptr::null_mut::<c_int>(), 0);
    // SAFETY: a living communicator and a predefined key value; MPI writes a pointer to a number that lasts.
    unsafe {
        let comm = world().raw();
        raw::PMPI_Comm_get_attr(comm, constants().tag_ub, (&raw mut value).cast::<c_void>(), &mut found);
        if found == 0 || value.is_null() { 1 } else { (*value / TAGS).max(1) }
    }
}

fn all() -> MutexGuard<'static, Vec<Weak<Private>>> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|private| private.strong_count() > 0);
    all
}

/// A private communicator of these ranks that still has a number, and the number.
fn offer(ranks: &[i32]) -> Option<Messages> {
    let candidates: Vec<_> = all().iter().filter_map(Weak::upgrade).collect();
    candidates.into_iter().find_map(|private| {
        let sharing = private.sharing.as_ref().filter(|sharing| sharing.ranks == ranks)?;
        let number = sharing.numbers.lock().unwrap_or_else(PoisonError::into_inner).give()?;
        Some(Messages::shared(private, number, true))
    })
}

/// The private communicator with a name.
fn find(name: u64, ranks: &[i32]) -> Option<Arc<Private>> {
    let candidates: Vec<_> = all().iter().filter_map(Weak::upgrade).collect();
    let is_it = |sharing: &Sharing| sharing.name == name && sharing.ranks == ranks;
    candidates.into_iter().find(|private| private.sharing.as_ref().is_some_and(is_it))
}

/// A name that no other private communicator of this first rank has.
fn new_name(first: i32) -> u64 {
    static NAMES: AtomicU64 = AtomicU64::new(1);
    (first as u64) << 32 | NAMES.fetch_add(1, Ordering::Relaxed)
}

impl MpiComm {
    /// Collective: a private communicator that one of the same ranks has, or a new one.
    #[cold]
    pub(super) fn share_private(&self) -> Result<Messages> {
        let ranks = match self.members() {
            Ok(Members::Known(ranks)) => Some(ranks),
            _ => None,
        };
        let is_first = self.rank() == 0;
        let offered = ranks.as_deref().filter(|_| is_first).and_then(offer);
        let mut words = [0; 3];
        if let (true, Some(ranks)) = (is_first, &ranks) {
            let (name, number) = offered.as_ref().map_or((0, 0), Messages::place);
            words = [name, number, new_name(ranks[0])];
        }
        self.broadcast_words(&mut words)?;
        let [name, number, new] = words;
        let found = match &ranks {
            Some(ranks) if !is_first && name != 0 => {
                find(name, ranks).map(|private| Messages::shared(private, number as c_int, false))
            }
            _ => offered,
        };
        let mut lacking = [i64::from(found.is_none()), i64::from(ranks.is_none())];
        self.all_reduce_max(&mut lacking)?;
        match (lacking, found) {
            ([0, _], Some(found)) => Ok(found),
            (lacking, found) => {
                drop(found);
                let private = self.create_private()?;
                let Some(ranks) = ranks.filter(|_| lacking[1] == 0) else {
                    return Ok(Messages::alone(private));
                };
                let sharing = Sharing { name: new, ranks, numbers: Mutex::new(Numbers::new(bound())) };
                let private = Arc::new(Private::new(private, Some(sharing)));
                all().push(Arc::downgrade(&private));
                Ok(Messages::shared(private, 0, is_first))
            }
        }
    }

    fn broadcast_words(&self, words: &mut [u64; 3]) -> Result<()> {
        let mut bytes = words.map(u64::to_ne_bytes).concat();
        self.broadcast(&mut bytes, 0)?;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(size_of::<u64>())) {
            *word = u64::from_ne_bytes(bytes.try_into().expect("as long as a word"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_differ() {
        let names = BTreeSet::from([new_name(0), new_name(0), new_name(1), new_name(1)]);
        assert!(names.len() == 4 && !names.contains(&0));
    }
}
