//! The kernels of STREAM for C.

use crate::boundary::{enter, free, output, required, text_buffer, write_text};
use crate::types::{hcube_error, hcube_stream};
use ::hcube_stream::Stream;
use ::hcube_stream::select::Kernel;
use hcube_core::error::Error;
use std::ffi::c_char;

/// Local. Allocates the vectors a, b and c of STREAM, all zero, aligned to cache lines, padded, and on 2 MiB
/// pages if the system provides them. Times each kernel with ordinary and with streaming stores: call it on
/// all ranks at the same time if they will run the kernels at the same time.
///
/// length: elements of each vector, 0 or more.
/// stream: receives the handle, which only one thread at a time may use.
/// a, b, c: receive the addresses of the vectors, which are valid until the handle is freed.
/// Errors: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MEMORY.
/// Source: J. D. McCalpin, Memory bandwidth and machine balance in current high performance
/// computers, IEEE TCCA Newsletter, 1995.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_create(
    length: i64,
    stream: *mut *mut hcube_stream,
    a: *mut *mut f64,
    b: *mut *mut f64,
    c: *mut *mut f64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            let elements =
                usize::try_from(length).map_err(|_| Error::argument("length", length, "0 or more"))?;
            let stream = output(stream, "stream")?;
            let places = [output(a, "a")?, output(b, "b")?, output(c, "c")?];
            let mut new = Box::new(hcube_stream(Stream::new(elements)?));
            for (place, vector) in places.into_iter().zip(new.0.vectors().all()) {
                *place = vector.as_mut_ptr();
            }
            *stream = Box::into_raw(new);
            Ok(())
        })
    }
}

/// Local. Frees the vectors and the handle.
///
/// stream: the handle, which is set to NULL; no effect if it is NULL.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_free(
    stream: *mut *mut hcube_stream,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; a handle comes from Box::into_raw.
    unsafe { enter(None, error, || free(stream, "stream")) }
}

/// Local. Computes c = a.
///
/// stream: a handle.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid, and nobody else uses the vectors meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_copy(stream: *mut hcube_stream, error: *mut hcube_error) -> i32 {
    // SAFETY: the pointers are null or valid, and nobody else uses the vectors meanwhile.
    unsafe { run(stream, Kernel::Copy, 0.0, error) }
}

/// Local. Computes b = scalar * c.
///
/// stream: a handle.
/// scalar: the factor.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// As hcube_stream_copy.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_scale(
    stream: *mut hcube_stream,
    scalar: f64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid, and nobody else uses the vectors meanwhile.
    unsafe { run(stream, Kernel::Scale, scalar, error) }
}

/// Local. Computes c = a + b.
///
/// stream: a handle.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// As hcube_stream_copy.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_add(stream: *mut hcube_stream, error: *mut hcube_error) -> i32 {
    // SAFETY: the pointers are null or valid, and nobody else uses the vectors meanwhile.
    unsafe { run(stream, Kernel::Add, 0.0, error) }
}

/// Local. Computes a = b + scalar * c.
///
/// stream: a handle.
/// scalar: the factor.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// As hcube_stream_copy.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_triad(
    stream: *mut hcube_stream,
    scalar: f64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid, and nobody else uses the vectors meanwhile.
    unsafe { run(stream, Kernel::Triad, scalar, error) }
}

/// Local. Writes a line that describes the selected kernels, without a newline, truncated to fit.
///
/// stream: a handle.
/// text: receives the line and a terminating zero byte.
/// text_length: size of text in bytes, 1 or more.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_stream_describe(
    stream: *const hcube_stream,
    text: *mut c_char,
    text_length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            let stream = &required(stream, "stream")?.0;
            let each =
                Kernel::ALL.map(|kernel| format!("{} {}", kernel.name(), stream.stores(kernel).name()));
            write_text(text_buffer(text, text_length)?, &each.join(", "));
            Ok(())
        })
    }
}

/// # Safety
/// The pointers are null or valid, and nobody else uses the vectors meanwhile.
unsafe fn run(stream: *mut hcube_stream, kernel: Kernel, scalar: f64, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            output(stream, "stream")?.0.run(kernel, scalar);
            Ok(())
        })
    }
}
