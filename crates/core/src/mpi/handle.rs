//! Checks of the state of MPI and of the caller's communicator handles.

use super::check::check;
use super::constants::{SUCCESS, constants};
use super::raw::{self, MPI_Comm};
use crate::error::{Error, Result};
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

pub use super::living::{check_communicator, check_kind, check_living, is_inter};

/// Whether MPI may be called now.
pub fn check_state() -> Result<()> {
    let (mut initialised, mut finalised) = (0, 0);
    // SAFETY: both may be called at any time, even before MPI_Init and after MPI_Finalize.
    unsafe {
        raw::PMPI_Initialized(&mut initialised);
        raw::PMPI_Finalized(&mut finalised);
    }
    match (initialised != 0, finalised != 0) {
        (_, true) => Err(Error::MpiState("MPI is already finalised: call hcube before MPI_Finalize")),
        (false, _) => Err(Error::MpiState("MPI is not initialised: call MPI_Init before hcube")),
        _ => Ok(()),
    }
}

/// A communicator of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handle(MPI_Comm);

impl Handle {
    /// Wraps MPI's handle.
    ///
    /// # Safety
    /// `comm` is a value that MPI has returned for a communicator, or `MPI_COMM_NULL`. Nobody frees the
    /// communicator while a function uses the handle or what was found through it. One that was freed before
    /// is refused as far as the MPI library can tell.
    ///
    /// MPI is called from the threads in which the handle is used, or what was made or found through it. So
    /// the program has initialised MPI with a thread level that permits that: `MPI_THREAD_SERIALIZED` if
    /// several threads take turns, `MPI_THREAD_MULTIPLE` if they call at the same time, for different
    /// communicators.
    pub unsafe fn new(comm: MPI_Comm) -> Self {
        Self(comm)
    }

    /// `MPI_COMM_WORLD`.
    ///
    /// # Safety
    /// The threads that use it satisfy the requirement of [`Self::new`].
    pub unsafe fn world() -> Self {
        world()
    }

    /// Whether it is `MPI_COMM_NULL`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.0 == constants().comm_null
    }

    /// MPI's handle.
    pub(super) fn raw(self) -> MPI_Comm {
        self.0
    }
}

/// Whether all ranks are simulated in one process (SimGrid).
#[inline]
pub(super) fn simulated() -> bool {
    constants().simulated != 0
}

/// Ranks that a rank of a living communicator exchanges with: of the remote group if there is one.
pub fn partners(Handle(comm): Handle) -> usize {
    let (mut inter, mut size) = (0, 0);
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives.
    unsafe {
        raw::PMPI_Comm_test_inter(comm, &mut inter);
        if inter != 0 {
            raw::PMPI_Comm_remote_size(comm, &mut size);
        } else {
            raw::PMPI_Comm_size(comm, &mut size);
        }
    }
    size.max(0) as usize
}

/// Runs `work`, which calls MPI, while errors on a communicator are returned, not passed to its error
/// handler. Returns MPI's code: the code of `work`, or of MPI_Comm_get_errhandler if it fails.
pub(super) fn returning_errors(Handle(comm): Handle, work: impl FnOnce() -> c_int) -> c_int {
    if simulated() {
        // SimGrid's PMPI functions return their errors, and its ranks share the error handler.
        return work();
    }
    let mut handler = MaybeUninit::uninit();
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives,
    // and raises an error otherwise. The error handler is written where MPI succeeds; it is put back, and
    // freed where it is a copy.
    unsafe {
        let code = raw::PMPI_Comm_get_errhandler(comm, handler.as_mut_ptr());
        if code != SUCCESS {
            return code;
        }
        raw::PMPI_Comm_set_errhandler(comm, constants().errors_return);
        let result = work();
        raw::PMPI_Comm_set_errhandler(comm, handler.assume_init());
        raw::PMPI_Errhandler_free(handler.as_mut_ptr());
        result
    }
}

/// Reports an error through the error handler of the caller's communicator, as MPI's own functions
/// do; returns where that handler returns.
pub fn call_error_handler(Handle(comm): Handle, code: i32) {
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives.
    // Any code may be passed.
    unsafe { raw::PMPI_Comm_call_errhandler(comm, code) };
}

/// Local: whether an error on a living communicator ends the job (`MPI_ERRORS_ARE_FATAL`).
pub(super) fn is_fatal(Handle(comm): Handle) -> bool {
    if simulated() {
        // Simulated ranks write in the same process.
        return false;
    }
    let mut handler = MaybeUninit::uninit();
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives,
    // and writes the error handler where it does, which is freed again.
    unsafe {
        if raw::PMPI_Comm_get_errhandler(comm, handler.as_mut_ptr()) != SUCCESS {
            return false;
        }
        let fatal = handler.assume_init() == constants().errors_are_fatal;
        raw::PMPI_Errhandler_free(handler.as_mut_ptr());
        fatal
    }
}

/// This process's rank in a communicator.
///
/// # Errors
/// MPI's, where the error handler of the communicator returns.
pub fn rank(Handle(comm): Handle) -> Result<usize> {
    let mut rank = 0;
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives.
    check("MPI_Comm_rank", unsafe { raw::PMPI_Comm_rank(comm, &mut rank) })?;
    Ok(rank as usize)
}

/// Ends the job.
pub fn abort(comm: Option<Handle>) -> ! {
    if check_state().is_ok() {
        // SAFETY: MPI is initialised and not finalised.
        unsafe { raw::PMPI_Abort(comm.unwrap_or_else(world).raw(), 1) };
    }
    std::process::abort();
}

/// Ends the job with an exit code. MPI is initialised and not finalised.
pub(super) fn abort_with(code: i32) -> ! {
    // SAFETY: the caller has asked whether MPI is active; MPI refuses otherwise.
    unsafe { raw::PMPI_Abort(world().raw(), code) };
    std::process::abort();
}

/// MPI's own description of itself, first line.
pub fn library_version() -> String {
    let mut text = vec![0u8; constants().max_library_version_string as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that MPI requires; callable at any time.
    unsafe { raw::PMPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let text = String::from_utf8_lossy(&text);
    let line = text.trim_end_matches('\0').lines().next().unwrap_or_default().trim();
    line.split(", package").next().unwrap_or_default().to_owned()
}

/// The object to which the state of a communicator is attached: the communicator itself, except that
/// simulated ranks share one object for `MPI_COMM_WORLD`: its state is attached to `MPI_COMM_SELF`, an object
/// per rank. The second value distinguishes the two kinds of state.
#[inline]
pub(super) fn holder(comm: Handle) -> (Handle, usize) {
    if simulated() && comm == world() {
        return (Handle(own()), 1);
    }
    (comm, 0)
}

/// `MPI_COMM_WORLD`.
pub(super) fn world() -> Handle {
    // SAFETY: returns what mpi.h defines; may be called at any time.
    Handle(unsafe { raw::hcube_shim_comm_world() })
}

/// `MPI_COMM_SELF`, to keep on it what belongs to the process.
pub(super) fn own_handle() -> Handle {
    Handle(own())
}

/// `MPI_COMM_SELF`.
pub(super) fn own() -> MPI_Comm {
    // SAFETY: returns what mpi.h defines; may be called at any time in which MPI is active.
    unsafe { raw::hcube_shim_comm_self() }
}
