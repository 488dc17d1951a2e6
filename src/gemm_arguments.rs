//! The arguments of hcube_gemm: from pointers and numbers to a product.

use crate::boundary::required;
use crate::types::{hcube_gemm_options, hcube_matrix};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::options::{Number, choices};
use hcube_gemm::arguments::{Arguments, DESCRIPTORS, Refusal};
use hcube_gemm::element::{Element, Scalar};
use hcube_gemm::entrance::{Choice, Products, Work};
use hcube_gemm::local::LocalGemm;
use hcube_gemm::pblas::program::locals;
use hcube_gemm::product::{Grid, Matrix, Product};
use std::ffi::{c_char, c_void};

/// Names of the fields of a matrix.
macro_rules! fields {
    ($matrix:literal) => {
        [
            concat!($matrix, ".rows"),
            concat!($matrix, ".columns"),
            concat!($matrix, ".first_row_block"),
            concat!($matrix, ".first_column_block"),
            concat!($matrix, ".row_block"),
            concat!($matrix, ".column_block"),
            concat!($matrix, ".row_source"),
            concat!($matrix, ".column_source"),
            concat!($matrix, ".leading_dimension"),
            concat!($matrix, ".row"),
            concat!($matrix, ".column"),
        ]
    };
}

/// Fields of the structures, in the order of [`hcube_matrix::values`].
const FIELDS: [[&str; 11]; 3] = [fields!("at"), fields!("bt"), fields!("ct")];
/// Places in [`FIELDS`].
const LEADING: usize = 8;
const FIRST: usize = 9;
/// Arguments that must be the same on all ranks, besides the structures.
const GLOBAL: [&str; 12] = [
    "grid_rows",
    "grid_columns",
    "element",
    "transa",
    "transb",
    "m",
    "n",
    "k",
    "alpha",
    "imaginary part of alpha",
    "beta",
    "imaginary part of beta",
];

/// The arguments of hcube_gemm as they are passed.
pub(crate) struct Passed {
    pub grid: [i32; 2],
    pub element: i32,
    pub letters: [c_char; 2],
    pub sizes: [i64; 3],
    pub scalars: [*const c_void; 2],
    pub memory: [*mut c_void; 3],
    pub matrices: [*const hcube_matrix; 3],
    pub options: *const hcube_gemm_options,
}

/// The parts of them that are read: only numbers.
pub(crate) struct Read {
    element: Element,
    grid: Grid,
    scalars: [Scalar; 2],
    matrices: [hcube_matrix; 3],
    arguments: Arguments,
}

