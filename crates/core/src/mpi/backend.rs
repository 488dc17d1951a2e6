//! The production back end: communicators of the MPI library of this build, through its `PMPI_` functions.
//!
//! A communicator of the program is borrowed: inside a collective call of the program, collective functions
//! may be called on it, because all of its ranks are in that call. No communicator is created for this, so no
//! context id is used, no attribute of the program is copied and no error handler is replaced, and exchanges
//! on different communicators never wait for each other. Messages need a private communicator, or they could
//! match a receive of the program: it is created when a system requests messages ([`Comm::open_messages`]),
//! one for all communicators of the same ranks (`sharing`).

mod collective;
mod messages;
mod private;
mod sharing;
mod transfers;
mod waiting;

use messages::Messages;
pub use transfers::{Receive, Sends, Transfer};

use super::check::check;
use super::clock::Clock;
use super::constants::{constants, no_request};
use super::handle::{Handle, abort, check_communicator, check_state, simulated};
use super::membership::{Members, members};
use super::pending::Pending;
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Request};
use crate::comm::reduction::{Element, Operation};
use crate::comm::{Comm, Piece, check_colour};
use crate::error::{Error, Result};
use crate::machine::work::Work;
use crate::memory::Region;
use crate::progress::Progress;
use crate::progress::pollers::Pollers;
use std::cell::{Cell, OnceCell};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// A communicator of the program, borrowed for collective functions, with a private one for messages if they
/// were opened; or one that was split from it. What hcube has created is freed when the value is dropped,
/// unless MPI is finalised by then.
///
/// It may go from thread to thread, but two threads cannot use it at the same time:
///
/// ```compile_fail,E0277
/// fn by_any_thread<T: Sync>() {}
/// by_any_thread::<hcube_core::mpi::MpiComm>();
/// ```
#[derive(Debug)]
pub struct MpiComm {
    /// The communicator of the program, or one that was split.
    comm: Handle,
    /// Messages use this one, which hcube has created; collective functions as well, if no other communicator
    /// uses it.
    private: OnceCell<Messages>,
    /// Whether others may use it.
    shares: bool,
    /// The request that progress tests.
    pending: Pending,
    words: MPI_Datatype,
    rank: usize,
    size: usize,
    /// Of this rank: shared by a communicator and all that is split from it.
    clock: Arc<Clock>,
    pollers: Arc<Pollers>,
    /// One thread at a time: handles are numbers in some MPI libraries, which are `Sync`.
    one_thread: PhantomData<Cell<()>>,
}

// SAFETY: MPI's handles are bound to no thread, and all that MPI asks of a process with several threads is
// that it calls MPI from those that the thread level permits, which the program has promised where its handle
// came in (`Handle::new`). The communicator is used and freed by one thread at a time, because it is not
// `Sync`. What several communicators of a rank share, clock and pollers, is `Send` and `Sync` by itself.
unsafe impl Send for MpiComm {}

// What systems keep on a communicator must be `Send`, and some keep communicators that were split from it.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<MpiComm>();
};

impl MpiComm {
    /// Local: borrows a communicator of the program, for the time in which it lives. Its collective functions
    /// are called inside collective calls of the program on it, by all of its ranks.
    ///
    /// # Errors
    /// Errors of MPI.
    pub(super) fn borrow(comm: Handle) -> Result<Self> {
        Self::new(comm, (OnceCell::new(), !simulated()), Arc::new(Clock::new()?), Arc::default())
    }

    /// Collective over `comm`: a communicator of the same ranks with messages. Errors on it are returned, not
    /// fatal.
    ///
    /// # Errors
    /// [`Error::MpiState`] if MPI is not active, [`Error::Communicator`] for a handle that is null, freed or
    /// of an intercommunicator, and errors of MPI.
    pub fn duplicate(comm: Handle) -> Result<Self> {
        check_state()?;
        check_communicator(comm)?;
        let borrowed = Self { shares: false, ..Self::borrow(comm)? };
        borrowed.open_messages()?;
        Ok(borrowed)
    }

    /// Takes over a communicator that was just created.
    fn adopt(private: MPI_Comm, clock: Arc<Clock>, pollers: Arc<Pollers>) -> Result<Self> {
        // SAFETY: `private` is a living communicator.
        unsafe { raw::PMPI_Comm_set_errhandler(private, constants().errors_return) };
        // SAFETY: a living communicator, which lives as long as the value, which frees it.
        let comm = unsafe { Handle::new(private) };
        Self::new(comm, (OnceCell::from(Messages::alone(private)), false), clock, pollers)
    }

