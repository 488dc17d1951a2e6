//! Libraries that the program has loaded: ScaLAPACK with the BLACS, and its BLAS.
//!
//! Functions are resolved as ScaLAPACK resolves them: first in the global scope of the loader, in which a
//! definition of the program precedes a library's, then in ScaLAPACK itself and in the libraries that it is
//! linked to, which also works if an interpreter has loaded it into a local scope.

use crate::element::Element;
use crate::local::LocalGemm;
use hcube_core::node::loader::{self, Library};
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// ScaLAPACK's library, if it is loaded as one: it has PBLAS, and the BLACS in itself or in what it is linked
/// to.
fn scalapack() -> Option<Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let has_blacs = |library: &Library| library.symbol(c"blacs_gridinfo_").is_some();
    let find = || loader::definitions(c"pdgemm_").filter_map(Library::containing).find(has_blacs);
    *LIBRARY.get_or_init(find)
}

/// A function of the program, of ScaLAPACK or of a library that ScaLAPACK uses.
pub fn function(name: &CStr) -> Option<*const c_void> {
    loader::global(name).or_else(|| scalapack()?.symbol(name))
}

/// The local products of the program's BLAS, by the numbers of the types of elements; none if it has none.
pub fn locals() -> &'static [Option<LocalGemm>; 4] {
    static FOUND: OnceLock<[Option<LocalGemm>; 4]> = OnceLock::new();
    FOUND.get_or_init(|| {
        let names = [c"sgemm_", c"dgemm_", c"cgemm_", c"zgemm_"];
        std::array::from_fn(|number| {
            let function = function(names[number])?;
            // SAFETY: functions of these names have the type of BLAS', and are what ScaLAPACK calls.
            Some(unsafe { LocalGemm::new(Element::ALL[number], function) })
        })
    })
}
