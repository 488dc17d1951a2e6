//! Statements: they run with the runtime of this image, and their errors are returned in `stat=` and
//! `errmsg=`, or end all images.

pub mod kind;

use crate::abi::Outcome;
use crate::broadcast;
use crate::failure::{Failure, Image, Result, with};
use crate::reference::outside;
use crate::statistics;
use crate::units;
use hcube_caf::process;
use hcube_core::mpi::{gate, lifetime};
use hcube_core::node::exit::end_within;
use kind::Kind;
use std::ffi::{c_char, c_int};
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The exit code of an error in a statement without `stat=`.
const EXIT_ERROR: c_int = 1;
/// The time limit for the end of all images: far more than is needed to write the buffers and to notify the
/// launcher, which takes 10 seconds if Open MPI cannot resolve the name of the host. Then this process ends,
/// and the launcher ends the others.
const END_SECONDS: u32 = 20;

/// The number of this image, for messages after `MPI_Finalize`.
static OWN: AtomicUsize = AtomicUsize::new(0);

/// Notes the number of this image.
pub fn note_own(image: &Image) {
    OWN.store(image.own() + 1, Ordering::Relaxed);
}

/// As [`with`], and counts the statement if there are statistics.
#[inline(always)]
fn count<T>(statement: Kind, work: impl FnOnce(&Image) -> Result<T>) -> Result<T> {
    with(|image| {
        if statement.ends_segment() {
            outside::end_segment()?;
            if statement != Kind::CoBroadcast {
                broadcast::forget();
            }
        }
        match statistics::are_wanted() {
            false => work(image),
            true => statistics::count(image, statement, work),
        }
    })
}

/// Runs a statement; an error ends the program.
#[inline(always)]
pub fn run<T>(statement: Kind, work: impl FnOnce(&Image) -> Result<T>) -> T {
    gate::run(None, || count(statement, work).unwrap_or_else(|failure| fail(statement, &failure)))
}

/// Runs a statement that may have `stat=`; returns its result, if there was no error.
///
/// # Safety
/// The places of the outcome are NULL or may be written.
pub unsafe fn run_for<T>(
    statement: Kind,
    outcome: Outcome,
    work: impl FnOnce(&Image) -> Result<T>,
) -> Option<T> {
    gate::run(None, || match count(statement, work) {
        Ok(value) => {
            // SAFETY: the place is NULL or may be written.
            unsafe { set(outcome.stat, 0) };
            Some(value)
        }
        Err(failure) if outcome.stat.is_null() => fail(statement, &failure),
        Err(failure) => {
            // SAFETY: the place is not NULL and may be written; the message has its length, or no memory is
            // there.
            unsafe {
                set(outcome.stat, failure.stat);
                fill(outcome.message, outcome.length, &failure.text);
            }
            None
        }
    })
}

/// Whether the runtime has ended because the program has called `MPI_Finalize`: a statement that then has
/// nothing to do has succeeded.
///
/// # Safety
/// As [`run_for`].
pub unsafe fn is_done_by_end(outcome: Outcome) -> bool {
    let has_ended = process::has_ended_with_mpi();
    if has_ended {
        // SAFETY: the place is NULL or may be written.
        unsafe { set(outcome.stat, 0) };
    }
    has_ended
}

/// Writes a number if one is wanted.
///
/// # Safety
/// The place is NULL or may be written.
pub unsafe fn set(place: *mut c_int, value: c_int) {
    if !place.is_null() {
        // SAFETY: not NULL, and then the place may be written.
        unsafe { place.write(value) };
    }
}

/// Writes text to a `character` variable, which is filled with blanks.
///
/// # Safety
/// It has this length, or is no address of memory: for a variable of constant length, gfortran passes its
/// value to collective subroutines, so what comes here is another argument.
unsafe fn fill(place: *mut c_char, length: usize, text: &str) {
    if !is_writable(place.addr(), length) {
        return;
    }
    let common = length.min(text.len());
    // SAFETY: the variable has this length, and all of it is memory that may be written.
    unsafe {
        ptr::copy_nonoverlapping(text.as_ptr(), place.cast(), common);
        place.cast::<u8>().add(common).write_bytes(b' ', length - common);
    }
}

/// Whether there is memory of the program at all of these addresses.
fn is_writable(begin: usize, bytes: usize) -> bool {
    let Some(end) = begin.checked_add(bytes).filter(|_| begin != 0) else { return false };
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut reached = begin;
    for line in maps.lines() {
        let Some((range, rest)) = line.split_once(' ') else { continue };
        let limits = range.split_once('-').map(|(low, high)| (address(low), address(high)));
        let Some((low, high)) = limits else { continue };
        if low <= reached && reached < high && rest.as_bytes().get(1) == Some(&b'w') {
            reached = high;
        }
    }
    reached >= end && reached > begin
}

fn address(digits: &str) -> usize {
    usize::from_str_radix(digits, 16).unwrap_or(0)
}

/// Writes a line of an image, in one piece: the lines of several images would run into each other.
pub fn say(line: &str) {
    drop(std::io::stderr().write_all(format!("{line}\n").as_bytes()));
}

/// Ends all images because of an error in a statement without `stat=`.
#[cold]
pub fn fail(statement: Kind, failure: &Failure) -> ! {
    end_within(END_SECONDS, EXIT_ERROR);
    let image = match lifetime::world_place() {
        Ok((rank, _)) => rank + 1,
        Err(_) => OWN.load(Ordering::Relaxed),
    };
    let image = if image == 0 { String::new() } else { format!("image {image}: ") };
    say(&format!("hcube: {image}{}: {}", statement.name(), failure.text));
    abort(EXIT_ERROR)
}

/// Ends all images with an exit code, independently of the locks of libraries that this image holds: locks of
/// its I/O statements and, if a signal has interrupted it, any.
pub fn abort(code: c_int) -> ! {
    end_within(END_SECONDS, code);
    // Otherwise `exit` closes them.
    if lifetime::is_active() {
        units::close(code);
    }
    lifetime::abort(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_memory_of_the_program_gets_a_message() {
        let mut text = [b'x'; 8];
        let mut fill = |text_of: &str| {
            // SAFETY: eight characters.
            unsafe { fill(text.as_mut_ptr().cast(), text.len(), text_of) };
            text
        };
        assert_eq!(&fill("a reason"), b"a reason");
        assert_eq!(&fill("none"), b"none    ");
        assert_eq!(&fill("a long reason"), b"a long r");
        static CONSTANT: [u8; 4096] = [1; 4096];
        let text = &CONSTANT[..];
        for place in [0, 80, text.as_ptr().addr(), 0x2020_2020_2020_2020, usize::MAX - 4] {
            assert!(!is_writable(place, 8), "{place:x}");
        }
    }
}
