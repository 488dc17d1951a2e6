//! The files that are measured, which are loaded when the benchmark starts: the tool needs none of them.

use hcube_core::Error;
use hcube_core::node::loader;
pub use hcube_core::node::loader::Library;
use std::ffi::{CStr, CString, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Functions that set and tell the number of threads of a BLAS: of OpenBLAS, and of MKL.
pub const BLAS_THREADS: [(&CStr, &CStr); 2] = [
    (c"openblas_set_num_threads", c"openblas_get_num_threads"),
    (c"MKL_Set_Num_Threads", c"MKL_Get_Max_Threads"),
];

/// A function by its name behind one of these prefixes.
///
/// # Safety
/// `F` is the type of the functions of these names.
pub unsafe fn find<F: Copy>(library: Library, prefixes: &[&str], name: &str) -> Option<F> {
    prefixes.iter().find_map(|prefix| {
        let name = CString::new(format!("{prefix}{name}")).unwrap_or_default();
        // SAFETY: the caller promises that functions of these names have the type `F`.
        unsafe { library.function(&name) }
    })
}

/// A structure of pointers to functions, which are looked up by their names behind a prefix, or one of
/// several. A function whose name is a word of Rust has another name here.
macro_rules! functions {
    (@name $function:ident) => { stringify!($function) };
    (@name $function:ident $name:literal) => { $name };
    ($(#[$about:meta])* $Name:ident, $prefix:literal $(or $other:literal)?:
     $($function:ident $(= $name:literal)? ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy)]
        pub struct $Name {
            $(pub $function: unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?,)*
        }

        impl $Name {
            /// Finds all functions in a library, where these names have these types; also returns its file,
            /// and that this file defines all of them.
            ///
            /// # Errors
            /// Names the first one that is missing or lies elsewhere; ranks may differ.
            ///
            /// # Safety
            /// Functions of these names have these types in the library.
            pub unsafe fn find(
                library: hcube_core::node::loader::Library,
            ) -> std::result::Result<(Self, String, crate::bench::proof::Origin), String> {
                let prefixes = [$prefix $(, $other)?];
                let missing = |name: &str| format!("the function {}{name} was not found", $prefix);
                let functions = Self {
                    $($function: {
                        let name = functions!(@name $function $($name)?);
                        // SAFETY: the caller promises these types of functions with these names.
                        let found = unsafe { $crate::bench::library::find(library, &prefixes, name) };
                        found.ok_or_else(|| missing(name))?
                    },)*
                };
                let all = [$((
                    concat!($prefix, functions!(@name $function $($name)?)),
                    functions.$function as *const std::ffi::c_void,
                )),*];
                let file = $crate::bench::library::file_of(all[0].1);
                let origin = crate::bench::proof::Origin::of_file(&file, all);
                Ok((functions, file, origin.map_err(|error| error.to_string())?))
            }
        }
    };
}
pub(super) use functions;

/// What an option names: a library by its file.
pub struct Named<'a> {
    pub option: &'static str,
    pub file: Option<&'a Path>,
    /// What is expected.
    pub what: &'static str,
}

impl Named<'_> {
    /// The error for this reason, with the file that was named or would have been taken.
    pub fn refuse(&self, file: &Path, reason: &str) -> Error {
        Error::argument(self.option, file.display(), format!("{} ({reason})", self.what))
    }

    /// Loads the file that was named, or the first of these that can be loaded, and makes of it what is
    /// wanted.
    ///
    /// # Errors
    /// Where that fails; ranks may differ.
    pub fn load<T>(
        &self,
        usual: impl FnOnce() -> Vec<PathBuf>,
        make: impl FnOnce(Library) -> Result<T, String>,
    ) -> Result<T, Error> {
        let files = self.file.map_or_else(usual, |file| vec![file.to_owned()]);
        let library = load(&files, Library::open).map_err(|reasons| reasons.join("; "));
        library.and_then(make).map_err(|reason| self.refuse(&files[0], &reason))
    }
}

/// Loads the first of these files that can be loaded; a name without a slash is looked up as the loader does.
///
/// # Errors
/// What the loader has said, where none can be loaded.
pub fn load(files: &[PathBuf], open: impl Fn(&CStr) -> Option<Library>) -> Result<Library, Vec<String>> {
    let mut reasons = Vec::new();
    for file in files {
        let name = CString::new(file.as_os_str().as_bytes()).unwrap_or_default();
        match open(&name) {
            Some(library) => return Ok(library),
            None => reasons.push(loader::failure()),
        }
    }
    Err(reasons)
}

