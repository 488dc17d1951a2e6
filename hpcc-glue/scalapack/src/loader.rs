//! What the program has loaded: ScaLAPACK with the BLACS, and the BLAS that it uses.
//!
//! Functions are found as ScaLAPACK finds them: first in the global scope of the loader, in which a program's own
//! definition comes before a library's, then in ScaLAPACK itself and in the libraries that it is linked to, which also
//! works where an interpreter has loaded it into a scope of its own.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

/// A symbol in a scope or a library.
fn lookup(handle: *mut c_void, name: &CStr) -> Option<*const c_void> {
    // SAFETY: a NUL-terminated string; a handle of the loader.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// The library in which an address lies.
fn library_of(address: *const c_void) -> Option<(CString, usize)> {
    // SAFETY: plain data; zero is a value of all fields.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address; the loader looks whether it knows it.
    if unsafe { libc::dladdr(address, &mut place) } == 0 || place.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name of a loaded library, which the loader keeps.
    Some((unsafe { CStr::from_ptr(place.dli_fname) }.to_owned(), place.dli_fbase.addr()))
}

/// A handle of a library that is loaded; null for the program itself where it has no name.
fn handle_of(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated string; nothing is loaded that was not.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(handle)
}

/// Names of all loaded libraries.
fn loaded() -> Vec<CString> {
    unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: usize, names: *mut c_void) -> c_int {
        // SAFETY: the loader passes a description of a library, and what `loaded` has passed.
        unsafe {
            let name: *const c_char = (*info).dlpi_name;
            if !name.is_null() && *name != 0 {
                (*names.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
            }
        }
        0
    }
    let mut names = Vec::new();
    // SAFETY: the function expects a list of names.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast()) };
    names
}

/// The definition of a function behind the one of this library.
fn next(name: &CStr) -> Option<*const c_void> {
    lookup(libc::RTLD_NEXT, name).or_else(|| {
        let (_, own) = library_of(next as *const c_void)?;
        let mut others = loaded().into_iter().filter_map(|library| lookup(handle_of(&library)?, name));
        others.find(|&address| library_of(address).is_some_and(|(_, base)| base != own))
    })
}

/// The original of one of this library's functions, by its usual name or another one.
pub fn original(name: &CStr, usual: &CStr) -> Option<*const c_void> {
    next(name).or_else(|| next(usual))
}

/// ScaLAPACK's library, if it is loaded as one.
fn scalapack() -> Option<&'static (CString, usize)> {
    /// A handle, as a number.
    static LIBRARY: OnceLock<Option<(CString, usize)>> = OnceLock::new();
    let find = || {
        let (name, _) = library_of(next(c"pdgemm_")?)?;
        let handle = handle_of(&name)?;
        Some((name, handle.expose_provenance()))
    };
    LIBRARY.get_or_init(find).as_ref()
}

/// A function of the program, of ScaLAPACK or of a library that ScaLAPACK uses.
pub fn function(name: &CStr) -> Option<*const c_void> {
    lookup(libc::RTLD_DEFAULT, name).or_else(|| {
        let (_, handle) = scalapack()?;
        lookup(std::ptr::with_exposed_provenance_mut(*handle), name)
    })
}

/// The file of the library in which a function lies.
pub fn file_of(function: *const c_void) -> String {
    library_of(function)
        .map_or_else(|| "the program".to_owned(), |(name, _)| name.to_string_lossy().into_owned())
}
