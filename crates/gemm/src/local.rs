//! The product of a rank's own panels, by the `?gemm_` of the program's BLAS.

use crate::element::{Element, Scalar};
use hcube_core::memory::Region;
use std::ffi::c_void;
use std::ops::Range;

/// An integer of BLAS. BLAS with 32-bit integers reads the low half of a number, BLAS with 64-bit integers
/// all of it, so either is served where the low half comes first.
#[cfg(target_endian = "little")]
type Integer = i64;
#[cfg(target_endian = "big")]
type Integer = i32;

/// `?gemm_` of Fortran: letters, sizes, alpha, A, B, beta, C, and the lengths of the letters, which some
/// compilers expect.
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

/// Sizes above this are divided: BLAS with 32-bit integers counts to 2^31.
const MAX_SIZE: usize = 1 << 30;

/// The numbers below `length` in ranges of at most `limit`; an empty range where `length` is 0.
fn ranges(length: usize, limit: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length.max(1)).step_by(limit).map(move |begin| begin..(begin + limit).min(length))
}

impl Columns<'_> {
    /// The part of op(X) from a row and a column of it on, for the letter of the operation.
    fn from(self, letter: u8, (row, column): (usize, usize), size: usize) -> Self {
        let (row, column) = if letter == b'N' { (row, column) } else { (column, row) };
        let start = ((row + column * self.leading) * size).min(self.memory.len());
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
    /// `function` is the `?gemm_` of a BLAS for this type of elements, with the calling convention of Fortran
    /// compilers, and may be called by the threads that use this value.
    pub unsafe fn new(element: Element, function: *const c_void) -> Self {
        // SAFETY: a function of this type, by the contract of this function.
        Self { function: unsafe { std::mem::transmute::<*const c_void, Function>(function) }, element }
    }

    /// Multiplies; nothing where C is empty.
    ///
    /// # Panics
    /// Where a matrix does not lie inside its memory.
    pub fn multiply(&self, product: &LocalProduct<'_>) {
        self.multiply_parts(product, 0..product.sizes[1], MAX_SIZE);
    }

    /// As [`Self::multiply`], only for columns `begin..end` of C.
    pub fn multiply_columns(&self, product: &LocalProduct<'_>, begin: usize, end: usize) {
        self.multiply_parts(product, begin..end, MAX_SIZE);
    }

    /// Multiplies for some columns of C, in parts whose sizes are at most `limit`.
    fn multiply_parts(&self, product: &LocalProduct<'_>, columns: Range<usize>, limit: usize) {
        let &LocalProduct { letters, sizes: [m, _, k], a, b, c, .. } = product;
        if m == 0 || columns.is_empty() {
            return;
        }
        let (size, one) = (self.element.bytes(), Scalar::real(self.element, 1.0));
        for part in ranges(columns.len(), limit) {
            let first = columns.start + part.start;
            for (rows, inner) in
                ranges(m, limit).flat_map(|rows| ranges(k, limit).map(move |inner| (rows.clone(), inner)))
            {
                self.call(&LocalProduct {
                    sizes: [rows.len(), part.len(), inner.len()],
                    a: a.from(letters[0], (rows.start, inner.start), size),
                    b: b.from(letters[1], (inner.start, first), size),
                    c: c.from(b'N', (rows.start, first), size),
                    beta: if inner.start == 0 { product.beta } else { &one },
                    ..*product
                });
            }
        }
    }

    /// Calls the function, for a C that is not empty.
    fn call(&self, product: &LocalProduct<'_>) {
        let &LocalProduct { letters, sizes: [m, n, k], alpha, a, b, beta, c } = product;
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
        // BLAS wants as much of a matrix without columns, too.
        let leading =
            [(a, a_rows), (b, b_rows), (c, m)].map(|(matrix, rows)| integer(matrix.leading.max(rows)));
        let [m, n] = [m, n].map(integer);
        let k = if k == 0 { 0 } else { integer(k) };
        // SAFETY: a `?gemm_`, by the contract of `new`; the matrices lie inside their memory, as was just
        // checked, and by the contracts of `Region` it may be read, and written where it is C's.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dgemm_ by the definition, for op(A) = A and op(B) = B'.
    unsafe extern "C" fn plain_by_transpose(
        _: *const u8,
        _: *const u8,
        m: *const Integer,
        n: *const Integer,
        k: *const Integer,
        alpha: *const f64,
        a: *const f64,
        lda: *const Integer,
        b: *const f64,
        ldb: *const Integer,
        beta: *const f64,
        c: *mut f64,
        ldc: *const Integer,
    ) {
        // SAFETY: the arguments of dgemm_.
        unsafe {
            let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|number| *number as usize);
            for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
                let terms = (0..k).map(|inner| *a.add(row + inner * lda) * *b.add(column + inner * ldb));
                let before = if *beta == 0.0 { 0.0 } else { *beta * *c.add(row + column * ldc) };
                *c.add(row + column * ldc) = *alpha * terms.sum::<f64>() + before;
            }
        }
    }

    #[test]
    fn large_sizes_are_divided() {
        let function = plain_by_transpose as *const c_void;
        // SAFETY: `plain_by_transpose` has the arguments of a `dgemm_`.
        let local = unsafe { LocalGemm::new(Element::Double, function) };
        let [m, n, k, leading] = [7, 8, 9, 10];
        let matrix = |columns: usize, shift: usize| -> Vec<u8> {
            (0..leading * columns)
                .flat_map(|number| (((number * 7 + shift) % 11) as f64).to_ne_bytes())
                .collect()
        };
        let product = |limit: usize, scale: f64, k: usize| {
            let (mut a, mut b, mut c) = (matrix(k, 1), matrix(k, 5), matrix(n, 3));
            let [a, b, out] =
                [&mut a, &mut b, &mut c].map(|memory| Columns { memory: Region::of(memory), leading });
            let (alpha, beta) = (Scalar::real(Element::Double, 2.0), Scalar::real(Element::Double, scale));
            let all =
                LocalProduct { letters: *b"NT", sizes: [m, n, k], alpha: &alpha, a, b, beta: &beta, c: out };
            local.multiply_parts(&all, 0..n, limit);
            c
        };
        for (scale, k) in [(0.0, k), (3.0, k), (3.0, 0)] {
            let whole = product(MAX_SIZE, scale, k);
            for limit in [1, 2, 3, 5, 8] {
                assert_eq!(product(limit, scale, k), whole, "{limit}");
            }
        }
    }
}
