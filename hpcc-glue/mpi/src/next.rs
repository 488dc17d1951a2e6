//! The next definitions of the intercepted functions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// The next definition of a function in the order in which the loader searches: another preloaded
/// library's, or MPI's own. It is looked up once, at the first call, because many programs that have
/// this library preloaded (a shell, the launcher) never call MPI.
pub struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; ends the process with a message if it is not defined.
    pub fn address(&self) -> *mut c_void {
        // Relaxed: all threads write the same address of code.
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let Some(found) = lookup(libc::RTLD_NEXT, self.name) else {
            eprintln!(
                "hcube: no library after libhcube_preload.so defines {}: the MPI library of this program lacks it \
                 or was loaded with RTLD_LOCAL; run without LD_PRELOAD",
                self.name.to_string_lossy()
            );
            std::process::abort();
        };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

fn lookup(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated string; a handle of the loader.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// The MPI library of this program and the one that this library was built for, if they differ. Handles of one
/// are invalid in the other.
///
/// The loader searches the program's libraries before those of preloaded ones, so a lookup for the process finds
/// the program's MPI library, and a lookup in this library finds the one that it is linked to. The same file for
/// both (the same name, possibly another version) is one library.
pub fn foreign() -> Option<[String; 2]> {
    const PROBE: &CStr = c"PMPI_Get_library_version";
    let of_program = lookup(libc::RTLD_NEXT, PROBE)?;
    let of_build = own_handle().and_then(|handle| {
        let found = lookup(handle, PROBE);
        // SAFETY: opened above; the library stays loaded, it is running.
        unsafe { libc::dlclose(handle) };
        found
    })?;
    // SAFETY: the loader has found both by the name of that function.
    (of_program != of_build).then(|| [of_program, of_build].map(|address| unsafe { describe(address) }))
}

/// The loader's handle of this library: symbols are looked up in it and in the libraries that it is linked to.
fn own_handle() -> Option<*mut c_void> {
    // SAFETY: plain data; zero is a value of all fields.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: an address in this library; the name lives as long as the library is loaded.
    let handle = unsafe {
        if libc::dladdr(own_handle as *const c_void, &mut place) == 0 {
            return None;
        }
        libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD)
    };
    (!handle.is_null()).then_some(handle)
}

/// Name and version that an MPI library gives itself.
///
/// # Safety
/// The address is that of an MPI library's `MPI_Get_library_version` or `PMPI_Get_library_version`.
unsafe fn describe(get_library_version: *mut c_void) -> String {
    /// More than `MPI_MAX_LIBRARY_VERSION_STRING` of any library (MPICH has 8192).
    const ROOM: usize = 1 << 16;
    type Function = unsafe extern "C-unwind" fn(*mut c_char, *mut c_int) -> c_int;
    let (mut text, mut length) = (vec![0u8; ROOM], 0);
    // SAFETY: the function of this signature in mpi.h, which may be called at any time, also before
    // MPI_Init; it ends the text within the room.
    unsafe {
        std::mem::transmute::<*mut c_void, Function>(get_library_version)(
            text.as_mut_ptr().cast(),
            &mut length,
        )
    };
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
    // 'Open MPI v4.1.4, package: ...' and 'MPICH Version:<tab>4.0.2<newline>...'
    let first = text.split([',', '\n']).next().unwrap_or_default();
    first.replace(" Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A library that is loaded.
pub struct Library(*mut c_void);

/// Loads a library by its name, or finds it loaded; it stays.
pub fn open(name: &CStr) -> Option<Library> {
    // SAFETY: a NUL-terminated string. The functions that the library runs when it is loaded are those that MPI would
    // have run in MPI_Init.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    (!handle.is_null()).then_some(Library(handle))
}

impl Library {
    /// A function of it.
    ///
    /// # Safety
    /// `F` is the type of a pointer to a function, that of the function of this name.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        let address = lookup(self.0, name)?;
        // SAFETY: the address of a function of this type, by the contract of this function.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }
}

/// The MPI library of this process.
pub fn library_name() -> String {
    let found = lookup(libc::RTLD_NEXT, c"PMPI_Get_library_version");
    // SAFETY: the loader has found it by the name of that function.
    found.map_or_else(|| "MPI".to_owned(), |address| unsafe { describe(address) })
}
