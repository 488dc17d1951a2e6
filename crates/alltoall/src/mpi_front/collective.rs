//! The one entrance for all-to-all exchanges: the C interface and the preload library both come
//! through [`exchange`].

use super::arguments::{Named, facts, read};
use super::call::{Call, Function};
use crate::{Options, Outcome, Prepared, Report, select};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::attribute::{self, Kept};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::{self, Handle, check_communicator, check_state};
use hcube_core::mpi::raise::raise;
use hcube_core::node::device::Devices;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    pub prepared: Prepared,
    /// The predefined datatype that was looked at last.
    named: Named,
    /// Runtimes of accelerators whose memory may be passed.
    pub devices: Devices,
    /// The way of the last exchange.
    pub last_way: &'static str,
}

/// Collective: makes the exchange of a call, or says that the library is to make it.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them.
pub unsafe fn exchange(call: &Call) -> Verdict {
    // SAFETY: the caller's promise.
    let comm = unsafe { Handle::new(call.comm) };
    // SAFETY: the caller's promise.
    catch_unwind(AssertUnwindSafe(|| unsafe { attempt(call, comm) })).unwrap_or_else(|_| {
        eprintln!("hcube: internal error, aborting the job; please report the lines above");
        handle::abort(None)
    })
}

/// # Safety
/// As [`exchange`].
unsafe fn attempt(call: &Call, comm: Handle) -> Verdict {
    // SAFETY: the caller's promise.
    let work = |comm: &MpiComm, kept: &mut Kept| unsafe { with_state(call, comm, kept) };
    let outcome = match attribute::find(comm) {
        Ok(Some(found)) => found.with(work),
        Ok(None) => unknown(call, comm, work),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(Outcome::Done(report)) => Verdict::Done(report),
        Ok(Outcome::Library(reason)) => Verdict::Library(reason),
        Err(error) => {
            // Nothing can be asked of a handle that is none.
            let living =
                !matches!(error, Error::Communicator(_) | Error::Mpi { call: "MPI_Comm_get_attr", .. });
            Verdict::Refused(Refusal { comm: living.then_some(comm), function: call.function, error })
        }
    }
}

/// A call on a communicator on which nothing hangs yet.
#[cold]
fn unknown(
    call: &Call,
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Kept) -> Result<Outcome>,
) -> Result<Outcome> {
    if !comm.is_null() && check_state().is_err() {
        return Ok(Outcome::Library("MPI is not active"));
    }
    if !comm.is_null() && handle::is_inter(comm) {
        // SAFETY: the arrays of an intercommunicator's call hold an entry per remote rank.
        if !unsafe { call.library_can(handle::partners(comm)) } {
            let text =
                "counts above 2^31 - 1 on an intercommunicator, which the MPI library has no function for";
            return Err(Error::Count(text.into()));
        }
        return Ok(Outcome::Library("intercommunicator"));
    }
    check_communicator(comm)?;
    match attribute::with(comm, work) {
        // MPICH has a limited number of them; the program may need them itself.
        Err(Error::Mpi { call: "MPI_Comm_dup", .. }) => {
            Ok(Outcome::Library("the library has no further communicator for hcube"))
        }
        outcome => outcome,
    }
}

/// # Safety
/// As [`exchange`].
unsafe fn with_state(call: &Call, comm: &MpiComm, kept: &mut Kept) -> Result<Outcome> {
    let state = prepare(comm, kept, None)?;
    // SAFETY: the caller's promise.
    let outcome = unsafe { make(call, comm, state) };
    state.last_way = match &outcome {
        Ok(Outcome::Done(report)) => report.way.name(),
        Ok(Outcome::Library(_)) => "library",
        Err(_) => "refused",
    };
    outcome
}

/// # Safety
/// As [`exchange`].
unsafe fn make(call: &Call, comm: &MpiComm, state: &mut State) -> Result<Outcome> {
    let State { prepared, named, devices, .. } = state;
    let left = select::left_to_library(&prepared.situation, call.in_place());
    if let (true, Some(reason)) = (call.library_has_function(), left) {
        return Ok(Outcome::Library(reason));
    }
    // SAFETY: the caller's promise.
    let (task, library_can) = unsafe { (read(call, comm, named), call.library_can(comm.size())) };
    crate::exchange(comm, prepared, &task, facts(call, devices, !library_can), left)
}

/// Collective at the first call for a communicator, or where options are given: the state. Options that
/// are given must work; those of the environment are a wish.
pub fn prepare<'a>(
    comm: &MpiComm,
    kept: &'a mut Kept,
    options: Option<Result<Options>>,
) -> Result<&'a mut State> {
    if options.is_some() || kept.get::<State>().is_none() {
        kept.put(new_state(comm, options)?);
    }
    Ok(kept.get_mut().expect("just made"))
}

/// Collective: the options of all further exchanges on a communicator.
///
/// # Errors
/// Those of the options, of the communicator, and of memory that cannot be had for them.
pub fn set_options(comm: Handle, options: Result<Options>) -> Result<()> {
    check_state()?;
    check_communicator(comm)?;
    attribute::with(comm, |comm, kept| prepare(comm, kept, Some(options)).map(drop))
}

/// Collective.
#[cold]
fn new_state(comm: &MpiComm, options: Option<Result<Options>>) -> Result<State> {
    /// What is said once is enough, however many communicators it is true of.
    static SAID: AtomicBool = AtomicBool::new(false);
    let explicit = options.is_some();
    let options = agree(comm, options.unwrap_or_else(Options::from_environment))?;
    let prepared = Prepared::new(comm, &options)?;
    if let Some(refusal) = &prepared.refusal {
        if explicit {
            return Err(Error::Memory(refusal.clone()));
        }
        if comm.rank() == 0 && !SAID.swap(true, Ordering::Relaxed) {
            eprintln!("hcube: HCUBE_PATH does not work here, another path is taken: {refusal}");
        }
    }
    Ok(State { prepared, named: Named::default(), devices: Devices::new(), last_way: "none" })
}
