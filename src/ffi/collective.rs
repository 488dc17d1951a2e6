//! The one entrance for all-to-all exchanges: the C interface and the preload library both come
//! through [`exchange`].

use crate::alltoall::report::Report;
pub use crate::comm::call::{Call, Counts, Function, Side, Types};
use std::ffi::c_int;

/// What became of a call, the same kind on all ranks of the communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// hcube has made the exchange.
    Done(Report),
    /// Nothing has been done: the library's own function is to be called, on all ranks.
    Library(&'static str),
    /// Refused, nothing was written; the error handler of the communicator has been called. The MPI
    /// error code for the caller.
    Refused(c_int),
}

/// Collective: makes the exchange of a call, or says that the library is to make it.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them.
pub unsafe fn exchange(_call: &Call) -> Verdict {
    Verdict::Library("not built yet")
}
