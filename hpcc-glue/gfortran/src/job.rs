//! The program: its begin and its ends.
//!
//! The runtime begins with the first coarray, which a constructor registers before `main`, or with the main program. It ends
//! with the main program or a `stop`.

use crate::failure::{Failure, with};
use crate::reference::{outside, remote};
use crate::statement::{fail, flush, kind::Kind};
use crate::{random, request, statistics, synchronise, team};
use hcube_caf::process::{self, Owner};
use hcube_core::mpi::gate;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Collective over all images, at the first call: begins the runtime.
pub fn begin() {
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    statistics::begin();
    let begun = process::initialise_for(Owner::Compiler).map_err(Failure::from).and_then(|()| {
        with(|image| {
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

/// This image has come to its end or fails: returns when all images have.
pub fn end(fails: bool) {
    if !HAS_BEGUN.load(Ordering::Relaxed) || HAS_ENDED.swap(true, Ordering::Relaxed) {
        return;
    }
    flush();
    if let Err(failure) = outside::end_segment() {
        fail(Kind::End, &failure);
    }
    if let Err(error) = process::end(fails, statistics::report::report) {
        fail(Kind::End, &error.into());
    }
}

/// As [`end`], and ends the process.
pub fn exit(code: c_int, fails: bool) -> ! {
    gate::run(None, || end(fails));
    std::process::exit(code)
}
