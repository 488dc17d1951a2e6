//! The life of MPI in a process, for runtimes, which own the process: they initialise MPI if the program has
//! not, and then finalise it when the program ends.

use super::backend::MpiComm;
use super::check::check;
use super::constants::constants;
use super::handle::{self, check_state, world};
use super::misspelt;
use super::raw;
use crate::error::{Error, Result};
use std::ptr;

/// Collective over all processes of the job: initialises MPI if it is not initialised. Returns whether it
/// did.
///
/// # Errors
/// [`Error::MpiState`] if MPI is finalised, and errors of MPI.
pub fn initialise() -> Result<bool> {
    match check_state() {
        Ok(()) => Ok(false),
        Err(error) if is_finalised() => Err(error),
        Err(_) => {
            // SAFETY: MPI is neither initialised nor finalised; MPI takes no arguments of the program.
            check("MPI_Init", unsafe { raw::PMPI_Init(ptr::null_mut(), ptr::null_mut()) })?;
            Ok(true)
        }
    }
}

/// Whether functions of MPI may be called: it is initialised and not finalised.
#[must_use]
pub fn is_active() -> bool {
    check_state().is_ok()
}

fn is_finalised() -> bool {
    let mut finalised = 0;
    // SAFETY: may be called at any time.
    unsafe { raw::PMPI_Finalized(&mut finalised) };
    finalised != 0
}

/// Collective over all processes of the job: as [`initialise`], with MPI_THREAD_MULTIPLE; see
/// [`check_threads`].
///
/// # Errors
/// As [`initialise`].
pub fn initialise_for_threads() -> Result<bool> {
    match check_state() {
        Ok(()) => Ok(false),
        Err(error) if is_finalised() => Err(error),
        Err(_) => {
            let (none, mut level) = (ptr::null_mut(), 0);
            // SAFETY: MPI is neither initialised nor finalised; MPI takes no arguments of the program.
            check("MPI_Init_thread", unsafe {
                raw::PMPI_Init_thread(none, none.cast(), constants().thread_multiple, &mut level)
            })?;
            Ok(true)
        }
    }
}

/// Local: whether several threads of this process may call MPI at the same time, which is active.
///
/// # Errors
/// [`Error::Usage`] if they may not.
pub fn check_threads() -> Result<()> {
    let mut level = 0;
    // SAFETY: MPI is active.
    check("MPI_Query_thread", unsafe { raw::PMPI_Query_thread(&mut level) })?;
    if level == constants().thread_multiple {
        return Ok(());
    }
    Err(Error::Usage(format!("MPI is initialised with thread level {level}: expected MPI_THREAD_MULTIPLE")))
}

/// Local: whether the calling thread is the one that has initialised MPI, which is active, and is to finalise
/// it.
///
/// # Errors
/// [`Error::Usage`] where another thread has.
pub fn check_main_thread() -> Result<()> {
    // Simulated processes have one thread each, or one together.
    if is_simulated() {
        return Ok(());
    }
    let mut is_main = 0;
    // SAFETY: MPI is active.
    check("MPI_Is_thread_main", unsafe { raw::PMPI_Is_thread_main(&mut is_main) })?;
    if is_main != 0 {
        return Ok(());
    }
    let text = "called by another thread: the first call that needs coarrays starts their runtime, which MPI_Finalize ends: \
                expected the thread that has initialised MPI";
    Err(Error::Usage(text.into()))
}

/// Collective over all processes of the job: finalises MPI, if it is active.
///
/// # Errors
/// Errors of MPI.
pub fn finalise() -> Result<()> {
    if check_state().is_err() {
        return Ok(());
    }
    // SAFETY: MPI is initialised and not finalised.
    check("MPI_Finalize", unsafe { raw::PMPI_Finalize() })
}

/// Whether the processes of the job are simulated in this process.
pub fn is_simulated() -> bool {
    handle::simulated()
}

/// Local: this process and their number, in `MPI_COMM_WORLD`.
///
/// # Errors
/// [`Error::MpiState`] if MPI is not active.
pub fn world_place() -> Result<(usize, usize)> {
    check_state()?;
    Ok((handle::rank(world())?, handle::partners(world())))
}

/// Collective over all processes of the job: a communicator of all of them with messages.
///
/// # Errors
/// Errors of [`MpiComm::duplicate`].
pub fn world_comm() -> Result<MpiComm> {
    misspelt::report();
    MpiComm::duplicate(world()).map_err(|error| match error {
        Error::Communicator(text) => Error::Internal(text),
        other => other,
    })
}

/// Ends the job with an exit code, if MPI is active; otherwise this process.
pub fn abort(code: i32) -> ! {
    if check_state().is_ok() {
        handle::abort_with(code);
    }
    std::process::exit(code)
}
