//! The calls that are measured: of ScaLAPACK, of hcube in its place, and of the BLAS.

use super::arguments::{Arguments, Variant};
use super::library::{self, Library, Scope};
use super::problem::{Layout, Place};
use hcube_core::{Error, Result};
use hcube_gemm::element::{Element, Scalar};
use std::ffi::{c_char, c_int, c_long, c_void};

type Product = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *const c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
);
/// Of the BLAS, with the lengths of the character arguments.
type LocalProduct = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
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
type Factorise = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    *mut c_int,
);
type Get = unsafe extern "C" fn(*const c_int, *const c_int, *mut c_int);
type GridInit = unsafe extern "C" fn(*mut c_int, *const c_char, *const c_int, *const c_int, usize);
type GridInfo = unsafe extern "C" fn(*const c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
type GridExit = unsafe extern "C" fn(*const c_int);
type SetThreads = unsafe extern "C" fn(c_int);
type GetThreads = unsafe extern "C" fn() -> c_int;

// Of interpose.c.
unsafe extern "C" {
    fn hcube_bench_gemm_select(functions: *const *const c_void, own_width: *const c_void, other_width: c_int);
    fn hcube_bench_gemm_count(counts: *mut c_long);
    static hcube_bench_gemm_products: [Product; 4];
}

/// The functions of a library, as addresses that were found under their names.
struct Functions {
    scalapack: [*const c_void; 4],
    hcube: Option<[*const c_void; 4]>,
    width: *const c_void,
    factorise: [Factorise; 4],
    local: [LocalProduct; 4],
    grid_exit: GridExit,
    threads: Option<(SetThreads, GetThreads)>,
}

/// A grid of processes, and what they call.
pub struct Grid {
    functions: Functions,
    context: c_int,
    pub place: Place,
    /// The file of ScaLAPACK.
    pub file: String,
    panel: c_int,
}

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
    pub letters: [char; 2],
    /// M, N, K.
    pub size: [usize; 3],
    pub alpha: f64,
    pub beta: f64,
}

/// The functions with the names of the four types, p?gemm_ for example.
fn of_types(name: &str, find: impl Fn(&str) -> Option<*const c_void>) -> Result<[*const c_void; 4]> {
    let mut found = [std::ptr::null(); 4];
    for (place, element) in found.iter_mut().zip(Element::ALL) {
        let name = name.replace('?', &element.letter().to_string());
        *place =
            find(&name).ok_or_else(|| Error::Unsupported(format!("the function {name} was not found")))?;
    }
    Ok(found)
}

/// The name of an MPI library in those of files.
fn mpi_name(library: &str) -> &'static str {
    if library.starts_with("Open MPI") { "openmpi" } else { "mpich" }
}

/// ScaLAPACK, loaded as if the program were linked to it.
fn load_scalapack(arguments: &Arguments, mpi: &str) -> Result<Library> {
    let files =
        arguments.scalapack.as_ref().map_or_else(|| library::scalapack_files(mpi), |file| vec![file.clone()]);
    Library::load(&files, Scope::Global).map_err(|reasons| {
        let named = arguments.scalapack.as_ref().map_or("a shared library", |_| "a file that can be loaded");
        let last = reasons.rsplit("; ").next().unwrap_or_default();
        Error::argument("--scalapack", files[0].display(), format!("{named}, ScaLAPACK for {mpi} ({last})"))
    })
}

/// hcube's library, which ScaLAPACK's own calls do not find.
fn load_pblas(arguments: &Arguments, mpi: &str) -> Result<Library> {
    let tool = std::env::current_exe().ok();
    let usual = || library::pblas_files(tool.as_deref(), mpi);
    let files = arguments.pblas.as_ref().map_or_else(usual, |file| vec![file.clone()]);
    Library::load(&files, Scope::Local).map_err(|reasons| {
        Error::argument("--pblas", files[0].display(), format!("the file of libhcube_pblas.so ({reasons})"))
    })
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
    c_int::try_from(number).expect("sizes are below those of PBLAS")
}

