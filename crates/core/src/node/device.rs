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

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows of addresses below 100 what kind of memory they are, and of no others.
    unsafe extern "C" fn knows(kind: *mut c_void, attribute: c_int, address: u64) -> c_int {
        assert_eq!(attribute, 2, "the number of the memory type in cuda.h and in hip_runtime_api.h");
        // SAFETY: the caller passes an unsigned integer.
        unsafe { kind.cast::<u32>().write((address / 10) as u32) };
        c_int::from(address >= 100)
    }

    fn address(number: usize) -> *const u8 {
        std::ptr::without_provenance(number)
    }

    #[test]
    fn without_a_runtime_nothing_is_owned() {
        let local = 0u8;
        let heap = vec![0u8; 1 << 20];
        // No test loads a runtime, so there is none on a machine that has one either.
        let devices = Devices::new();
        assert!(devices.0.is_empty());
        for address in [address(0), address(4096), &raw const local, heap.as_ptr()] {
            assert!(!devices.own(address) && !Devices::default().own(address), "{address:?}");
        }
    }

    #[test]
    fn a_runtime_owns_what_it_knows_but_for_memory_of_the_host() {
        let devices = Devices(vec![(knows, &[1, 5])]);
        let owned: Vec<usize> = (0..120).step_by(10).filter(|&at| devices.own(address(at))).collect();
        assert_eq!(owned, [0, 20, 30, 40, 60, 70, 80, 90]);
        let second: Runtime = (knows, &[]);
        assert!(Devices(vec![(knows, &[1]), second]).own(address(10)), "one of two is enough");
    }
}
