//! The one entry point of all-to-all exchanges, after the gate of all systems ([`hcube_core::mpi::gate`]):
//! the C interface and the preload library both call [`exchange`].

use super::allowance::Allowance;
use super::arguments::{Named, conditions, read};
use super::call::{Call, Function};
use super::kind::Kind;
use super::neighbours::Topology;
use super::setup;
use super::state::{Engine, Stage, State, led};
use crate::select::Led;
use crate::without_votes::Step;
use crate::{Conditions, Options, Outcome, Report, select};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::{Handle, abort, check_kind, check_state, is_inter, partners};
use hcube_core::mpi::raise::raise;
use hcube_core::mpi::shared::Shared;
use hcube_core::mpi::{attribute, gate};
use std::ffi::c_int;

/// `MPI_SUCCESS`, which the standard fixes.
const SUCCESS: c_int = 0;

/// The outcome of a call, the same kind on all ranks of the communicator, except for errors of nonblocking
/// calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// hcube has made the exchange.
    Done(Report),
    /// Nothing has been done: the library's own function is to be called, on all ranks.
    Library(&'static str),
    /// Refused, and nothing was written, except the other blocks of a nonblocking call with one block that is
    /// too long.
    Refused(Refusal),
}

/// A call that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    comm: Option<Handle>,
    function: Function,
    error: Error,
}

impl Refusal {
    /// A call on a communicator was refused with an error.
    pub(super) fn new(comm: Handle, function: Function, error: Error) -> Self {
        // An invalid handle cannot be queried.
        let living = !matches!(
            error,
            Error::Communicator(_) | Error::Mpi { call: "MPI_Comm_get_attr" | "MPI_Comm_test_inter", .. }
        );
        Self { comm: living.then_some(comm), function, error }
    }

    /// Whether a block was longer than expected.
    pub(super) fn is_truncation(&self) -> bool {
        matches!(self.error, Error::Truncate { .. })
    }

    /// Calls the error handler of the communicator, as MPI's functions do; if that returns, returns the MPI
    /// error code for the caller. The caller must hold nothing that has to be released: an error handler may
    /// leave by longjmp.
    pub fn raise(self) -> c_int {
        raise(self.comm, self.function.name(), self.error)
    }
}

/// Collective: performs the exchange of a call, or returns that it must be forwarded.
///
/// # Safety
/// The call describes memory and handles as MPI requires: the contract of [`Call`].
pub unsafe fn exchange(call: &Call) -> Verdict {
    // SAFETY: the handle of the call, as MPI requires.
    let comm = unsafe { Handle::new(call.comm) };
    // SAFETY: memory and handles of the call are as MPI requires.
    gate::run(Some(comm), || unsafe { attempt(call, comm) })
}

/// Forwards a call by `forward` if [`exchange`] has returned this reason. Records the time if the library is
/// compared with other algorithms.
///
/// # Safety
/// As [`exchange`].
pub unsafe fn forwarded(call: &Call, reason: &str, forward: impl FnOnce() -> c_int) -> c_int {
    let code = forward();
    if code == SUCCESS && reason == select::COMPARED {
        // SAFETY: the handle of the call, which MPI has just accepted.
        let comm = unsafe { Handle::new(call.comm) };
        gate::run(Some(comm), || note_forwarded(comm));
    }
    code
}

/// Where it fails, the library loses the comparison.
fn note_forwarded(comm: Handle) {
    let Ok(Some(found)) = attribute::find(comm) else { return };
    let _ = found.with(|comm, kept: &mut Option<State>| match kept.as_ref().map(|state| &state.stage) {
        Some(Stage::Ready(engine)) => engine.with(|engine| {
            engine.exchange.note_forwarded(comm.seconds());
            Ok(())
        }),
        _ => Ok(()),
    });
}

/// # Safety
/// As [`exchange`].
unsafe fn attempt(call: &Call, comm: Handle) -> Verdict {
    // SAFETY: memory and handles of the call are as MPI requires.
    let work =
        |comm: &MpiComm, kept: &mut Option<State>, inter| unsafe { with_state(call, comm, kept, inter) };
    // SAFETY: memory and handles of the call are as MPI requires.
    let outcome = unsafe { on_communicator(call, comm, work) };
    match outcome {
        Ok(Outcome::Done(report)) => Verdict::Done(report),
        Ok(Outcome::Library(reason)) => Verdict::Library(reason),
        Err(error) => Verdict::Refused(Refusal::new(comm, call.function, error)),
    }
}