    fn new(
        comm: Handle,
        (private, shares): (OnceCell<Messages>, bool),
        clock: Arc<Clock>,
        pollers: Arc<Pollers>,
    ) -> Result<Self> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: a living communicator, by the contract of this function's callers.
        unsafe {
            check("MPI_Comm_rank", raw::PMPI_Comm_rank(comm.raw(), &mut rank))?;
            check("MPI_Comm_size", raw::PMPI_Comm_size(comm.raw(), &mut size))?;
        }
        let (words, pending, one_thread) = (constants().uint64, Pending::default(), PhantomData);
        let (rank, size) = (rank as usize, size as usize);
        Ok(Self { comm, private, shares, pending, words, rank, size, clock, pollers, one_thread })
    }

    /// For collective functions.
    pub(super) fn raw(&self) -> MPI_Comm {
        self.private.get().and_then(Messages::comm_of_one).unwrap_or(self.comm.raw())
    }

    /// The communicator of the program, or the one that was split: only this one has a topology.
    pub(super) fn original(&self) -> MPI_Comm {
        self.comm.raw()
    }

    /// Local: the members of this communicator in `MPI_COMM_WORLD`.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn members(&self) -> Result<Members> {
        members(self.comm, self.rank, self.size)
    }

    /// For messages.
    fn messages(&self) -> Result<&Messages> {
        let closed = || Error::Internal("a message on a communicator whose messages were not opened".into());
        self.private.get().ok_or_else(closed)
    }
}

/// A count for MPI's `int` arguments.
fn count(words: usize) -> Result<c_int> {
    c_int::try_from(words)
        .map_err(|_| Error::Internal(format!("a message of {words} words was not cut into pieces")))
}

// SAFETY: `abort` calls MPI_Abort, and ends the process itself if that returns.
unsafe impl Progress for MpiComm {
    fn progress(&self) {
        self.settle();
        self.pending.test();
    }

    fn pollers(&self) -> &Arc<Pollers> {
        &self.pollers
    }

    fn simulated(&self) -> bool {
        self.clock.is_simulated()
    }

    fn rest(&self, nanoseconds: f64) {
        self.clock.rest(nanoseconds);
    }

    fn abort(&self, error: &Error) -> ! {
        eprintln!("hcube: rank {}: {error}; other ranks are waiting for this one: ending the job", self.rank);
        abort(None)
    }
}

// SAFETY: rank and size are those of the communicator, which only this value frees. The functions are MPI's
// of the same meaning on a communicator that nobody else uses; a transfer is said to have finished when
// MPI_Test, MPI_Testany or MPI_Waitany has completed its request.
unsafe impl Comm for MpiComm {
    type Sends = Sends;
    type Receive = Receive;
    type Transfer<'a> = Transfer<'a>;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn split(&self, colour: Option<u32>, key: i32) -> Result<Option<Self>> {
        self.enter()?;
        let undefined = constants().undefined;
        // A colour that is refused takes part as none, so that no other rank is left waiting.
        let number = colour.and_then(|colour| c_int::try_from(colour).ok()).unwrap_or(undefined);
        let mut part = constants().comm_null;
        // SAFETY: the communicator lives as long as self.
        self.check_split(unsafe { raw::PMPI_Comm_split(self.raw(), number, key, &mut part) })?;
        check_colour(colour)?;
        if part == constants().comm_null {
            return Ok(None);
        }
        Self::adopt(part, Arc::clone(&self.clock), Arc::clone(&self.pollers)).map(Some)
    }

    fn open_messages(&self) -> Result<()> {
        if self.private.get().is_none() {
            let private = match self.shares {
                true => self.share_private()?,
                false => Messages::alone(self.create_private()?),
            };
            let _ = self.private.set(private);
        }
        Ok(())
    }

