//! The argument checks of hcube_gemm, on a communicator of one rank: a valid, small product is computed and
//! compared with the definition; an invalid call returns an error with a message and writes nothing.

use crate::arguments::{Number, assert_told, fresh_error};
use crate::singleton;
use arbitrary::{Arbitrary, Unstructured};
use hcube::gemm::{hcube_gemm, hcube_gemm_default_options};
use hcube::types::*;
use hcube_gemm::options::Element;
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;

/// Elements of a matrix, at most.
const ROOM: usize = 1 << 12;

#[derive(Debug, Clone, Copy, Arbitrary)]
struct Layout {
    /// How far the matrix goes beyond the sub-matrix, where it is not `sizes`.
    beyond: [u8; 2],
    sizes: Option<[Number; 2]>,
    blocks: [Number; 4],
    leading: Option<Number>,
    first: [Number; 2],
    sources: [Number; 2],
}

#[derive(Debug, Arbitrary)]
struct Product {
    grid: Option<[Number; 2]>,
    letters: [u8; 2],
    sizes: [Number; 3],
    scalars: [u8; 2],
    layouts: [Layout; 3],
    blocks: [Number; 2],
    memory: Number,
}

/// Mostly a letter that is valid.
fn letter(given: u8) -> u8 {
    *b"NTCntc".get(usize::from(given)).unwrap_or(&given)
}

impl Layout {
    fn matrix(&self, shape: [i64; 2]) -> hcube_matrix {
        let first = self.first.map(|number| number.0);
        let fitting = [0, 1].map(|side: usize| {
            first[side].saturating_add(shape[side]).saturating_add((self.beyond[side] % 4).into())
        });
        let [rows, columns] = self.sizes.map_or(fitting, |sizes| sizes.map(|number| number.0));
        let [row_block, column_block, first_row_block, first_column_block] =
            self.blocks.map(|number| number.0);
        hcube_matrix {
            struct_size: size_of::<hcube_matrix>() as u64,
            rows,
            columns,
            row_block,
            column_block,
            first_row_block,
            first_column_block,
            leading_dimension: self.leading.map_or(rows, |number| number.0),
            row: first[0],
            column: first[1],
            row_source: self.sources[0].0 as i32,
            column_source: self.sources[1].0 as i32,
        }
    }
}

/// A dgemm_ by the definition.
unsafe extern "C" fn multiply(
    transa: *const c_char,
    transb: *const c_char,
    m: *const c_int,
    n: *const c_int,
    k: *const c_int,
    alpha: *const f64,
    a: *const f64,
    lda: *const c_int,
    b: *const f64,
    ldb: *const c_int,
    beta: *const f64,
    c: *mut f64,
    ldc: *const c_int,
) {
    // SAFETY: hcube passes the arguments of dgemm_.
    unsafe {
        let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|number| *number as usize);
        let of = |letter: *const c_char, leading: usize, row: usize, column: usize| match *letter as u8 {
            b'N' => row + column * leading,
            _ => column + row * leading,
        };
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let terms = (0..k).map(|at| *a.add(of(transa, lda, row, at)) * *b.add(of(transb, ldb, at, column)));
            let before = if *beta == 0.0 { 0.0 } else { *beta * *c.add(row + column * ldc) };
            *c.add(row + column * ldc) = *alpha * terms.sum::<f64>() + before;
        }
    }
}

/// Elements up to the last one of a matrix that hcube accepts, or `None` if they are too many.
fn elements(matrix: &hcube_matrix) -> Option<usize> {
    let last = matrix.leading_dimension.checked_mul(matrix.columns)?;
    usize::try_from(last).ok().filter(|&elements| elements <= ROOM)
}

fn value(matrix: usize, place: usize) -> f64 {
    ((place * 31 + matrix * 7) % 17) as f64 - 8.0
}

impl Product {
    fn matrices(&self) -> [hcube_matrix; 3] {
        let [m, n, k] = self.sizes.map(|number| number.0);
        let plain = self.letters.map(|given| letter(given).eq_ignore_ascii_case(&b'N'));
        let shapes = [if plain[0] { [m, k] } else { [k, m] }, if plain[1] { [k, n] } else { [n, k] }, [m, n]];
        [0, 1, 2].map(|number: usize| self.layouts[number].matrix(shapes[number]))
    }

