//! The clock of a simulated rank: recorded local work, and the time that passes for it.

use super::handle::simulated;
use super::raw;
use crate::error::Result;
use crate::machine::work::{Costs, Ledger, REST, Work};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The time that a rank must add to its clock; always zero if ranks are not simulated.
#[derive(Debug)]
pub(super) struct Clock {
    made: Instant,
    costs: Option<Costs>,
    /// One thread after the other; never locked while time passes.
    noted: Mutex<Ledger>,
}

impl Clock {
    /// # Errors
    /// Where the costs cannot be read: all simulated ranks have one environment, so all of them refuse.
    pub fn new() -> Result<Self> {
        let costs = simulated().then(Costs::from_environment).transpose()?;
        Ok(Self { made: Instant::now(), costs, noted: Mutex::default() })
    }

    /// Whether ranks are simulated.
    #[inline]
    pub fn is_simulated(&self) -> bool {
        self.costs.is_some()
    }

    /// Notes work.
    #[inline]
    pub fn charge(&self, work: Work) {
        if self.is_simulated() {
            self.note(work);
        }
    }

    #[cold]
    fn note(&self, work: Work) {
        self.noted().add(work);
    }

    /// Lets the time pass for what was noted.
    #[inline]
    pub fn settle(&self) {
        if let Some(costs) = &self.costs {
            self.pass_noted(costs);
        }
    }

    #[cold]
    fn pass_noted(&self, costs: &Costs) {
        let noted = std::mem::take(&mut *self.noted());
        self.pass(costs.of(&noted));
    }

    /// Lets this time pass.
    pub fn rest(&self, nanoseconds: f64) {
        if self.is_simulated() {
            self.charge(REST.of(1));
            self.settle();
            self.pass(nanoseconds);
        }
    }

    /// Seconds since some time in the past. MPI's own clock need not be monotonic, so only simulated ranks
    /// go by it.
    pub fn seconds(&self) -> f64 {
        if self.is_simulated() {
            self.settle();
            // SAFETY: MPI is initialised as long as there are communicators.
            unsafe { raw::PMPI_Wtime() }
        } else {
            self.made.elapsed().as_secs_f64()
        }
    }

    fn noted(&self) -> MutexGuard<'_, Ledger> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass(&self, nanoseconds: f64) {
        // SAFETY: only this rank's clock advances; no borrow of state that ranks share is held.
        unsafe { raw::hcube_shim_pass(nanoseconds) };
    }
}
