//! Progress of MPI, by a test of a request that never completes.
//!
//! A probe is not sufficient: if a message of the program waits to be received, a probe on the program's
//! communicator finds it and returns without progress (Open MPI 4.1, MPICH 4.0), and messages that another
//! rank needs would be delayed. A generalized request matches no message, belongs to no communicator, and is
//! tested like any other request.

use super::check::check;
use super::constants::{constants, no_request};
use super::handle::check_state;
use super::raw::{self, MPI_Request};
use crate::error::Result;
use std::cell::OnceCell;
use std::ffi::{c_int, c_void};

/// The request of one communicator, started at the first test.
#[derive(Debug, Default)]
pub(super) struct Pending(OnceCell<MPI_Request>);

impl Pending {
    /// Nothing if MPI has no request at the moment; it is tried again at the next test.
    #[inline]
    fn request(&self) -> Option<MPI_Request> {
        self.0.get().copied().or_else(|| start().ok().map(|request| *self.0.get_or_init(|| request)))
    }

    /// Lets MPI make progress.
    #[inline]
    pub fn test(&self) {
        let Some(mut request) = self.request() else { return };
        let mut flag = 0;
        // SAFETY: the request of this value, which has not finished, so the handle stays what it is.
        unsafe { raw::PMPI_Test(&mut request, &mut flag, constants().status_ignore) };
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let Some(mut request) = self.0.take() else { return };
        if check_state().is_ok() {
            // SAFETY: the request of this value, which nobody else completes; MPI is active.
            unsafe {
                raw::PMPI_Grequest_complete(request);
                raw::PMPI_Wait(&mut request, constants().status_ignore);
            }
        }
    }
}

#[cold]
fn start() -> Result<MPI_Request> {
    let mut request = no_request();
    // SAFETY: the functions have the signatures that MPI requires and use no state.
    let code = unsafe {
        raw::PMPI_Grequest_start(Some(query), Some(free), Some(cancel), std::ptr::null_mut(), &mut request)
    };
    check("MPI_Grequest_start", code).map(|()| request)
}

/// Called by MPI when the request is completed: returns an empty status.
///
/// # Safety
/// MPI passes a status to be written.
unsafe extern "C-unwind" fn query(_: *mut c_void, status: *mut raw::MPI_Status) -> c_int {
    // SAFETY: a status to be written, by the contract of this function.
    unsafe {
        raw::PMPI_Status_set_elements(status, constants().byte, 0);
        raw::PMPI_Status_set_cancelled(status, 0);
    }
    super::constants::SUCCESS
}

/// Called by MPI when the request is freed.
unsafe extern "C-unwind" fn free(_: *mut c_void) -> c_int {
    super::constants::SUCCESS
}

/// Called by MPI_Cancel, which is never called for this request.
unsafe extern "C-unwind" fn cancel(_: *mut c_void, _: c_int) -> c_int {
    super::constants::SUCCESS
}
