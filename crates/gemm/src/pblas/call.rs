//! A call of the program.

use crate::arguments::{Arguments, Descriptor, SubMatrix};
use crate::element::{Element, Scalar};
use crate::product::{Grid, Matrix, Operation, Product};
use hcube_core::memory::Region;
use std::ffi::{c_int, c_void};

/// `p?gemm_`. Lengths of character arguments, which some compilers append, are not used by PBLAS.
pub type Function = unsafe extern "C-unwind" fn(
    *const u8,
    *const u8,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
);

/// A sub-matrix as Fortran passes it.
#[derive(Debug, Clone, Copy)]
pub struct Passed {
    /// This process's part of the matrix.
    pub memory: *mut c_void,
    /// First row, first column, descriptor.
    pub place: [*const c_int; 3],
}

/// The arguments of `p?gemm_`.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Type of the elements.
    pub element: Element,
    /// TRANSA, TRANSB.
    pub letters: [*const u8; 2],
    /// M, N, K.
    pub sizes: [*const c_int; 3],
    /// ALPHA, BETA.
    pub scalars: [*const c_void; 2],
    /// A, B, C.
    pub matrices: [Passed; 3],
}

impl Call {
    /// The values of all arguments but scalars and memory.
    ///
    /// # Safety
    /// The pointers were passed by a caller of PBLAS.
    pub unsafe fn arguments(&self) -> Arguments {
        // SAFETY: letters, numbers and descriptors can be read, by the contract of this function; the first
        // entry of a descriptor says how many it has.
        unsafe {
            let value = |pointer: *const c_int| i64::from(*pointer);
            let matrices = self.matrices.map(|Passed { place: [row, column, descriptor], .. }| {
                let length = Descriptor::length(value(descriptor));
                let entries = std::slice::from_raw_parts(descriptor, length);
                SubMatrix { first: [value(row), value(column)], descriptor: Descriptor::new(entries) }
            });
            Arguments { letters: self.letters.map(|letter| *letter), sizes: self.sizes.map(value), matrices }
        }
    }

    /// The product, of arguments that were found valid.
    ///
    /// # Safety
    /// As [`Self::arguments`]; the matrices may be read, and C written, as long as the result lives.
    pub unsafe fn product<'a>(
        &self,
        arguments: &Arguments,
        grid: Grid,
        operations: [Operation; 2],
    ) -> Product<'a> {
        let (sections, ends) = (arguments.sections(grid), arguments.ends(grid));
        let matrix = |number: usize| {
            let (rows, columns, leading) = sections[number];
            let bytes = ends[number] * self.element.bytes();
            // SAFETY: the caller's array, which the descriptor says to reach that far.
            let memory = unsafe { Region::new(self.matrices[number].memory.cast(), bytes) };
            Matrix { rows, columns, memory, leading }
        };
        let scalar = |pointer: *const c_void| {
            let mut bytes = [0; 16];
            // SAFETY: a number of this type, by the contract of this function.
            let given = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), self.element.bytes()) };
            bytes[..given.len()].copy_from_slice(given);
            Scalar::new(self.element, bytes)
        };
        let [m, n, k] = arguments.sizes.map(|size| size as usize);
        let [alpha, beta] = self.scalars.map(scalar);
        let (a, b, c) = (matrix(0), matrix(1), matrix(2));
        Product { element: self.element, grid, operations, m, n, k, alpha, a, b, beta, c }
    }

    /// Passes the call to another function.
    ///
    /// # Safety
    /// As [`Self::arguments`]; `function` is the `p?gemm_` of a PBLAS for this type of elements.
    pub unsafe fn forward(&self, function: *const c_void) {
        let Self { letters: [transa, transb], sizes: [m, n, k], scalars: [alpha, beta], .. } = *self;
        let [(a, [ia, ja, desca]), (b, [ib, jb, descb]), (c, [ic, jc, descc])] =
            self.matrices.map(|Passed { memory, place }| (memory, place));
        // SAFETY: a `p?gemm_` of a PBLAS, which has this type, and the arguments of a caller of PBLAS.
        unsafe {
            std::mem::transmute::<*const c_void, Function>(function)(
                transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc,
            );
        }
    }

    /// The context of A.
    ///
    /// # Safety
    /// As [`Self::arguments`].
    pub unsafe fn context(&self) -> i32 {
        // SAFETY: every descriptor has two entries, by the contract of this function.
        unsafe { *self.matrices[0].place[2].add(1) }
    }
}
