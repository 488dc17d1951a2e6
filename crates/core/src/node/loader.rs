//! The loader: functions of this process by name, and the libraries that contain them.
//!
//! "This library" is found by the address of this code, which is linked into each of hcube's libraries.

use crate::atomic::{AtomicPtr, Ordering};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

fn lookup(scope: *mut c_void, name: &CStr) -> Option<*const c_void> {
    // SAFETY: a NUL-terminated string; a handle of the loader.
    let address = unsafe { libc::dlsym(scope, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// A function in the global scope of the process, in which a program's own definition comes before a
/// library's.
pub fn global(name: &CStr) -> Option<*const c_void> {
    lookup(libc::RTLD_DEFAULT, name)
}

/// The next definition of a function after this library, in the order in which the loader searches.
pub fn next(name: &CStr) -> Option<*const c_void> {
    lookup(libc::RTLD_NEXT, name)
}

/// All definitions of a function in loaded libraries, also in libraries loaded into a local scope. One
/// library may be found several times, through libraries that are linked to it.
pub fn definitions(name: &CStr) -> impl Iterator<Item = *const c_void> {
    loaded().into_iter().filter_map(move |path| Library::loaded(&path)?.symbol(name))
}

/// As [`next`], or in any library that was loaded into a local scope, as interpreters do.
pub fn next_anywhere(name: &CStr) -> Option<*const c_void> {
    next(name).or_else(|| {
        let own = base_of(next_anywhere as *const c_void);
        definitions(name).find(|&address| base_of(address) != own)
    })
}

/// A function that is resolved once, at the first call.
#[derive(Debug)]
pub struct Next {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Next {
    /// The next definition of a function after this library.
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Its address; ends the process with a message by `missing` if it is not defined.
    #[inline(always)]
    pub fn address(&self, missing: impl FnOnce(&str) -> String) -> *const c_void {
        // Relaxed: all threads write the same address of code.
        let known = self.address.load(Ordering::Relaxed);
        if known.is_null() { self.look_up(missing) } else { known }
    }

    #[cold]
    fn look_up(&self, missing: impl FnOnce(&str) -> String) -> *const c_void {
        let Some(found) = next(self.name) else {
            eprintln!("hcube: {}", missing(&self.name.to_string_lossy()));
            std::process::abort();
        };
        self.address.store(found.cast_mut(), Ordering::Relaxed);
        found
    }
}

/// The loader's information on an address; the name is a file name, or the name by which the program was
/// called.
fn place_of(address: *const c_void) -> Option<libc::Dl_info> {
    // SAFETY: plain data; zero is a value of all fields.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address; the loader checks whether it knows it.
    (unsafe { libc::dladdr(address, &mut place) } != 0 && !place.dli_fname.is_null()).then_some(place)
}

/// Where the library begins in memory that contains an address.
fn base_of(address: *const c_void) -> Option<usize> {
    place_of(address).map(|place| place.dli_fbase.addr())
}

/// The file of the library, or of the program, that contains an address.
pub fn file_of(address: *const c_void) -> Option<CString> {
    // SAFETY: the loader keeps the name as long as the library, and nobody closes libraries here.
    place_of(address).map(|place| unsafe { CStr::from_ptr(place.dli_fname) }.to_owned())
}

/// The files of all loaded libraries.
pub fn loaded() -> Vec<CString> {
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
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: the function is called with this list, until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast()) };
    names
}

/// An entry of the dynamic section of a library.
#[repr(C)]
struct Dynamic {
    tag: isize,
    value: usize,
}

/// Tags of dynamic entries (System V ABI): the last one, the array of termination functions, and its bytes.
const END: isize = 0;
const TERMINATION: isize = 26;
const TERMINATION_BYTES: isize = 28;

/// The termination functions of the library that contains an address, in the order in which they are called
/// when the process ends; none if the program itself contains it.
fn termination_functions(address: *const c_void) -> Vec<unsafe extern "C" fn()> {
    /// The address, and what was found.
    type Search = (usize, Vec<unsafe extern "C" fn()>);
    unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes a description of a library that is loaded, whose dynamic section ends
        // with an entry of its own, and what `termination_functions` has passed.
        unsafe {
            let (info, (address, functions)) = (&*info, &mut *search.cast::<Search>());
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
            let begin = |header: &libc::Elf64_Phdr| info.dlpi_addr.wrapping_add(header.p_vaddr) as usize;
            let has = |header: &&libc::Elf64_Phdr| {
                header.p_type == libc::PT_LOAD
                    && address.wrapping_sub(begin(header)) < header.p_memsz as usize
            };
            if headers.iter().find(has).is_none() {
                return 0;
            }
            let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
            if let Some(dynamic) = dynamic.filter(|_| *info.dlpi_name != 0) {
                let mut entry = std::ptr::with_exposed_provenance::<Dynamic>(begin(dynamic));
                let (mut place, mut bytes) = (0, 0);
                while (*entry).tag != END {
                    match (*entry).tag {
                        TERMINATION => place = (info.dlpi_addr as usize).wrapping_add((*entry).value),
                        TERMINATION_BYTES => bytes = (*entry).value,
                        _ => {}
                    }
                    entry = entry.add(1);
                }
                let count = if place == 0 { 0 } else { bytes / size_of::<usize>() };
                let first = std::ptr::with_exposed_provenance::<Option<unsafe extern "C" fn()>>(place);
                functions.extend((0..count).rev().filter_map(|number| first.add(number).read()));
            }
            1
        }
    }
    let mut search: Search = (address.addr(), Vec::new());
    // SAFETY: the function is called with this search, until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut search).cast()) };
    search.1
}

/// Calls what the library that contains an address does at the end of the process, unless the program itself
/// contains it. Whether anything was called.
///
/// # Safety
/// Any thread may do that, and it is not done again: see [`end_at_exit`](super::exit::end_at_exit).
pub unsafe fn terminate(address: *const c_void) -> bool {
    let functions = termination_functions(address);
    for function in &functions {
        // SAFETY: a termination function of a loaded library, which any thread may call and which is not
        // called again.
        unsafe { function() };
    }
    !functions.is_empty()
}

/// The loader's description of its last failure in this thread.
pub fn failure() -> String {
    // SAFETY: the text, if any, is the loader's until this thread calls it again.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

/// A library of this process. It is never closed.
#[derive(Debug, Clone, Copy)]
pub struct Library(usize);

impl Library {
    fn new(name: &CStr, flags: c_int) -> Option<Self> {
        // SAFETY: a NUL-terminated string. The code that a library runs when it is loaded is the
        // responsibility of the caller that names it.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | flags) };
        (!handle.is_null()).then(|| Self(handle.expose_provenance()))
    }

    /// Loads a library by its name, or finds it loaded.
    pub fn open(name: &CStr) -> Option<Self> {
        Self::new(name, 0)
    }

    /// As [`Self::open`], with symbols that all libraries see, as if the program were linked to it.
    pub fn open_for_all(name: &CStr) -> Option<Self> {
        Self::new(name, libc::RTLD_GLOBAL)
    }

    /// A library that is loaded.
    pub fn loaded(name: &CStr) -> Option<Self> {
        Self::new(name, libc::RTLD_NOLOAD)
    }

    /// The library that contains an address; the program if that does.
    pub fn containing(address: *const c_void) -> Option<Self> {
        Self::loaded(&file_of(address)?)
    }

    /// The library that contains this code.
    pub fn own() -> Option<Self> {
        Self::containing(Self::own as *const c_void)
    }

    /// A symbol of it, or of the libraries that it is linked to.
    pub fn symbol(self, name: &CStr) -> Option<*const c_void> {
        lookup(std::ptr::with_exposed_provenance_mut(self.0), name)
    }

    /// A function, as [`Self::symbol`].
    ///
    /// # Safety
    /// `F` is the type of a pointer to the function of this name.
    pub unsafe fn function<F: Copy>(self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
        let address = self.symbol(name)?;
        // SAFETY: the address of a function of this type, by the contract of this function.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_with_their_files() {
        let address = global(c"strlen").expect("in the C library");
        let file = file_of(address).expect("of a library").into_string().expect("a path");
        assert!(file.contains("/libc.so") || file.contains("/libc-"), "{file}");
        assert!(loaded().iter().any(|name| name.to_string_lossy() == file), "{file}");
        assert_eq!(global(c"hcube_none"), None);
        assert_eq!(next_anywhere(c"hcube_none"), None);
        assert_eq!(file_of(std::ptr::without_provenance(8)), None);
    }

    #[test]
    fn only_libraries_have_termination_functions() {
        let own = termination_functions(termination_functions as *const c_void);
        assert_eq!(own.len(), 0, "the program has its own end");
        assert_eq!(termination_functions(std::ptr::without_provenance(8)).len(), 0);
        // Each library that a compiler has linked has one.
        let address = global(c"_Unwind_Backtrace").expect("of the library for unwinding");
        let functions = termination_functions(address);
        assert!(!functions.is_empty());
        for function in functions {
            assert_eq!(file_of(function as *const c_void), file_of(address));
        }
    }

    #[test]
    fn libraries_have_symbols() {
        let address = global(c"strlen").expect("in the C library");
        let library = Library::containing(address).expect("loaded");
        assert!(library.symbol(c"strlen").is_some() && library.symbol(c"hcube_none").is_none());
        // SAFETY: the type of strlen.
        let length = unsafe { library.function::<unsafe extern "C" fn(*const c_char) -> usize>(c"strlen") };
        // SAFETY: a NUL-terminated string.
        assert_eq!(unsafe { length.expect("there")(c"four".as_ptr()) }, 4);
        assert!(
            Library::loaded(c"libhcube-none.so").is_none() && Library::open(c"libhcube-none.so").is_none()
        );
    }
}
