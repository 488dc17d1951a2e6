//! The arguments of PBLAS' `p?gemm_` and their validity.
//!
//! An error has the number that PBLAS assigns: -i for argument i, -(100 i + j) for entry j of the descriptor
//! in argument i, counted from 1 in the descriptor of type 2 to which a descriptor of type 1 is extended. Of
//! several errors the smallest number is reported. All arguments except leading dimensions are the same on
//! all ranks, so ranks agree on their validity without communication.
//!
//! Source: Blackford et al., ScaLAPACK Users' Guide, 1997; checked against PBLAS 2.2.1 by running both.

use crate::axis::{Axis, Section};
use crate::product::{Dimension, Grid, Matrix, Operation};
use std::fmt;

/// Descriptor types: PBLAS' original one, and the one with separate sizes of the first blocks.
const TYPES: [i64; 2] = [1, 2];
/// Argument numbers of m, n and k.
const SIZES: [i32; 3] = [3, 4, 5];
/// Argument numbers of the descriptors of A, B and C; row and column of the sub-matrix come before.
pub const DESCRIPTORS: [i32; 3] = [10, 14, 19];
/// Entries of a descriptor have numbers of their argument times this.
const PER_ARGUMENT: i32 = 100;

/// The number of an entry, counted from 0, of the extended descriptor that is an argument.
const fn entry(argument: i32, place: usize) -> i32 {
    argument * PER_ARGUMENT + place as i32 + 1
}

/// A descriptor, extended to type 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// 1 or 2.
    pub kind: i64,
    /// Number of the BLACS context.
    pub context: i64,
    /// Size of the matrix.
    pub size: [i64; 2],
    /// Rows and columns of the first block.
    pub first_block: [i64; 2],
    /// Rows and columns of all other blocks.
    pub block: [i64; 2],
    /// Process row and column of the first block, -1 for all.
    pub source: [i64; 2],
    /// Elements from one local column to the next.
    pub leading: i64,
}

impl Descriptor {
    /// Entries of a descriptor of type 1, and the most of any.
    pub const LENGTHS: [usize; 2] = [9, 11];

    /// How many entries a descriptor of a type has; 1 where the type is unknown.
    pub const fn length(kind: i64) -> usize {
        match kind {
            1 => Self::LENGTHS[0],
            2 => Self::LENGTHS[1],
            _ => 2,
        }
    }

    /// From its entries, [`Self::length`] of them.
    ///
    /// # Panics
    /// Where there are fewer.
    pub fn new(entries: &[i32]) -> Self {
        let entry = |number: usize| i64::from(entries[number]);
        let (kind, context) = (entry(0), entry(1));
        match kind {
            1 => Self {
                kind,
                context,
                size: [entry(2), entry(3)],
                first_block: [entry(4), entry(5)],
                block: [entry(4), entry(5)],
                source: [entry(6), entry(7)],
                leading: entry(8),
            },
            2 => Self {
                kind,
                context,
                size: [entry(2), entry(3)],
                first_block: [entry(4), entry(5)],
                block: [entry(6), entry(7)],
                source: [entry(8), entry(9)],
                leading: entry(10),
            },
            _ => Self {
                kind,
                context,
                size: [0; 2],
                first_block: [1; 2],
                block: [1; 2],
                source: [0; 2],
                leading: 1,
            },
        }
    }

    fn axis(&self, dimension: Dimension, grid: Grid) -> Axis {
        let number = dimension as usize;
        let positive = |value: i64| value.max(1) as usize;
        Axis {
            first_block: positive(self.first_block[number]),
            block: positive(self.block[number]),
            source: usize::try_from(self.source[number]).ok(),
            processes: grid.processes(dimension),
        }
    }
}

/// A sub-matrix as it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubMatrix {
    /// First row and column, from 1.
    pub first: [i64; 2],
    /// The matrix.
    pub descriptor: Descriptor,
}

impl SubMatrix {
    /// Its rows and columns, of these numbers, and its leading dimension.
    fn sections(&self, sizes: [i64; 2], grid: Grid) -> (Section, Section, usize) {
        let Self { first, descriptor } = self;
        let [rows, columns] = [Dimension::Rows, Dimension::Columns].map(|dimension| Section {
            axis: descriptor.axis(dimension, grid),
            start: first[dimension as usize].saturating_sub(1).max(0) as usize,
            length: sizes[dimension as usize].max(0) as usize,
        });
        (rows, columns, descriptor.leading.max(1) as usize)
    }
}

