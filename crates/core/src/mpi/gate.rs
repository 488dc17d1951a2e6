//! The one gate of all systems, from a caller's handle to the state of a communicator.
//!
//! A known communicator costs one query of its attribute. No lock is taken, and no error handler of the
//! program is replaced, so an error that another thread raises meanwhile reaches the right handler. Only
//! while a private communicator is created ([`Comm::open_messages`]) the error handler is replaced.

use super::attribute::{self, Attached};
use super::backend::MpiComm;
use super::handle::{self, Handle, check_communicator, check_living, check_state};
use super::misspelt;
use crate::comm::Comm;
use crate::error::Result;
use std::any::Any;

/// Runs the body of an exported function.
///
/// A panic is a defect of hcube. It may have happened inside an exchange that other ranks wait in, so
/// returning an error would leave them waiting: the job is aborted. An exception of the program, thrown by
/// its error handler, passes: `catch_unwind` would abort.
#[inline(always)]
pub fn run<T>(comm: Option<Handle>, body: impl FnOnce() -> T) -> T {
    /// Dropped only where `body` is left by unwinding.
    struct Border(Option<Handle>);
    impl Drop for Border {
        fn drop(&mut self) {
            if std::thread::panicking() {
                defect(self.0);
            }
        }
    }
    let border = Border(comm);
    let result = body();
    std::mem::forget(border);
    result
}

#[cold]
fn defect(comm: Option<Handle>) -> ! {
    let rank = comm
        .filter(|&comm| check_state().is_ok() && check_living(comm).is_ok())
        .and_then(|comm| handle::rank(comm).ok())
        .map_or_else(|| "unknown".to_owned(), |rank| rank.to_string());
    // The panic hook has printed message and place; the rank is missing there.
    eprintln!("hcube: internal error on rank {rank}, aborting the job; please report the lines above");
    handle::abort(None);
}

/// Collective at the first call for a communicator, local afterwards: runs `work` with the communicator,
/// whose messages are open, and what the system that keeps an `S` keeps on it. Nothing is raised for an
/// invalid handle.
///
/// # Errors
/// [`Error::MpiState`](crate::Error::MpiState), [`Error::Communicator`](crate::Error::Communicator) for a
/// handle that is null, freed or of an intercommunicator, and errors of [`Comm::open_messages`] and
/// [`attribute::Attached::with`].
pub fn enter<S: Any + Send, T>(
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Option<S>) -> Result<T>,
) -> Result<T> {
    enter_without_messages(comm, |comm, kept| {
        comm.open_messages()?;
        work(comm, kept)
    })
}

/// Local: as [`enter`], for systems that open messages themselves if they need them.
///
/// # Errors
/// As [`enter`].
pub fn enter_without_messages<S: Any + Send, T>(
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Option<S>) -> Result<T>,
) -> Result<T> {
    match known(comm)? {
        Some(found) => found.with(work),
        None => first(comm, work),
    }
}

/// As [`enter`], for systems that keep nothing on communicators and run no code of the program.
///
/// # Errors
/// As [`enter`].
pub fn enter_without_state<T>(comm: Handle, work: impl FnOnce(&MpiComm) -> Result<T>) -> Result<T> {
    enter_without_state_and_messages(comm, |comm| {
        comm.open_messages()?;
        work(comm)
    })
}

/// As [`enter_without_state`] and [`enter_without_messages`].
///
/// # Errors
/// As [`enter`].
pub fn enter_without_state_and_messages<T>(
    comm: Handle,
    work: impl FnOnce(&MpiComm) -> Result<T>,
) -> Result<T> {
    let found = match known(comm)? {
        Some(found) => found,
        None => attach(comm)?,
    };
    found.with_nothing_kept(work)
}

/// The state attached to a valid communicator, while MPI is active.
#[inline(always)]
fn known(comm: Handle) -> Result<Option<Attached>> {
    check_state()?;
    check_living(comm)?;
    attribute::find(comm)
}

#[cold]
fn attach(comm: Handle) -> Result<Attached> {
    check_state()?;
    check_communicator(comm)?;
    misspelt::report();
    attribute::attach(comm)
}

/// As [`enter_without_messages`], for a communicator that has no state yet.
///
/// # Errors
/// As [`enter`].
#[cold]
pub fn first<S: Any + Send, T>(
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Option<S>) -> Result<T>,
) -> Result<T> {
    attach(comm)?.with(work)
}

/// Local: runs `work` with what the system that keeps an `S` keeps for this process, until `MPI_Finalize`.
///
/// # Errors
/// Errors of `work`, and of [`attribute::Attached::with`].
pub fn on_process<S: Any + Send, T>(work: impl FnOnce(&mut Option<S>) -> Result<T>) -> Result<T> {
    attribute::attach(handle::own_handle())?.with(|_, kept| work(kept))
}

/// Local: what the system that keeps an `S` on a communicator does with it before the communicator is freed,
/// as [`attribute::Attached::at_end`] says.
///
/// # Errors
/// As [`enter`].
pub fn at_end<S: Any + Send>(comm: Handle, end: fn(&mut S, &MpiComm)) -> Result<()> {
    known(comm)?.map_or(Ok(()), |found| found.at_end(end))
}

/// Local: accesses the state of the system that keeps an `S` on a communicator, if any.
///
/// # Errors
/// As [`enter`].
pub fn look<S: Any + Send, T>(comm: Handle, look: impl FnOnce(&S) -> T) -> Result<Option<T>> {
    match known(comm)? {
        Some(found) => found.look(look),
        None => check_communicator(comm).map(|()| None),
    }
}
