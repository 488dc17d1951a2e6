//! The functions of a BLAS that are measured and used, on one thread.

use crate::bench::library::{self, file_of};
use hcube_core::node::loader::Library;
use hcube_core::{Error, Result};
use hcube_gemm::element::{Element, Scalar};
use hcube_gemm::local::{Columns, LocalGemm, LocalProduct};
use hcube_matmul::{Block, Sizes, plain};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;

/// An integer of BLAS. BLAS with 32-bit integers reads the low half of a number, BLAS with 64-bit integers
/// all of it, so either is served where the low half comes first.
#[cfg(target_endian = "little")]
type Integer = i64;
#[cfg(target_endian = "big")]
type Integer = i32;

type Dot =
    unsafe extern "C" fn(*const Integer, *const f64, *const Integer, *const f64, *const Integer) -> f64;
type SetThreads = unsafe extern "C" fn(c_int);

/// Where a BLAS may be, by the names of distributions.
const FILES: [&str; 4] = ["libopenblas.so.0", "libmkl_rt.so", "libblis.so.4", "libblas.so.3"];

/// A BLAS that was loaded.
#[derive(Debug)]
pub struct Blas {
    dot: Dot,
    /// `dgemm_`
    pub dgemm: *const c_void,
    pub file: String,
}

impl Blas {
    /// Loads a BLAS: the file that was named, or the first of the usual ones. Each rank computes on one core,
    /// so the BLAS has one thread where it can be told.
    ///
    /// # Errors
    /// Where no BLAS is found; ranks may differ.
    pub fn load(file: Option<&PathBuf>) -> Result<Self> {
        let files = file.map_or_else(|| FILES.map(PathBuf::from).to_vec(), |file| vec![file.clone()]);
        let refuse = |reason: &str| {
            let expected = format!("a shared library with the BLAS ({reason})");
            Error::argument("--blas", files[0].display(), expected)
        };
        let blas = library::load(&files, Library::open)
            .map_err(|reasons| refuse(reasons.first().map_or("", String::as_str)))?;
        let dgemm = blas.symbol(c"dgemm_").ok_or_else(|| refuse("dgemm_ was not found"))?;
        for (name, _) in library::BLAS_THREADS {
            // SAFETY: the functions of these names have this type.
            if let Some(set) = unsafe { blas.function::<SetThreads>(name) } {
                // SAFETY: the function of this name has this type; nothing of this library is running.
                unsafe { set(1) };
            }
        }
        // SAFETY: the type of this function in every BLAS, as far as it reads integers.
        let dot = unsafe { blas.function::<Dot>(c"ddot_") }.ok_or_else(|| refuse("ddot_ was not found"))?;
        Ok(Self { dot, dgemm, file: file_of(dgemm) })
    }

    /// The dot product of two vectors of the same length.
    ///
    /// # Panics
    /// Where the lengths differ or exceed 2^31.
    pub fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len());
        let (length, one) = (Integer::try_from(a.len()).expect("a short vector"), 1);
        // SAFETY: `length` elements with stride 1 in both vectors.
        unsafe { (self.dot)(&length, a.as_ptr(), &one, b.as_ptr(), &one) }
    }
}

/// The product of two blocks: by a BLAS, or by the loop of hcube.
pub struct Local(Option<LocalGemm>);

impl Local {
    pub fn new(blas: Option<&Blas>) -> Self {
        // SAFETY: the function of this name in a BLAS, which has no state that threads share.
        Self(blas.map(|blas| unsafe { LocalGemm::new(Element::Double, blas.dgemm) }))
    }

    /// C := A B, or C := C + A B.
    pub fn multiply(&self, sizes: Sizes, [a, b, c]: [Block; 3], accumulate: bool) {
        let Some(gemm) = &self.0 else { return plain::multiply(sizes, a, b, c, accumulate) };
        let columns = |block: Block| Columns { memory: block.memory, leading: block.leading };
        gemm.multiply(&LocalProduct {
            letters: [b'N'; 2],
            sizes: [sizes.rows, sizes.columns, sizes.inner],
            alpha: &Scalar::real(Element::Double, 1.0),
            a: columns(a),
            b: columns(b),
            beta: &Scalar::real(Element::Double, f64::from(u8::from(accumulate))),
            c: columns(c),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_the_functions_is_refused() {
        let refused = |file: &str| Blas::load(Some(&file.into())).expect_err("refused").to_string();
        assert!(
            refused("libc.so.6")
                .contains("--blas = libc.so.6: expected a shared library with the BLAS (dgemm_")
        );
        assert!(refused("/nowhere/libnone.so").contains("libnone.so"));
    }

    #[test]
    fn the_installed_one_computes() {
        let Ok(blas) = Blas::load(None) else { return };
        assert_eq!(blas.dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
        assert!(!blas.file.is_empty());
    }
}