/// What `p?gemm_` is passed, without scalars and memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arguments {
    /// TRANSA and TRANSB.
    pub letters: [u8; 2],
    /// m, n, k.
    pub sizes: [i64; 3],
    /// A, B, C.
    pub matrices: [SubMatrix; 3],
}

/// An argument that is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// PBLAS' number, negative.
    pub number: i32,
    /// Its name and value.
    pub found: String,
    /// The valid values.
    pub expected: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: expected {}", self.found, self.expected)
    }
}

/// Errors of a call: the smallest number is reported. The value, and the expected value.
#[derive(Debug, Default)]
struct Errors(Option<(i32, [String; 2])>);

impl Errors {
    fn add(&mut self, position: i32, message: impl FnOnce() -> [String; 2]) {
        if self.0.as_ref().is_none_or(|(known, _)| position < *known) {
            self.0 = Some((position, message()));
        }
    }

    fn check(&mut self, valid: bool, position: i32, message: impl FnOnce() -> [String; 2]) {
        if !valid {
            self.add(position, message);
        }
    }
}

/// Names in messages.
const NAMES: [&str; 3] = ["A", "B", "C"];
const SIZE_NAMES: [&str; 3] = ["M", "N", "K"];

impl Arguments {
    /// The operations of the letters; if one is not valid the call is refused.
    fn operations(&self) -> Option<[Operation; 2]> {
        Some([Operation::of(self.letters[0])?, Operation::of(self.letters[1])?])
    }

    /// Numbers among `sizes` of rows and columns of the sub-matrices. A letter that is not valid counts as a
    /// transpose.
    fn shapes(&self) -> [[usize; 2]; 3] {
        let plain = self.letters.map(|letter| Operation::of(letter) == Some(Operation::Plain));
        [if plain[0] { [0, 2] } else { [2, 0] }, if plain[1] { [2, 1] } else { [1, 2] }, [0, 1]]
    }

    /// Local: checks all arguments on a grid.
    ///
    /// # Errors
    /// The refusal with the smallest number.
    pub fn check(&self, grid: Grid) -> Result<[Operation; 2], Refusal> {
        let mut errors = Errors::default();
        for (number, letter) in self.letters.iter().enumerate() {
            errors.check(Operation::of(*letter).is_some(), (number as i32 + 1) * PER_ARGUMENT, || {
                let letter = char::from(*letter).escape_default();
                [format!("TRANS{} = '{letter}'", NAMES[number]), "N, T or C".into()]
            });
        }
        for (number, shape) in self.shapes().into_iter().enumerate() {
            self.check_matrix(number, shape, grid, &mut errors);
        }
        match (errors.0, self.operations()) {
            (None, Some(operations)) => Ok(operations),
            (error, _) => {
                let (position, [found, expected]) = error.unwrap_or_default();
                let number = if position % PER_ARGUMENT == 0 { position / PER_ARGUMENT } else { position };
                Err(Refusal { number: -number, found, expected })
            }
        }
    }

    /// Checks one sub-matrix: only sizes and the first index where the descriptor is of no known type or of
    /// another grid.
    fn check_matrix(&self, number: usize, shape: [usize; 2], grid: Grid, errors: &mut Errors) {
        let SubMatrix { first, descriptor } = &self.matrices[number];
        let (name, argument) = (NAMES[number], DESCRIPTORS[number]);
        let sizes = shape.map(|size| self.sizes[size]);
        for (place, size) in shape.into_iter().enumerate() {
            errors.check(sizes[place] >= 0, SIZES[size] * PER_ARGUMENT, || {
                [format!("{} = {}", SIZE_NAMES[size], sizes[place]), "0 or more".into()]
            });
        }
        for (place, letter) in ['I', 'J'].into_iter().enumerate() {
            errors.check(first[place] >= 1, (argument - 2 + place as i32) * PER_ARGUMENT, || {
                [format!("{letter}{name} = {}", first[place]), "1 or more".into()]
            });
        }
        if !TYPES.contains(&descriptor.kind) {
            return errors.add(entry(argument, 0), || {
                [format!("DESC{name}(DTYPE_) = {}", descriptor.kind), "type 1 or 2".into()]
            });
        }
        let context = self.matrices[0].descriptor.context;
        if descriptor.context != context {
            return errors.add(entry(argument, 1), || {
                [
                    format!("DESC{name}(CTXT_) = {}", descriptor.context),
                    format!("{context}, the context of A"),
                ]
            });
        }
        Self::check_distribution(descriptor, (name, argument), grid, errors);
        Self::check_extent(descriptor, (name, argument), (sizes, *first), grid, errors);
    }

