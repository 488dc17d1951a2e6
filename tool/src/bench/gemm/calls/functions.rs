//! The functions that are called, by their names in ScaLAPACK, in hcube's library and in the BLAS.

use crate::bench::gemm::arguments::{Arguments, Variant};
use crate::bench::lengths::chosen;
use crate::bench::library::{self, Named, file_of, own_files};
use crate::bench::proof::Origin;
use hcube_core::node::loader::{self, Library};
use hcube_core::{Error, Result};
use hcube_gemm::element::Element;
use std::ffi::{CString, c_char, c_int, c_void};

/// Of the BLAS, with the lengths of the character arguments.
pub type LocalProduct = unsafe extern "C" fn(
    *const u8,
    *const u8,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *const c_void,
    *const c_int,
    *const c_void,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    usize,
    usize,
);
pub type Factorise = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    *mut c_int,
);
pub type Get = unsafe extern "C" fn(*const c_int, *const c_int, *mut c_int);
pub type GridInit = unsafe extern "C" fn(*mut c_int, *const c_char, *const c_int, *const c_int, usize);
pub type GridInfo = unsafe extern "C" fn(*const c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
pub type GridExit = unsafe extern "C" fn(*const c_int);
pub type SetThreads = unsafe extern "C" fn(c_int);
pub type GetThreads = unsafe extern "C" fn() -> c_int;

/// All functions; where each type has its own function, the four stand in the order s, d, c, z.
pub struct Functions {
    /// ScaLAPACK's `p?gemm_`.
    pub scalapack: [*const c_void; 4],
    /// hcube's, if it is measured.
    pub hcube: Option<[*const c_void; 4]>,
    /// ScaLAPACK's `pilaenv_`.
    pub width: *const c_void,
    pub factorise: [Factorise; 4],
    pub local: [LocalProduct; 4],
    pub get: Get,
    pub grid_init: GridInit,
    pub grid_info: GridInfo,
    pub grid_exit: GridExit,
    /// The functions of the BLAS that set and tell the number of its threads, if it has them.
    pub threads: Option<(SetThreads, GetThreads)>,
    /// The file of ScaLAPACK.
    pub file: String,
    /// That hcube's functions lie in a file of hcube, and ScaLAPACK's functions in ScaLAPACK's file.
    pub origin: Origin,
}

/// The address of a symbol.
type Address = Option<*const c_void>;

/// A name as the loader wants it.
fn name(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn found(name: &str, address: Address) -> Result<*const c_void> {
    address.ok_or_else(|| Error::Unsupported(format!("the function {name} was not found")))
}

/// The functions of the four types, such as `p?gemm_`.
fn of_types(pattern: &str, find: impl Fn(&str) -> Address) -> Result<[*const c_void; 4]> {
    let mut all = [std::ptr::null(); 4];
    for (place, element) in all.iter_mut().zip(Element::ALL) {
        let name = pattern.replace('?', &element.letter().to_string());
        *place = found(&name, find(&name))?;
    }
    Ok(all)
}

/// hcube's library, which ScaLAPACK's own calls do not find.
fn load_pblas(arguments: &Arguments, mpi: &str) -> Result<Library> {
    let what = "the file of libhcube_pblas.so";
    Named { option: "--pblas", file: arguments.pblas.as_deref(), what }
        .load(|| own_files("libhcube_pblas.so", mpi), Ok)
}

impl Functions {
    /// Loads the libraries. `mpi` is the name of the MPI library in the names of files.
    ///
    /// # Errors
    /// Where a library or a function is missing; ranks may differ.
    pub fn load(arguments: &Arguments, mpi: &str) -> Result<Self> {
        use std::mem::transmute;
        let scalapack = library::load_scalapack(arguments.scalapack.as_deref(), mpi)?;
        let of_scalapack = |text: &str| scalapack.symbol(&name(text));
        let of_program = |text: &str| loader::global(&name(text));
        let one = |text: &str| found(text, of_scalapack(text));
        let products = of_types("p?gemm_", of_scalapack)?;
        let factorise = of_types("p?getrf_", of_scalapack)?;
        let local = of_types("?gemm_", of_program)?;
        let [get, init] = [one("blacs_get_")?, one("blacs_gridinit_")?];
        let [info, exit] = [one("blacs_gridinfo_")?, one("blacs_gridexit_")?];
        let threads = library::BLAS_THREADS
            .into_iter()
            .find_map(|(set, get)| loader::global(set).zip(loader::global(get)));
        let pblas = chosen(&arguments.variants)
            .contains(&Variant::Hcube)
            .then(|| load_pblas(arguments, mpi))
            .transpose()?;
        let hcube = pblas.map(|pblas| of_types("p?gemm_", |text| pblas.symbol(&name(text)))).transpose()?;
        let file = file_of(products[0]);
        let named = |functions: [*const c_void; 4]| functions.map(|function| ("p?gemm_", function));
        let mut origin = Origin::of_file(&file, named(products))?;
        if let Some(own) = hcube {
            let of_hcube = file_of(own[0]);
            if of_hcube == file {
                return Err(Error::Unsupported(format!(
                    "p?gemm_ of ScaLAPACK and of hcube are both in {file}"
                )));
            }
            origin = Origin::of_file(&of_hcube, named(own))?;
        }
        // SAFETY: functions of these names have these types in ScaLAPACK, the BLACS, the BLAS, OpenBLAS and
        // MKL.
        unsafe {
            Ok(Self {
                scalapack: products,
                hcube,
                width: one("pilaenv_")?,
                factorise: factorise.map(|one| transmute::<*const c_void, Factorise>(one)),
                local: local.map(|one| transmute::<*const c_void, LocalProduct>(one)),
                get: transmute::<*const c_void, Get>(get),
                grid_init: transmute::<*const c_void, GridInit>(init),
                grid_info: transmute::<*const c_void, GridInfo>(info),
                grid_exit: transmute::<*const c_void, GridExit>(exit),
                threads: threads.map(|(set, get)| {
                    (transmute::<*const c_void, SetThreads>(set), transmute::<*const c_void, GetThreads>(get))
                }),
                file,
                origin,
            })
        }
    }
}
