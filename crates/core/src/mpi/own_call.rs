//! Distinguishes hcube's own calls of `PMPI_Alltoall` and `PMPI_Alltoallv` from calls of the program.
//!
//! The loader resolves these names to the preload library, which precedes the MPI library and must forward
//! them. A call is identified by its send buffer, which no other call uses at the same time. If an error
//! handler of the program leaves such a call by longjmp, the mark stays; no later call of the program sends
//! from this memory at the same time.

use std::cell::Cell;
use std::ffi::c_void;

thread_local! {
    static BUFFER: Cell<*const c_void> = const { Cell::new(std::ptr::null()) };
}

/// Runs `call`, which calls one of the functions with this send buffer.
pub(super) fn marked<T>(buffer: *const c_void, call: impl FnOnce() -> T) -> T {
    BUFFER.set(buffer);
    let result = call();
    BUFFER.set(std::ptr::null());
    result
}

/// Whether a call with this send buffer is one of hcube's own.
#[inline(always)]
pub fn is_own(buffer: *const c_void) -> bool {
    !buffer.is_null() && BUFFER.get() == buffer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_calls_are_known_while_they_are_under_way() {
        let (sent, other) = ([0u8; 2], [0u8; 2]);
        let [sent, other] = [&sent, &other].map(|buffer| buffer.as_ptr().cast());
        assert_eq!(
            marked(sent, || [is_own(sent), is_own(other), is_own(std::ptr::null())]),
            [true, false, false]
        );
        assert!(!is_own(sent) && !is_own(std::ptr::null()));
    }
}
