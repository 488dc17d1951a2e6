//! The program: its start and its termination.
//!
//! The runtime starts with the first coarray, which a constructor registers before `main`, or with the main
//! program. It ends with the main program, a `stop`, or `MPI_Finalize` of the program: no coarrays of other
//! images are used afterwards.

use crate::failure::{Failure, with};
use crate::reference::{outside, remote};
use crate::statement::{self, fail, kind::Kind};
use crate::{random, request, statistics, synchronise, team, units};
use hcube_caf::process::{self, Owner};
use hcube_core::error::Error;
use hcube_core::mpi::gate;
use hcube_core::node::exit;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Collective over all images, at the first call: begins the runtime.
pub fn begin() {
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    exit::prepare();
    statistics::begin();
    let begun = process::initialise_for(Owner::Compiler).map_err(Failure::from).and_then(|()| {
        process::before_mpi_ends(end_with_mpi)?;
        with(|image| {
            statement::note_own(image);
            image.tolerate();
            request::register(image, remote::serve);
            outside::begin(image)?;
            random::begin(image)?;
            synchronise::survivors::register(image);
            team::begin(image);
            synchronise::begin(image)
        })
    });
    begun.unwrap_or_else(|failure| fail(Kind::Begin, &failure));
}

/// Whether this image comes to an end, and has not before.
fn comes_to_end() -> bool {
    HAS_BEGUN.load(Ordering::Relaxed) && !HAS_ENDED.swap(true, Ordering::Relaxed)
}

fn end_or_fail(end: impl FnOnce() -> Result<(), Error>) {
    if let Err(failure) = outside::end_segment() {
        fail(Kind::End, &failure);
    }
    if let Err(error) = end() {
        fail(Kind::End, &error.into());
    }
}

/// The main program has come to its end: returns when all images have.
pub fn end() {
    if comes_to_end() {
        units::flush();
        end_or_fail(|| process::end(false, statistics::report::report));
    }
}

/// The program calls `MPI_Finalize`: returns when all images have come to their ends.
fn end_with_mpi() {
    if comes_to_end() {
        end_or_fail(|| process::end_with_mpi(statistics::report::report));
    }
}

/// This image stops or fails, which may be inside an I/O statement: ends the process when all images have
/// come to their ends.
pub fn stop(code: c_int, fails: bool) -> ! {
    gate::run(None, || {
        if comes_to_end() {
            units::close_for_stop(code);
            end_or_fail(|| process::end(fails, statistics::report::report));
        }
    });
    std::process::exit(code)
}
