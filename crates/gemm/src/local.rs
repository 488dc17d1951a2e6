//! The product of a rank's own panels, by the `?gemm_` of the program's BLAS.

use crate::element::{Element, Scalar};
use hcube_core::memory::Region;
use std::ffi::c_void;

/// An integer of BLAS. BLAS with 32-bit integers reads the low half of a number, BLAS with 64-bit integers all of it, so
/// either is served where the low half comes first.
#[cfg(target_endian = "little")]
type Integer = i64;
#[cfg(target_endian = "big")]
type Integer = i32;

/// `?gemm_` of Fortran: letters, sizes, alpha, A, B, beta, C, and the lengths of the letters, which some compilers expect.
type Function = unsafe extern "C" fn(
    *const u8,
    *const u8,
    *const Integer,
    *const Integer,
    *const Integer,
    *const c_void,
    *const c_void,
    *const Integer,
    *const c_void,
    *const Integer,
    *const c_void,
    *mut c_void,
    *const Integer,
    usize,
    usize,
);

/// A `?gemm_` as programs pass it, of any type of elements.
pub type Multiply = unsafe extern "C" fn();

/// A `?gemm_` for one type of elements.
#[derive(Debug, Clone, Copy)]
pub struct LocalGemm {
    function: Function,
    element: Element,
}

/// A local matrix in columns.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// From its first element on.
    pub memory: Region<'a>,
    /// Elements from one column to the next.
    pub leading: usize,
}

impl Columns<'_> {
    /// The part from a column on.
    fn skip(self, column: usize, size: usize) -> Self {
        let start = (column * self.leading * size).min(self.memory.len());
        Self { memory: self.memory.part(start..self.memory.len()), ..self }
    }

    fn check(self, rows: usize, columns: usize, size: usize) {
        let end = if rows == 0 || columns == 0 { 0 } else { (columns - 1) * self.leading + rows };
        assert!(rows <= self.leading || columns <= 1, "{rows} rows in columns of {}", self.leading);
        assert!(end * size <= self.memory.len(), "{rows} x {columns} in {} bytes", self.memory.len());
    }
}

/// A local product: C := alpha op(A) op(B) + beta C.
#[derive(Debug, Clone, Copy)]
pub struct LocalProduct<'a> {
    /// Letters of BLAS for A and B.
    pub letters: [u8; 2],
    /// Rows and columns of C, and the inner size.
    pub sizes: [usize; 3],
    /// Factor of the product.
    pub alpha: &'a Scalar,
    /// A as it is stored.
    pub a: Columns<'a>,
    /// B as it is stored.
    pub b: Columns<'a>,
    /// Factor of C.
    pub beta: &'a Scalar,
    /// C.
    pub c: Columns<'a>,
}

impl LocalGemm {
    /// A function of the program.
    ///
    /// # Safety
    /// `function` is the `?gemm_` of a BLAS for this type of elements, with the calling convention of Fortran compilers,
    /// and may be called by the threads that use this value.
    pub unsafe fn new(element: Element, function: *const c_void) -> Self {
        // SAFETY: a function of this type, by the contract of this function.
        Self { function: unsafe { std::mem::transmute::<*const c_void, Function>(function) }, element }
    }

    /// Multiplies; nothing where C is empty.
    ///
    /// # Panics
    /// Where a matrix does not lie inside its memory.
    pub fn multiply(&self, product: &LocalProduct<'_>) {
        let &LocalProduct { letters, sizes: [m, n, k], alpha, a, b, beta, c } = product;
        if m == 0 || n == 0 {
            return;
        }
        let size = self.element.bytes();
        let [(a_rows, a_columns), (b_rows, b_columns)] =
            [(letters[0], m, k), (letters[1], k, n)].map(|(letter, rows, columns)| match letter {
                b'N' => (rows, columns),
                _ => (columns, rows),
            });
        a.check(a_rows, a_columns, size);
        b.check(b_rows, b_columns, size);
        c.check(m, n, size);
        let integer = |value: usize| Integer::try_from(value.max(1)).expect("a size that BLAS can count");
        let leading = [a, b, c].map(|matrix| integer(matrix.leading));
        let [m, n] = [m, n].map(integer);
        let k = if k == 0 { 0 } else { integer(k) };
        // SAFETY: a `?gemm_`, by the contract of `new`; the matrices lie inside their memory, as was just checked, and
        // by the contracts of `Region` it may be read, and written where it is C's.
        unsafe {
            (self.function)(
                &letters[0],
                &letters[1],
                &m,
                &n,
                &k,
                alpha.bytes().as_ptr().cast(),
                a.memory.address().cast(),
                &leading[0],
                b.memory.address().cast(),
                &leading[1],
                beta.bytes().as_ptr().cast(),
                c.memory.address().cast(),
                &leading[2],
                1,
                1,
            );
        }
    }

    /// As [`Self::multiply`], only for columns `begin..end` of C.
    pub fn multiply_columns(&self, product: &LocalProduct<'_>, begin: usize, end: usize) {
        let size = self.element.bytes();
        let [m, _, k] = product.sizes;
        let b = match product.letters[1] {
            b'N' => product.b.skip(begin, size),
            _ => {
                let start = (begin * size).min(product.b.memory.len());
                Columns { memory: product.b.memory.part(start..product.b.memory.len()), ..product.b }
            }
        };
        let c = product.c.skip(begin, size);
        self.multiply(&LocalProduct { sizes: [m, end - begin, k], b, c, ..*product });
    }
}