/// A library without which the others are measured: the file that was named, or the first of these.
///
/// # Errors
/// What the loader has said of the first one; ranks may differ.
pub fn open(file: Option<&Path>, usual: &[&str]) -> Result<Library, String> {
    let files = file.map_or_else(|| usual.iter().map(PathBuf::from).collect(), |file| vec![file.to_owned()]);
    load(&files, Library::open).map_err(|reasons| reasons.into_iter().next().unwrap_or_default())
}

/// The file in which a function lies.
pub fn file_of(function: *const c_void) -> String {
    loader::file_of(function).map_or_else(String::new, |file| file.to_string_lossy().into_owned())
}

/// Checks that a library that was loaded, whose file this is, is linked to no other MPI library than this
/// program.
///
/// # Errors
/// Names the other one.
pub fn check_mpi(library: Library, file: &str) -> Result<(), String> {
    let mpi = [library.symbol(c"MPI_Comm_size"), loader::global(c"MPI_Comm_size")];
    let [theirs, ours] = mpi.map(|function| function.map(file_of));
    match theirs.filter(|theirs| Some(theirs) != ours.as_ref()) {
        Some(theirs) => Err(format!("{file} is built for another MPI library: {theirs}")),
        None => Ok(()),
    }
}

/// The name of an MPI library in names of files.
pub fn mpi_name(library: &str) -> &'static str {
    if library.starts_with("Open MPI") { "openmpi" } else { "mpich" }
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

/// ScaLAPACK for an MPI library, loaded as if the program were linked to it: the file that was named, or the
/// one that is installed.
///
/// # Errors
/// Names the file and the loader's reason; ranks may differ.
pub fn load_scalapack(file: Option<&Path>, mpi: &str) -> Result<Library, Error> {
    let files = file.map_or_else(|| scalapack_files(mpi), |file| vec![file.to_owned()]);
    load(&files, Library::open_for_all).map_err(|reasons| {
        let reason = reasons.first().map_or("", String::as_str);
        let expected = format!("a shared library with ScaLAPACK for {mpi} ({reason})");
        Error::argument("--scalapack", files[0].display(), expected)
    })
}

/// Where a library of hcube may be, from the place of the tool: beside it in a build, and below `lib` where
/// both are installed.
pub fn own_files(name: &str, mpi: &str) -> Vec<PathBuf> {
    files_beside(name, std::env::current_exe().ok().as_deref(), mpi)
}

/// The folder of the tool, in which a build has its libraries, and those in which installed builds have
/// folders of their own.
fn folders_beside(tool: &Path) -> Vec<PathBuf> {
    let Some(folder) = tool.parent() else { return Vec::new() };
    let mut folders = vec![folder.to_owned()];
    if let Some(prefix) = folder.parent() {
        let libraries =
            ["lib".to_owned(), "lib64".to_owned(), format!("lib/{}-linux-gnu", std::env::consts::ARCH)];
        folders.extend(libraries.map(|library| prefix.join(library).join("hcube")));
    }
    folders
}

/// The folders in which libraries of hcube may be that belong to this tool.
pub fn library_folders() -> Vec<PathBuf> {
    std::env::current_exe().ok().as_deref().map(folders_beside).unwrap_or_default()
}

fn files_beside(name: &str, tool: Option<&Path>, mpi: &str) -> Vec<PathBuf> {
    let folders = tool.map(folders_beside).unwrap_or_default().into_iter().enumerate();
    let mut files: Vec<PathBuf> = folders
        .map(|(number, folder)| if number == 0 { folder.join(name) } else { folder.join(mpi).join(name) })
        .collect();
    files.retain(|file| file.is_file());
    files.push(name.into());
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_tried_in_turn() {
        let none = PathBuf::from("/nowhere/libnone.so");
        let refused = load(std::slice::from_ref(&none), Library::open).expect_err("there is none");
        assert!(refused.len() == 1 && refused[0].contains("libnone.so"), "{refused:?}");
        let libc = load(&[none, "libc.so.6".into()], Library::open).expect("the C library");
        let address = libc.symbol(c"malloc").expect("in every C library");
        assert!(file_of(address).contains("libc"));
    }

    #[test]
    fn files_are_those_of_the_mpi_library() {
        let files = scalapack_files("mpich");
        assert_eq!(files[0], Path::new("libscalapack-mpich.so"));
        assert!(
            files.contains(&"libscalapack-mpich.so.2.2".into()) && files.contains(&"libscalapack.so".into())
        );
        assert_eq!(files_beside("libhcube_bsp.so", None, "openmpi"), [Path::new("libhcube_bsp.so")]);
    }
}
