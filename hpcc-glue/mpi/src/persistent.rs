//! Persistent exchanges of the program: initialisation, start and free of their requests. The statistics
//! count starts.

use crate::intercept::active;
use crate::mpi;
use crate::statistics::{self, Label, Path};
use hcube_alltoall::mpi_front::Call;
use hcube_alltoall::mpi_front::persistent::{self, Initialised, Operation, make_request, operations_of};
use hcube_core::mpi::{MPI_Info, MPI_Request};
use hcube_drop_in::world::SUCCESS;
use std::ffi::c_int;
use std::time::Instant;

/// `MPI_Alltoall_init` or one of its variants, by hcube or by `forward`; the request is MPI's own in either
/// case.
///
/// # Safety
/// The call describes memory and handles as MPI requires, for as long as the request is used, and the request
/// can be written.
pub unsafe fn initialise(
    call: &Call,
    info: MPI_Info,
    request: *mut MPI_Request,
    forward: impl FnOnce() -> c_int,
) -> c_int {
    if !active() {
        return forward();
    }
    // SAFETY: memory and handles of the call are as MPI requires, as long as the request is used.
    match unsafe { persistent::initialise(call) } {
        // SAFETY: the operation belongs to this call, and the request can be written.
        Initialised::Served(operation) => unsafe { make_request(operation, call, info, request) },
        Initialised::Refused(refusal) => refusal.raise(),
        Initialised::Library(reason) => {
            let code = forward();
            if let (SUCCESS, Some(statistics)) = (code, statistics::wanted()) {
                statistics.explain(call, reason);
                // SAFETY: MPI has accepted the call and made the request.
                let (bytes, request) = unsafe { (mpi::bytes_sent(call), *request) };
                Operation::of_library(call.function, bytes).register(request);
            }
            code
        }
    }
}

/// `MPI_Start`, or `MPI_Startall` for this number of requests: `forward` starts what MPI has to do of each.
///
/// # Safety
/// As MPI requires for `MPI_Startall`.
#[inline]
pub unsafe fn start(requests: *mut MPI_Request, count: c_int, forward: impl FnOnce() -> c_int) -> c_int {
    if !persistent::exist() || !active() {
        return forward();
    }
    // SAFETY: NULL or an array of `count` requests.
    let operations = unsafe { operations_of(requests, count) };
    let statistics = statistics::wanted();
    let mut forwarded = Vec::new();
    for operation in operations {
        let begin = Instant::now();
        // SAFETY: memory of the exchange is as MPI requires, and its request is not active.
        match (unsafe { operation.start() }, statistics) {
            (Some(report), Some(statistics)) => {
                let label = label(&operation, Path::Hcube(report.path));
                statistics.count(label, begin.elapsed(), report.bytes, report.memory);
            }
            (None, Some(_)) => forwarded.push(operation),
            (_, None) => {}
        }
    }
    let begin = Instant::now();
    let code = forward();
    if let (SUCCESS, Some(statistics)) = (code, statistics) {
        let each = begin.elapsed() / forwarded.len().max(1) as u32;
        for operation in forwarded {
            statistics.count(label(&operation, Path::Library), each, operation.bytes, 0);
        }
    }
    code
}

fn label(operation: &Operation, path: Path) -> Label {
    Label { function: operation.function, in_place: false, path }
}

/// `MPI_Request_free`.
///
/// # Safety
/// As MPI requires.
#[inline]
pub unsafe fn free(request: *mut MPI_Request, forward: impl FnOnce() -> c_int) -> c_int {
    if !persistent::exist() || request.is_null() || !active() {
        return forward();
    }
    // Before: another thread may get the handle for a new request as soon as it is free.
    // SAFETY: not null, by the contract of this function a request of the program.
    persistent::forget(unsafe { *request });
    forward()
}
