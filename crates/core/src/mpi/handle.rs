//! What comes from the caller: the state of MPI and communicator handles, which may be anything.

use super::backend::check;
use super::raw::{self, MPI_Comm};
use crate::error::{Error, Result};
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

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
    /// `comm` is a value that MPI has given out, for a communicator that lives as long as this
    /// handle is used, or `MPI_COMM_NULL`. Freed ones are recognised where the MPI library does.
    pub unsafe fn new(comm: MPI_Comm) -> Self {
        Self(comm)
    }

    /// `MPI_COMM_WORLD`.
    pub fn world() -> Self {
        // SAFETY: a constant.
        Self(unsafe { raw::hcube_shim_comm_world() })
    }

    /// Whether it is `MPI_COMM_NULL`.
    pub fn is_null(self) -> bool {
        // SAFETY: a constant.
        self.0 == unsafe { raw::hcube_shim_comm_null() }
    }

    /// MPI's handle.
    pub(super) fn raw(self) -> MPI_Comm {
        self.0
    }
}

/// Whether all ranks are simulated in one process (SimGrid).
pub(super) fn simulated() -> bool {
    // SAFETY: a constant.
    unsafe { raw::hcube_shim_simulated() != 0 }
}

/// Makes a local MPI call that may get an invalid handle: its error would be raised on
/// `MPI_COMM_WORLD`, whose default is to abort.
fn quietly(call: impl FnOnce() -> c_int) -> c_int {
    /// One thread at a time, or one would put back what another has set. No MPI call in here waits.
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = (!simulated()).then(|| TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    returning_errors(Handle::world(), call)
}

/// Checks that a handle is a living intracommunicator.
///
/// # Errors
/// [`Error::Communicator`] for a null, freed or inter-communicator.
pub fn check_communicator(Handle(comm): Handle) -> Result<()> {
    // SAFETY: a constant.
    if comm == unsafe { raw::hcube_shim_comm_null() } {
        return Err(Error::Communicator(
            "comm = MPI_COMM_NULL: expected a communicator (freed before this call?)".into(),
        ));
    }
    // SAFETY: MPI is initialised (checked by the caller); any handle may be asked about.
    if unsafe { raw::hcube_shim_may_be_alive(comm) } == 0 {
        return Err(Error::Communicator("comm is not a valid communicator (freed before this call?)".into()));
    }
    let mut inter = 0;
    let code = quietly(|| {
        // SAFETY: MPI is initialised; the handle is checked by this very call.
        unsafe { raw::PMPI_Comm_test_inter(comm, &mut inter) }
    });
    check("MPI_Comm_test_inter", code).map_err(|error| {
        Error::Communicator(format!("comm is not a valid communicator (freed before this call?): {error}"))
    })?;
    if inter != 0 {
        return Err(Error::Communicator(
            "comm is an intercommunicator: expected an intracommunicator".into(),
        ));
    }
    Ok(())
}

/// Whether a handle is a living intercommunicator.
pub fn is_inter(Handle(comm): Handle) -> bool {
    // SAFETY: a constant.
    if comm == unsafe { raw::hcube_shim_comm_null() } {
        return false;
    }
    let mut inter = 0;
    // SAFETY: MPI is initialised (checked by the caller); the handle is checked by this very call.
    quietly(|| unsafe { raw::PMPI_Comm_test_inter(comm, &mut inter) });
    inter != 0
}

/// Ranks that a rank of a living communicator exchanges with: of the remote group where there is one.
pub fn partners(Handle(comm): Handle) -> usize {
    let (mut inter, mut size) = (0, 0);
    // SAFETY: the caller has checked the handle, or MPI does.
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

/// Runs `work` while errors on a communicator are returned, whatever its error handler.
pub(super) fn returning_errors<T>(Handle(comm): Handle, work: impl FnOnce() -> T) -> T {
    if simulated() {
        // SimGrid's PMPI functions return their errors, and its ranks share the error handler.
        return work();
    }
    let mut handler = MaybeUninit::uninit();
    // SAFETY: a living communicator; its error handler is put back.
    unsafe {
        raw::PMPI_Comm_get_errhandler(comm, handler.as_mut_ptr());
        raw::PMPI_Comm_set_errhandler(comm, raw::hcube_shim_errors_return());
        let result = work();
        raw::PMPI_Comm_set_errhandler(comm, handler.assume_init());
        raw::PMPI_Errhandler_free(handler.as_mut_ptr());
        result
    }
}

/// Reports an error through the error handler of the caller's communicator, as MPI's own functions
/// do; returns where that handler returns.
pub fn call_error_handler(Handle(comm): Handle, code: i32) {
    // SAFETY: the communicator has been checked by the caller; any code may be passed.
    unsafe { raw::PMPI_Comm_call_errhandler(comm, code) };
}

/// This process's rank in a communicator that has been checked.
pub fn rank(Handle(comm): Handle) -> Result<usize> {
    let mut rank = 0;
    // SAFETY: the communicator has been checked by the caller.
    check("MPI_Comm_rank", unsafe { raw::PMPI_Comm_rank(comm, &mut rank) })?;
    Ok(rank as usize)
}

/// Ends the job.
pub fn abort(comm: Option<Handle>) -> ! {
    if check_state().is_ok() {
        // SAFETY: MPI is initialised and not finalised.
        unsafe { raw::PMPI_Abort(comm.unwrap_or_else(Handle::world).raw(), 1) };
    }
    std::process::abort();
}

/// MPI's own description of itself, first line.
pub fn library_version() -> String {
    // SAFETY: a constant.
    let mut text = vec![0u8; unsafe { raw::hcube_shim_max_library_version_string() } as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that MPI asks for; callable at any time.
    unsafe { raw::PMPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let text = String::from_utf8_lossy(&text);
    let line = text.trim_end_matches('\0').lines().next().unwrap_or_default().trim();
    line.split(", package").next().unwrap_or_default().to_owned()
}

/// Where the state for a communicator hangs: on itself, except that simulated ranks share one object
/// for `MPI_COMM_WORLD`, which `MPI_COMM_SELF`, of which each has its own, then stands in for. The
/// second value tells the two kinds of state apart.
pub(super) fn holder(comm: Handle) -> (Handle, usize) {
    if simulated() && comm == Handle::world() {
        // SAFETY: a constant.
        return (Handle(unsafe { raw::hcube_shim_comm_self() }), 1);
    }
    (comm, 0)
}