/// Runs `work` with the state of the communicator of a call, and whether it is known to be an
/// intercommunicator.
///
/// # Safety
/// As [`exchange`].
#[inline(always)]
pub(super) unsafe fn on_communicator(
    call: &Call,
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Option<State>, bool) -> Result<Outcome>,
) -> Result<Outcome> {
    // As in MPI's functions, MPI raises the error of a handle that it does not know.
    match attribute::find(comm)? {
        Some(found) => found.with(|comm, kept: &mut Option<State>| {
            if let Some(state) = kept {
                state.end_allowance();
            }
            work(comm, kept, false)
        }),
        // SAFETY: memory and handles of the call are as MPI requires.
        None => unsafe { unknown(call, comm, work) },
    }
}

/// A call on a communicator that has no state yet.
///
/// # Safety
/// As [`exchange`].
#[cold]
unsafe fn unknown(
    call: &Call,
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Option<State>, bool) -> Result<Outcome>,
) -> Result<Outcome> {
    if !comm.is_null() && check_state().is_err() {
        return Ok(Outcome::Library("MPI is not active"));
    }
    // A program that does not call hcube has its handles checked by MPI, as in MPI's own functions.
    let inter = if call.guest && !comm.is_null() { is_inter(comm)? } else { check_kind(comm)? };
    if inter && !call.guest {
        // SAFETY: the arrays of an intercommunicator's call hold an entry per remote rank, by the contract of
        // this function.
        if !unsafe { call.library_can(partners(comm)) } {
            let text =
                "counts above 2^31 - 1 on an intercommunicator, which the MPI library has no function for";
            return Err(Error::Count(text.into()));
        }
        return Ok(Outcome::Library("intercommunicator"));
    }
    match attribute::attach(comm) {
        Ok(attached) => attached.with(|comm, kept| work(comm, kept, inter)),
        // Exchanges of these are forwarded, so that no other rank waits for this one.
        Err(_) if call.guest && (inter || partners(comm) == 1) => {
            Ok(Outcome::Library("no memory for the state of a communicator"))
        }
        // The others will set the communicator up, and wait for a rank that has not counted this call.
        Err(error) if call.guest => {
            eprintln!("hcube: {}: {error}; {INSTEAD}", call.function.name());
            abort(None)
        }
        Err(error) => Err(error),
    }
}

/// How a program runs that hcube ends.
pub(super) const INSTEAD: &str = "HCUBE_ALLTOALL=library runs the program without hcube";

/// # Safety
/// As [`exchange`].
unsafe fn with_state(call: &Call, comm: &MpiComm, kept: &mut Option<State>, inter: bool) -> Result<Outcome> {
    let state = kept.get_or_insert_with(|| State::for_call(call, comm, inter));
    if let Some(one_rank) = &state.one_rank
        && !state.awaits_set_up()
    {
        one_rank.remember();
    }
    let of_neighbours = call.function.is_of_neighbours();
    if of_neighbours && state.topology.is_none() {
        state.topology = Topology::new(comm)?;
    }
    let was_ready = matches!(state.stage, Stage::Ready(_));
    // SAFETY: memory and handles of the call are as MPI requires.
    let mut kind = unsafe { state.kind(call, comm) }?;
    let reason = match &state.stage {
        _ if of_neighbours && state.topology.is_none() => Err("a communicator without a topology"),
        Stage::Ready(_) => match kind
            .map(|kind| (kind, state.without_votes[kind as usize].next(|| comm.seconds())))
        {
            None => Ok(None),
            Some((_, Step::Vote(stated))) => Ok(stated),
            // SAFETY: memory and handles of the call are as MPI requires.
            Some((kind, Step::Forward)) => Err(unsafe { forward_without_votes(call, comm, state, kind) }?),
        },
        // SAFETY: memory and handles of the call are as MPI requires.
        _ => match unsafe { forwards_before_set_up(call, comm, state) } {
            Some(reason) => Err(reason),
            None => set_up(call, comm, state)?.map_or(Ok(None), Err),
        },
    };
    let outcome = match reason {
        Err(reason) => Ok(Outcome::Library(reason)),
        Ok(stated) => {
            let mut topology = state.topology.take();
            let outcome = ready(comm, state, call.guest).and_then(|(engine, user)| {
                engine.with(|engine| {
                    // SAFETY: memory and handles of the call are as MPI requires.
                    let outcome = unsafe { make(call, comm, engine, topology.as_mut(), (user, stated)) }?;
                    Ok((outcome, engine.exchange.last_short_times()))
                })
            });
            state.topology = topology;
            if !was_ready {
                // The exchange before which the communicator was set up counts as well.
                // SAFETY: memory and handles of the call are as MPI requires.
                kind = unsafe { state.kind(call, comm) }?;
            }
            if let (Some(kind), Ok((made, times))) = (kind, &outcome) {
                let forwarded = *made == Outcome::Library(select::COMPARED);
                state.without_votes[kind as usize].note(*times, forwarded);
            }
            outcome.map(|(outcome, _)| outcome)
        }
    };
    state.note_outcome(&outcome);
    outcome
}

