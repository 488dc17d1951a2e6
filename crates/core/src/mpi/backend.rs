//! The production back end: a private duplicate of the caller's communicator, spoken to through
//! the raw `PMPI_` functions of the MPI library that this build serves.

mod collective;

use super::clock::Clock;
use super::constants::{SUCCESS, constants};
use super::handle::{Handle, abort, returning_errors};
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Request};
use crate::comm::{Comm, Piece};
use crate::error::{Error, Result};
use crate::machine::work::Work;
use crate::memory::Region;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Turns an MPI return code into a result.
pub(super) fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == SUCCESS {
        return Ok(());
    }
    let mut text = vec![0u8; constants().max_error_string as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that MPI asks for; any code may be asked about.
    unsafe { raw::PMPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    text.truncate(length.max(0) as usize);
    Err(Error::Mpi { call, code, text: String::from_utf8_lossy(&text).into_owned() })
}

/// A duplicate of a communicator that belongs to hcube alone.
#[derive(Debug)]
pub struct MpiComm {
    private: MPI_Comm,
    words: MPI_Datatype,
    rank: usize,
    size: usize,
    clock: Clock,
}

impl MpiComm {
    /// Collective over `comm`: creates the duplicate. Errors on it are returned, not fatal.
    pub fn duplicate(comm: Handle) -> Result<Self> {
        let clock = Clock::new()?;
        let (user, comm) = (comm, comm.raw());
        let (mut private, mut rank, mut size) = (comm, 0, 0);
        // SAFETY: `comm` has been checked by the caller (check_communicator).
        let duplicated = returning_errors(user, || unsafe { raw::PMPI_Comm_dup(comm, &mut private) });
        check("MPI_Comm_dup", duplicated)?;
        // SAFETY: `private` was just created.
        unsafe {
            raw::PMPI_Comm_set_errhandler(private, constants().errors_return);
            check("MPI_Comm_rank", raw::PMPI_Comm_rank(private, &mut rank))?;
            check("MPI_Comm_size", raw::PMPI_Comm_size(private, &mut size))?;
        }
        let words = constants().uint64;
        Ok(Self { private, words, rank: rank as usize, size: size as usize, clock })
    }

    /// Frees the duplicate. Called by all ranks; a value that is dropped without it only leaks the
    /// handle, because MPI may be finalised by then.
    pub fn free(mut self) {
        // SAFETY: created by `duplicate`, not freed before.
        unsafe { raw::PMPI_Comm_free(&mut self.private) };
    }

    /// The duplicate, for MPI's functions that this trait does not have.
    pub(super) fn raw(&self) -> MPI_Comm {
        self.private
    }
}

/// Sends under way; see [`Comm::start_sends`].
#[derive(Debug)]
pub struct Sends {
    buffer: Vec<u64>,
    first: MPI_Request,
    further: Vec<MPI_Request>,
}

/// A receive under way; see [`Comm::start_receive`].
#[derive(Debug)]
pub struct Receive {
    buffer: Vec<u64>,
    request: MPI_Request,
}

/// Bytes under way; see [`Comm::start_send_bytes`].
#[derive(Debug)]
pub struct Transfer<'a> {
    request: MPI_Request,
    memory: PhantomData<Region<'a>>,
}

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

/// A count for MPI's `int` arguments.
fn count(words: usize) -> Result<c_int> {
    c_int::try_from(words)
        .map_err(|_| Error::Internal(format!("a message of {words} words was not cut into pieces")))
}

impl Comm for MpiComm {
    type Sends = Sends;
    type Receive = Receive;
    type Transfer<'a> = Transfer<'a>;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn start_sends(&self, buffer: Vec<u64>, pieces: &[Piece]) -> Result<Sends> {
        self.settle();
        let none = constants().request_null;
        let mut sends = Sends { buffer, first: none, further: Vec::new() };
        for (number, piece) in pieces.iter().enumerate() {
            let words = &sends.buffer[piece.range.clone()];
            let (address, length) = (words.as_ptr().cast::<c_void>(), count(words.len())?);
            let mut request = none;
            // SAFETY: the words lie in a buffer that `sends` owns until MPI has finished with it.
            check("MPI_Isend", unsafe {
                raw::PMPI_Isend(
                    address,
                    length,
                    self.words,
                    piece.to as c_int,
                    piece.tag,
                    self.private,
                    &mut request,
                )
            })?;
            if number == 0 {
                sends.first = request;
            } else {
                sends.further.push(request);
            }
        }
        Ok(sends)
    }

    fn finish_sends(&self, mut sends: Sends) -> Result<Vec<u64>> {
        self.settle();
        // SAFETY: the requests are those of start_sends; waiting for a null request returns at once.
        check("MPI_Wait", unsafe { raw::PMPI_Wait(&mut sends.first, constants().status_ignore) })?;
        if !sends.further.is_empty() {
            let (length, requests) = (count(sends.further.len())?, sends.further.as_mut_ptr());
            // SAFETY: as above.
            check("MPI_Waitall", unsafe {
                raw::PMPI_Waitall(length, requests, constants().statuses_ignore)
            })?;
        }
        Ok(std::mem::take(&mut sends.buffer))
    }

