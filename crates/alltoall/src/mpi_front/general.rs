//! The entry point of the general exchange in place, for which MPI has no function.

use super::arguments::read_one_buffer;
use super::call::{Call, Counts, Function, Types};
use super::collective::prepare;
use super::state::{Engine, State};
use crate::general::exchange_general;
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::memory::scratch::Scratch;
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::raise::raise;
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use std::ffi::{c_int, c_void};

/// Collective: what is sent and what is received lie in one buffer, each with its counts and displacements.
/// `MPI_SUCCESS`, or an error code of MPI, after the error handler of the communicator was called.
///
/// # Safety
/// The arguments are as `MPI_Alltoallv` requires, with one buffer for both sides.
pub unsafe fn in_one_buffer(
    function: &'static str,
    buffer: *mut c_void,
    (sent, received): (Counts, Counts),
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let kind = Types::One(datatype);
    let call = Call::new(Function::Alltoallv, (buffer, sent, kind), (buffer, received, kind), comm, false);
    // SAFETY: the handle of the call, as MPI requires.
    let handle = unsafe { Handle::new(comm) };
    // SAFETY: the arguments are as MPI_Alltoallv requires, with one buffer for both sides.
    let result = gate::run(Some(handle), || unsafe { make(&call, handle) });
    match result {
        Ok(()) => 0,
        Err(error) => {
            // Nothing can be asked of an invalid handle.
            let living =
                !matches!(error, Error::Communicator(_) | Error::Mpi { call: "MPI_Comm_get_attr", .. });
            raise(living.then_some(handle), function, error)
        }
    }
}

/// # Safety
/// As [`in_one_buffer`].
unsafe fn make(call: &Call, comm: Handle) -> Result<()> {
    gate::enter_without_messages(comm, |comm, kept: &mut Option<State>| {
        let path = prepare(comm, kept)?.with(|engine| {
            let Engine { exchange, named, extra, devices, .. } = engine;
            let extra = match extra {
                Some(extra) => extra,
                None => extra.insert(agree(comm, Scratch::new(exchange.memory_bound()))?),
            };
            // SAFETY: the arguments are as MPI_Alltoallv requires, with one buffer for both sides.
            let task = unsafe { read_one_buffer(call, comm, named) };
            let task = match devices.own(call.receive.buffer.cast()) {
                true => Err(Error::Buffer("buffer: device memory; expected host memory".into())),
                false => task,
            };
            exchange_general(comm, exchange, extra, task).map(|report| report.path.name())
        });
        if let Some(state) = kept {
            state.note_path(path.as_ref().map_or("refused", |name| name));
        }
        path.map(drop)
    })
}
