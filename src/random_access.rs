//! RandomAccess for C.

use crate::boundary::{enter, enter_on, output, required, text_buffer, write_text};
use crate::sized;
use crate::types::{
    hcube_error, hcube_random_access_options, hcube_random_access_statistics, hcube_table, hcube_updates,
};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::MPI_Comm;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::gate;
use hcube_core::options::{self, Number};
use hcube_hpcc::random_access::State;
use hcube_random_access::{Distribution, StreamKind, Updates};
use std::ffi::c_char;

/// A table and updates after conversion.
struct Task<'a> {
    distribution: Distribution,
    words: &'a mut [u64],
    updates: Updates,
}

/// Converts, and checks what one rank can check.
///
/// # Safety
/// The pointers are null or valid; the table's words are valid for its length.
unsafe fn read_task<'a>(
    comm: &MpiComm,
    table: *const hcube_table,
    updates: *const hcube_updates,
) -> Result<Task<'a>> {
    // SAFETY: null or valid, by the contract of this function.
    let (table, updates) = unsafe { (required(table, "table")?, required(updates, "updates")?) };
    let distribution = Distribution::of_length(table.global_length, comm.size())?;
    distribution.check_local(comm.rank(), table.local_length, table.first_index)?;
    let words: &mut [u64] = if table.local_length == 0 {
        &mut []
    } else if table.words.is_null() {
        return Err(Error::argument("table.words", "NULL", format!("{} words", table.local_length)));
    } else if !table.words.is_aligned() {
        return Err(Error::argument(
            "table.words",
            format!("{:p}", table.words),
            "an address aligned to 8 bytes",
        ));
    } else {
        // SAFETY: valid for its length, by the contract of this function, which has been checked against the
        // distribution.
        unsafe { std::slice::from_raw_parts_mut(table.words, table.local_length as usize) }
    };
    let kind = StreamKind::from_number(updates.stream.into()).ok_or_else(|| {
        Error::argument("updates.stream", updates.stream, options::choices(StreamKind::NAMES))
    })?;
    let updates = Updates { kind, start: updates.start, count: updates.count };
    updates.check()?;
    Ok(Task { distribution, words, updates })
}

/// As [`read_task`], with an error on all ranks if one has an error.
///
/// # Safety
/// As [`read_task`].
unsafe fn agree_task<'a>(
    comm: &MpiComm,
    table: *const hcube_table,
    updates: *const hcube_updates,
) -> Result<Task<'a>> {
    // SAFETY: the pointers are null or valid; the table's words are valid for its length.
    agree(comm, unsafe { read_task(comm, table, updates) })
}

/// Local. Returns the default options, changed by the environment variables
/// [`hcube_random_access::Options`].
/// May be called before MPI_Init.
///
/// options: receives the options; allocated by the caller.
/// size: size of *options in bytes, sizeof(hcube_random_access_options).
/// Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
/// not valid.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_default_options(
    options: *mut hcube_random_access_options,
    size: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || sized::fill(options, size, hcube_random_access_options::defaults)) }
}

/// Collective. Performs the set-up of the first run on a communicator in advance: creates
/// a communicator for messages, plans the stages and allocates shared memory; with the modes
/// HCUBE_MODE_EVENTS and HCUBE_MODE_SPAWN, starts the coarray runtime if the program has not called
/// hcube_caf_init; MPI_Finalize then ends it. Optional; useful before a timed region.
/// The set-up is attached to the communicator and freed with it, at the latest by MPI_Finalize.
///
/// comm: an intracommunicator.
/// options: the same on all ranks; NULL selects the defaults and the environment.
/// Errors: HCUBE_ERR_ARGUMENT, also for a mode on coarrays with a communicator that does not have the
/// processes of MPI_COMM_WORLD; HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH, HCUBE_ERR_MPI;
/// HCUBE_ERR_MEMORY if the selected mode needs shared memory that is not available.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_prepare(
    comm: MPI_Comm,
    options: *const hcube_random_access_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |comm, kept| {
                State::prepare(comm, kept, hcube_random_access_options::read(options)).map(drop)
            })
        })
    }
}

