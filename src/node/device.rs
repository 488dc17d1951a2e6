//! Memory of accelerators: addresses that look like any other and that neither plain copies nor other
//! processes can reach.
//!
//! Nothing is linked: where the runtime of an accelerator is part of the program, its own function is
//! found by name and asked.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// `cuPointerGetAttribute` (CUDA driver API) and `hipPointerGetAttribute` (HIP), which has its form.
type PointerAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `HIP_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_int = 2;
/// `CU_MEMORYTYPE_HOST`: page-locked memory of the host, which is reached like any other.
const HOST: u32 = 1;

/// The functions that this program has. The program's, not a communicator's: it cannot change but by
/// loading a runtime after the first exchange, which a program that passes device memory has done.
fn functions() -> &'static [PointerAttribute] {
    static FUNCTIONS: OnceLock<Vec<PointerAttribute>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let names = [c"cuPointerGetAttribute", c"hipPointerGetAttribute"];
        // SAFETY: the names are C strings.
        let found = names.map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
        // SAFETY: functions of these names have this form, by the interfaces that define them.
        let function =
            |&address: &*mut c_void| unsafe { std::mem::transmute::<*mut c_void, PointerAttribute>(address) };
        found.iter().filter(|address| !address.is_null()).map(function).collect()
    })
}

/// Whether an address belongs to an accelerator.
pub fn owns(address: *const u8) -> bool {
    functions().iter().any(|function| {
        let mut kind = 0u32;
        // SAFETY: the function writes an unsigned integer for this attribute; it takes any address.
        let known = unsafe { function((&raw mut kind).cast(), MEMORY_TYPE, address.addr() as u64) } == 0;
        known && kind != HOST
    })
}
