//! Errors reported as by MPI functions: through the error handler of the caller's communicator, and as a
//! return value.

use super::check::check;
use super::constants::constants;
use super::handle::{Handle, call_error_handler, is_fatal, rank, world};
use super::number::Number;
use super::raw;
use crate::error::{self, Error};
use std::ffi::{CString, c_int};
use std::io::Write;
use std::time::Duration;

/// Error codes that carry a text of ours, one per class, made when first needed. They belong to the
/// process, as MPI's codes do, and MPI cannot free them.
static CODES: [Number; CLASSES] = [const { Number::new() }; CLASSES];
/// Number of our codes.
const CLASSES: usize = error::HCUBE_ERR_BUFFER as usize + 1;

/// For the rank that prints an error, before another one ends the job: to begin printing takes much less.
const PAUSE: Duration = Duration::from_millis(200);

/// MPI's error class for an error.
fn class(error: &Error) -> c_int {
    let mpi = constants();
    match error.code() {
        error::HCUBE_ERR_ARGUMENT | error::HCUBE_ERR_MISMATCH => mpi.error_arg,
        error::HCUBE_ERR_COMM => mpi.error_comm,
        error::HCUBE_ERR_MEMORY => mpi.error_no_mem,
        error::HCUBE_ERR_TRUNCATE => mpi.error_truncate,
        error::HCUBE_ERR_COUNT => mpi.error_count,
        error::HCUBE_ERR_DATATYPE => mpi.error_type,
        error::HCUBE_ERR_BUFFER => mpi.error_buffer,
        error::HCUBE_ERR_INTERNAL => mpi.error_intern,
        _ => mpi.error_other,
    }
}

/// A code of that class whose text is ours, or the class itself where the library cannot make one.
fn code_with_text(error: &Error, class: c_int, text: &str) -> c_int {
    let Ok(text) = CString::new(text.chars().take(250).collect::<String>()) else { return class };
    let Some(place) = CODES.get(error.code() as usize) else { return class };
    if constants().texts_for_classes == 0 {
        return class;
    }
    let create = || {
        let mut code = 0;
        // SAFETY: MPI checks that it is active.
        check("MPI_Add_error_code", unsafe { raw::PMPI_Add_error_code(class, &mut code) }).map(|()| code)
    };
    let Ok(code) = place.get_or_create(create, |_| ()) else { return class };
    // SAFETY: MPI checks that it is active; the text ends with a zero byte.
    unsafe { raw::PMPI_Add_error_string(code, text.as_ptr().cast_mut()) };
    code
}

/// Reports an error of a call as MPI functions do: calls the error handler of the communicator, or of
/// `MPI_COMM_WORLD` if the call has no valid one. If it returns, returns the code for the caller, whose class
/// describes the error. One rank also prints the text, since not every library forwards it. The error handler
/// may leave by longjmp or an exception, so neither this function nor its caller may hold anything.
pub fn raise(comm: Option<Handle>, function: &str, error: Error) -> c_int {
    // MPI has called the handler itself in a function that got the caller's communicator.
    let raised = matches!(
        error,
        Error::Mpi { call: "MPI_Comm_get_attr" | "MPI_Comm_set_attr" | "MPI_Comm_test_inter", .. }
    );
    let (handle, speaker) = (comm.unwrap_or_else(world), speaks(&error, comm));
    if !speaker && is_fatal(handle) {
        std::thread::sleep(PAUSE);
    }
    let code = announce(comm, function, error, speaker);
    if !raised {
        call_error_handler(handle, code);
    }
    code
}

/// Whether this rank prints an error: one that all ranks report together is printed by the first rank that it
/// concerns.
fn speaks(error: &Error, comm: Option<Handle>) -> bool {
    match error {
        Error::Remote { .. } => false,
        Error::Truncate { first, .. } => *first,
        Error::Mismatch { .. } => comm.and_then(|comm| rank(comm).ok()).is_none_or(|rank| rank == 0),
        _ => true,
    }
}

/// Prints the text of an error, if this rank is the one to do so; the code for the caller.
fn announce(comm: Option<Handle>, function: &str, error: Error, speaker: bool) -> c_int {
    let text = match comm.and_then(|comm| rank(comm).ok()) {
        Some(rank) => format!("hcube: rank {rank}: {function}: {error}"),
        None => format!("hcube: {function}: {error}"),
    };
    if speaker {
        // In one piece, or the lines of several ranks would run into each other.
        drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
    }
    match error {
        // It has its own code and text.
        Error::Mpi { code, .. } => code,
        error => code_with_text(&error, class(&error), &text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rank_prints_what_all_report() {
        let truncate = |first| Error::Truncate { message: String::new(), first };
        let remote = Error::Remote { rank: 1, code: error::HCUBE_ERR_COUNT, message: String::new() };
        assert!(speaks(&truncate(true), None) && !speaks(&truncate(false), None) && !speaks(&remote, None));
        assert!(speaks(&Error::Count(String::new()), None), "an error of this rank");
    }
}