/// Why a call is forwarded with arguments for which the MPI library returns an error to this rank.
const INVALID: &str = "arguments that are not valid";

/// Counts a call that is forwarded without votes, if this rank's arguments are valid, so that it takes part
/// in the exchange even if the MPI library returns an error, and grants an allowance for the next ones.
/// Returns why it is forwarded.
///
/// # Safety
/// As [`exchange`].
unsafe fn forward_without_votes(
    call: &Call,
    comm: &MpiComm,
    state: &mut State,
    kind: Kind,
) -> Result<&'static str> {
    let Stage::Ready(engine) = &state.stage else { unreachable!("decided after the set-up") };
    let (without_votes, allowance) = (&mut state.without_votes[kind as usize], &mut state.allowance);
    engine.with(|engine| {
        // SAFETY: memory and handles of the call are as MPI requires.
        let task = unsafe { read(call, comm, &mut engine.named) };
        if are_invalid(&task) {
            return Ok(INVALID);
        }
        without_votes.note_forwarded(1);
        if kind == Kind::Short {
            *allowance = Allowance::new(call, comm, engine.named.handle(), without_votes.forwards_next());
        }
        Ok(kind.reason())
    })
}

/// Why a call on a communicator that is not set up is forwarded, if it is.
///
/// # Safety
/// As [`exchange`].
#[cold]
unsafe fn forwards_before_set_up(call: &Call, comm: &MpiComm, state: &mut State) -> Option<&'static str> {
    // SAFETY: memory and handles of the call are as MPI requires.
    if call.guest && state.awaits_set_up() && unsafe { is_refused(call, comm, state.topology.as_ref()) } {
        return Some(INVALID);
    }
    state.forwards(call, comm)
}

/// Why calls are forwarded if a rank has no memory for the set-up.
const NO_MEMORY: &str = "no memory for hcube's exchanges";

/// Collective: sets a communicator up. Why its calls are forwarded from now on, if a rank has no memory for
/// that.
///
/// # Errors
/// On all ranks: errors of the options and of MPI; of memory, if the MPI library has no function for the
/// call.
#[cold]
pub(super) fn set_up(call: &Call, comm: &MpiComm, state: &mut State) -> Result<Option<&'static str>> {
    match ready(comm, state, call.guest) {
        Err(error) if error.is_lack_of_memory() && call.library_has_function() => {
            state.stage = Stage::Forwarded(NO_MEMORY);
            Ok(Some(NO_MEMORY))
        }
        Err(error) => {
            let outcome = Err(error);
            state.note_outcome(&outcome);
            outcome.map(|_| None)
        }
        Ok(_) => Ok(None),
    }
}

/// Whether the arguments of this rank are invalid. Before the set-up there is no notice by which others could
/// learn of that, and this rank may be the only one that calls: the call is neither counted nor leads to the
/// set-up, and the MPI library returns its error.
///
/// # Safety
/// As [`exchange`].
unsafe fn is_refused(call: &Call, comm: &MpiComm, topology: Option<&Topology>) -> bool {
    // SAFETY: memory and handles of the call are as MPI requires.
    let checked = unsafe {
        match topology.filter(|_| call.function.is_of_neighbours()) {
            Some(topology) => topology.check(call, comm),
            None => read(call, comm, &mut Named::default()).map(drop),
        }
    };
    are_invalid(&checked)
}

/// Whether arguments that were read are not valid. Valid ones that hcube cannot handle do not count.
fn are_invalid<T>(read: &Result<T>) -> bool {
    read.as_ref().is_err_and(|error| !matches!(error, Error::Unsupported(_)))
}

