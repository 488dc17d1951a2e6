//! The one entrance for all-to-all exchanges, behind the gate of all systems
//! ([`hcube_core::mpi::gate`]): the C interface and the preload library both come through [`exchange`].

use super::arguments::{Named, conditions, read};
use super::call::{Call, Function};
use crate::{ExchangeState, Options, Outcome, Report, select};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::{Handle, check_kind, check_state, partners};
use hcube_core::mpi::raise::raise;
use hcube_core::mpi::{attribute, gate};
use hcube_core::node::device::Devices;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

/// What became of a call, the same kind on all ranks of the communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// hcube has made the exchange.
    Done(Report),
    /// Nothing has been done: the library's own function is to be called, on all ranks.
    Library(&'static str),
    /// Refused, and nothing was written.
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
    /// Calls the error handler of the communicator, as MPI's functions do; where that returns, the MPI
    /// error code for the caller. Whoever calls holds nothing that must be released: an error handler
    /// may leave by a jump.
    pub fn raise(self) -> c_int {
        raise(self.comm, self.function.name(), &self.error)
    }
}

/// What all-to-all exchanges keep on a communicator.
pub struct State {
    /// What the exchanges of this communicator use.
    pub exchange: ExchangeState,
    /// The predefined datatype that was looked at last.
    named: Named,
    /// Runtimes whose device memory may be passed.
    pub devices: Devices,
    /// The path of the last exchange.
    pub last_path: &'static str,
}

/// Collective: makes the exchange of a call, or says that the library is to make it.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them: the contract of [`Call`].
pub unsafe fn exchange(call: &Call) -> Verdict {
    // SAFETY: the handle of the call, as MPI asks for it.
    let comm = unsafe { Handle::new(call.comm) };
    // SAFETY: the contract of this function.
    gate::run(Some(comm), || unsafe { attempt(call, comm) })
}

/// # Safety
/// As [`exchange`].
unsafe fn attempt(call: &Call, comm: Handle) -> Verdict {
    // SAFETY: the contract of this function.
    let work = |comm: &MpiComm, kept: &mut Option<State>| unsafe { with_state(call, comm, kept) };
    // As in MPI's functions, MPI raises the error of a handle that it does not know.
    let outcome = match attribute::find(comm) {
        Ok(Some(found)) => found.with(work),
        // SAFETY: the contract of this function.
        Ok(None) => unsafe { unknown(call, comm, work) },
        Err(error) => Err(error),
    };
    match outcome {
        Ok(Outcome::Done(report)) => Verdict::Done(report),
        Ok(Outcome::Library(reason)) => Verdict::Library(reason),
        // MPICH has a limited number of them; the program may need them itself.
        Err(Error::Mpi { call: "MPI_Comm_dup", .. }) => {
            Verdict::Library("the MPI library cannot duplicate the communicator")
        }
        Err(error) => {
            // Nothing can be asked of an invalid handle.
            let living =
                !matches!(error, Error::Communicator(_) | Error::Mpi { call: "MPI_Comm_get_attr", .. });
            Verdict::Refused(Refusal { comm: living.then_some(comm), function: call.function, error })
        }
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
    work: impl FnOnce(&MpiComm, &mut Option<State>) -> Result<Outcome>,
) -> Result<Outcome> {
    if !comm.is_null() && check_state().is_err() {
        return Ok(Outcome::Library("MPI is not active"));
    }
    if check_kind(comm)? {
        // SAFETY: the arrays of an intercommunicator's call hold an entry per remote rank, by the contract of
        // this function.
        if !unsafe { call.library_can(partners(comm)) } {
            let text =
                "counts above 2^31 - 1 on an intercommunicator, which the MPI library has no function for";
            return Err(Error::Count(text.into()));
        }
        return Ok(Outcome::Library("intercommunicator"));
    }
    gate::first(comm, work)
}

/// # Safety
/// As [`exchange`].
unsafe fn with_state(call: &Call, comm: &MpiComm, kept: &mut Option<State>) -> Result<Outcome> {
    let state = prepare(comm, kept, None)?;
    // SAFETY: the contract of this function.
    let outcome = unsafe { make(call, comm, state) };
    state.last_path = match &outcome {
        Ok(Outcome::Done(report)) => report.path.name(),
        Ok(Outcome::Library(_)) => "library",
        Err(_) => "refused",
    };
    outcome
}

/// # Safety
/// As [`exchange`].
unsafe fn make(call: &Call, comm: &MpiComm, state: &mut State) -> Result<Outcome> {
    let State { exchange, named, devices, .. } = state;
    let left = select::left_to_library(exchange.situation(), call.in_place());
    if let (true, Some(reason)) = (call.library_has_function(), left) {
        return Ok(Outcome::Library(reason));
    }
    // SAFETY: the contract of this function: `read` wants it whole, and arrays hold an entry per rank.
    let (task, library_can) = unsafe { (read(call, comm, named), call.library_can(comm.size())) };
    crate::exchange(comm, exchange, &task, conditions(call, devices, !library_can), left)
}

/// Collective at the first call for a communicator, or where options are given: the state. A path in the options
/// that is not available here is an error; one in the environment is replaced.
pub fn prepare<'a>(
    comm: &MpiComm,
    kept: &'a mut Option<State>,
    options: Option<Result<Options>>,
) -> Result<&'a mut State> {
    if options.is_some() || kept.is_none() {
        *kept = Some(new_state(comm, options)?);
    }
    Ok(kept.as_mut().expect("just made"))
}

/// Collective: the options of all further exchanges on a communicator.
///
/// # Errors
/// Those of the options, of the communicator, and of memory that cannot be allocated for them.
pub fn set_options(comm: Handle, options: Result<Options>) -> Result<()> {
    gate::enter(comm, |comm, kept| prepare(comm, kept, Some(options)).map(drop))
}

/// Collective.
#[cold]
fn new_state(comm: &MpiComm, options: Option<Result<Options>>) -> Result<State> {
    /// Whether the message was printed; it is printed once for all communicators.
    static SAID: AtomicBool = AtomicBool::new(false);
    let explicit = options.is_some();
    let options = agree(comm, options.unwrap_or_else(Options::from_environment))?;
    let exchange = ExchangeState::new(comm, &options)?;
    if let Some(refusal) = exchange.refusal() {
        if explicit {
            return Err(Error::Memory(refusal.to_owned()));
        }
        if comm.rank() == 0 && !SAID.swap(true, Ordering::Relaxed) {
            eprintln!(
                "hcube: the path that HCUBE_PATH selects is not available here; using another path: {refusal}"
            );
        }
    }
    Ok(State { exchange, named: Named::default(), devices: Devices::new(), last_path: "none" })
}
