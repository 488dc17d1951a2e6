//! State that hangs on a communicator as an MPI attribute: created at first use, found again by
//! every later call, not copied by `MPI_Comm_dup`, released with the communicator or by
//! `MPI_Finalize`. Nothing that belongs to a communicator stands in a static, so one process may
//! hold many simulated ranks and many threads may call with different communicators.

use super::backend::MpiComm;
use super::handle::{Handle, check_state, holder};
use super::raw::{self, MPI_Comm};
use crate::error::{Error, Result};
use std::any::Any;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// What hangs on a communicator.
struct Attached {
    /// The private duplicate through which hcube speaks.
    comm: MpiComm,
    /// What algorithms keep between calls.
    kept: Kept,
    /// A call is under way: the same communicator entered twice at once is an error in MPI, too.
    busy: AtomicBool,
}

/// What algorithms keep on a communicator: at most one value of each type.
#[derive(Default)]
pub struct Kept(Vec<Box<dyn Any>>);

impl Kept {
    /// The value of a type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.iter().find_map(|value| value.downcast_ref())
    }

    /// The value of a type, to be changed.
    pub fn get_mut<T: Any>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|value| value.downcast_mut())
    }

    /// Takes the value of a type out.
    pub fn take<T: Any>(&mut self) -> Option<Box<T>> {
        let index = self.0.iter().position(|value| value.is::<T>())?;
        self.0.swap_remove(index).downcast().ok()
    }

    /// Keeps a value instead of the one of its type.
    pub fn put<T: Any>(&mut self, value: T) -> &mut T {
        drop(self.take::<T>());
        self.0.push(Box::new(value));
        self.0.last_mut().and_then(|value| value.downcast_mut()).expect("just kept")
    }
}

/// The key values, the same for all communicators of the process, or `UNSET`; see [`holder`] for the
/// second.
static KEYS: [AtomicI32; 2] = [const { AtomicI32::new(UNSET) }; 2];
const UNSET: i32 = i32::MIN;

/// Creates a key value once. Two threads may both create one: the loser frees its own, so that
/// no lock is held while MPI is called.
fn key(number: usize) -> Result<c_int> {
    let known = KEYS[number].load(Ordering::Acquire);
    if known != UNSET {
        return Ok(known);
    }
    // SAFETY: a constant.
    let mut created = unsafe { raw::hcube_shim_keyval_invalid() };
    // SAFETY: `release` has the signature that MPI asks for.
    let code = unsafe { raw::hcube_shim_create_keyval(Some(release), &mut created) };
    if code != 0 {
        return Err(Error::Mpi { call: "MPI_Comm_create_keyval", code, text: String::new() });
    }
    match KEYS[number].compare_exchange(UNSET, created, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Ok(created),
        Err(winner) => {
            // SAFETY: created above and used by nobody.
            unsafe { raw::PMPI_Comm_free_keyval(&mut created) };
            Ok(winner)
        }
    }
}

/// Called by MPI when the communicator is freed or MPI is finalised.
unsafe extern "C" fn release(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the value is the box that `attach` leaked, and MPI calls this once for it.
    let attached = unsafe { Box::from_raw(value.cast::<Attached>()) };
    let Attached { comm, kept, .. } = *attached;
    drop(kept);
    // Attributes of MPI_COMM_WORLD may be released when MPI calls are no longer allowed; MPI then
    // frees the duplicate itself.
    if check_state().is_ok() {
        comm.free();
    }
    0
}

/// What hangs on a communicator, or null; MPI's error code where it does not know the communicator.
fn lookup(comm: Handle, key: c_int) -> std::result::Result<*mut Attached, c_int> {
    let (mut value, mut found) = (std::ptr::null_mut::<c_void>(), 0);
    // SAFETY: MPI checks the handle, as far as it can, and writes a pointer to `value`.
    let code = unsafe { raw::PMPI_Comm_get_attr(comm.raw(), key, (&raw mut value).cast(), &mut found) };
    // SAFETY: a constant.
    if code != unsafe { raw::hcube_shim_success() } {
        return Err(code);
    }
    Ok(if found != 0 { value.cast() } else { std::ptr::null_mut() })
}