    fn check_distribution(
        descriptor: &Descriptor,
        (name, argument): (&str, i32),
        grid: Grid,
        errors: &mut Errors,
    ) {
        let blocks = [descriptor.first_block, descriptor.block].concat();
        for (place, (value, title)) in blocks.iter().zip(["IMB_", "INB_", "MB_", "NB_"]).enumerate() {
            errors.check(*value >= 1, entry(argument, 4 + place), || {
                [format!("DESC{name}({title}) = {value}"), "1 or more".into()]
            });
        }
        for (place, (title, processes)) in
            [("RSRC_", grid.rows), ("CSRC_", grid.columns)].into_iter().enumerate()
        {
            let source = descriptor.source[place];
            errors.check((-1..processes as i64).contains(&source), entry(argument, 8 + place), || {
                [format!("DESC{name}({title}) = {source}"), format!("-1 to {}", processes - 1)]
            });
        }
    }

    fn check_extent(
        descriptor: &Descriptor,
        (name, argument): (&str, i32),
        (sizes, first): ([i64; 2], [i64; 2]),
        grid: Grid,
        errors: &mut Errors,
    ) {
        let empty = sizes.contains(&0);
        let min = i64::from(!empty);
        for (place, title) in ["M_", "N_"].into_iter().enumerate() {
            errors.check(descriptor.size[place] >= min, entry(argument, 2 + place), || {
                [format!("DESC{name}({title}) = {}", descriptor.size[place]), format!("{min} or more")]
            });
        }
        if !empty && descriptor.size.iter().all(|&size| size >= 1) {
            for (place, letter) in ['I', 'J'].into_iter().enumerate() {
                let end = first[place].saturating_sub(1).saturating_add(sizes[place]);
                errors.check(
                    end <= descriptor.size[place],
                    (argument - 2 + place as i32) * PER_ARGUMENT,
                    || {
                        let (length, size) = (sizes[place], descriptor.size[place]);
                        let expected =
                            format!("{length} rows or columns from there inside the {size} of the matrix");
                        [format!("{letter}{name} = {}", first[place]), expected]
                    },
                );
            }
        }
        let needed = if empty || errors.0.is_some() { 1 } else { Self::local_rows(descriptor, grid) };
        errors.check(descriptor.leading >= needed, entry(argument, 10), || {
            [format!("DESC{name}(LLD_) = {}", descriptor.leading), format!("{needed} or more on this rank")]
        });
        if errors.0.is_none() {
            let (rows, columns, leading) = SubMatrix { first, descriptor: *descriptor }.sections(sizes, grid);
            errors.check(Matrix::end(rows, columns, leading, grid).is_some(), entry(argument, 10), || {
                [format!("DESC{name}(LLD_) = {}", descriptor.leading), "memory that can be addressed".into()]
            });
        }
    }

    /// The smallest leading dimension of a matrix on this rank.
    fn local_rows(descriptor: &Descriptor, grid: Grid) -> i64 {
        let local = |dimension: Dimension| {
            let size = descriptor.size[dimension as usize].max(0) as usize;
            descriptor.axis(dimension, grid).local(grid.own(dimension), size)
        };
        if local(Dimension::Columns) == 0 { 1 } else { local(Dimension::Rows).max(1) as i64 }
    }

    /// Rows and columns of the sub-matrices of arguments that [`Self::check`] has accepted, and leading
    /// dimensions.
    pub fn sections(&self, grid: Grid) -> [(Section, Section, usize); 3] {
        let shapes = self.shapes();
        [0, 1, 2]
            .map(|number| self.matrices[number].sections(shapes[number].map(|size| self.sizes[size]), grid))
    }

