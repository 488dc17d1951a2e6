//! Outstanding messages and the ownership of their memory.

use crate::memory::Region;
use crate::mpi::raw::MPI_Request;
use std::marker::PhantomData;

/// Outstanding sends; see [`Comm::start_sends`](crate::comm::Comm::start_sends).
#[derive(Debug)]
pub struct Sends {
    pub(super) buffer: Vec<u64>,
    pub(super) first: MPI_Request,
    pub(super) further: Vec<MPI_Request>,
}

/// An outstanding receive; see [`Comm::start_receive`](crate::comm::Comm::start_receive).
#[derive(Debug)]
pub struct Receive {
    pub(super) buffer: Vec<u64>,
    pub(super) request: MPI_Request,
}

/// Outstanding bytes; see [`Comm::start_send_bytes`](crate::comm::Comm::start_send_bytes).
#[derive(Debug)]
pub struct Transfer<'a> {
    pub(super) request: MPI_Request,
    pub(super) memory: PhantomData<Region<'a>>,
}

// SAFETY: a request, which is bound to no thread, and no access to the memory: MPI has that, in the thread
// that asks for the request, and nobody else until it has finished, by the contract of `start_send_bytes` and
// `start_receive_bytes`.
unsafe impl Send for Transfer<'_> {}

impl Drop for Sends {
    /// MPI may still read the buffer of sends that were not finished (an error path): leak it.
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.buffer));
    }
}

impl Drop for Receive {
    /// MPI may still write to the buffer of a receive that was not finished: leak it.
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.buffer));
    }
}
