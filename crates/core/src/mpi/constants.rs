//! The constants of the selected MPI library, queried once.

use super::raw::{self, MPI_Request};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// `MPI_SUCCESS`, which the standard fixes.
pub(super) const SUCCESS: c_int = 0;

struct Constants(raw::hcube_shim_constants);

// SAFETY: numbers, and addresses of objects that MPI never moves and that are not accessed through them here.
unsafe impl Send for Constants {}
// SAFETY: written once, before they are shared, and only read then.
unsafe impl Sync for Constants {}

/// The constants. They belong to the process, as MPI does.
#[inline(always)]
pub(super) fn constants() -> &'static raw::hcube_shim_constants {
    static CONSTANTS: OnceLock<Constants> = OnceLock::new();
    let filled = CONSTANTS.get_or_init(|| {
        let mut constants = MaybeUninit::uninit();
        // SAFETY: the structure of this function's own header, which writes every field.
        Constants(unsafe {
            raw::hcube_shim_fill(constants.as_mut_ptr());
            constants.assume_init()
        })
    });
    &filled.0
}

/// The request that stands for none.
pub(super) fn no_request() -> MPI_Request {
    constants().request_null
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_mpi_h() {
        let constants = constants();
        assert!(constants.max_error_string > 100 && constants.error_type != SUCCESS);
        assert_ne!(constants.byte, constants.datatype_null);
        assert_ne!(constants.error_count, constants.error_type);
        assert_eq!(std::ptr::from_ref(constants), std::ptr::from_ref(super::constants()), "asked for once");
    }
}
