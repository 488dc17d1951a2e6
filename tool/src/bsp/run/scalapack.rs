//! ScaLAPACK's product for matrices of the same size, on a grid of all processes as square as possible.

use super::arguments::INSTALLED;
use super::elements::elements;
use crate::bench::gemm::calls::functions::{Get, GridExit, GridInfo, GridInit};
use crate::bench::library::{self, file_of, mpi_name};
use crate::bench::proof::Origin;
use crate::session;
use hcube_core::comm::{Comm, agree};
use hcube_core::node::loader::Library;
use hcube_core::{Error, Result};
use hcube_matmul::distribution::grid;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

/// In results.
pub const NAME: &str = "pdgemm";

/// Rows and columns of a block: the usual size.
const BLOCK: usize = 64;
/// Elements that are verified.
const VERIFIED: usize = 64;

type Product = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *const f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
    *mut f64,
    *const c_int,
    *const c_int,
    *const c_int,
    usize,
    usize,
);

/// The library, a grid, and matrices on it.
pub struct ScaLapack {
    product: Product,
    exit: GridExit,
    context: c_int,
    /// Rows and columns of the grid, and the place of this process.
    sides: [usize; 2],
    place: [usize; 2],
    n: usize,
    matrices: [Vec<f64>; 3],
}

fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("sizes are below the limit of ScaLAPACK")
}

/// Which of the rows or columns 0..n the process number `own` of `processes` has, in its order.
fn own_numbers(n: usize, own: usize, processes: usize) -> impl Iterator<Item = usize> {
    (0..n).filter(move |number| number / BLOCK % processes == own)
}

/// A function of the library.
///
/// # Safety
/// `F` is its type.
unsafe fn find<F: Copy>(library: Library, name: &CStr) -> Result<F> {
    // SAFETY: `F` is the type of this function.
    unsafe { library.function(name) }.ok_or_else(|| {
        Error::Unsupported(format!("ScaLAPACK: the function {} was not found", name.to_string_lossy()))
    })
}

impl ScaLapack {
    /// Collective: loads the library that was named, or the one that is installed, and arranges the processes
    /// in a grid.
    pub fn begin(comm: &impl Comm, file: &Path) -> Result<Self> {
        let named = Some(file).filter(|file| file.as_os_str() != INSTALLED);
        let mpi = session::library();
        let library = agree(comm, library::load_scalapack(named, mpi_name(&mpi)))?;
        // SAFETY: the types of these functions in ScaLAPACK and the BLACS.
        let functions = || unsafe {
            let product = find::<Product>(library, c"pdgemm_")?;
            // Not the function of the same name that this program has, nor hcube's.
            let factorise = library.symbol(c"pdgetrf_").map(file_of).unwrap_or_default();
            Origin::of_file(&factorise, [("pdgemm_", product as *const c_void)])?;
            Ok((
                product,
                find::<Get>(library, c"blacs_get_")?,
                find::<GridInit>(library, c"blacs_gridinit_")?,
                find::<GridInfo>(library, c"blacs_gridinfo_")?,
                find::<GridExit>(library, c"blacs_gridexit_")?,
            ))
        };
        let (product, get, init, info, exit) = agree(comm, functions())?;
        let (rows, columns) = grid(comm.size());
        let (system, what) = (-1, 0);
        let (mut context, mut row, mut column) = (0, 0, 0);
        let [mut rows, mut columns] = [rows, columns].map(int);
        // SAFETY: valid arguments; all processes of MPI_COMM_WORLD call this.
        unsafe {
            get(&system, &what, &mut context);
            init(&mut context, c"R".as_ptr(), &rows, &columns, 1);
            info(&context, &mut rows, &mut columns, &mut row, &mut column);
        }
        let [sides, place] = [[rows, columns], [row, column]].map(|pair| pair.map(|number| number as usize));
        Ok(Self { product, exit, context, sides, place, n: 0, matrices: Default::default() })
    }

    fn counts(&self, n: usize) -> [usize; 2] {
        [0, 1].map(|side| own_numbers(n, self.place[side], self.sides[side]).count())
    }

    /// Bytes of the matrices of a size on this process.
    pub fn bytes(&self, n: usize) -> usize {
        3 * size_of::<f64>() * self.counts(n).iter().product::<usize>()
    }

    /// Fills matrices of a size.
    ///
    /// # Errors
    /// Where there is no memory.
    pub fn prepare(&mut self, n: usize) -> Result<()> {
        self.n = n;
        let [rows, columns] = self.counts(n);
        for (number, matrix) in self.matrices.iter_mut().enumerate() {
            matrix.clear();
            matrix
                .try_reserve_exact((rows * columns).max(1))
                .map_err(|_| Error::Memory(format!("no memory for {} elements", rows * columns)))?;
            for column in own_numbers(n, self.place[1], self.sides[1]) {
                let value = |row: usize| if number < 2 { elements(row, column)[number] } else { 0.0 };
                matrix.extend(own_numbers(n, self.place[0], self.sides[0]).map(value));
            }
        }
        Ok(())
    }

    /// Collective: multiplies.
    ///
    /// # Errors
    /// None: ScaLAPACK ends the job.
    pub fn multiply(&mut self) -> Result<()> {
        let leading = int(self.counts(self.n)[0].max(1));
        let (n, block, one) = (int(self.n), int(BLOCK), 1);
        let descriptor = [1, self.context, n, n, block, block, 0, 0, leading];
        let (alpha, beta, letter) = (1.0, 0.0, c"N".as_ptr());
        let [a, b, c] = &mut self.matrices;
        // SAFETY: matrices as the descriptor has them; all processes of the grid call this.
        unsafe {
            (self.product)(
                letter,
                letter,
                &n,
                &n,
                &n,
                &alpha,
                a.as_ptr(),
                &one,
                &one,
                descriptor.as_ptr(),
                b.as_ptr(),
                &one,
                &one,
                descriptor.as_ptr(),
                &beta,
                c.as_mut_ptr(),
                &one,
                &one,
                descriptor.as_ptr(),
                1,
                1,
            );
        }
        Ok(())
    }

    /// Elements of the product on this process that are wrong, of those that are verified.
    pub fn wrong(&self) -> u64 {
        let rows: Vec<usize> = own_numbers(self.n, self.place[0], self.sides[0]).collect();
        let columns: Vec<usize> = own_numbers(self.n, self.place[1], self.sides[1]).collect();
        if rows.is_empty() || columns.is_empty() {
            return 0;
        }
        let is_wrong = |&number: &usize| {
            let (row, column) = (number * 37 % rows.len(), number * 53 % columns.len());
            let expected: f64 = (0..self.n)
                .map(|inner| elements(rows[row], inner)[0] * elements(inner, columns[column])[1])
                .sum();
            self.matrices[2][column * rows.len() + row] != expected
        };
        (0..VERIFIED).filter(is_wrong).count() as u64
    }
}

impl Drop for ScaLapack {
    fn drop(&mut self) {
        // SAFETY: all processes drop their grid, before MPI_Finalize.
        unsafe { (self.exit)(&self.context) };
    }
}
