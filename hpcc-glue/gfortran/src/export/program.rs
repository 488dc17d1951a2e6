//! Begin and ends of the program, numbers of images.

use crate::job;
use crate::statement::{self, kind::Kind};
use crate::team::current;
use std::ffi::{c_char, c_int};
use std::slice;

/// The first statement of the main program. Each image initialises its static coarrays before it, and any
/// other image may read them after it.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
    job::begin();
    statement::run(Kind::Begin, |image| Ok(image.barrier(image.world())?));
}

/// The end of the main program: returns when all images have come to an end.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_finalize() {
    job::end();
}

/// `this_image()`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_this_image(_distance: c_int) -> c_int {
    current().rank as c_int + 1
}

/// `num_images()`; `failed` is negative for all images, 0 for those that have not failed, and 1 for those
/// that have.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_num_images(_distance: c_int, failed: c_int) -> c_int {
    if failed < 0 {
        return current().size as c_int;
    }
    let gone = statement::run(Kind::NumImages, crate::team::failed).len();
    if failed > 0 { gone as c_int } else { (current().size - gone) as c_int }
}

/// The output of a statement: its name and its code, if there is one.
fn print(statement: &str, code: Option<&str>, is_quiet: bool) {
    if let Some(code) = code.filter(|_| !is_quiet) {
        statement::say(&format!("{statement} {code}"));
    }
}

/// The text of a stop code.
///
/// # Safety
/// It has this length, or is NULL.
unsafe fn text<'a>(code: *const c_char, length: usize) -> Option<std::borrow::Cow<'a, str>> {
    if code.is_null() {
        return None;
    }
    // SAFETY: not NULL, and then the text has this length.
    Some(String::from_utf8_lossy(unsafe { slice::from_raw_parts(code.cast(), length) }))
}

/// `stop 3`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_stop_numeric(code: c_int, is_quiet: bool) {
    print("STOP", Some(&code.to_string()), is_quiet);
    job::stop(code, false)
}

/// `stop`, `stop "text"`.
///
/// # Safety
/// The text has this length, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_stop_str(code: *const c_char, length: usize, is_quiet: bool) {
    // SAFETY: the text has this length, or is NULL.
    print("STOP", unsafe { text(code, length) }.as_deref(), is_quiet);
    job::stop(0, false)
}

/// `error stop 3`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_error_stop(code: c_int, is_quiet: bool) {
    print("ERROR STOP", Some(&code.to_string()), is_quiet);
    statement::abort(code)
}

/// `error stop`, `error stop "text"`.
///
/// # Safety
/// The text has this length, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_error_stop_str(
    code: *const c_char,
    length: usize,
    is_quiet: bool,
) {
    // SAFETY: the text has this length, or is NULL.
    print("ERROR STOP", unsafe { text(code, length) }.as_deref().or(Some("")), is_quiet);
    statement::abort(1)
}

/// `fail image`. The process continues until all images have ended: most launchers end the job when a process
/// ends.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_fail_image() {
    job::stop(0, true)
}
