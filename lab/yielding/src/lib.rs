//! libhcube_yielding.so: ranks that poll the network without result yield.
//!
//! MPICH's ranks poll without yielding. Where several of them share a processor, as on the hosts of
//! `hcube-lab hosts`, each one polls to the end of its time slice (4 ms), and times show the scheduler. Its
//! network layers (UCX, libfabric) poll by `epoll_wait` and `poll` with a time of zero. This library defines
//! both: after a call that has found nothing it calls `sched_yield`. It is preloaded into the ranks, for
//! hcube and its competitors alike.

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

type EpollWait = unsafe extern "C" fn(c_int, *mut libc::epoll_event, c_int, c_int) -> c_int;
type Poll = unsafe extern "C" fn(*mut libc::pollfd, libc::nfds_t, c_int) -> c_int;

/// The function of this name in the libraries behind this one.
fn next(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!found.is_null(), "{name:?} is a function of the C library");
    found
}

/// Yields after a call that was not to wait and has found nothing.
fn yielding(found: c_int, timeout: c_int) -> c_int {
    if found == 0 && timeout == 0 {
        std::thread::yield_now();
    }
    found
}

/// As `epoll_wait(2)`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    epoll: c_int,
    events: *mut libc::epoll_event,
    most: c_int,
    timeout: c_int,
) -> c_int {
    static NEXT: OnceLock<EpollWait> = OnceLock::new();
    // SAFETY: the C library's function has this type.
    let next =
        NEXT.get_or_init(|| unsafe { std::mem::transmute::<*mut c_void, EpollWait>(next(c"epoll_wait")) });
    // SAFETY: what the caller has promised.
    yielding(unsafe { next(epoll, events, most, timeout) }, timeout)
}

/// As `poll(2)`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(entries: *mut libc::pollfd, count: libc::nfds_t, timeout: c_int) -> c_int {
    static NEXT: OnceLock<Poll> = OnceLock::new();
    // SAFETY: the C library's function has this type.
    let next = NEXT.get_or_init(|| unsafe { std::mem::transmute::<*mut c_void, Poll>(next(c"poll")) });
    // SAFETY: what the caller has promised.
    yielding(unsafe { next(entries, count, timeout) }, timeout)
}
