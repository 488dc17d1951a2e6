//! The entry point of persistent exchanges: `MPI_Alltoall_init` and its variants, and the starts of their
//! requests.
//!
//! The caller's request is a persistent barrier of MPI, so that all MPI functions for requests accept it.
//! Only starts are intercepted: a start copies the data of this rank, then starts the barrier. A table of the
//! process contains the requests that belong to exchanges.
//!
//! The initialisation may wait for other ranks (MPI-4): it performs the set-up and compares lengths, and all
//! ranks learn of an error of one rank. Exchanges are served on the same path as nonblocking exchanges
//! ([`super::nonblocking`]).

#[cfg(hcube_model)]
pub mod model;

use super::arguments::{conditions, read};
use super::call::{Call, Counts, Function, Types};
use super::collective::{INSTEAD, Refusal, on_communicator, ready, set_up};
use super::state::{Engine, Stage, State, guest_options};
use crate::report::{Report, UsedPath};
use crate::single_copy::persistent::Persistent;
use crate::{Options, Outcome, Path, Task};
use hcube_core::atomic::{AtomicUsize, Ordering};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::{Handle, abort};
use hcube_core::mpi::{MPI_Info, MPI_Request, forward, gate};
use hcube_core::of_process;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An exchange that was initialised.
#[derive(Debug)]
pub struct Operation {
    /// The function that has initialised it.
    pub function: Function,
    /// Bytes that each start sends to other ranks.
    pub bytes: u64,
    /// `None` where the library makes it.
    exchange: Option<Mutex<Persistent>>,
}

of_process! {
    /// The operations of this process by the handles of their requests, which belong to the process and to no
    /// communicator: one may be freed before its requests are.
    fn table() -> Mutex<BTreeMap<usize, Arc<Operation>>> = Mutex::new(BTreeMap::new());
}

of_process! {
    /// Their number: most programs have none, and no start of theirs is to wait for the table.
    fn count() -> AtomicUsize = AtomicUsize::new(0);
}

fn operations() -> MutexGuard<'static, BTreeMap<usize, Arc<Operation>>> {
    table().lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there may be an operation.
#[inline]
pub fn exist() -> bool {
    // Relaxed: a thread that starts an operation has received its request from the thread that has
    // initialised it.
    count().load(Ordering::Relaxed) > 0
}

/// The operations among requests that are to be started.
///
/// # Safety
/// `requests` is null or an array of this length.
pub unsafe fn operations_of(requests: *const MPI_Request, count: c_int) -> Vec<Arc<Operation>> {
    if !exist() || requests.is_null() {
        return Vec::new();
    }
    // SAFETY: an array of this length, by the contract of this function.
    let handle = |number| unsafe { *requests.add(number) } as usize;
    let table = operations();
    (0..count.max(0) as usize).filter_map(|number| table.get(&handle(number)).cloned()).collect()
}

/// The request was freed and does not belong to an operation any more.
pub fn forget(request: MPI_Request) {
    if operations().remove(&(request as usize)).is_some() {
        count().fetch_sub(1, Ordering::Relaxed);
    }
}

impl Operation {
    /// One that the library makes.
    pub fn of_library(function: Function, bytes: u64) -> Self {
        Self { function, bytes, exchange: None }
    }

