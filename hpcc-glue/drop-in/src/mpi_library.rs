//! The MPI library of the program.

use hcube_core::node::loader::{self, Library};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

/// The MPI library of this program and the one that this library was built for, if they differ. Handles of
/// one are invalid in the other.
///
/// The loader searches the program's libraries before the libraries of preloaded ones, so a lookup for the
/// process finds the program's MPI library, and a lookup in this library finds the library that it is linked
/// to. The same file for both (the same name, possibly another version) is one library.
pub fn foreign() -> Option<[String; 2]> {
    const PROBE: &CStr = c"PMPI_Get_library_version";
    let of_program = loader::next(PROBE)?;
    let of_build = Library::own()?.symbol(PROBE)?;
    // SAFETY: the loader has found both by the name of that function.
    (of_program != of_build).then(|| [of_program, of_build].map(|address| unsafe { describe(address) }))
}

/// Name and version of an MPI library.
///
/// # Safety
/// The address is a function `MPI_Get_library_version` or `PMPI_Get_library_version` of an MPI library.
unsafe fn describe(get_library_version: *const c_void) -> String {
    /// More than `MPI_MAX_LIBRARY_VERSION_STRING` of any library (MPICH has 8192).
    const ROOM: usize = 1 << 16;
    type Function = unsafe extern "C-unwind" fn(*mut c_char, *mut c_int) -> c_int;
    let (mut text, mut length) = (vec![0u8; ROOM], 0);
    // SAFETY: the function of this signature in mpi.h, which may be called at any time, also before
    // MPI_Init; it ends the text within the room.
    unsafe {
        std::mem::transmute::<*const c_void, Function>(get_library_version)(
            text.as_mut_ptr().cast(),
            &mut length,
        )
    };
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
    // 'Open MPI v4.1.4, package: ...' and 'MPICH Version:<tab>4.0.2<newline>...'
    let first = text.split([',', '\n']).next().unwrap_or_default();
    first.replace(" Version:", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The MPI library of this process. It is queried once: it describes itself at length.
pub fn name() -> String {
    static NAME: OnceLock<String> = OnceLock::new();
    let describe = || {
        let found = loader::next(c"PMPI_Get_library_version");
        // SAFETY: the loader has found it by the name of that function.
        found.map_or_else(|| "MPI".to_owned(), |address| unsafe { describe(address) })
    };
    NAME.get_or_init(describe).clone()
}

/// Whether the MPI library of this process is Open MPI, of which launchers and process managers differ from
/// all others.
pub fn is_open_mpi() -> bool {
    name().starts_with(OPEN_MPI)
}

/// How Open MPI's description begins, before its version.
pub const OPEN_MPI: &str = "Open MPI v";
