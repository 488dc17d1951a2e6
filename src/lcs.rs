//! Longest common subsequences for C.

use crate::boundary::{enter_on, output};
use crate::types::{hcube_error, hcube_llcs_progress};
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::{MPI_Comm, MpiComm, gate};
use hcube_lcs::distributed::{Options, llcs};
use hcube_lcs::options::Options as Chosen;
use hcube_lcs::progress::Observer;
use hcube_lcs::{Outcome, Progress, Symbol};
use std::ffi::c_void;
use std::ops::ControlFlow;

/// Kept on a communicator so that a progress function that calls hcube_llcs again with it is refused: its
/// ranks are inside the supersteps of the first call.
struct Running;

/// The values of the length if it is below the bound, and if the progress function has ended the computation.
const BELOW: i64 = -1;
const ENDED: i64 = -2;

/// Collective. Computes the length of a longest common subsequence of two strings a and b. Each string is the
/// concatenation of the parts of all ranks in rank order. A part may have any length, including 0; one rank
/// may have a whole string. For one process, pass MPI_COMM_SELF.
///
/// The time is proportional to the product of the lengths, divided by the number of ranks. The normalised
/// similarity of two strings is this length divided by the length of the longer string, and 1 for two empty
/// strings. A cost model chooses the grid of blocks; the environment variables HCUBE_LLCS_ALPHA,
/// HCUBE_LLCS_BLOCK_ROWS and HCUBE_LLCS_BARRIERS override it, and HCUBE_LLCS_KERNEL selects the algorithm for
/// a block.
///
/// a, a_length: the symbols of this rank's part of a, aligned to symbol_bytes, and their number; a may be
/// NULL if a_length is 0.
/// b, b_length: the same for b.
/// symbol_bytes: bytes of a symbol, 1, 2 or 4; the same on all ranks.
/// at_least: a length below this bound need not be computed, which may save time; the same on all ranks.
/// progress: called with the progress of this rank; may stop the computation. Not called on a rank that has
/// nothing to compute, for example for equal strings. May be NULL on any rank.
/// data: passed to progress.
/// comm: an intracommunicator.
/// length: receives the length, on all ranks; -1 if it is below at_least, -2 if progress has ended the
/// computation on any rank.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if symbol_bytes, at_least or variables
/// differ; HCUBE_ERR_COUNT for 2^40 symbols and more; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another
/// rank if its arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
/// Source: M. Crochemore, C. S. Iliopoulos, Y. J. Pinzon and J. F. Reid, A fast and practical bit-vector
/// algorithm for the Longest Common Subsequence problem, Information Processing Letters 80, 2001.
///
/// # Safety
/// The pointers are null or valid; the symbols stay as they are during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_llcs(
    a: *const c_void,
    a_length: i64,
    b: *const c_void,
    b_length: i64,
    symbol_bytes: i32,
    at_least: i64,
    progress: hcube_llcs_progress,
    data: *mut c_void,
    comm: MPI_Comm,
    length: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    let strings =
        [Part { name: "a", start: a, length: a_length }, Part { name: "b", start: b, length: b_length }];
    let mut observe = |at: Progress| {
        let Some(progress) = progress else { return ControlFlow::Continue(()) };
        // SAFETY: a function of the caller with these arguments.
        match unsafe { progress(at.done as i64, at.total as i64, data) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    };
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |on, _: &mut Option<Running>| {
                let call = Call { on, strings, at_least };
                let found = match symbol_bytes {
                    1 => call.run::<u8>(length, &mut observe),
                    2 => call.run::<u16>(length, &mut observe),
                    4 => call.run::<u32>(length, &mut observe),
                    _ => agree(on, Err(Error::argument("symbol_bytes", symbol_bytes, "1, 2 or 4"))),
                };
                let (place, outcome) = found?;
                *place = match outcome {
                    Outcome::Length(length) => length as i64,
                    Outcome::Below => BELOW,
                    Outcome::Interrupted => ENDED,
                };
                Ok(())
            })
        })
    }
}

/// A rank's part of a string, as C has passed it.
#[derive(Clone, Copy)]
struct Part {
    name: &'static str,
    start: *const c_void,
    length: i64,
}

impl Part {
    /// # Safety
    /// The pointer is null or has as many symbols as the part says, for the lifetime that the caller uses.
    unsafe fn symbols<'a, S: Symbol>(self) -> Result<&'a [S]> {
        let Self { name, start, length } = self;
        let bytes = usize::try_from(length).ok().and_then(|length| length.checked_mul(size_of::<S>()));
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Error::Count(format!("{name}_length = {length}: expected 0 or more, within memory")));
        }
        if length == 0 {
            return Ok(&[]);
        }
        if start.is_null() {
            return Err(Error::argument(name, "NULL", format!("{length} symbols")));
        }
        if !start.cast::<S>().is_aligned() {
            return Err(Error::argument(
                name,
                format!("{start:p}"),
                format!("multiples of {}", size_of::<S>()),
            ));
        }
        // SAFETY: not null, and aligned; the length is valid by the contract of this function.
        Ok(unsafe { std::slice::from_raw_parts(start.cast(), length as usize) })
    }
}

/// A call on an open communicator.
struct Call<'a> {
    on: &'a MpiComm,
    strings: [Part; 2],
    at_least: i64,
}

impl Call<'_> {
    /// Collective: the place of the result, and the result.
    ///
    /// # Safety
    /// The pointers are null or valid, as for [`Part::symbols`].
    unsafe fn run<'p, S: Symbol>(
        self,
        place: *mut i64,
        observer: &mut Observer<'_>,
    ) -> Result<(&'p mut i64, Outcome)> {
        let [a, b] = self.strings;
        // SAFETY: null or valid, by the contract of this function.
        let local = unsafe {
            output(place, "length").and_then(|place| Ok((place, a.symbols::<S>()?, b.symbols::<S>()?)))
        };
        let checked = usize::try_from(self.at_least)
            .map_err(|_| Error::argument("at_least", self.at_least, "0 or more"))
            .and_then(|at_least| Ok((local?, at_least, Chosen::from_environment()?)));
        let ((place, a, b), at_least, chosen) = agree(self.on, checked)?;
        let options = Options { at_least, ..Options::default() }.with(&chosen);
        Ok((place, llcs(self.on, a, b, &options, observer)?))
    }
}
