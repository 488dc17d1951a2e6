//! The calls that are measured: of ScaLAPACK, of hcube in its place, and of the BLAS.

pub mod functions;

use super::arguments::{Arguments, Variant};
use super::problem::{Layout, Place};
use crate::bench::proof::{Claim, Counts};
use functions::Functions;
use hcube_gemm::element::{Element, Scalar};
use hcube_gemm::pblas::{Call, Function, Passed};
use std::cell::Cell;
use std::ffi::{c_int, c_long, c_void};

// Of interpose.c.
unsafe extern "C" {
    fn hcube_bench_gemm_select(functions: *const *const c_void, own_width: *const c_void, other_width: c_int);
    fn hcube_bench_gemm_count(counts: *mut c_long);
    static hcube_bench_gemm_products: [Function; 4];
}

/// A grid of processes, and what they call.
pub struct Grid {
    functions: Functions,
    context: c_int,
    pub place: Place,
    panel: c_int,
    /// Products by the BLAS of this process, without ScaLAPACK and hcube.
    local: Cell<u64>,
}

/// What has worked, by its counter.
const PRODUCTS: &str = "distributed products";
const OWN_PANELS: &str = "panels of ScaLAPACK's width";
const RAISED_PANELS: &str = "panels of the raised width";
const LOCAL: &str = "local products";

/// A matrix of a call.
#[derive(Debug, Clone, Copy)]
pub struct Operand<'a> {
    pub layout: &'a Layout,
    pub memory: &'a [u64],
}

/// What a product is besides its matrices.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub element: Element,
    pub letters: [u8; 2],
    /// M, N, K.
    pub size: [usize; 3],
    pub alpha: f64,
    pub beta: f64,
}

/// Checks that a matrix lies in memory.
fn check(element: Element, Operand { layout, memory }: Operand<'_>, [rows, columns]: [usize; 2]) {
    assert!(layout.elements() * element.bytes() <= size_of_val(memory), "the matrix lies in the memory");
    let last = [rows, columns];
    let fits = |side: usize| layout.first[side] as usize - 1 + last[side] <= layout.size[side];
    assert!(fits(0) && fits(1), "the sub-matrix lies in the matrix");
}

/// As C, Fortran and PBLAS pass a number.
fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("sizes are below the limit of PBLAS")
}

impl Grid {
    /// Collective: arranges all processes of MPI_COMM_WORLD in a grid. MPI is active.
    pub fn new(functions: Functions, arguments: &Arguments, (rows, columns): (usize, usize)) -> Self {
        const SYSTEM_CONTEXT: c_int = -1;
        const DEFAULT_CONTEXT: c_int = 0;
        let order = if arguments.column_major { c"C" } else { c"R" };
        let [mut rows, mut columns] = [rows, columns].map(int);
        let (mut context, mut row, mut column) = (0, 0, 0);
        // SAFETY: functions of the BLACS with valid arguments; all processes call this.
        unsafe {
            (functions.get)(&SYSTEM_CONTEXT, &DEFAULT_CONTEXT, &mut context);
            (functions.grid_init)(&mut context, order.as_ptr(), &rows, &columns, 1);
            (functions.grid_info)(&context, &mut rows, &mut columns, &mut row, &mut column);
        }
        let sides = [rows, columns].map(|side| side as usize);
        let place = Place { sides, own: [row, column].map(|own| own as usize) };
        Self { functions, context, place, panel: arguments.panel.into(), local: Cell::new(0) }
    }

    /// The file of ScaLAPACK.
    pub fn file(&self) -> &str {
        &self.functions.file
    }

    /// Makes a variant compute all products from now on, also the products within ScaLAPACK itself.
    pub fn select(&self, variant: Variant) {
        let Functions { scalapack, hcube, width, .. } = &self.functions;
        let functions = hcube.as_ref().filter(|_| variant == Variant::Hcube).unwrap_or(scalapack);
        let panel = if variant == Variant::Raised { self.panel } else { 0 };
        // SAFETY: four functions of PBLAS, and that of ScaLAPACK for the width of panels.
        unsafe { hcube_bench_gemm_select(functions.as_ptr(), *width, panel) };
    }

    /// What has worked so far in this process.
    pub fn counts(&self) -> Counts {
        let mut counts = [0; 3];
        // SAFETY: three numbers.
        unsafe { hcube_bench_gemm_count(counts.as_mut_ptr()) };
        let [products, own, raised] = counts.map(|count| count as u64);
        vec![(PRODUCTS, products), (OWN_PANELS, own), (RAISED_PANELS, raised), (LOCAL, self.local.get())]
    }

    /// Products so far, and how often ScaLAPACK has asked for the width of its panels in them.
    pub fn scalapack_counts(&self) -> [u64; 2] {
        let counts = self.counts();
        [counts[0].1, counts[1].1 + counts[2].1]
    }

    /// What has to work for a variant, where ScaLAPACK computes this number of products in a call, and asks
    /// this often for the width of its panels. hcube's functions ask for no width, and lie in hcube's
    /// library, as ScaLAPACK's functions lie in ScaLAPACK's library.
    pub fn claim(&self, variant: Variant, [products, panels]: [u64; 2]) -> Claim {
        let by_symbol = Claim::of(&self.functions.origin).with(&[PRODUCTS]);
        match variant {
            Variant::Bound => Claim::counted(LOCAL),
            // A factorisation of a single block has none.
            _ if products == 0 => by_symbol,
            Variant::Hcube => Claim::counted(PRODUCTS),
            Variant::Scalapack if panels == 0 => by_symbol,
            Variant::Scalapack => Claim::counted(OWN_PANELS).with(&[PRODUCTS]),
            Variant::Raised => Claim::counted(RAISED_PANELS).with(&[PRODUCTS]),
        }
    }

