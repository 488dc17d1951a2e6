//! The calls of the kernel for the participants of a model, which are one process.

use libc::{c_ulong, iovec, pid_t};
use std::ptr::with_exposed_provenance_mut;

/// No memory is mapped before.
const FIRST_ADDRESS: usize = 4096;

/// The addresses of the bytes of ranges.
///
/// # Safety
/// A list of this number of ranges.
unsafe fn bytes<'a>(list: *const iovec, count: c_ulong) -> impl Iterator<Item = *mut u8> + 'a {
    // SAFETY: a list of this number of ranges, which the calling function holds.
    let ranges = unsafe { std::slice::from_raw_parts(list, count as usize) };
    let of_range = |range: &'a iovec| {
        let begin = with_exposed_provenance_mut::<u8>(range.iov_base.addr());
        (0..range.iov_len).map(move |at| begin.wrapping_add(at))
    };
    ranges.iter().flat_map(of_range)
}

/// Copies bytes to other ones.
///
/// # Safety
/// Bytes that may be read, and written, or addresses where nothing is mapped.
unsafe fn copy(from: impl Iterator<Item = *mut u8>, to: impl Iterator<Item = *mut u8>) -> isize {
    let mut copied = 0;
    for (from, to) in from.zip(to) {
        if from.addr().min(to.addr()) < FIRST_ADDRESS {
            return -1;
        }
        // SAFETY: bytes that may be read, and written; participants run one at a time.
        unsafe { to.write(from.read()) };
        copied += 1;
    }
    copied
}

/// As the call of the kernel.
///
/// # Safety
/// As the call of the kernel; the ranges there may be read.
pub(super) unsafe extern "C" fn process_vm_readv(
    _: pid_t,
    here: *const iovec,
    count_here: c_ulong,
    there: *const iovec,
    count_there: c_ulong,
    _: c_ulong,
) -> isize {
    // SAFETY: lists of these numbers of ranges; those there may be read.
    unsafe { copy(bytes(there, count_there), bytes(here, count_here)) }
}

/// As the call of the kernel.
///
/// # Safety
/// As the call of the kernel; the ranges there may be written.
pub(super) unsafe extern "C" fn process_vm_writev(
    _: pid_t,
    here: *const iovec,
    count_here: c_ulong,
    there: *const iovec,
    count_there: c_ulong,
    _: c_ulong,
) -> isize {
    // SAFETY: lists of these numbers of ranges; those there may be written.
    unsafe { copy(bytes(here, count_here), bytes(there, count_there)) }
}
