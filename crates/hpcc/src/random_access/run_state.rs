//! The state of a run that shipped functions and the program share: the table, the unacknowledged values, and
//! counters.
//!
//! Functions are registered once for the lifetime of the runtime; a table is passed for one run. Its address
//! is therefore stored here for the duration of the run, behind a mutex. The mutex is never contended:
//! functions run while the program waits, or in its progress thread while the program does not hold the lock.

use hcube_random_access::local_table::LocalTable;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Values of an image that have arrived and are not acknowledged yet.
#[derive(Debug)]
struct Unacknowledged {
    image: usize,
    values: u64,
    /// They are applied when this image has applied this number of values.
    due: u64,
}

/// The state of a run on one image.
#[derive(Debug, Default)]
pub(super) struct RunState {
    table: Option<&'static mut LocalTable<'static>>,
    unacknowledged: VecDeque<Unacknowledged>,
    /// Values in one function.
    values: Vec<u64>,
    /// Values that this image has shipped and whose acknowledgement has not arrived.
    pub outstanding: usize,
    /// Functions that have run here.
    pub executed: u64,
    /// Values that have arrived.
    arrived: u64,
    /// Whether this image has generated all its values: values of others are applied and acknowledged when
    /// they arrive.
    pub is_draining: bool,
}

impl RunState {
    /// Runs `work` with the table of the run.
    pub fn with_table<T>(&mut self, work: impl for<'t> FnOnce(&mut LocalTable<'t>) -> T) -> T {
        work(self.table.as_mut().expect("functions are shipped in runs"))
    }

    /// Applies all values that are in the delay line.
    pub fn flush(&mut self) {
        self.with_table(|table| table.flush());
    }

    /// Updates the table with values of an image.
    pub fn update(&mut self, image: usize, bytes: &[u8]) {
        self.values.clear();
        hcube_core::memory::append_bytes(&mut self.values, bytes);
        let table = self.table.as_mut().expect("functions are shipped in runs");
        table.update(&self.values);
        let (values, due) = (self.values.len() as u64, table.accepted());
        self.arrived += values;
        self.executed += 1;
        match self.unacknowledged.back_mut() {
            Some(last) if last.image == image => (last.values, last.due) = (last.values + values, due),
            _ => self.unacknowledged.push_back(Unacknowledged { image, values, due }),
        }
    }

    /// The next values to acknowledge, which are all applied: the image that has shipped them and their
    /// number.
    pub fn next_applied(&mut self) -> Option<(usize, u64)> {
        let applied = self.with_table(|table| table.applied());
        self.unacknowledged.front().filter(|values| values.due <= applied)?;
        self.unacknowledged.pop_front().map(|values| (values.image, values.values))
    }

    /// Values that have arrived since the last call.
    pub fn take_arrived(&mut self) -> usize {
        std::mem::take(&mut self.arrived) as usize
    }
}

/// The state of the current run, shared by the program and its functions.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedState(Arc<Mutex<RunState>>);

impl SharedState {
    pub fn lock(&self) -> MutexGuard<'_, RunState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work`, during which functions update this table.
    pub fn run_with<T>(&self, table: &mut LocalTable<'_>, work: impl FnOnce() -> T) -> T {
        /// Removes the table at the end, also where `work` panics.
        struct Reset<'a>(&'a SharedState);
        impl Drop for Reset<'_> {
            fn drop(&mut self) {
                *self.0.lock() = RunState::default();
            }
        }
        // SAFETY: the reference is removed before this function returns or unwinds, while the table is
        // borrowed; `with_table` passes it only to closures that cannot keep it.
        let table =
            unsafe { std::mem::transmute::<&mut LocalTable<'_>, &'static mut LocalTable<'static>>(table) };
        *self.lock() = RunState { table: Some(table), ..RunState::default() };
        let _reset = Reset(self);
        work()
    }
}
