//! A communicator of one rank that returns errors, for libraries in which handles are checked through one
//! (MPICH); see `hcube_shim_is_living`. It belongs to the process and goes with `MPI_Finalize`: with the attributes
//! of `MPI_COMM_SELF`. Attributes that the program has set earlier are deleted after it, and their functions may
//! still call hcube.

use super::check::check;
use super::constants::{SUCCESS, constants};
use super::handle::{Handle, own, returning_errors};
use super::raw::{self, MPI_Comm};
use crate::error::Result;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Whether the guard was freed.
static FREED: AtomicBool = AtomicBool::new(false);

struct Guard(MPI_Comm);

// SAFETY: a handle, which names the same communicator in all threads; it is only passed to local functions.
unsafe impl Send for Guard {}
// SAFETY: as above.
unsafe impl Sync for Guard {}

/// The guard, made at first use; `MPI_COMM_NULL` where the library needs none.
///
/// # Errors
/// Where MPI has no further communicator.
#[inline]
pub(super) fn guard() -> Result<MPI_Comm> {
    static GUARD: OnceLock<Guard> = OnceLock::new();
    /// One thread at a time makes it. Nobody comes here who has found it before.
    static TURN: Mutex<()> = Mutex::new(());
    if constants().guard_needed == 0 {
        return Ok(constants().comm_null);
    }
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
    // SAFETY: MPI_COMM_SELF, which always lives while MPI is active.
    let own_handle = unsafe { Handle::new(own()) };
    // SAFETY: as above.
    let duplicated = returning_errors(own_handle, || unsafe { raw::PMPI_Comm_dup(own(), &mut guard) });
    check("MPI_Comm_dup", duplicated)?;
    let mut key = 0;
    // SAFETY: `guard` was just created; `release` has the signature that MPI asks for and frees the box. The
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
unsafe extern "C" fn release(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    FREED.store(true, Ordering::Release);
    // SAFETY: `make` has made the value from a box, and nobody else frees box or communicator.
    unsafe {
        let mut guard = *Box::from_raw(value.cast::<MPI_Comm>());
        raw::PMPI_Comm_free(&mut guard)
    }
}