impl Passed {
    /// Checks what can be checked without the grid's ranks, and reads the structures.
    ///
    /// # Safety
    /// Pointers are null, or valid as hcube_gemm says.
    pub unsafe fn read(&self, comm: &impl Comm) -> Result<Read> {
        let element = Element::from_number(self.element.into())
            .ok_or_else(|| Error::argument("element", self.element, choices(Element::NAMES)))?;
        let size = |number: usize| {
            let name = GLOBAL[number];
            usize::try_from(self.grid[number])
                .ok()
                .filter(|&size| size >= 1)
                .ok_or_else(|| Error::argument(name, self.grid[number], "1 or more"))
        };
        let (rows, columns) = (size(0)?, size(1)?);
        if rows * columns != comm.size() {
            let expected = format!("grid_rows x grid_columns = {}, the size of comm", comm.size());
            return Err(Error::argument("grid_columns", columns, format!("{expected}, with {rows} rows")));
        }
        let mut scalars = [Scalar::real(element, 0.0); 2];
        for ((scalar, &pointer), name) in scalars.iter_mut().zip(&self.scalars).zip(["alpha", "beta"]) {
            // SAFETY: null or valid, by the contract of this function.
            unsafe { required(pointer.cast::<u8>(), name) }?;
            let mut bytes = [0; 16];
            // SAFETY: a number of that type, by the contract of this function.
            let given = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), element.bytes()) };
            bytes[..given.len()].copy_from_slice(given);
            *scalar = Scalar::new(element, bytes);
        }
        // SAFETY: null or valid, by the contract of this function.
        let matrix = |number: usize, name| unsafe {
            required(self.matrices[number].cast::<u64>(), name)?;
            hcube_matrix::read(self.matrices[number])
        };
        let matrices = [matrix(0, "at")?, matrix(1, "bt")?, matrix(2, "ct")?];
        for (name, &size) in GLOBAL[5..8].iter().zip(&self.sizes) {
            if size > hcube_matrix::MAX_SIZE {
                return Err(Error::argument(name, size, format!("up to {}", hcube_matrix::MAX_SIZE)));
            }
        }
        let sub_matrix = |number: usize| matrices[number].to_sub_matrix(&FIELDS[number]);
        let arguments = Arguments {
            letters: self.letters.map(|letter| letter as u8),
            sizes: self.sizes,
            matrices: [sub_matrix(0)?, sub_matrix(1)?, sub_matrix(2)?],
        };
        let grid = Grid::of_rank(rows, columns, comm.rank());
        Ok(Read { element, grid, scalars, matrices, arguments })
    }

    /// The product of valid arguments.
    ///
    /// # Safety
    /// As hcube_gemm: arrays are as large as the structures say, for as long as the product lives.
    unsafe fn product<'a>(&self, read: &Read) -> Result<Product<'a>> {
        let &Read { element, grid, scalars: [alpha, beta], ref arguments, .. } = read;
        let operations = arguments.check(grid).map_err(|refusal| self.named(&refusal, &read.matrices))?;
        let (sections, ends) = (arguments.sections(grid), arguments.ends(grid));
        let matrix = |number: usize, name: &str| {
            let (rows, columns, leading) = sections[number];
            // What a BLAS with 32-bit integers can be told.
            if leading > i32::MAX as usize {
                return Err(Error::argument(FIELDS[number][LEADING], leading, format!("up to {}", i32::MAX)));
            }
            let bytes = ends[number] * element.bytes();
            if self.memory[number].is_null() && bytes > 0 {
                return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
            }
            // SAFETY: the caller's array, which reaches that far, by the contract of this function.
            let memory = unsafe { Region::new(self.memory[number].cast(), bytes) };
            Ok(Matrix { rows, columns, memory, leading })
        };
        let (a, b, c) = (matrix(0, "a")?, matrix(1, "b")?, matrix(2, "c")?);
        let [m, n, k] = self.sizes.map(|size| size as usize);
        Ok(Product { element, grid, operations, m, n, k, alpha, a, b, beta, c })
    }

    /// The error of an argument by the names of this interface.
    fn named(&self, refusal: &Refusal, matrices: &[hcube_matrix; 3]) -> Error {
        let number = -refusal.number;
        let (argument, entry) = if number > 100 { (number / 100, number % 100) } else { (number, 0) };
        let expected = &*refusal.expected;
        let with_number = |expected: &str| format!("{expected} (error {} of PBLAS)", refusal.number);
        let of_matrix = |matrix: usize, field: usize| {
            let value = matrices[matrix].values()[field];
            let expected = match field {
                FIRST.. if value < 0 => "0 or more",
                FIRST.. => "a sub-matrix that ends inside the matrix",
                _ => expected,
            };
            Error::argument(FIELDS[matrix][field], value, with_number(expected))
        };
        for (matrix, descriptor) in DESCRIPTORS.into_iter().enumerate() {
            // Type and context come before the fields.
            match descriptor - argument {
                0 => return of_matrix(matrix, (entry - 3).max(0) as usize),
                1 => return of_matrix(matrix, FIRST + 1),
                2 => return of_matrix(matrix, FIRST),
                _ => {}
            }
        }
        match argument {
            1 | 2 => {
                let index = argument as usize - 1;
                let letter = char::from(self.letters[index] as u8).escape_default();
                Error::argument(GLOBAL[3 + index], format!("'{letter}'"), with_number(expected))
            }
            _ => {
                let index = (argument as usize).clamp(3, 5) - 3;
                Error::argument(GLOBAL[5 + index], self.sizes[index], with_number(expected))
            }
        }
    }

    /// The values that must be the same on all ranks, by name; zeros if they could not be read.
    pub fn values(&self, read: Option<&Read>) -> Vec<(&'static str, i64)> {
        let [rows, columns] = self.grid.map(i64::from);
        let [transa, transb] = self.letters.map(i64::from);
        let [m, n, k] = self.sizes;
        let words = |number: usize| {
            let bytes = read.map_or([0; 16], |read| *read.scalars[number].bytes());
            [0, 8].map(|start| i64::from_ne_bytes(bytes[start..start + 8].try_into().expect("8 bytes")))
        };
        let ([alpha, alpha_imaginary], [beta, beta_imaginary]) = (words(0), words(1));
        let numbers = [
            rows,
            columns,
            self.element.into(),
            transa,
            transb,
            m,
            n,
            k,
            alpha,
            alpha_imaginary,
            beta,
            beta_imaginary,
        ];
        let mut values: Vec<(&str, i64)> = GLOBAL.into_iter().zip(numbers).collect();
        for (matrix, names) in FIELDS.iter().enumerate() {
            let fields = read.map_or([0; 11], |read| read.matrices[matrix].values());
            let shared = names.iter().copied().zip(fields).enumerate();
            values.extend(shared.filter(|(field, _)| *field != LEADING).map(|(_, value)| value));
        }
        values
    }

    /// The work of this rank.
    ///
    /// # Safety
    /// As hcube_gemm.
    pub unsafe fn work<'a>(&self, read: &Result<Read>, products: &mut Products) -> Result<Work<'a>> {
        let read = read.as_ref().map_err(Clone::clone)?;
        // SAFETY: null or valid, by the contract of this function.
        let choice = products.choice(unsafe { choice(self.options) }?)?;
        // SAFETY: arrays are as large as the structures say, for as long as the product lives.
        let product = unsafe { self.product(read) }?;
        let local = match choice.multiply {
            // SAFETY: a `?gemm_` for this type of elements, by the contract of this function.
            Some(multiply) => Some(unsafe { LocalGemm::new(read.element, multiply as *const c_void) }),
            None => locals()[read.element as usize],
        };
        let local = local.ok_or_else(|| {
            let expected = format!("a BLAS routine: no BLAS with {}gemm_ is loaded", read.element.letter());
            Error::argument("options.multiply", "NULL", expected)
        })?;
        Ok(Work { product, local, options: choice.options })
    }
}

/// The caller's options; `None` if the pointer is null.
///
/// # Safety
/// The pointer is null, or valid for the bytes that its first field says.
pub(crate) unsafe fn choice(options: *const hcube_gemm_options) -> Result<Option<Choice>> {
    if options.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, and then valid, by the contract of this function.
    let (values, given) =
        unsafe { (hcube_gemm_options::read(options)?, hcube_gemm_options::given(options)?) };
    Ok(Some(Choice { options: values, multiply: given.multiply }))
}