    /// Threads of the BLAS after a number of them was set, if any; nothing where it has no such function.
    pub fn threads(&self, wanted: Option<usize>) -> Option<usize> {
        let (set, get) = self.functions.threads?;
        // SAFETY: functions of OpenBLAS or MKL.
        let threads = unsafe {
            if let Some(wanted) = wanted {
                set(int(wanted));
            }
            get()
        };
        usize::try_from(threads).ok()
    }

    /// Collective: a distributed product by the selected variant.
    pub fn multiply(&self, setting: &Setting, a: Operand<'_>, b: Operand<'_>, c: (&Layout, &mut [u64])) {
        let Setting { element, letters, size: [m, n, k], alpha, beta } = *setting;
        let sides = |transposed: bool, [rows, columns]: [usize; 2]| {
            if transposed { [columns, rows] } else { [rows, columns] }
        };
        check(element, a, sides(letters[0] != b'N', [m, k]));
        check(element, b, sides(letters[1] != b'N', [k, n]));
        check(element, Operand { layout: c.0, memory: c.1 }, [m, n]);
        let [m, n, k] = [m, n, k].map(int);
        let [alpha, beta] = [alpha, beta].map(|value| Scalar::real(element, value));
        let descriptors = [a.layout, b.layout, c.0].map(|layout| layout.descriptor(self.context));
        let place = |number: usize, layout: &Layout| {
            let [row, column] = layout.first.each_ref().map(std::ptr::from_ref);
            [row, column, descriptors[number].as_ptr()]
        };
        let factor = |number, Operand { layout, memory }: Operand<'_>| Passed {
            memory: memory.as_ptr().cast_mut().cast(),
            place: place(number, layout),
        };
        let result = Passed { memory: c.1.as_mut_ptr().cast(), place: place(2, c.0) };
        let call = Call {
            element,
            letters: letters.each_ref().map(std::ptr::from_ref),
            sizes: [&m, &n, &k],
            scalars: [&alpha, &beta].map(|scalar| scalar.bytes().as_ptr().cast()),
            matrices: [factor(0, a), factor(1, b), result],
        };
        // SAFETY: functions of PBLAS by type; the sub-matrices lie in matrices in memory, as checked above,
        // on the grid of this context, and only C is written.
        unsafe { call.forward(hcube_bench_gemm_products[element as usize] as *const c_void) }
    }

    /// Collective: LU factorisation of a square matrix by ScaLAPACK, with the products of the selected
    /// variant. Returns the number that says whether it has worked: 0.
    pub fn factorise(&self, element: Element, layout: &Layout, a: &mut [u64], pivots: &mut [c_int]) -> c_int {
        check(element, Operand { layout, memory: a }, layout.size);
        assert!(pivots.len() >= layout.local[0] + layout.block, "pivots of the rows, and a block");
        let order = int(layout.size[0].min(layout.size[1]));
        let (first, descriptor, mut info) = (1, layout.descriptor(self.context), 0);
        // SAFETY: a matrix in memory and its pivots, as checked above, on the grid of this context.
        unsafe {
            self.functions.factorise[element as usize](
                &order,
                &order,
                a.as_mut_ptr().cast(),
                &first,
                &first,
                descriptor.as_ptr(),
                pivots.as_mut_ptr(),
                &mut info,
            );
        }
        info
    }

    /// A product of this process, by the BLAS, of contiguous matrices.
    pub fn multiply_locally(&self, setting: &Setting, a: &[u64], b: &[u64], c: &mut [u64]) {
        let Setting { element, letters, size: [m, n, k], alpha, beta } = *setting;
        if m == 0 || n == 0 {
            return;
        }
        let fits = |memory: &[u64], elements: usize| elements * element.bytes() <= size_of_val(memory);
        assert!(fits(a, m * k) && fits(b, k * n) && fits(c, m * n), "the matrices lie in the memory");
        let [leading_a, leading_b] =
            [if letters[0] == b'N' { m } else { k }, if letters[1] == b'N' { k } else { n }]
                .map(|one| int(one.max(1)));
        let [m, n, k] = [m, n, k].map(int);
        let [alpha, beta] = [alpha, beta].map(|value| Scalar::real(element, value));
        self.local.set(self.local.get() + 1);
        // SAFETY: matrices in memory, as checked above; C has M rows and is contiguous.
        unsafe {
            self.functions.local[element as usize](
                &letters[0],
                &letters[1],
                &m,
                &n,
                &k,
                alpha.bytes().as_ptr().cast(),
                a.as_ptr().cast(),
                &leading_a,
                b.as_ptr().cast(),
                &leading_b,
                beta.bytes().as_ptr().cast(),
                c.as_mut_ptr().cast(),
                &m,
                1,
                1,
            );
        }
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        // SAFETY: a context of this process, whose matrices are no longer used.
        unsafe { (self.functions.grid_exit)(&self.context) };
    }
}
