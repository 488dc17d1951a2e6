//! Atomic subroutines.

use super::transfer::only;
use crate::abi::atomic;
use crate::failure::{Failure, Result};
use crate::statement::{self, kind::Kind};
use crate::synchronise::atomic::{Change, Place, change};
use crate::token::Token;
use std::ffi::{c_int, c_void};

/// The kind of `atomic_int_kind` and `atomic_logical_kind`.
const KIND: c_int = 4;

/// The operation on a variable of an image: writes its previous value if requested.
///
/// # Safety
/// As gfortran calls it.
unsafe fn apply(
    statement: Kind,
    place: Place,
    kind: c_int,
    what: Result<Change>,
    before: *mut c_void,
    stat: *mut c_int,
) {
    // SAFETY: the token is NULL or living; `before` and `stat` are NULL or may be written.
    unsafe {
        statement::run_for(statement, only(stat), |image| {
            if kind != KIND {
                return Err(Failure::new(format!("kind {kind}: expected {KIND}, which atomic_int_kind is")));
            }
            let value = change(image, &place, what?)?;
            if !before.is_null() {
                before.cast::<u32>().write_unaligned(value);
            }
            Ok(())
        })
    };
}

/// Reads an argument.
///
/// # Safety
/// It is one of [`KIND`].
unsafe fn value(argument: *const c_void) -> u32 {
    // SAFETY: the argument has 4 bytes.
    unsafe { argument.cast::<u32>().read_unaligned() }
}

/// `atomic_define`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_atomic_define(
    token: *const Token,
    offset: usize,
    number: c_int,
    new: *const c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the token is NULL or living, the new value has 4 bytes, and `stat` is NULL or may be written.
    unsafe {
        let place = Place { token, offset, number };
        apply(Kind::AtomicDefine, place, kind, Ok(Change::Set(value(new))), std::ptr::null_mut(), stat);
    }
}

/// `atomic_ref`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_atomic_ref(
    token: *const Token,
    offset: usize,
    number: c_int,
    result: *mut c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the token is NULL or living; `result` may be written, and `stat` is NULL or may be written.
    unsafe { apply(Kind::AtomicRef, Place { token, offset, number }, kind, Ok(Change::Look), result, stat) };
}

/// `atomic_cas`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_atomic_cas(
    token: *const Token,
    offset: usize,
    number: c_int,
    old: *mut c_void,
    expected: *const c_void,
    new: *const c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the token is NULL or living, the values have 4 bytes, `old` may be written, and `stat` is NULL
    // or may be written.
    unsafe {
        let what = Ok(Change::Replace(value(expected), value(new)));
        apply(Kind::AtomicCas, Place { token, offset, number }, kind, what, old, stat);
    }
}

/// `atomic_add`, `atomic_and`, `atomic_or`, `atomic_xor`, with and without the value before.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_atomic_op(
    operation: c_int,
    token: *const Token,
    offset: usize,
    number: c_int,
    operand: *const c_void,
    old: *mut c_void,
    stat: *mut c_int,
    _type: c_int,
    kind: c_int,
) {
    // SAFETY: the token is NULL or living, the operand has 4 bytes; `old` and `stat` are NULL or may be
    // written.
    unsafe {
        let operand = value(operand);
        let what = match operation {
            atomic::ADD => Ok(Change::Add(operand)),
            atomic::AND => Ok(Change::And(operand)),
            atomic::OR => Ok(Change::Or(operand)),
            atomic::XOR => Ok(Change::Xor(operand)),
            other => Err(Failure::new(format!("operation {other}: expected one of gfortran 12 to 14"))),
        };
        apply(Kind::AtomicOperation, Place { token, offset, number }, kind, what, old, stat);
    }
}