    /// Elements of this rank's memory up to the end of each sub-matrix of arguments that [`Self::check`] has
    /// accepted.
    ///
    /// # Panics
    /// Where it has not.
    pub fn ends(&self, grid: Grid) -> [usize; 3] {
        self.sections(grid).map(|(rows, columns, leading)| {
            Matrix::end(rows, columns, leading, grid).expect("memory that can be addressed")
        })
    }

    /// Whether the numbers appear to be 64-bit integers of the caller, whose upper halves are zeros.
    pub fn are_wide(&self) -> bool {
        self.matrices.iter().all(|SubMatrix { descriptor, .. }| {
            TYPES.contains(&descriptor.kind) && descriptor.context == 0 && descriptor.size[1] == 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::tests::local;
    use crate::element::MAX_BYTES;
    use hcube_testing::sizes::{distances, sizes, sizes_within};
    use proptest::prelude::*;

    /// Any numbers.
    fn sub_matrices() -> impl Strategy<Value = SubMatrix> {
        let number = || distances().prop_map(|number| number as i64);
        let pair = move || [number(), number()];
        (0..3_i64, pair(), pair(), pair(), pair(), [-1..3_i64, -1..3_i64], number()).prop_map(
            |(kind, first, size, first_block, block, source, leading)| {
                let descriptor = Descriptor { kind, context: 0, size, first_block, block, source, leading };
                SubMatrix { first, descriptor }
            },
        )
    }

    proptest! {
        #[test]
        fn arguments_of_any_size_are_valid_or_refused(
            sizes in [distances(), distances(), distances()], matrices in [sub_matrices(), sub_matrices(), sub_matrices()],
            grid in [1..4_usize, 1..4_usize],
        ) {
            let arguments = Arguments { letters: *b"NT", sizes: sizes.map(|size| size as i64), matrices };
            let grid = Grid::of_rank(grid[0], grid[1], 0);
            if arguments.check(grid).is_ok() {
                arguments.ends(grid);
            }
        }

        /// Matrices that end with their sub-matrices: valid wherever an address counts their bytes.
        #[test]
        fn the_ends_of_matrices_of_any_size_are_exact_or_refused(
            sizes in [sizes_within(0, 1 << 62), sizes_within(0, 1 << 62), sizes_within(0, 1 << 62)],
            first in [sizes_within(1, 1 << 62), sizes_within(1, 1 << 62)], leading in sizes(),
            block in [sizes_within(1, 1 << 62), sizes_within(1, 1 << 62)], grid in [1..4_usize, 1..4_usize],
            rank in 0..9_usize,
        ) {
            let grid = Grid::of_rank(grid[0], grid[1], rank % (grid[0] * grid[1]));
            let matrix = |of: [usize; 2]| {
                let size = [0, 1].map(|side: usize| (first[side] - 1 + sizes[of[side]]) as i64);
                let block = block.map(|size| size as i64);
                let leading = (leading as i64).max(size[0]).max(1);
                let descriptor =
                    Descriptor { kind: 1, context: 0, size, first_block: block, block, source: [0, 0], leading };
                SubMatrix { first: first.map(|first| first as i64), descriptor }
            };
            let matrices = [matrix([0, 2]), matrix([2, 1]), matrix([0, 1])];
            let arguments = Arguments { letters: *b"NN", sizes: sizes.map(|size| size as i64), matrices };
            let ends = arguments.sections(grid).map(|(rows, columns, leading)| {
                let [(below, above), (before, behind)] = [(rows, grid.row), (columns, grid.column)]
                    .map(|(of, own)| (local(of.axis, own, of.start), local(of.axis, own, of.start + of.length)));
                let is_empty = below == above || before == behind;
                if is_empty { 0 } else { (behind - 1) * leading as u128 + above }
            });
            let fits = ends.iter().all(|&end| end <= (isize::MAX as usize / MAX_BYTES) as u128);
            prop_assert_eq!(arguments.check(grid).is_ok(), fits, "{:?}", arguments.check(grid));
            if fits {
                prop_assert_eq!(arguments.ends(grid).map(|end| end as u128), ends);
            }
        }
    }
}
