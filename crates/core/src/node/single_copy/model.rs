//! The calls of the kernel in a model, whose ranks are in one process: copies of memory that note who reads
//! and writes it, and that are refused where the case says so.

use super::Process;
use crate::atomic::{self, model::note};
use std::cell::Cell;

/// As the two functions of the C library, which are not unwound.
pub(super) type Transfer = unsafe fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

thread_local! {
    static REFUSED: Cell<Option<(usize, i32)>> = const { Cell::new(None) };
}

/// Refuses copies from or to this place of another rank, after the bytes before it; for ever, or as memory
/// that is not readable. `None` refuses none.
pub fn refuse(place: Option<(*const u8, bool)>) {
    let error = |for_ever| if for_ever { libc::EPERM } else { libc::EFAULT };
    REFUSED.set(place.map(|(place, for_ever)| (place.addr(), error(for_ever))));
}

impl Process {
    /// The process of all ranks of a model.
    pub fn of_model() -> Self {
        Self(std::process::id() as libc::pid_t)
    }
}

/// The bytes of a list, one by one.
///
/// # Safety
/// As of the functions of the C library.
unsafe fn bytes(list: *const libc::iovec, count: libc::c_ulong) -> impl Iterator<Item = *mut u8> {
    // SAFETY: an array of this length, by the contract of this function.
    let list = unsafe { std::slice::from_raw_parts(list, count as usize) };
    list.iter().flat_map(|run| {
        let first = std::ptr::with_exposed_provenance_mut::<u8>(run.iov_base.addr());
        (0..run.iov_len).map(move |byte| first.wrapping_add(byte))
    })
}

/// Copies from `from` to `to`, up to the first pair of places that `is_refused` has an error for.
unsafe fn copy(
    from: impl Iterator<Item = *mut u8>,
    to: impl Iterator<Item = *mut u8>,
    is_refused: impl Fn(*mut u8, *mut u8) -> Option<i32>,
) -> isize {
    let mut copied = 0;
    for (from, to) in from.zip(to) {
        if let Some(error) = is_refused(from, to) {
            if copied == 0 {
                // SAFETY: the number of this thread.
                unsafe { *libc::__errno_location() = error };
                return -1;
            }
            return copied;
        }
        note(from, atomic::read);
        note(to, atomic::written);
        // SAFETY: both places may be accessed, by the contract of the callers.
        unsafe { to.write(from.read()) };
        copied += 1;
    }
    copied
}

/// Where nothing is ever mapped.
const FIRST_PAGE: usize = 4096;

fn error_at(place: *mut u8) -> Option<i32> {
    if place.addr() < FIRST_PAGE {
        return Some(libc::EFAULT);
    }
    REFUSED.get().filter(|&(refused, _)| refused == place.addr()).map(|(_, error)| error)
}

pub(super) const READ: Transfer = transfer::<false>;
pub(super) const WRITE: Transfer = transfer::<true>;

/// As the two functions of the C library: it reads from, or writes to, the memory of the other process.
unsafe fn transfer<const WRITES: bool>(
    _: libc::pid_t,
    here: *const libc::iovec,
    heres: libc::c_ulong,
    there: *const libc::iovec,
    theres: libc::c_ulong,
    _: libc::c_ulong,
) -> isize {
    // SAFETY: as of the functions of the C library.
    unsafe {
        let (here, there) = (bytes(here, heres), bytes(there, theres));
        if WRITES {
            copy(here, there, |_, there| error_at(there))
        } else {
            copy(there, here, |there, _| error_at(there))
        }
    }
}
