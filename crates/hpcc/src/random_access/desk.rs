//! What shipped functions share with the program: the table of the run, what they owe to whom, and what is open.
//!
//! Functions are registered once and live as long as the runtime, tables as long as a run. So the table is lent for the time
//! of a run, behind a lock, which is never contended: functions run where the program waits, or in its progress thread while
//! it does not.

use hcube_random_access::local_table::LocalTable;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values of an image that have arrived and may not be applied yet.
#[derive(Debug)]
struct Owed {
    image: usize,
    values: u64,
    /// They are applied when this image has applied this number of values.
    due: u64,
}

/// What functions and the program share.
#[derive(Debug, Default)]
pub(super) struct Desk {
    table: Option<&'static mut LocalTable<'static>>,
    owed: VecDeque<Owed>,
    /// Values in one function.
    values: Vec<u64>,
    /// Values that this image has shipped and that are not applied yet, as far as it knows.
    pub open: usize,
    /// Functions that have run here.
    pub heard: u64,
    /// Values that have arrived.
    pub arrived: u64,
    /// Whether this image has nothing to generate any more: what it owes is paid at once.
    pub is_draining: bool,
}

impl Desk {
    /// Runs `work` with the table of the run.
    pub fn with_table<T>(&mut self, work: impl for<'t> FnOnce(&mut LocalTable<'t>) -> T) -> T {
        work(self.table.as_mut().expect("functions are shipped in runs"))
    }

    /// Applies all values that are in the delay line.
    pub fn flush(&mut self) {
        self.with_table(|table| table.flush());
    }

    /// Takes values of an image.
    pub fn take(&mut self, image: usize, bytes: &[u8]) {
        self.values.clear();
        hcube_core::memory::append_bytes(&mut self.values, bytes);
        let table = self.table.as_mut().expect("functions are shipped in runs");
        table.update(&self.values);
        let (values, due) = (self.values.len() as u64, table.accepted());
        self.arrived += values;
        self.heard += 1;
        match self.owed.back_mut() {
            Some(last) if last.image == image => (last.values, last.due) = (last.values + values, due),
            _ => self.owed.push_back(Owed { image, values, due }),
        }
    }

    /// Values of others that are all applied now: how many of whom.
    pub fn next_due(&mut self) -> Option<(usize, u64)> {
        let applied = self.with_table(|table| table.applied());
        self.owed.front().filter(|owed| owed.due <= applied)?;
        self.owed.pop_front().map(|owed| (owed.image, owed.values))
    }

    /// Values that have arrived since this was last asked.
    pub fn arrived(&mut self) -> usize {
        std::mem::take(&mut self.arrived) as usize
    }
}

/// The desk of an image.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Desk>>);

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work`, in which functions find this table.
    pub fn lend<T>(&self, table: &mut LocalTable<'_>, work: impl FnOnce() -> T) -> T {
        /// Takes the table back, also where `work` panics.
        struct Loan<'a>(&'a Shared);
        impl Drop for Loan<'_> {
            fn drop(&mut self) {
                *self.0.lock() = Desk::default();
            }
        }
        // SAFETY: the reference is taken back before this function ends or unwinds, while the table is borrowed; the desk
        // gives it to nobody who could keep it (`with_table`).
        let table =
            unsafe { std::mem::transmute::<&mut LocalTable<'_>, &'static mut LocalTable<'static>>(table) };
        *self.lock() = Desk { table: Some(table), ..Desk::default() };
        let _loan = Loan(self);
        work()
    }
}