/// # Safety
/// As [`exchange`].
unsafe fn make(
    call: &Call,
    comm: &MpiComm,
    engine: &mut Engine,
    topology: Option<&mut Topology>,
    (user, stated): (u64, Option<u64>),
) -> Result<Outcome> {
    let Engine { exchange, named, devices, .. } = engine;
    let situation = exchange.situation();
    // SAFETY: the datatype of the call is as MPI requires.
    let by_leaders = unsafe { led(call, comm, exchange, named) };
    let led = match by_leaders {
        Led::Yes(blocks) => Some(blocks),
        Led::No | Led::Unknown => None,
    };
    let reason = match by_leaders {
        Led::Unknown => Some(INVALID),
        Led::Yes(_) | Led::No => select::forwarded_before_votes(situation, call.in_place(), led.is_some()),
    };
    if let (true, Some(reason)) = (call.library_has_function(), reason) {
        return Ok(Outcome::Library(reason));
    }
    if let Some(topology) = topology.filter(|_| call.function.is_of_neighbours()) {
        // SAFETY: memory and handles of the call are as MPI requires.
        return unsafe { make_for_neighbours(call, comm, engine, topology, user) };
    }
    // SAFETY: memory and handles of the call are as MPI requires, and arrays hold an entry per rank.
    let (task, library_can) = unsafe { (read(call, comm, named), call.library_can(comm.size())) };
    let conditions = Conditions { user, stated, led, ..conditions(call, devices, !library_can) };
    crate::exchange(comm, exchange, &task, conditions, reason)
}

/// # Safety
/// As [`exchange`].
unsafe fn make_for_neighbours(
    call: &Call,
    comm: &MpiComm,
    engine: &mut Engine,
    topology: &mut Topology,
    user: u64,
) -> Result<Outcome> {
    if topology.is_ambiguous(call) {
        return Ok(Outcome::Library("datatypes of neighbours with MPICH 4"));
    }
    let Engine { exchange, named, devices, .. } = engine;
    if !exchange.situation().is_asked() && topology.is_forwarding() {
        // Others may not take part in a call that the library refuses: it does not count, as before the
        // set-up. SAFETY: memory and handles of the call are as MPI requires.
        if unsafe { topology.check(call, comm) }.is_ok() {
            topology.note_forwarded();
        }
        return Ok(Outcome::Library("short blocks for neighbours"));
    }
    topology.complete(call, comm)?;
    // SAFETY: memory and handles of the call are as MPI requires.
    let task = unsafe { topology.read(call, comm, named) };
    let conditions = Conditions { user, timed: false, ..conditions(call, devices, false) };
    let outcome = crate::exchange(comm, exchange, &task, conditions, None)?;
    if let Outcome::Done(_) = &outcome {
        topology.note_served(exchange.last_total());
    }
    Ok(outcome)
}

/// Collective at the first exchange that is served, local afterwards: the engine, and this communicator's
/// number.
#[inline(always)]
pub(super) fn ready<'a>(
    comm: &MpiComm,
    state: &'a mut State,
    guest: bool,
) -> Result<(&'a Shared<Engine>, u64)> {
    if !matches!(state.stage, Stage::Ready(_)) {
        let ranks = if let Stage::Due(ranks) = &mut state.stage { ranks.take() } else { None };
        let engine = setup::engine(comm, ranks, guest)?;
        state.user = engine.with(|engine| {
            engine.users += 1;
            Ok(engine.users)
        })?;
        state.serve(engine)?;
    }
    match &state.stage {
        Stage::Ready(engine) => Ok((engine, state.user)),
        _ => unreachable!("just made"),
    }
}

/// Collective at the first call for a communicator: what serves its exchanges. A path in the environment that
/// is not available here is replaced.
///
/// # Errors
/// On all ranks: errors of the options, of memory, and of MPI.
pub fn prepare<'a>(comm: &MpiComm, kept: &'a mut Option<State>) -> Result<&'a Shared<Engine>> {
    ready(comm, kept.get_or_insert_with(State::new), false).map(|(engine, _)| engine)
}

/// Collective: the options of all further exchanges on a communicator.
///
/// # Errors
/// Errors of the options, of the communicator, of memory that cannot be allocated for them, and of a path
/// that is not available here.
pub fn set_options(comm: Handle, options: Result<Options>) -> Result<()> {
    gate::enter_without_messages(comm, |comm, kept| {
        let engine = setup::engine_with(comm, options)?;
        let state = kept.get_or_insert_with(State::new);
        state.serve(engine)?;
        (state.without_votes, state.allowance, state.one_rank) = (Kind::none(), None, None);
        Ok(())
    })
}
