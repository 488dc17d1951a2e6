//! Ctrl-C, and the signal by which launchers pass it on: a long computation ends when it polls next, a second
//! signal ends the process at once.

use hcube_core::error::{Error, Result, reason};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of a command that was interrupted, as shells have it for SIGINT.
pub const STATUS: u8 = 130;

/// Whether the user has interrupted the command.
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes SIGINT, SIGTERM and SIGHUP. Once per process.
    ///
    /// # Errors
    /// Where the system refuses it.
    pub fn install() -> Result<Self> {
        let requested = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&requested);
        let handler = move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(STATUS.into());
            }
        };
        ctrlc::set_handler(handler).map_err(|error| match error {
            ctrlc::Error::System(error) => Error::Internal(format!("signals: {}", reason(&error))),
            other => Error::Internal(format!("signals: {other}")),
        })?;
        Ok(Self(requested))
    }

    /// One that never comes.
    #[cfg(test)]
    pub fn none() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
