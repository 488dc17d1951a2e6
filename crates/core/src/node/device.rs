//! Device memory: addresses that neither plain copies nor other processes can reach.
//!
//! hcube does not link CUDA or HIP: if one of them is loaded in the process, its function that classifies
//! addresses is resolved by name.

use super::loader::{self, Library};
use std::ffi::{CStr, CString, c_int, c_void};

/// `cuPointerGetAttribute` (CUDA driver API) and `hipPointerGetAttribute` (HIP), which has its form.
type PointerAttribute = unsafe extern "C" fn(*mut c_void, c_int, u64) -> c_int;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `HIP_POINTER_ATTRIBUTE_MEMORY_TYPE`.
const MEMORY_TYPE: c_int = 2;
/// `CU_MEMORYTYPE_HOST`: page-locked host memory, which the CPU accesses as usual.
const HOST: u32 = 1;

/// The runtimes: the function, the name of the library that contains it without its version, and the types of
/// host memory. In HIP the type of host memory was 0 until ROCm 5 and is 1 since, which was device memory
/// before; so with HIP calls on all memory that the runtime knows are forwarded to the MPI library.
const RUNTIMES: [(&CStr, &str, &[u32]); 2] =
    [(c"cuPointerGetAttribute", "libcuda.so", &[HOST]), (c"hipPointerGetAttribute", "libamdhip64.so", &[])];

/// The function of a loaded runtime, and the types of host memory.
type Runtime = (PointerAttribute, &'static [u32]);

/// Searches this process for a runtime, whose symbols need not be global.
fn find((name, library, host): &(&'static CStr, &str, &'static [u32])) -> Option<Runtime> {
    let of_library = || Library::loaded(&loaded(library)?)?.symbol(name);
    let address = of_library().or_else(|| loader::global(name))?;
    // SAFETY: cuda.h and hip_runtime_api.h declare the functions of these names with this signature.
    Some((unsafe { std::mem::transmute::<*const c_void, PointerAttribute>(address) }, host))
}

/// The path of a loaded library whose file name begins with `name`. The loader would search all of its
/// folders for one that is not loaded, which takes as long as the rest of the set-up, and more on a shared
/// file system.
fn loaded(name: &str) -> Option<CString> {
    let has_name = |path: &CString| {
        let file = path.to_bytes().rsplit(|&letter| letter == b'/').next().unwrap_or_default();
        file.starts_with(name.as_bytes())
    };
    loader::loaded().into_iter().find(has_name)
}

/// The CUDA and HIP runtimes in this process. MPI libraries that accept device memory load its runtime in
/// MPI_Init, so the runtimes found at the set-up of communicators are those whose memory a program can pass.
#[derive(Debug, Default)]
pub struct Devices(Vec<Runtime>);

impl Devices {
    /// Searches this process for the runtimes.
    pub fn new() -> Self {
        Self(RUNTIMES.iter().filter_map(find).collect())
    }

    /// Whether the process has one of the runtimes.
    pub fn exist(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether an address is in device memory.
    pub fn own(&self, address: *const u8) -> bool {
        self.0.iter().any(|(function, host)| {
            let mut kind = 0u32;
            // SAFETY: the function writes an unsigned integer for this attribute; it accepts any address.
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
        // No test loads a runtime, so none is found even on a machine with a device.
        let devices = Devices::new();
        assert!(devices.0.is_empty());
        for address in [address(0), address(4096), &raw const local, heap.as_ptr()] {
            assert!(!devices.own(address) && !Devices::default().own(address), "{address:?}");
        }
    }

    #[test]
    fn a_library_is_found_by_its_name_without_version() {
        let path = loaded("libc.so").expect("the C library");
        assert!(path.to_string_lossy().contains("/libc.so"), "{path:?}");
        assert_eq!(loaded("libhcube-none.so"), None);
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