    fn start_sends(&self, buffer: Vec<u64>, pieces: &[Piece]) -> Result<Sends> {
        self.settle();
        let messages = self.messages()?;
        let comm = messages.comm();
        let mut sends = Sends { buffer, first: no_request(), further: Vec::new() };
        for (number, piece) in pieces.iter().enumerate() {
            let words = &sends.buffer[piece.range.clone()];
            let (address, length) = (words.as_ptr().cast::<c_void>(), count(words.len())?);
            let mut request = no_request();
            // SAFETY: the words lie in a buffer that `sends` owns until MPI has finished with it.
            check("MPI_Isend", unsafe {
                let (to, tag) = (piece.to as c_int, messages.tag(piece.tag));
                raw::PMPI_Isend(address, length, self.words, to, tag, comm, &mut request)
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
        self.wait(&mut sends.first, &mut MaybeUninit::uninit())?;
        if !sends.further.is_empty() {
            self.wait_all(&mut sends.further)?;
        }
        Ok(std::mem::take(&mut sends.buffer))
    }

    fn start_receive(&self, buffer: Vec<u64>, from: usize, tag: i32) -> Result<Receive> {
        let messages = self.messages()?;
        let (comm, tag) = (messages.comm(), messages.tag(tag));
        let mut receive = Receive { buffer, request: no_request() };
        let (address, length) = (receive.buffer.as_mut_ptr().cast::<c_void>(), count(receive.buffer.len())?);
        // SAFETY: the words lie in a buffer that `receive` owns until MPI has finished with it.
        check("MPI_Irecv", unsafe {
            raw::PMPI_Irecv(address, length, self.words, from as c_int, tag, comm, &mut receive.request)
        })?;
        Ok(receive)
    }

    fn finish_receive(&self, mut receive: Receive) -> Result<(Vec<u64>, usize)> {
        let (mut status, mut words) = (MaybeUninit::uninit(), 0);
        self.wait(&mut receive.request, &mut status)?;
        // SAFETY: the request was that of start_receive, so the wait has written the status.
        check("MPI_Get_count", unsafe { raw::PMPI_Get_count(status.as_ptr(), self.words, &mut words) })?;
        Ok((std::mem::take(&mut receive.buffer), words as usize))
    }

    unsafe fn start_send_bytes<'a>(&self, from: Region<'a>, to: usize, tag: i32) -> Result<Transfer<'a>> {
        self.settle();
        let (messages, mut request) = (self.messages()?, no_request());
        let (comm, tag) = (messages.comm(), messages.tag(tag));
        let length = count(from.len())?;
        // SAFETY: the region is readable until the transfer has finished, by the contract of this function.
        check("MPI_Isend", unsafe {
            raw::PMPI_Isend(
                from.address().cast(),
                length,
                constants().byte,
                to as c_int,
                tag,
                comm,
                &mut request,
            )
        })?;
        let mut transfer = Transfer { request, memory: PhantomData };
        if self.simulated() {
            // SimGrid's MPI_Testany does not see sends that have completed immediately.
            self.has_finished(&mut transfer)?;
        }
        Ok(transfer)
    }

    unsafe fn start_receive_bytes<'a>(
        &self,
        into: Region<'a>,
        from: usize,
        tag: i32,
    ) -> Result<Transfer<'a>> {
        let (messages, mut request) = (self.messages()?, no_request());
        let (comm, tag) = (messages.comm(), messages.tag(tag));
        let length = count(into.len())?;
        // SAFETY: the region is writable until the transfer has finished, by the contract of this function.
        check("MPI_Irecv", unsafe {
            raw::PMPI_Irecv(
                into.address().cast(),
                length,
                constants().byte,
                from as c_int,
                tag,
                comm,
                &mut request,
            )
        })?;
        Ok(Transfer { request, memory: PhantomData })
    }

    fn has_finished(&self, transfer: &mut Transfer<'_>) -> Result<bool> {
        self.settle();
        if transfer.request == no_request() {
            // By rest_until_any. SimGrid's MPI_Test does not set the flag for MPI_REQUEST_NULL.
            return Ok(true);
        }
        let mut flag = 0;
        // SAFETY: the request of a transfer that was started.
        check("MPI_Test", unsafe {
            raw::PMPI_Test(&mut transfer.request, &mut flag, constants().status_ignore)
        })?;
        Ok(flag != 0)
    }

    fn first_finished(&self, transfers: &mut [&mut Transfer<'_>]) -> Result<Option<usize>> {
        self.settle();
        if let Some(index) = transfers.iter().position(|transfer| transfer.request == no_request()) {
            return Ok(Some(index));
        }
        let mut requests: Vec<MPI_Request> = transfers.iter().map(|transfer| transfer.request).collect();
        let result = self.test_any(&mut requests);
        // After an error, too: the request that failed is null then.
        for (transfer, request) in transfers.iter_mut().zip(requests) {
            transfer.request = request;
        }
        result
    }

    fn arrived(&self, tag: i32) -> Result<Option<(usize, usize)>> {
        self.settle();
        self.probe(tag)
    }

    fn barrier(&self) -> Result<()> {
        self.settle();
        if !self.pollers.is_empty() {
            return self.driven_barrier();
        }
        // SAFETY: the communicator lives as long as self.
        check("MPI_Barrier", unsafe { raw::PMPI_Barrier(self.raw()) })
    }

    fn all_reduce<T: Element>(&self, values: &mut [T], operation: Operation) -> Result<()> {
        self.reduce_to_all(values, operation)
    }

    fn reduce<T: Element>(&self, values: &mut [T], operation: Operation, root: usize) -> Result<()> {
        self.reduce_to_root(values, operation, root)
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

    fn node_numbers(&self) -> Result<Vec<u32>> {
        self.first_ranks_of_nodes()
    }

    #[inline]
    fn charge(&self, work: Work) {
        self.clock.charge(work);
    }

    #[inline]
    fn settle(&self) {
        self.clock.settle();
    }

    fn rest_until_any(&self, transfers: &mut [&mut Transfer<'_>]) -> Result<()> {
        let has_finished = |transfer: &&mut Transfer<'_>| transfer.request == no_request();
        if !self.simulated() || transfers.iter().any(has_finished) {
            return Ok(());
        }
        let mut requests: Vec<MPI_Request> = transfers.iter().map(|transfer| transfer.request).collect();
        let result = self.wait_any(&mut requests);
        // After an error, too: the request that failed is null then, and must not be used again.
        for (transfer, request) in transfers.iter_mut().zip(requests) {
            transfer.request = request;
        }
        result
    }

    fn seconds(&self) -> f64 {
        self.clock.seconds()
    }
}