/// Collective. Applies the updates of all ranks to the table. Every update is applied exactly once,
/// duplicates and the remainder included. On return, all updates of the words of this rank have
/// been applied.
///
/// If the arguments of one rank are not valid, no rank writes to the table. An error of MPI during
/// the exchange aborts the job, because other ranks are waiting. Only one call at a time may be
/// active on a communicator; calls on different communicators may be active in different threads.
///
/// The additional memory per rank grows in proportion to the look-ahead; doc/clusters.md lists it.
///
/// comm: an intracommunicator.
/// table: the part of this rank. Its words are read and written.
/// updates: the updates of this rank.
/// options: the same on all ranks; NULL selects the defaults and the environment.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_DISTRIBUTION, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE,
/// HCUBE_ERR_MISMATCH, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
/// Source: S. Plimpton, R. Brightwell, C. Vaughan, K. Underwood and M. Davis, A Simple Synchronous
/// Distributed-Memory Algorithm for the HPCC RandomAccess Benchmark, IEEE Cluster 2006.
///
/// # Safety
/// The pointers are null or valid; table->words is valid for table->local_length words.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_run(
    comm: MPI_Comm,
    table: *const hcube_table,
    updates: *const hcube_updates,
    options: *const hcube_random_access_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid, and table->words for table->local_length words; the handle is
    // one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |comm, kept| {
                let task = agree_task(comm, table, updates)?;
                let (state, options) =
                    State::prepare(comm, kept, hcube_random_access_options::read(options))?;
                let Task { distribution, words, updates } = task;
                state.run(comm, distribution, words, &updates, &options).map(drop)
            })
        })
    }
}

/// Collective. Verifies the updates of a table whose word i was i before the run: applies all updates again
/// by a separate algorithm, which restores the words, and counts the words that differ from their index. On
/// return, every word is its index.
///
/// comm: an intracommunicator.
/// table: the part of this rank, as in the run.
/// updates: the updates of this rank, as in the run.
/// errors: receives the number of wrong words on all ranks, the same on every rank; 0 if the run
/// was correct.
/// Errors: as hcube_random_access_run.
/// Source: the verification that HPCC prescribes.
///
/// # Safety
/// The pointers are null or valid; table->words is valid for table->local_length words.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_verify(
    comm: MPI_Comm,
    table: *const hcube_table,
    updates: *const hcube_updates,
    errors: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid, and table->words for table->local_length words; the handle is
    // one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |comm, _: &mut Option<State>| {
                let errors = agree(comm, output(errors, "errors"))?;
                let Task { distribution, words, updates } = agree_task(comm, table, updates)?;
                *errors = hcube_random_access::verify(comm, distribution, words, &updates)? as i64;
                Ok(())
            })
        })
    }
}

/// Local. Returns the statistics of the last run of this rank on a communicator; all fields are
/// zero if there was none.
///
/// comm: an intracommunicator.
/// statistics: receives the statistics; allocated by the caller, who sets statistics->struct_size
/// to sizeof(hcube_random_access_statistics) before the call.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_last_statistics(
    comm: MPI_Comm,
    statistics: *mut hcube_random_access_statistics,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            sized::answer(statistics, "statistics", || {
                let last = gate::look(comm, State::statistics)?;
                Ok(hcube_random_access_statistics::from_statistics(&last.unwrap_or_default()))
            })
        })
    }
}

/// Collective. Describes a run with the given options in one line, for example "4 ranks, 1 node,
/// shared memory, look-ahead 1024 (strict), AVX-512". Performs the same set-up as
/// hcube_random_access_prepare.
///
/// comm: an intracommunicator.
/// options: the same on all ranks; NULL selects the defaults and the environment.
/// text, length: a buffer of length bytes, at least 1. The line is truncated to fit and always
/// terminated by a zero byte.
/// Errors: as hcube_random_access_prepare.
///
/// # Safety
/// The pointers are null or valid; text is valid for length bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_random_access_describe(
    comm: MPI_Comm,
    options: *const hcube_random_access_options,
    text: *mut c_char,
    length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid, and text for length bytes; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |comm, kept| {
                let buffer = text_buffer(text, length);
                let buffer = agree(comm, buffer)?;
                let (state, _) = State::prepare(comm, kept, hcube_random_access_options::read(options))?;
                write_text(buffer, &state.describe());
                Ok(())
            })
        })
    }
}