    fn options(&self) -> hcube_gemm_options {
        let mut error = fresh_error();
        // SAFETY: plain numbers and a null pointer; the structure is as long as it says.
        unsafe {
            let mut options: hcube_gemm_options = std::mem::zeroed();
            let size = size_of::<hcube_gemm_options>() as u64;
            assert_eq!(hcube_gemm_default_options(&mut options, size, &mut error), 0);
            options.multiply = Some(transmute::<*const c_void, unsafe extern "C" fn()>(multiply as *const c_void));
            [options.inner_block, options.outer_block] = self.blocks.map(|number| number.0);
            options.memory = self.memory.0;
            options
        }
    }

    fn call(&self, matrices: &[hcube_matrix; 3], scalars: [f64; 2], memory: &mut [Vec<f64>; 3]) -> i32 {
        let [rows, columns] = self.grid.map_or([1, 1], |grid| grid.map(|number| number.0 as i32));
        let [transa, transb] = self.letters.map(|given| letter(given) as c_char);
        let [m, n, k] = self.sizes.map(|number| number.0);
        let [a, b, c] = memory;
        let (options, mut error) = (self.options(), fresh_error());
        // SAFETY: memory for what the matrices say, or arguments that are refused before memory is accessed.
        let code = unsafe {
            hcube_gemm(
                singleton::comm(),
                rows,
                columns,
                Element::Double as i32,
                transa,
                transb,
                m,
                n,
                k,
                (&raw const scalars[0]).cast(),
                a.as_ptr().cast(),
                &matrices[0],
                b.as_ptr().cast(),
                &matrices[1],
                (&raw const scalars[1]).cast(),
                c.as_mut_ptr().cast(),
                &matrices[2],
                &options,
                &mut error,
            )
        };
        assert_told(code, &error);
        code
    }

    /// The contents of C's memory after a product.
    fn expected(&self, matrices: &[hcube_matrix; 3], scalars: [f64; 2], memory: &[Vec<f64>; 3]) -> Vec<f64> {
        let [m, n, k] = self.sizes.map(|number| number.0 as usize);
        let plain = self.letters.map(|given| letter(given).eq_ignore_ascii_case(&b'N'));
        let place = |number: usize, row: usize, column: usize| {
            let matrix = &matrices[number];
            let (row, column) = (matrix.row as usize + row, matrix.column as usize + column);
            row + column * matrix.leading_dimension as usize
        };
        let factor = |number: usize, row: usize, column: usize| {
            let (row, column) = if plain[number] { (row, column) } else { (column, row) };
            memory[number][place(number, row, column)]
        };
        let mut expected = memory[2].clone();
        if k == 0 && scalars[1] == 1.0 {
            return expected;
        }
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            let sum: f64 = (0..k).map(|at| factor(0, row, at) * factor(1, at, column)).sum();
            let at = place(2, row, column);
            let before = if scalars[1] == 0.0 { 0.0 } else { scalars[1] * memory[2][at] };
            expected[at] = scalars[0] * sum + before;
        }
        expected
    }
}

/// Sizes, descriptors and options of a product.
pub fn gemm(data: &[u8]) {
    let Ok(given) = Product::arbitrary(&mut Unstructured::new(data)) else { return };
    let matrices = given.matrices();
    let untouched = || [0, 1, 2].map(|number| vec![value(number, 0)]);
    // The arguments are checked, and nothing is read or written.
    let mut memory = untouched();
    let code = given.call(&matrices, [0.0, 1.0], &mut memory);
    assert_eq!(memory, untouched(), "{given:?}");
    let scalars = given.scalars.map(|scalar| [1.0, 0.0, -1.0, 2.0][usize::from(scalar % 4)]);
    if code != 0 {
        assert_eq!(given.call(&matrices, scalars, &mut memory), code, "{given:?}");
        assert_eq!(memory, untouched(), "{given:?}");
        return;
    }
    let Some(rooms) = matrices.iter().map(elements).collect::<Option<Vec<usize>>>() else { return };
    if given.sizes.iter().any(|size| size.0 > 64) {
        return;
    }
    let mut memory = [0, 1, 2].map(|number| (0..rooms[number]).map(|place| value(number, place)).collect());
    let expected = given.expected(&matrices, scalars, &memory);
    assert_eq!(given.call(&matrices, scalars, &mut memory), 0, "{given:?}");
    assert!(memory[2] == expected, "{given:?}");
}
