//! A communicator of one rank with MPI_ERRORS_RETURN, for queries that may fail: whether a derived datatype
//! is valid, and, if handles are checked through another communicator (MPICH), whether a communicator is
//! valid; see `hcube_shim_is_living`. It belongs to the process and is freed by `MPI_Finalize`, with the
//! attributes of `MPI_COMM_SELF`. Attributes that the program has set earlier are deleted after it, and their
//! functions may still call hcube.

use super::check::check;
use super::constants::{SUCCESS, constants};
use super::handle::{own, own_handle, returning_errors};
use super::raw::{self, MPI_Comm};
use crate::atomic::{AtomicBool, Ordering};
use crate::error::Result;
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Whether the guard was freed.
static FREED: AtomicBool = AtomicBool::new(false);

struct Guard(MPI_Comm);

// SAFETY: a handle, which names the same communicator in all threads; it is only passed to local functions.
unsafe impl Send for Guard {}
// SAFETY: the handle is never changed, and only passed to local functions, which any thread may call.
unsafe impl Sync for Guard {}

/// The guard, made at first use. By MPI_Comm_split, because MPI_Comm_dup calls the functions by which the
/// program has attributes copied.
///
/// # Errors
/// Where MPI has no further communicator.
#[inline]
pub(super) fn guard() -> Result<MPI_Comm> {
    static GUARD: OnceLock<Guard> = OnceLock::new();
    /// One thread at a time creates it. A thread that has found it before does not come here.
    static TURN: Mutex<()> = Mutex::new(());
    if let Some(guard) = GUARD.get() {
        // MPI_COMM_SELF lives on; an invalid handle is raised on it then.
        return Ok(if FREED.load(Ordering::Acquire) { own() } else { guard.0 });
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match GUARD.get() {
        Some(guard) => Ok(guard.0),
        None => make().map(|guard| GUARD.get_or_init(|| Guard(guard)).0),
    }
}

#[cold]
fn make() -> Result<MPI_Comm> {
    let mut guard = constants().comm_null;
    // SAFETY: `MPI_COMM_SELF` lives as long as MPI is active, and MPI writes a handle to `guard`.
    let split = returning_errors(own_handle(), || unsafe { raw::PMPI_Comm_split(own(), 0, 0, &mut guard) });
    check("MPI_Comm_split", split)?;
    let mut key = 0;
    // SAFETY: `guard` was just created; `release` has the signature that MPI requires and frees the box. The
    // key value stays with the attribute after it is freed.
    unsafe {
        raw::PMPI_Comm_set_errhandler(guard, constants().errors_return);
        if raw::hcube_shim_create_keyval(Some(release), &mut key) == SUCCESS {
            let value = Box::into_raw(Box::new(guard));
            if raw::PMPI_Comm_set_attr(own(), key, value.cast()) != SUCCESS {
                drop(Box::from_raw(value));
            }
            raw::PMPI_Comm_free_keyval(&mut key);
        }
    }
    Ok(guard)
}

/// Called by MPI_Finalize.
///
/// # Safety
/// MPI calls it, once for the value that [`make`] has set.
unsafe extern "C-unwind" fn release(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    FREED.store(true, Ordering::Release);
    // SAFETY: `make` has made the value from a box, and nobody else frees box or communicator.
    unsafe {
        let mut guard = *Box::from_raw(value.cast::<MPI_Comm>());
        raw::PMPI_Comm_free(&mut guard)
    }
}