impl Grid {
    /// Loads the libraries, and arranges all processes of MPI_COMM_WORLD in a grid. `mpi` names the MPI library.
    ///
    /// # Errors
    /// Where a library or a function is missing; ranks may differ.
    pub fn load(arguments: &Arguments, mpi: &str) -> Result<impl FnOnce([usize; 2]) -> Self> {
        let mpi = mpi_name(mpi);
        let library = load_scalapack(arguments, mpi)?;
        let scalapack = of_types("p?gemm_", |name| library.find(name))?;
        let hcube = arguments.variants().contains(&Variant::Hcube);
        let pblas = hcube.then(|| load_pblas(arguments, mpi)).transpose()?;
        let hcube = pblas.map(|pblas| of_types("p?gemm_", |name| pblas.find(name))).transpose()?;
        let one = |name: &str| {
            library.find(name).ok_or_else(|| Error::Unsupported(format!("the function {name} was not found")))
        };
        let [get, init, info, exit] =
            ["blacs_get_", "blacs_gridinit_", "blacs_gridinfo_", "blacs_gridexit_"].map(one);
        let (get, init, info, exit, width) = (get?, init?, info?, exit?, one("pilaenv_")?);
        let factorise = of_types("p?getrf_", |name| library.find(name))?;
        let local = of_types("?gemm_", library::global)?;
        let threads = [
            ("openblas_set_num_threads", "openblas_get_num_threads"),
            ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
        ];
        let threads =
            threads.into_iter().find_map(|(set, get)| library::global(set).zip(library::global(get)));
        // SAFETY: functions of these names have these types in ScaLAPACK, in the BLACS, in the BLAS and in OpenBLAS.
        let (functions, get, init, info) = unsafe {
            use std::mem::transmute;
            let factorise = factorise.map(|one| transmute::<*const c_void, Factorise>(one));
            let local = local.map(|one| transmute::<*const c_void, LocalProduct>(one));
            let grid_exit = transmute::<*const c_void, GridExit>(exit);
            let threads = threads.map(|(set, get)| {
                (transmute::<*const c_void, SetThreads>(set), transmute::<*const c_void, GetThreads>(get))
            });
            let functions = Functions { scalapack, hcube, width, factorise, local, grid_exit, threads };
            (
                functions,
                transmute::<*const c_void, Get>(get),
                transmute::<*const c_void, GridInit>(init),
                transmute::<*const c_void, GridInfo>(info),
            )
        };
        let file = library::file_of(scalapack[0]).unwrap_or_default();
        let panel = c_int::from(arguments.panel);
        let order = if arguments.column_major { c"C" } else { c"R" };
        Ok(move |[rows, columns]: [usize; 2]| {
            const SYSTEM_CONTEXT: c_int = -1;
            const DEFAULT_CONTEXT: c_int = 0;
            let mut context = 0;
            let [mut rows, mut columns] = [rows, columns].map(int);
            let (mut row, mut column) = (0, 0);
            // SAFETY: functions of the BLACS with valid arguments; MPI is active, and all processes call this.
            unsafe {
                get(&SYSTEM_CONTEXT, &DEFAULT_CONTEXT, &mut context);
                init(&mut context, order.as_ptr(), &rows, &columns, 1);
                info(&context, &mut rows, &mut columns, &mut row, &mut column);
            }
            let place = Place {
                sides: [rows, columns].map(|side| side as usize),
                own: [row, column].map(|own| own as usize),
            };
            Self { functions, context, place, file, panel }
        })
    }

    /// Makes a variant compute all products from now on, also those of ScaLAPACK itself.
    pub fn select(&self, variant: Variant) {
        let Functions { scalapack, hcube, width, .. } = &self.functions;
        let functions = hcube.as_ref().filter(|_| variant == Variant::Hcube).unwrap_or(scalapack);
        let panel = if variant == Variant::Raised { self.panel } else { 0 };
        // SAFETY: four functions of PBLAS, and that of ScaLAPACK for the width of panels.
        unsafe { hcube_bench_gemm_select(functions.as_ptr(), *width, panel) };
    }

    /// Products since the last call, and how often ScaLAPACK has asked for the width of its panels in them.
    pub fn counts(&self) -> [u64; 2] {
        let mut counts = [0; 2];
        // SAFETY: two numbers.
        unsafe { hcube_bench_gemm_count(counts.as_mut_ptr()) };
        counts.map(|count| count as u64)
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
        check(element, a, sides(letters[0] != 'N', [m, k]));
        check(element, b, sides(letters[1] != 'N', [k, n]));
        check(element, Operand { layout: c.0, memory: c.1 }, [m, n]);
        let [m, n, k] = [m, n, k].map(int);
        let letters = letters.map(|letter| letter as c_char);
        let [alpha, beta] = [alpha, beta].map(|value| Scalar::real(element, value));
        let descriptors = [a.layout, b.layout, c.0].map(|layout| layout.descriptor(self.context));
        let [ia, ja] = a.layout.first.each_ref();
        let [ib, jb] = b.layout.first.each_ref();
        let [ic, jc] = c.0.first.each_ref();
        let [da, db, dc] = descriptors.each_ref().map(|entries| entries.as_ptr());
        // SAFETY: the sub-matrices lie in matrices in memory, as checked above, on the grid of this context.
        unsafe {
            hcube_bench_gemm_products[element as usize](
                &letters[0],
                &letters[1],
                &m,
                &n,
                &k,
                alpha.bytes().as_ptr().cast(),
                a.memory.as_ptr().cast(),
                ia,
                ja,
                da,
                b.memory.as_ptr().cast(),
                ib,
                jb,
                db,
                beta.bytes().as_ptr().cast(),
                c.1.as_mut_ptr().cast(),
                ic,
                jc,
                dc,
            );
        }
    }

    /// Collective: LU factorisation of a square matrix by ScaLAPACK, with the products of the selected variant.
    /// Returns the number that says whether it has worked: 0.
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

    /// A product of this process, by the BLAS, of matrices without gaps.
    pub fn multiply_locally(&self, setting: &Setting, a: &[u64], b: &[u64], c: &mut [u64]) {
        let Setting { element, letters, size: [m, n, k], alpha, beta } = *setting;
        if m == 0 || n == 0 {
            return;
        }
        let fits = |memory: &[u64], elements: usize| elements * element.bytes() <= size_of_val(memory);
        assert!(fits(a, m * k) && fits(b, k * n) && fits(c, m * n), "the matrices lie in the memory");
        let [leading_a, leading_b] =
            [if letters[0] == 'N' { m } else { k }, if letters[1] == 'N' { k } else { n }]
                .map(|one| int(one.max(1)));
        let [m, n, k] = [m, n, k].map(int);
        let letters = letters.map(|letter| letter as c_char);
        let [alpha, beta] = [alpha, beta].map(|value| Scalar::real(element, value));
        // SAFETY: matrices in memory, as checked above; C has M rows without gaps.
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
