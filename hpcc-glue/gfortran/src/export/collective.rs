//! Collective subroutines.

use crate::abi::{Descriptor, Outcome, reduction};
use crate::broadcast;
use crate::reduce::{self, Operation};
use crate::statement::{self, kind::Kind};
use std::ffi::{c_char, c_int};

/// A reduction.
///
/// # Safety
/// As gfortran calls it.
unsafe fn reduce(
    statement: Kind,
    descriptor: *const Descriptor,
    operation: Operation,
    result: c_int,
    outcome: Outcome,
    length: c_int,
) {
    let length = usize::try_from(length).unwrap_or(0);
    // SAFETY: a living descriptor, whose elements may be read and written; the places of the outcome are NULL
    // or may be written.
    unsafe {
        statement::run_for(statement, outcome, |image| {
            reduce::reduce(image, &*descriptor, operation, result, length)
        })
    };
}

/// `co_broadcast`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_co_broadcast(
    descriptor: *const Descriptor,
    source: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: a living descriptor, whose elements may be read and written; the places of the outcome are NULL
    // or may be written.
    unsafe {
        statement::run_for(Kind::CoBroadcast, outcome, |image| {
            broadcast::broadcast(image, &*descriptor, source)
        });
    }
}

/// `co_sum`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_co_sum(
    descriptor: *const Descriptor,
    result: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: a living descriptor, whose elements may be read and written; the places of the outcome are NULL
    // or may be written.
    unsafe { reduce(Kind::CoSum, descriptor, Operation::Sum, result, outcome, 0) };
}

/// `co_min`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_co_min(
    descriptor: *const Descriptor,
    result: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    text_length: c_int,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: a living descriptor, whose elements may be read and written; the places of the outcome are NULL
    // or may be written.
    unsafe { reduce(Kind::CoMin, descriptor, Operation::Min, result, outcome, text_length) };
}

/// `co_max`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_co_max(
    descriptor: *const Descriptor,
    result: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    text_length: c_int,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: a living descriptor, whose elements may be read and written; the places of the outcome are NULL
    // or may be written.
    unsafe { reduce(Kind::CoMax, descriptor, Operation::Max, result, outcome, text_length) };
}

/// `co_reduce`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_co_reduce(
    descriptor: *const Descriptor,
    function: unsafe extern "C" fn(),
    flags: c_int,
    result: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    text_length: c_int,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    let operation = Operation::Function(function, flags & reduction::BY_VALUE != 0);
    // SAFETY: a living descriptor, whose elements may be read and written, and a function for its type; the
    // places of the outcome are NULL or may be written.
    unsafe { reduce(Kind::CoReduce, descriptor, operation, result, outcome, text_length) };
}
