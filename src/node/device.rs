//! Memory of accelerators: addresses that look like any other and that neither plain copies nor other
//! processes can reach.
//!
//! Nothing is linked: where the runtime of an accelerator is part of the program, its own function is
//! found by name and asked.

use std::ffi::{CStr, c_int, c_void};

/// `cuPointerGetAttribute` (CUDA driver API) and `hipPointerGetAttribute` (HIP), which has its form.
type PointerAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `HIP_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_int = 2;
/// `CU_MEMORYTYPE_HOST`: page-locked memory of the host, which is reached like any other.
const HOST: u32 = 1;

/// The runtimes: the function, the libraries that have it, and the kind of memory that is the host's.
/// HIP counted it as 0 until ROCm 5 and counts it as 1 since, which were the device's then; such memory
/// is left to the library in any case.
const RUNTIMES: [(&CStr, &[&CStr], &[u32]); 2] = [
    (c"cuPointerGetAttribute", &[c"libcuda.so.1"], &[HOST]),
    (c"hipPointerGetAttribute", &[c"libamdhip64.so.6", c"libamdhip64.so.5"], &[]),
];

/// A function that was found, and the kinds of memory that it knows and that are the host's.
type Runtime = (PointerAttribute, &'static [u32]);

/// Looks for a runtime in this process, where it need not be visible to everybody.
fn find((name, libraries, host): &(&'static CStr, &[&CStr], &'static [u32])) -> Option<Runtime> {
    // SAFETY: the names are C strings. A library that is not part of the process stays out of it.
    let address = unsafe {
        let visible = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        libraries.iter().fold(visible, |found, library| {
            if !found.is_null() {
                return found;
            }
            let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if handle.is_null() { found } else { libc::dlsym(handle, name.as_ptr()) }
        })
    };
    if address.is_null() {
        return None;
    }
    // SAFETY: functions of these names have this form, by the interfaces that define them.
    Some((unsafe { std::mem::transmute::<*mut c_void, PointerAttribute>(address) }, host))
}

/// The runtimes of accelerators that are part of this process now. MPI libraries that take memory of an
/// accelerator load its runtime themselves when they start, so what is found when a communicator is
/// first used is what a program can pass.
#[derive(Debug, Default)]
pub struct Devices(Vec<Runtime>);

impl Devices {
    /// Looks for them.
    pub fn new() -> Self {
        Self(RUNTIMES.iter().filter_map(find).collect())
    }

    /// Whether an address belongs to an accelerator.
    pub fn own(&self, address: *const u8) -> bool {
        self.0.iter().any(|(function, host)| {
            let mut kind = 0u32;
            // SAFETY: the function writes an unsigned integer for this attribute; it takes any address.
            let code = unsafe { function((&raw mut kind).cast(), MEMORY_TYPE, address.addr() as u64) };
            code == 0 && !host.contains(&kind)
        })
    }
}
