//! BSPlib's functions, by their names in each library.

use crate::bench::library::{Named, functions, own_files};
use crate::bench::proof::Origin;
use hcube_core::Result;
use std::ffi::{c_int, c_void};
use std::path::Path;

functions! {
    /// The functions of BSPlib that are measured, also by their names in LPF.
    Functions, "bsp_" or "bsplibstd_":
    begin(c_int);
    end();
    nprocs() -> c_int;
    sync();
    push_reg(*const c_void, c_int);
    put(c_int, *const c_void, *mut c_void, c_int, c_int);
    hpput(c_int, *const c_void, *mut c_void, c_int, c_int);
    get(c_int, *const c_void, c_int, *mut c_void, c_int);
    hpget(c_int, *const c_void, c_int, *mut c_void, c_int);
    send(c_int, *const c_void, *const c_void, c_int);
    take = "move"(*mut c_void, c_int);
}

impl Functions {
    fn load(option: &'static str, file: Option<&Path>, mpi: &str) -> Result<(Self, String, Origin)> {
        let named = Named { option, file, what: "a shared library with BSPlib's functions" };
        // SAFETY: the classic types of BSPlib.
        named.load(|| own_files("libhcube_bsp.so", mpi), |library| unsafe { Self::find(library) })
    }

    /// A library that `--library` names, apart from others with the same names; its file, and that this
    /// defines all functions.
    ///
    /// # Errors
    /// Where the file cannot be loaded or a function is missing; ranks may differ.
    pub fn of_file(file: &Path) -> Result<(Self, String, Origin)> {
        Self::load("--library", Some(file), "")
    }

    /// libhcube_bsp.so. `mpi` is the name of the MPI library in the names of files.
    ///
    /// # Errors
    /// As [`Self::of_file`].
    pub fn of_hcube(file: Option<&Path>, mpi: &str) -> Result<(Self, String, Origin)> {
        Self::load("--bsp", file, mpi)
    }
}