    fn start_receive(&self, buffer: Vec<u64>, from: usize, tag: i32) -> Result<Receive> {
        let mut receive = Receive { buffer, request: constants().request_null };
        let (address, length) = (receive.buffer.as_mut_ptr().cast::<c_void>(), count(receive.buffer.len())?);
        // SAFETY: the words lie in a buffer that `receive` owns until MPI has finished with it.
        check("MPI_Irecv", unsafe {
            raw::PMPI_Irecv(
                address,
                length,
                self.words,
                from as c_int,
                tag,
                self.private,
                &mut receive.request,
            )
        })?;
        Ok(receive)
    }

    fn finish_receive(&self, mut receive: Receive) -> Result<(Vec<u64>, usize)> {
        self.settle();
        let (mut status, mut words) = (MaybeUninit::uninit(), 0);
        // SAFETY: the request is that of start_receive; the status is written by MPI_Wait.
        unsafe {
            check("MPI_Wait", raw::PMPI_Wait(&mut receive.request, status.as_mut_ptr()))?;
            check("MPI_Get_count", raw::PMPI_Get_count(status.as_ptr(), self.words, &mut words))?;
        }
        Ok((std::mem::take(&mut receive.buffer), words as usize))
    }

    fn progress(&self) {
        self.settle();
        let mut flag = 0;
        // SAFETY: `private` lives as long as self. A probe that finds nothing is MPI's documented
        // way to make progress; its result does not matter.
        unsafe {
            raw::PMPI_Iprobe(
                constants().any_source,
                constants().any_tag,
                self.private,
                &mut flag,
                constants().status_ignore,
            )
        };
    }

    fn start_send_bytes<'a>(&self, from: Region<'a>, to: usize, tag: i32) -> Result<Transfer<'a>> {
        self.settle();
        let mut request = constants().request_null;
        let length = count(from.len())?;
        // SAFETY: the region is readable for 'a, which the transfer carries.
        check("MPI_Isend", unsafe {
            raw::PMPI_Isend(
                from.address().cast(),
                length,
                constants().byte,
                to as c_int,
                tag,
                self.private,
                &mut request,
            )
        })?;
        Ok(Transfer { request, memory: PhantomData })
    }

    fn start_receive_bytes<'a>(&self, into: Region<'a>, from: usize, tag: i32) -> Result<Transfer<'a>> {
        let mut request = constants().request_null;
        let length = count(into.len())?;
        // SAFETY: the region is writable for 'a, which the transfer carries.
        check("MPI_Irecv", unsafe {
            raw::PMPI_Irecv(
                into.address().cast(),
                length,
                constants().byte,
                from as c_int,
                tag,
                self.private,
                &mut request,
            )
        })?;
        Ok(Transfer { request, memory: PhantomData })
    }

    fn has_finished(&self, transfer: &mut Transfer<'_>) -> Result<bool> {
        self.settle();
        if transfer.request == constants().request_null {
            // By rest_until_any. SimGrid's MPI_Test leaves the flag alone where there is no request.
            return Ok(true);
        }
        let mut flag = 0;
        // SAFETY: the request of a transfer that was started.
        check("MPI_Test", unsafe {
            raw::PMPI_Test(&mut transfer.request, &mut flag, constants().status_ignore)
        })?;
        Ok(flag != 0)
    }

    fn barrier(&self) -> Result<()> {
        self.settle();
        // SAFETY: `private` lives as long as self.
        check("MPI_Barrier", unsafe { raw::PMPI_Barrier(self.private) })
    }

    fn all_reduce_max(&self, values: &mut [i64]) -> Result<()> {
        let (of, operation) = (constants().int64, constants().max);
        self.reduce(values, of, operation)
    }

    fn all_reduce_sum(&self, values: &mut [u64]) -> Result<()> {
        self.reduce(values, self.words, constants().sum)
    }

    fn all_gather(&self, values: &[u64]) -> Result<Vec<u64>> {
        self.gather(values)
    }

    fn broadcast(&self, bytes: &mut [u8], root: usize) -> Result<()> {
        self.send_to_all(bytes, root)
    }

    fn all_to_all(&self, parts: &[Vec<u64>]) -> Result<Vec<u64>> {
        self.exchange(parts)
    }

    fn abort(&self, error: &Error) -> ! {
        eprintln!("hcube: rank {}: {error}; other ranks are waiting for this one: ending the job", self.rank);
        abort(None)
    }

    fn node_numbers(&self) -> Result<Vec<u32>> {
        self.first_ranks_of_nodes()
    }

    fn simulated(&self) -> bool {
        self.clock.is_simulated()
    }

    fn charge(&self, work: Work) {
        self.clock.charge(work);
    }

    fn settle(&self) {
        self.clock.settle();
    }

    fn rest(&self, nanoseconds: f64) {
        self.clock.rest(nanoseconds);
    }

    fn rest_until_any(&self, transfers: &mut [&mut Transfer<'_>]) -> Result<()> {
        if !self.simulated() {
            return Ok(());
        }
        self.settle();
        let mut requests: Vec<MPI_Request> = transfers.iter().map(|transfer| transfer.request).collect();
        let (length, mut index) = (count(requests.len())?, 0);
        // SAFETY: requests of transfers that were started; what MPI makes of them is taken over below.
        check("MPI_Waitany", unsafe {
            raw::PMPI_Waitany(length, requests.as_mut_ptr(), &mut index, constants().status_ignore)
        })?;
        for (transfer, request) in transfers.iter_mut().zip(requests) {
            transfer.request = request;
        }
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.clock.seconds()
    }
}
