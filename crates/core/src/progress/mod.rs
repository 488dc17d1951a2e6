//! Progress while a rank waits: the work of waiting loops for others.
//!
//! A rank that waits for another must not delay third ranks: MPI has to make progress with outstanding
//! messages ([`Progress::progress`]), and systems may have work that only this rank can do, for example to
//! reply to a request of another rank ([`pollers`]). Every waiting loop does both, through [`wait::Wait`]; if
//! a wait is an MPI call, the back end makes it a loop as soon as there is a poller.

#[cfg(hcube_model)]
pub mod model_rank;
pub mod pollers;
pub mod wait;

use crate::error::Error;
use pollers::Pollers;
use std::sync::Arc;

/// The functions of a communicator that a waiting loop needs.
///
/// # Safety
/// [`abort`](Self::abort) ends the job or, where ranks are threads of one process, panics: it is called when
/// memory must not be freed because other ranks or the MPI library still use it.
///
/// Safe code cannot pretend to be a communicator:
///
/// ```compile_fail,E0200
/// use hcube_core::progress::{Progress, pollers::Pollers};
/// struct Pretended(std::sync::Arc<Pollers>);
/// impl Progress for Pretended {
///     fn progress(&self) {}
///     fn pollers(&self) -> &std::sync::Arc<Pollers> {
///         &self.0
///     }
///     fn abort(&self, _: &hcube_core::Error) -> ! {
///         panic!()
///     }
/// }
/// ```
pub unsafe trait Progress {
    /// Lets the MPI library make progress on outstanding operations. Local, about 100 ns.
    fn progress(&self);
    /// The pollers of this rank: one registry for a communicator and all that were split from it.
    fn pollers(&self) -> &Arc<Pollers>;
    /// Whether all ranks share one thread (simulation), so that each poll of a waiting loop must pass time.
    fn simulated(&self) -> bool {
        false
    }
    /// Passes time in a simulation; otherwise returns immediately.
    fn rest(&self, _nanoseconds: f64) {}
    /// Ends the job: for a failure in the middle of an exchange that other ranks are waiting in.
    fn abort(&self, error: &Error) -> !;

    /// Calls every registered poller once. A poller that fails ends the job, as other ranks wait for it.
    #[inline]
    fn drive(&self) {
        if !self.pollers().is_empty()
            && let Err(error) = self.pollers().drive()
        {
            self.abort(&error);
        }
    }
}