/// The state of a communicator that has been found.
#[derive(Debug, Clone, Copy)]
pub struct Found(*mut Attached);

impl Found {
    /// As [`with`].
    pub fn with<T>(self, work: impl FnOnce(&MpiComm, &mut Kept) -> Result<T>) -> Result<T> {
        // SAFETY: found on a communicator that its user keeps alive during the call.
        unsafe { enter(self.0, work) }
    }
}

/// Local: the state of a communicator, if it has one. Asking MPI for the attribute is the cheapest check
/// of a handle that there is.
///
/// # Errors
/// [`Error::Communicator`] where the handle is none.
pub fn find(comm: Handle) -> Result<Option<Found>> {
    let (holder, number) = holder(comm);
    let key = KEYS[number].load(Ordering::Acquire);
    if key == UNSET || comm.is_null() {
        return Ok(None);
    }
    lookup(holder, key).map(|state| (!state.is_null()).then_some(Found(state))).map_err(failed)
}

/// Collective at the first call for a communicator (it duplicates it), local afterwards: runs
/// `work` with the private duplicate and the place for what is kept between calls.
///
/// # Errors
/// Those of `work`, of MPI, and [`Error::Communicator`] where another thread is inside a call with
/// the same communicator.
pub fn with<T>(comm: Handle, work: impl FnOnce(&MpiComm, &mut Kept) -> Result<T>) -> Result<T> {
    let (holder, number) = holder(comm);
    let key = key(number)?;
    let mut state = lookup(holder, key).map_err(failed)?;
    if state.is_null() {
        let attached =
            Attached { comm: MpiComm::duplicate(comm)?, kept: Kept::default(), busy: AtomicBool::new(false) };
        state = Box::into_raw(Box::new(attached));
        // SAFETY: the communicator is valid, and `release` will free the box.
        let code = unsafe { raw::PMPI_Comm_set_attr(holder.raw(), key, state.cast()) };
        if code != 0 {
            return Err(Error::Mpi { call: "MPI_Comm_set_attr", code, text: String::new() });
        }
    }
    Found(state).with(work)
}

fn failed(code: c_int) -> Error {
    Error::Mpi { call: "MPI_Comm_get_attr", code, text: String::new() }
}

/// Runs `work` on a communicator's state.
///
/// # Safety
/// The state is a living box that only its communicator refers to.
unsafe fn enter<T>(state: *mut Attached, work: impl FnOnce(&MpiComm, &mut Kept) -> Result<T>) -> Result<T> {
    /// Marks the state as free again, whichever way the call ends.
    struct Leave<'a>(&'a AtomicBool);
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            self.0.store(false, Ordering::Release);
        }
    }

    // SAFETY: the caller's promise; shared until `busy` is ours.
    let busy = unsafe { &(*state).busy };
    // Two threads that enter at the same moment are the caller's mistake and may pass unnoticed: an
    // operation that could not miss them would wait for all of this core's stores first.
    if busy.load(Ordering::Acquire) {
        return Err(Error::Communicator(
            "comm is in use by another hcube call: one call per communicator at a time".into(),
        ));
    }
    busy.store(true, Ordering::Relaxed);
    let _leave = Leave(busy);
    // SAFETY: as above; a communicator is used by one thread at a time, by the rules of MPI, and a call
    // from inside a call (of an error handler) has found `busy` set.
    let (private, kept) = unsafe { (&(*state).comm, &mut (*state).kept) };
    work(private, kept)
}

/// Local: looks at what is kept on a communicator, if anything is.
pub fn peek<T>(comm: Handle, look: impl FnOnce(&Kept) -> T) -> Result<Option<T>> {
    let (holder, number) = holder(comm);
    let state = lookup(holder, key(number)?).map_err(failed)?;
    // SAFETY: null, or the living box of `with`; a call under way on the same communicator is
    // excluded by `busy` in the same thread and by MPI's rules in others.
    let Some(attached) = (unsafe { state.as_ref() }) else { return Ok(None) };
    if attached.busy.load(Ordering::Acquire) {
        return Err(Error::Communicator("comm is in use by another hcube call".into()));
    }
    Ok(Some(look(&attached.kept)))
}
