//! The shared libraries that are measured: loaded when the benchmark starts, so that the tool needs none of them.

use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A library that stays loaded.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    handle: *mut c_void,
}

/// Who sees the symbols of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All libraries: as if the program were linked to it.
    Global,
    /// Only those who ask.
    Local,
}

/// What the loader says of its last failure.
fn reason() -> String {
    // SAFETY: the text, if any, is the loader's, until the next call of it by this thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}

impl Library {
    /// Loads the first of these files that can be loaded; a name without a slash is looked up as the loader does.
    ///
    /// # Errors
    /// The reasons, where none can be loaded.
    pub fn load(files: &[PathBuf], scope: Scope) -> Result<Self, String> {
        let flags =
            libc::RTLD_LAZY | if scope == Scope::Global { libc::RTLD_GLOBAL } else { libc::RTLD_LOCAL };
        let mut reasons = Vec::new();
        for file in files {
            let Ok(name) = CString::new(file.as_os_str().as_bytes()) else { continue };
            // SAFETY: a NUL-terminated string. What the constructors of the library do is up to who has named it.
            let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
            if !handle.is_null() {
                return Ok(Self { handle });
            }
            reasons.push(reason());
        }
        Err(reasons.join("; "))
    }

    /// The address of a symbol of this library or of those that it is linked to.
    pub fn find(self, name: &str) -> Option<*const c_void> {
        lookup(self.handle, name)
    }
}

fn lookup(scope: *mut c_void, name: &str) -> Option<*const c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: a NUL-terminated string, and a handle of the loader.
    let address = unsafe { libc::dlsym(scope, name.as_ptr()) };
    (!address.is_null()).then_some(address.cast_const())
}

/// The address of a symbol that all libraries see.
pub fn global(name: &str) -> Option<*const c_void> {
    lookup(libc::RTLD_DEFAULT, name)
}

/// The file of the library in which an address lies.
pub fn file_of(address: *const c_void) -> Option<String> {
    // SAFETY: plain data; zero is a value of all fields.
    let mut place: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address; the loader looks whether it knows it.
    if unsafe { libc::dladdr(address, &mut place) } == 0 || place.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name of a loaded library, which stays loaded.
    Some(unsafe { CStr::from_ptr(place.dli_fname) }.to_string_lossy().into_owned())
}

/// Where ScaLAPACK for an MPI library may be: the names of distributions, the newest version first.
pub fn scalapack_files(mpi: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in [format!("libscalapack-{mpi}.so"), "libscalapack.so".to_owned()] {
        files.extend(
            ["", ".2.3", ".2.2", ".2.1", ".2.0", ".2"].map(|version| format!("{name}{version}").into()),
        );
    }
    files
}

/// Where `libhcube_pblas.so` may be, from the place of the tool: beside it in a build, and below `lib` where both are
/// installed.
pub fn pblas_files(tool: Option<&Path>, mpi: &str) -> Vec<PathBuf> {
    const NAME: &str = "libhcube_pblas.so";
    let mut files = Vec::new();
    if let Some(folder) = tool.and_then(Path::parent) {
        files.push(folder.join(NAME));
        if let Some(prefix) = folder.parent() {
            let libraries =
                ["lib".to_owned(), "lib64".to_owned(), format!("lib/{}-linux-gnu", std::env::consts::ARCH)];
            files.extend(libraries.map(|library| prefix.join(library).join("hcube").join(mpi).join(NAME)));
        }
    }
    files.retain(|file| file.is_file());
    files.push(NAME.into());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_tried_in_turn() {
        let none = PathBuf::from("/nowhere/libnone.so");
        let refused = Library::load(std::slice::from_ref(&none), Scope::Local).expect_err("there is none");
        assert!(refused.contains("libnone.so"), "{refused}");
        let libc = Library::load(&[none, "libc.so.6".into()], Scope::Local).expect("the C library");
        let address = libc.find("malloc").expect("in every C library");
        assert!(file_of(address).is_some_and(|file| file.contains("libc")));
        assert!(libc.find("no_such_function").is_none() && global("malloc").is_some());
    }

    #[test]
    fn files_are_those_of_the_mpi_library() {
        let files = scalapack_files("mpich");
        assert_eq!(files[0], Path::new("libscalapack-mpich.so"));
        assert!(
            files.contains(&"libscalapack-mpich.so.2.2".into()) && files.contains(&"libscalapack.so".into())
        );
        assert_eq!(pblas_files(None, "openmpi"), [Path::new("libhcube_pblas.so")]);
    }
}
