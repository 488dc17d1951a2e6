//! Image control statements: synchronisation, events, locks.

use super::transfer::only;
use crate::abi::Outcome;
use crate::statement::{self, kind::Kind};
use crate::synchronise::{self, survivors::sync_all};
use crate::token::{Token, register};
use std::ffi::{c_char, c_int};
use std::{ptr, slice};

/// The address of the variable of `errmsg=`: in synchronisations, gfortran passes the place of that address.
///
/// # Safety
/// It is NULL or the place of an address.
unsafe fn behind(message: *const *mut c_char) -> *mut c_char {
    // SAFETY: not NULL, and then the place of an address.
    if message.is_null() { ptr::null_mut() } else { unsafe { message.read_unaligned() } }
}

/// `sync all`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sync_all(
    stat: *mut c_int,
    message: *const *mut c_char,
    length: usize,
) {
    // SAFETY: `message` is NULL or the place of an address; the places of the outcome are NULL or may be
    // written.
    unsafe {
        let outcome = Outcome { stat, message: behind(message), length };
        statement::run_for(Kind::SyncAll, outcome, |image| {
            register::settle();
            sync_all(image, !stat.is_null())
        });
    }
}

/// `sync memory`: puts are performed in the order of statements, so the image only serves others.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sync_memory(
    stat: *mut c_int,
    message: *const *mut c_char,
    length: usize,
) {
    // SAFETY: `message` is NULL or the place of an address; the places of the outcome are NULL or may be
    // written.
    unsafe {
        let outcome = Outcome { stat, message: behind(message), length };
        if !statement::is_done_by_end(outcome) {
            statement::run_for(Kind::SyncMemory, outcome, |image| Ok(image.complete_puts()?));
        }
    }
}

/// `sync images`; a negative count stands for all images.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sync_images(
    count: c_int,
    images: *const c_int,
    stat: *mut c_int,
    message: *const *mut c_char,
    length: usize,
) {
    // SAFETY: `message` is NULL or the place of an address; `images` has `count` numbers, where that is
    // positive; the places of the outcome are NULL or may be written.
    unsafe {
        let outcome = Outcome { stat, message: behind(message), length };
        statement::run_for(Kind::SyncImages, outcome, |image| match usize::try_from(count) {
            Err(_) => synchronise::sync_all_images(image),
            Ok(0) => Ok(()),
            Ok(count) => synchronise::sync_images(image, slice::from_raw_parts(images, count)),
        });
    }
}

/// `event post`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_event_post(
    token: *const Token,
    index: usize,
    number: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: the token is NULL or living; the places of the outcome are NULL or may be written.
    unsafe {
        statement::run_for(Kind::EventPost, outcome, |image| {
            synchronise::post(image, Token::of(token)?, index, number)
        })
    };
}

/// `event wait`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_event_wait(
    token: *const Token,
    index: usize,
    until: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: the token is NULL or living; the places of the outcome are NULL or may be written.
    unsafe {
        statement::run_for(Kind::EventWait, outcome, |image| {
            synchronise::wait(image, Token::of(token)?, index, until)
        })
    };
}

/// `event_query`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_event_query(
    token: *const Token,
    index: usize,
    number: c_int,
    count: *mut c_int,
    stat: *mut c_int,
) {
    // SAFETY: the token is NULL or living; `count` and `stat` are NULL or may be written.
    unsafe {
        let found = statement::run_for(Kind::EventQuery, only(stat), |image| {
            synchronise::query(image, Token::of(token)?, index, number)
        });
        statement::set(count, found.unwrap_or(-1));
    }
}

/// `lock`, and the begin of a critical construct; `acquired` is NULL where the image is to wait.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_lock(
    token: *const Token,
    index: usize,
    number: c_int,
    acquired: *mut c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: the token is NULL or living; `acquired` and the places of the outcome are NULL or may be
    // written.
    unsafe {
        statement::run_for(Kind::Lock, outcome, |image| {
            // Also if there is an error.
            statement::set(acquired, 0);
            let token = Token::of(token)?;
            if acquired.is_null() {
                return synchronise::lock(image, token, index, number);
            }
            acquired.write(synchronise::try_lock(image, token, index, number)?.into());
            Ok(())
        })
    };
}

/// `unlock`, and the end of a critical construct.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_unlock(
    token: *const Token,
    index: usize,
    number: c_int,
    stat: *mut c_int,
    message: *mut c_char,
    length: usize,
) {
    let outcome = Outcome { stat, message, length };
    // SAFETY: the token is NULL or living; the places of the outcome are NULL or may be written.
    unsafe {
        statement::run_for(Kind::Unlock, outcome, |image| {
            synchronise::unlock(image, Token::of(token)?, index, number)
        })
    };
}