    /// From here on, the request belongs to this operation.
    pub fn register(self, request: MPI_Request) {
        if operations().insert(request as usize, Arc::new(self)).is_none() {
            count().fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Local: moves the data of this rank in a start; the barrier must be started afterwards. `None` if the
    /// MPI library makes the exchange. Ends the job if the kernel refuses a copy.
    ///
    /// # Safety
    /// The memory of the exchange is as MPI requires, and the request is not active.
    pub unsafe fn start(&self) -> Option<Report> {
        let mut exchange = self.exchange.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: memory of the exchange is as MPI requires, and its request is not active.
        let started = gate::run(None, || unsafe { exchange.start() });
        if let Err(error) = started {
            eprintln!("hcube: {}: {error}, in a persistent exchange; {INSTEAD}", self.function.name());
            abort(None);
        }
        let memory = exchange.memory() as u64;
        Some(Report { path: UsedPath::SingleCopy, bytes: self.bytes, memory })
    }
}

const OTHER_PATH: &str = "persistent without single copy";

/// The outcome of an initialisation; the same kind on all ranks.
#[derive(Debug)]
pub enum Initialised {
    /// The operation, whose request [`make_request`] makes.
    Served(Operation),
    /// Nothing has been done: the library's function is to be called, for this reason.
    Library(&'static str),
    /// Refused.
    Refused(Refusal),
}

/// Collective: initialises an exchange, or returns that it must be forwarded.
///
/// # Safety
/// As [`super::exchange`]; the memory of the call stays as long as the request is used.
pub unsafe fn initialise(call: &Call) -> Initialised {
    // SAFETY: the handle of the call, as MPI requires.
    let comm = unsafe { Handle::new(call.comm) };
    gate::run(Some(comm), || {
        let mut made = None;
        // SAFETY: memory and handles of the call are as MPI requires, as long as the request is used.
        let work = |comm: &MpiComm, kept: &mut Option<State>, inter| unsafe {
            let state = kept.get_or_insert_with(|| State::for_call(call, comm, inter));
            let outcome = with_state(call, comm, state, &mut made);
            state.note_outcome(&outcome);
            outcome
        };
        // SAFETY: memory and handles of the call are as MPI requires, as long as the request is used.
        match (unsafe { on_communicator(call, comm, work) }, made) {
            (Ok(Outcome::Done(report)), Some(made)) => {
                let (function, bytes) = (call.function, report.bytes);
                Initialised::Served(Operation { function, bytes, exchange: Some(Mutex::new(made)) })
            }
            (Ok(Outcome::Done(_)), None) => unreachable!("made where it is done"),
            (Ok(Outcome::Library(reason)), _) => Initialised::Library(reason),
            (Err(error), _) => Initialised::Refused(Refusal::new(comm, call.function, error)),
        }
    })
}

/// Collective: the request of an operation.
///
/// # Safety
/// The operation belongs to the call, and the request can be written.
pub unsafe fn make_request(
    operation: Operation,
    call: &Call,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    // SAFETY: the communicator belongs to the call, whose operation this is; the request can be written.
    unsafe {
        let code = forward::barrier_init(call.comm, info, request);
        if code == 0 {
            operation.register(*request);
        }
        code
    }
}

/// # Safety
/// As [`initialise`].
unsafe fn with_state(
    call: &Call,
    comm: &MpiComm,
    state: &mut State,
    made: &mut Option<Persistent>,
) -> Result<Outcome> {
    if !forward::has_persistent() {
        return Err(Error::Unsupported(
            "persistent collective operations, which came with MPI 4.0: this MPI library does not have them"
                .into(),
        ));
    }
    if matches!(state.stage, Stage::New | Stage::Due(_)) && !is_asked_for(call) {
        return Ok(Outcome::Library(OTHER_PATH));
    }
    if !matches!(state.stage, Stage::Ready(_))
        && let Some(reason) = state.forwards(call, comm)
    {
        return Ok(Outcome::Library(reason));
    }
    if !matches!(state.stage, Stage::Ready(_))
        && let Some(reason) = set_up(call, comm, state)?
    {
        return Ok(Outcome::Library(reason));
    }
    let (engine, _) = ready(comm, state, call.guest)?;
    engine.with(|engine| {
        let Engine { exchange, named, devices, .. } = engine;
        let Some((node, processes, patience)) = exchange.persistent() else {
            return Ok(Outcome::Library(OTHER_PATH));
        };
        // SAFETY: memory and handles of the call are as MPI requires, as long as the request is used.
        let task = unsafe { read(call, comm, named) };
        let reachable = !conditions(call, devices, false).unreachable;
        let Some(task) = agree_on_task(comm, task, reachable)? else {
            return Ok(Outcome::Library(
                "persistent, and in place or in memory or of datatypes that hcube cannot handle",
            ));
        };
        let Some(new) = Persistent::new(comm, node, processes, &task, patience)? else {
            return Ok(Outcome::Library(OTHER_PATH));
        };
        let (bytes, memory) = (new.bytes_sent(), exchange.memory() + new.memory() as u64);
        *made = Some(new);
        Ok(Outcome::Done(Report { path: UsedPath::SingleCopy, bytes, memory }))
    })
}

/// Whether the path of these exchanges is selected, before a set-up: otherwise no set-up is performed for
/// them. Invalid options are reported by all ranks together, in the set-up.
fn is_asked_for(call: &Call) -> bool {
    let options = if call.guest { guest_options().clone() } else { Options::from_environment() };
    options.is_ok_and(|options| options.path == Path::SingleCopy)
}

/// Collective: what this rank has to do; `None` where some rank cannot do it.
///
/// # Errors
/// On all ranks, where the arguments of one are not valid.
fn agree_on_task<'a>(comm: &MpiComm, task: Result<Task<'a>>, reachable: bool) -> Result<Option<Task<'a>>> {
    let invalid = matches!(&task, Err(error) if !matches!(error, Error::Unsupported(_)));
    let impossible = !reachable || task.as_ref().map_or(!invalid, Task::is_in_place);
    let mut words = [i64::from(invalid), i64::from(impossible)];
    comm.all_reduce_max(&mut words)?;
    match words {
        [0, 0] => task.map(Some),
        [0, _] => Ok(None),
        _ => {
            agree(comm, if invalid { task.map(drop) } else { Ok(()) })?;
            Err(Error::Internal("a rank has refused its arguments, and no rank says why".into()))
        }
    }
}

/// Collective: the library's own function.
///
/// # Safety
/// As [`initialise`], and the request can be written.
pub unsafe fn by_library(call: &Call, info: MPI_Info, request: *mut MPI_Request) -> c_int {
    let (send, receive, comm) = (call.send, call.receive, call.comm);
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe {
        match (send.counts, send.types, receive.counts, receive.types) {
            (
                Counts::Same(sent),
                Types::One(sent_type),
                Counts::Same(received),
                Types::One(received_type),
            ) => {
                let (from, to) = (send.buffer, receive.buffer);
                forward::alltoall_init(
                    from,
                    sent,
                    sent_type,
                    to,
                    received,
                    received_type,
                    comm,
                    info,
                    request,
                )
            }
            (
                Counts::Int(sent, from),
                Types::One(sent_type),
                Counts::Int(received, to),
                Types::One(received_type),
            ) => forward::alltoallv_init(
                send.buffer,
                sent,
                from,
                sent_type,
                receive.buffer,
                received,
                to,
                received_type,
                comm,
                info,
                request,
            ),
            (
                Counts::Int(sent, from),
                Types::Each(sent_types),
                Counts::Int(received, to),
                Types::Each(received_types),
            ) => forward::alltoallw_init(
                send.buffer,
                sent,
                from,
                sent_types,
                receive.buffer,
                received,
                to,
                received_types,
                comm,
                info,
                request,
            ),
            _ => forward::error_count(),
        }
    }
}
