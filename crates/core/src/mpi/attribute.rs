//! State of a communicator, attached as an MPI attribute: created at first use, found by every later call,
//! not copied by `MPI_Comm_dup`, freed with the communicator or by `MPI_Finalize`. State of a communicator is
//! never in a static, so one process may have many simulated ranks and many threads may call with different
//! communicators. (The allowance of all-to-all exchanges is a copy of part of this state.)

use super::backend::MpiComm;
use super::check::check;
use super::constants::SUCCESS;
use super::handle::{Handle, holder, returning_errors, simulated, world};
use super::number::Number;
use super::raw::{self, MPI_Comm};
use super::state::CommState;
use crate::error::{Error, Result};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

type State = CommState<MpiComm>;

/// The key values, the same for all communicators of the process; see [`holder`] for the second.
static KEYS: [Number; 2] = [const { Number::new() }; 2];

fn key(number: usize) -> Result<c_int> {
    let create = || {
        let mut created = 0;
        // SAFETY: `release` has the signature that MPI requires.
        let code = unsafe { raw::hcube_shim_create_keyval(Some(release), &mut created) };
        check("MPI_Comm_create_keyval", code).map(|()| created)
    };
    // SAFETY: just created and used by nobody.
    KEYS[number].get_or_create(create, |mut created| unsafe {
        raw::PMPI_Comm_free_keyval(&mut created);
    })
}

/// Local, in `MPI_Init`: creates the key value while the process has memory. Where that fails, the first use
/// tries it again.
pub fn prepare() {
    returning_errors(world(), || key(0).map_or(1, |_| SUCCESS));
}

/// Called by MPI when the communicator is freed or MPI is finalised.
///
/// # Safety
/// MPI calls it, once for each value that [`attach`] has set.
unsafe extern "C-unwind" fn release(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: `attach` has made the value from a box, and nobody else frees it.
    let state = unsafe { Box::from_raw(value.cast::<State>()) };
    if state.is_entered() {
        // Otherwise that call would continue with freed memory.
        eprintln!("hcube: a communicator was freed inside a call of hcube that uses it: ending the job");
        super::handle::abort(None);
    }
    // Attributes of MPI_COMM_WORLD may be released when MPI calls are no longer allowed; MPI then frees what
    // hcube has created itself.
    drop(state.into_comm(super::handle::check_state().is_ok()));
    0
}

/// The value attached to a communicator; MPI's error code if the communicator is invalid.
fn lookup(comm: Handle, key: c_int) -> std::result::Result<Option<NonNull<State>>, c_int> {
    let (mut value, mut found) = (std::ptr::null_mut::<c_void>(), 0);
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it is that
    // of a living communicator, and writes a pointer to `value`.
    let code = unsafe { raw::PMPI_Comm_get_attr(comm.raw(), key, (&raw mut value).cast(), &mut found) };
    if code != SUCCESS {
        return Err(code);
    }
    Ok(NonNull::new(value.cast()).filter(|_| found != 0))
}

/// The state that is attached to a communicator.
#[derive(Debug)]
pub struct Attached {
    state: NonNull<State>,
    comm: Handle,
}

impl Attached {
    /// Local: runs `work` with the communicator and what the system that keeps an `S` keeps between calls:
    /// nothing at first. Collective functions may be called on the communicator where the program's call is
    /// collective; messages need [`Comm::open_messages`](crate::comm::Comm::open_messages) before. Inside
    /// `work` other systems may enter with the same communicator.
    ///
    /// # Errors
    /// Errors of `work`, of MPI, and [`Error::Communicator`] if another thread is inside a call with the same
    /// communicator, or this thread is inside a call of the same system.
    #[inline(always)]
    pub fn with<S: Any + Send, T>(
        self,
        work: impl FnOnce(&MpiComm, &mut Option<S>) -> Result<T>,
    ) -> Result<T> {
        self.state().enter(|contents| {
            let comm = contents.comm(|| MpiComm::borrow(self.comm))?;
            contents.with(|kept| work(comm, kept))
        })
    }

    /// Local: as [`Self::with`], for a system that keeps nothing between calls. Nothing that `work` calls
    /// enters with the same system again.
    ///
    /// # Errors
    /// As [`Self::with`].
    pub fn with_nothing_kept<T>(self, work: impl FnOnce(&MpiComm) -> Result<T>) -> Result<T> {
        self.state().enter(|contents| work(contents.comm(|| MpiComm::borrow(self.comm))?))
    }

    /// Local: accesses the state of the system that keeps an `S`, if any.
    ///
    /// # Errors
    /// [`Error::Communicator`] as [`Self::with`].
    pub fn look<S: Any + Send, T>(self, look: impl FnOnce(&S) -> T) -> Result<Option<T>> {
        self.state().enter(|contents| contents.with(|kept: &mut Option<S>| Ok(kept.as_ref().map(look))))
    }

    /// Local: registers what the system that keeps an `S` does with it before the communicator is freed:
    /// collective, because `MPI_Comm_free` is. It is not called once MPI is finalised.
    ///
    /// # Errors
    /// [`Error::Communicator`] as [`Self::with`].
    pub fn at_end<S: Any + Send>(self, end: fn(&mut S, &MpiComm)) -> Result<()> {
        self.state().enter(|contents| {
            contents.at_end(end);
            Ok(())
        })
    }

    fn state(&self) -> &State {
        // SAFETY: `attach` has made it, and `release` frees it with the communicator, which nobody frees
        // while what was found through its handle is in use, by the contract of `Handle::new`.
        unsafe { self.state.as_ref() }
    }
}

/// Local: the state of a communicator, if it has one. Asking MPI for the attribute is the cheapest check
/// of a handle. MPI raises the error of an invalid handle, as in its own functions.
///
/// # Errors
/// [`Error::Mpi`] where the handle is invalid.
#[inline(always)]
pub fn find(comm: Handle) -> Result<Option<Attached>> {
    let (holder, number) = holder(comm);
    let Some(key) = KEYS[number].known().filter(|_| !comm.is_null()) else { return Ok(None) };
    match lookup(holder, key) {
        Ok(state) => Ok(state.map(|state| Attached { state, comm })),
        Err(code) => Err(failed(code)),
    }
}

/// Local: the state of a living communicator, which gets one if it has none.
///
/// # Errors
/// Errors of MPI.
#[cold]
pub fn attach(comm: Handle) -> Result<Attached> {
    /// One thread at a time between test and set, or one would replace a value that another one uses. No call
    /// in here waits for another rank, and a thread that has found state before does not come here.
    static TURN: Mutex<()> = Mutex::new(());
    let (holder, number) = holder(comm);
    let key = key(number)?;
    // Simulated ranks share one thread and may be switched in any call; each has its own state.
    let _turn = (!simulated()).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(state) = lookup(holder, key).map_err(failed)? {
        return Ok(Attached { state, comm });
    }
    let state = NonNull::from(Box::leak(Box::<State>::default()));
    // SAFETY: MPI has just found that the communicator lives; `release` will free the box.
    let code = unsafe { raw::PMPI_Comm_set_attr(holder.raw(), key, state.as_ptr().cast()) };
    if let Err(error) = check("MPI_Comm_set_attr", code) {
        // SAFETY: leaked above, and MPI has not taken it.
        drop(unsafe { Box::from_raw(state.as_ptr()) });
        return Err(error);
    }
    Ok(Attached { state, comm })
}

#[cold]
fn failed(code: c_int) -> Error {
    Error::Mpi { call: "MPI_Comm_get_attr", code, text: String::new() }
}
