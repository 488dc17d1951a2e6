//! Memory of the communicators that were not used recently is returned to the system.
//!
//! Idea: programs may create process grids for a task and never free them. The panels of the last few
//! communicators of a process are kept; each process leaves the memory of the others, and the last rank to
//! leave frees its pages ([`CountedMemory::leave`]). No rank waits for others: each process decides itself
//! which communicators are recent.
//!
//! Cost: two locks for each product; freed pages are zero-filled again at the next product on that
//! communicator.
//! Memory: the panels of [`MAX_RECENT`] communicators, for any number of communicators.

use hcube_core::node::counted_memory::CountedMemory;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Communicators whose panels stay, in addition to those that products of other threads use.
const MAX_RECENT: usize = 4;

/// The latest first.
static RECENT: Mutex<Vec<Weak<CommPanels>>> = Mutex::new(Vec::new());

/// The use of a memory by this process.
#[derive(Debug, Default)]
struct Presence {
    /// Products in progress.
    products: usize,
    away: bool,
}

/// The memory of a communicator's panels, and whether this process is away from it.
#[derive(Debug)]
pub struct CommPanels {
    memory: CountedMemory,
    presence: Mutex<Presence>,
}

/// A product in progress.
#[derive(Debug)]
pub struct InUse(Arc<CommPanels>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CommPanels {
    /// Memory that is used for the first time.
    pub fn new(memory: CountedMemory) -> Arc<Self> {
        Arc::new(Self { memory, presence: Mutex::default() })
    }

    /// The memory; only a product [in progress](Self::begin) uses it.
    pub fn memory(&self) -> &CountedMemory {
        &self.memory
    }

    /// Begins a product, after which this memory is the latest one.
    pub fn begin(self: &Arc<Self>) -> InUse {
        {
            let mut presence = lock(&self.presence);
            presence.products += 1;
            if std::mem::take(&mut presence.away) {
                self.memory.come_back(std::thread::yield_now);
            }
        }
        for old in self.make_latest() {
            old.leave();
        }
        InUse(Arc::clone(self))
    }

    /// Memories that are not among the latest any more.
    fn make_latest(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut recent = lock(&RECENT);
        if recent.first().is_some_and(|first| std::ptr::eq(first.as_ptr(), Arc::as_ptr(self))) {
            return Vec::new();
        }
        recent.retain(|one| !std::ptr::eq(one.as_ptr(), Arc::as_ptr(self)) && one.strong_count() > 0);
        recent.insert(0, Arc::downgrade(self));
        let kept = recent.len().min(MAX_RECENT);
        recent.drain(kept..).filter_map(|one| one.upgrade()).collect()
    }

    fn leave(&self) {
        let mut presence = lock(&self.presence);
        // Another thread multiplies there: it is the latest again at the next product.
        if presence.products == 0 && !presence.away {
            presence.away = true;
            self.memory.leave();
        }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        lock(&self.0.presence).products -= 1;
    }
}
