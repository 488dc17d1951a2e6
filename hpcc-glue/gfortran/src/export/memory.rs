//! Allocation of coarrays and of their components.

use crate::abi::{Descriptor, Outcome, registration};
use crate::job;
use crate::statement::{self, kind::Kind};
use crate::statistics;
use crate::synchronise::survivors;
use crate::token::{Token, register};
use std::ffi::{c_char, c_int};

/// Allocates a coarray, collectively, or a component of one. Static coarrays come before the main program.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_register(
    size: usize,
    kind: c_int,
    place: *mut *mut Token,
    descriptor: *mut Descriptor,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    job::begin();
    let outcome = Outcome { stat, message, length };
    // SAFETY: a living descriptor, and a place of a token that may be read and written; the places of the
    // outcome are NULL or may be written.
    let done = unsafe {
        statement::run_for(Kind::Allocate, outcome, |image| {
            statistics::note_bytes(size);
            register::register(image, size, kind, place, descriptor)
        })
    };
    if done.is_none() && kind != registration::COMPONENT_MEMORY {
        survivors::forgive_next();
    }
}

/// Frees a coarray, collectively, or a component of one.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_deregister(
    place: *mut *mut Token,
    kind: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: the place holds NULL or a living token; the places of the outcome are NULL or may be written.
    unsafe {
        // All memory is left until the process ends, and the compiler forgets the coarray.
        if !statement::is_done_by_end(outcome) {
            statement::run_for(Kind::Deallocate, outcome, |image| register::deregister(image, place, kind));
        }
    }
}
