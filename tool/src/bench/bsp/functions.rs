//! BSPlib's functions, by their names in each library.

use crate::bench::library::{self, file_of};
use crate::bench::proof::Origin;
use hcube_core::node::loader::Library;
use hcube_core::{Error, Result};
use std::ffi::{CString, c_int, c_void};
use std::path::PathBuf;

pub type Plain = unsafe extern "C-unwind" fn();
pub type Begin = unsafe extern "C-unwind" fn(c_int);
pub type Number = unsafe extern "C-unwind" fn() -> c_int;
pub type PushReg = unsafe extern "C-unwind" fn(*const c_void, c_int);
pub type Put = unsafe extern "C-unwind" fn(c_int, *const c_void, *mut c_void, c_int, c_int);
pub type Get = unsafe extern "C-unwind" fn(c_int, *const c_void, c_int, *mut c_void, c_int);
pub type Send = unsafe extern "C-unwind" fn(c_int, *const c_void, *const c_void, c_int);
pub type Move = unsafe extern "C-unwind" fn(*mut c_void, c_int);

/// Those that are measured, of one library.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    pub begin: Begin,
    pub end: Plain,
    pub nprocs: Number,
    pub sync: Plain,
    pub push_reg: PushReg,
    pub put: Put,
    pub hpput: Put,
    pub get: Get,
    pub hpget: Get,
    pub send: Send,
    pub take: Move,
}

/// A function of BSPlib, also by its name in LPF.
///
/// # Safety
/// `F` is the type of the function of this name.
unsafe fn find<F: Copy>(library: Library, name: &str) -> Result<F> {
    for name in [format!("bsp_{name}"), format!("bsplibstd_{name}")] {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the contract of this function.
        if let Some(function) = unsafe { library.function(&name) } {
            return Ok(function);
        }
    }
    Err(Error::Unsupported(format!("the function bsp_{name} was not found")))
}

impl Functions {
    /// Loads the first of these files that can be loaded, apart from other libraries with the same names; `option` is what
    /// names it. Returns its file as well, and that it defines all functions.
    ///
    /// # Errors
    /// Where no file can be loaded or a function is missing; ranks may differ.
    pub fn load(option: &'static str, files: &[PathBuf]) -> Result<(Self, String, Origin)> {
        let shown = files.first().map(|file| file.display().to_string()).unwrap_or_default();
        let refuse = |reason: String| {
            Error::argument(option, &shown, format!("a shared library with BSPlib's functions ({reason})"))
        };
        let library = library::load(files, Library::open).map_err(|reasons| refuse(reasons.join("; ")))?;
        let missing = |error: Error| refuse(error.to_string());
        // SAFETY: the classic types of BSPlib.
        let functions = unsafe {
            Self {
                begin: find(library, "begin").map_err(missing)?,
                end: find(library, "end").map_err(missing)?,
                nprocs: find(library, "nprocs").map_err(missing)?,
                sync: find(library, "sync").map_err(missing)?,
                push_reg: find(library, "push_reg").map_err(missing)?,
                put: find(library, "put").map_err(missing)?,
                hpput: find(library, "hpput").map_err(missing)?,
                get: find(library, "get").map_err(missing)?,
                hpget: find(library, "hpget").map_err(missing)?,
                send: find(library, "send").map_err(missing)?,
                take: find(library, "move").map_err(missing)?,
            }
        };
        let Self { begin, end, nprocs, sync, push_reg, put, hpput, get, hpget, send, take } = functions;
        let file = file_of(sync as *const c_void);
        let origin = Origin::of_file(
            &file,
            [
                ("bsp_begin", begin as *const c_void),
                ("bsp_end", end as *const c_void),
                ("bsp_nprocs", nprocs as *const c_void),
                ("bsp_push_reg", push_reg as *const c_void),
                ("bsp_put", put as *const c_void),
                ("bsp_hpput", hpput as *const c_void),
                ("bsp_get", get as *const c_void),
                ("bsp_hpget", hpget as *const c_void),
                ("bsp_send", send as *const c_void),
                ("bsp_move", take as *const c_void),
            ],
        );
        Ok((functions, file, origin.map_err(missing)?))
    }

    /// libhcube_bsp.so. `mpi` is the name of the MPI library in those of files.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn of_hcube(file: Option<&PathBuf>, mpi: &str) -> Result<(Self, String, Origin)> {
        let tool = std::env::current_exe().ok();
        let usual = || library::own_files("libhcube_bsp.so", tool.as_deref(), mpi);
        Self::load("--bsp", &file.map_or_else(usual, |file| vec![file.clone()]))
    }
}
