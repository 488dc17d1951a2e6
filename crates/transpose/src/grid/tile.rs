//! The transposition of a block, added to another block: C = A' + beta C, both in column-major order.
//!
//! Idea: squares of eight by eight numbers, which fit into registers and whose rows are cache
//! lines: every line is read and written once. The lines of a square are in different columns, which hardware
//! prefetching does not follow, so each square prefetches the lines of a square some places ahead.
//!
//! Cost: each number of A is read, each of C is read and written once, if the rows of both are a multiple of
//! a cache line; in large blocks `SIDE` columns of both stay in the cache. No allocation.
//! Source: our own; transposition in registers is common.

use hcube_core::memory::Region;

/// Numbers of a line of the cache, and sides of a square.
const LINE: usize = 8;
/// Squares between a request for one and its use: 64 lines of the cache, of those that a core can wait for at
/// a time.
const AHEAD: usize = 4;
/// Larger blocks are divided.
const SIDE: usize = 128;

/// Numbers of 64 bits by columns, which need not be aligned.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    region: Region<'a>,
    rows: usize,
    columns: usize,
    /// Numbers from column to column.
    stride: usize,
}

/// Bytes of a matrix; `None` where an address cannot count them.
pub fn bytes([rows, columns]: [usize; 2], stride: usize) -> Option<usize> {
    if rows == 0 || columns == 0 {
        return Some(0);
    }
    let numbers = (columns - 1).checked_mul(stride)?.checked_add(rows)?;
    numbers.checked_mul(size_of::<f64>()).filter(|&bytes| isize::try_from(bytes).is_ok())
}

impl<'a> Matrix<'a> {
    /// The matrix at the begin of a region.
    ///
    /// # Panics
    /// Where it does not fit.
    pub fn new(region: Region<'a>, [rows, columns]: [usize; 2], stride: usize) -> Self {
        let fits = bytes([rows, columns], stride).is_some_and(|bytes| bytes <= region.len());
        assert!(fits, "{rows} x {columns} numbers, {stride} apart, in {} bytes", region.len());
        assert!(rows <= stride || columns < 2, "{rows} rows, {stride} apart");
        Self { region, rows, columns, stride }
    }

    /// A part of it.
    ///
    /// # Panics
    /// Where it is not inside.
    pub fn part(self, [row, column]: [usize; 2], [rows, columns]: [usize; 2]) -> Self {
        let inside = |first: usize, count: usize, all: usize| first <= all && count <= all - first;
        let fits = inside(row, rows, self.rows) && inside(column, columns, self.columns);
        assert!(fits, "{rows} x {columns} at ({row}, {column}) of {} x {}", self.rows, self.columns);
        let start = (column * self.stride + row) * size_of::<f64>();
        let region = if rows == 0 || columns == 0 { 0..0 } else { start..self.region.len() };
        Self { region: self.region.part(region), rows, columns, stride: self.stride }
    }

    /// Rows and columns.
    pub fn size(self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Copies a column of it.
    ///
    /// # Panics
    /// Where there is no such column, or the lengths differ.
    pub fn copy_column(self, column: usize, to: Region<'_>) {
        let column = self.part([0, column], [self.rows, 1]);
        column.region.part(0..self.rows * size_of::<f64>()).copy_to(to);
    }

    fn address(self) -> *mut f64 {
        self.region.address().cast()
    }
}

/// The update of C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Update {
    /// C = A', independently of C.
    Replace,
    /// C = A' + C.
    Add,
    /// C = A' + beta C.
    Scale(f64),
}

impl Update {
    /// The update for a factor of C.
    pub fn by(beta: f64) -> Self {
        if beta == 0.0 {
            Self::Replace
        } else if beta == 1.0 {
            Self::Add
        } else {
            Self::Scale(beta)
        }
    }
}

/// The instructions of the inner loops. Only [`Instructions::available`] creates more than the portable ones,
/// after it has found them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The fastest of this processor.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self(Kind::Portable))
    }

    /// All of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "one kind there"))]
        let mut all = vec![Self(Kind::Portable)];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            all.push(Self(Kind::Avx2));
            if is_x86_feature_detected!("avx512f") {
                all.push(Self(Kind::Avx512));
            }
        }
        all
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
        }
    }

    /// Adds the transpose of `a` to `c`.
    ///
    /// # Panics
    /// Where the sizes differ.
    pub fn transpose(self, a: Matrix<'_>, c: Matrix<'_>, update: Update) {
        assert_eq!([a.columns, a.rows], [c.rows, c.columns], "a matrix and the transpose of another one");
        for row in (0..c.rows).step_by(SIDE) {
            for column in (0..c.columns).step_by(SIDE) {
                let [rows, columns] = [SIDE.min(c.rows - row), SIDE.min(c.columns - column)];
                let from = a.part([column, row], [columns, rows]);
                self.block(from, c.part([row, column], [rows, columns]), update);
            }
        }
    }

    fn block(self, a: Matrix<'_>, c: Matrix<'_>, update: Update) {
        match update {
            Update::Replace => self.squares(a, c, |_, new| new),
            Update::Add => self.squares(a, c, |old, new| new + old),
            Update::Scale(beta) => self.squares(a, c, |old, new| new + beta * old),
        }
    }

    fn squares(self, a: Matrix<'_>, c: Matrix<'_>, value: impl Fn(f64, f64) -> f64 + Copy) {
        match self.0 {
            Kind::Portable => squares(a, c, value),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` has found the instructions.
            Kind::Avx2 => unsafe { squares_avx2(a, c, value) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` has found the instructions.
            Kind::Avx512 => unsafe { squares_avx512(a, c, value) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn squares_avx2(a: Matrix<'_>, c: Matrix<'_>, value: impl Fn(f64, f64) -> f64 + Copy) {
    squares(a, c, value);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx2")]
fn squares_avx512(a: Matrix<'_>, c: Matrix<'_>, value: impl Fn(f64, f64) -> f64 + Copy) {
    squares(a, c, value);
}

/// `c[i][j] = value(c[i][j], a[j][i])`, for matrices of these sizes.
#[inline(always)]
fn squares(a: Matrix<'_>, c: Matrix<'_>, value: impl Fn(f64, f64) -> f64 + Copy) {
    assert_eq!([a.columns, a.rows], [c.rows, c.columns]);
    let (from, to) = (a.address(), c.address());
    let from = |row: usize, column: usize| from.wrapping_add(column * a.stride + row);
    let to = |row: usize, column: usize| to.wrapping_add(column * c.stride + row);
    let [rows, columns] = [c.rows, c.columns].map(|side| side / LINE * LINE);
    for column in (0..columns).step_by(LINE) {
        for row in (0..rows).step_by(LINE) {
            let next = row + AHEAD * LINE;
            let next = if next < rows { [next, column] } else { [next - rows, column + LINE] };
            for number in 0..LINE {
                prefetch::<false>(from(next[1], next[0] + number));
                prefetch::<true>(to(next[0], next[1] + number));
            }
            // SAFETY: the square lies inside both matrices, which lie in their regions.
            unsafe { square(from(column, row), a.stride, to(row, column), c.stride, value) };
        }
    }
    for column in 0..c.columns {
        for row in if column < columns { rows } else { 0 }..c.rows {
            let (from, to) = (from(column, row), to(row, column));
            // SAFETY: an element of each of the two matrices, which lie in their regions.
            unsafe { to.write_unaligned(value(to.read_unaligned(), from.read_unaligned())) };
        }
    }
}

/// # Safety
/// A square of numbers can be read from `a`, and one read and written at `c`, with these numbers from column
/// to column.
#[inline(always)]
unsafe fn square(
    a: *const f64,
    a_stride: usize,
    c: *mut f64,
    c_stride: usize,
    value: impl Fn(f64, f64) -> f64 + Copy,
) {
    let columns: [[f64; LINE]; LINE] = std::array::from_fn(|column| {
        // SAFETY: a column of the square, by the contract of this function.
        unsafe { a.add(column * a_stride).cast::<[f64; LINE]>().read_unaligned() }
    });
    for row in 0..LINE {
        // SAFETY: a column of the square, by the contract of this function.
        unsafe {
            let place = c.add(row * c_stride).cast::<[f64; LINE]>();
            let mut numbers = place.read_unaligned();
            for (number, column) in numbers.iter_mut().zip(&columns) {
                *number = value(*number, column[row]);
            }
            place.write_unaligned(numbers);
        }
    }
}

/// Requests the line of an address, which need not exist, to be read or written.
#[inline(always)]
fn prefetch<const WRITE: bool>(place: *mut f64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, which has no effect for addresses that do not
    // exist.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T0, _mm_prefetch};
        if WRITE {
            _mm_prefetch::<_MM_HINT_ET0>(place.cast());
        } else {
            _mm_prefetch::<_MM_HINT_T0>(place.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number without a pattern; sums of such numbers are exact.
    fn number(place: usize) -> f64 {
        ((place * 7919 + 13) % 10_007) as f64
    }

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|place| number(place + seed)).collect()
    }

    fn region(numbers: &mut [f64]) -> Region<'_> {
        // SAFETY: the memory is borrowed for the life of the region.
        unsafe { Region::new(numbers.as_mut_ptr().cast(), size_of_val(numbers)) }
    }

    #[test]
    fn blocks_of_all_sizes_are_transposed_by_all_instructions() {
        let sizes = [0, 1, 3, 7, 8, 9, 16, 31, 33, 80, 127, 130, 200];
        for instructions in Instructions::available() {
            for rows in sizes {
                for columns in sizes {
                    for (beta, gap) in [(0.0, 0), (1.0, 5), (2.0, 1)] {
                        check(instructions, [rows, columns], beta, gap);
                    }
                }
            }
        }
    }

    fn check(instructions: Instructions, [rows, columns]: [usize; 2], beta: f64, gap: usize) {
        let [wide, high] = [columns + gap, rows + gap];
        let (mut a, mut c) = (numbers(high * columns + 1, 3), numbers(wide * rows + 1, 5));
        let mut expected = c.clone();
        for row in 0..rows {
            for column in 0..columns {
                let place = &mut expected[row * wide + column];
                *place = a[column * high + row] + beta * *place;
            }
        }
        let a = Matrix::new(region(&mut a), [rows, columns], high);
        instructions.transpose(a, Matrix::new(region(&mut c), [columns, rows], wide), Update::by(beta));
        assert_eq!(c, expected, "{} {rows} x {columns}, {beta}, {gap}", instructions.name());
    }

    #[test]
    fn what_c_was_does_not_count_where_it_is_replaced() {
        let (mut a, mut c) = (vec![3.0; 81], vec![f64::NAN; 81]);
        let [from, to] = [&mut a, &mut c].map(|numbers| Matrix::new(region(numbers), [9, 9], 9));
        Instructions::detect().transpose(from, to, Update::by(0.0));
        assert_eq!(c, a);
    }

    #[test]
    #[should_panic(expected = "3 x 2 at (1, 0) of 3 x 2")]
    fn a_part_outside_is_refused() {
        Matrix::new(region(&mut [0.0; 6]), [3, 2], 3).part([1, 0], [3, 2]);
    }

    #[test]
    #[should_panic(expected = "3 x 2 numbers, 4 apart, in 48 bytes")]
    fn a_matrix_outside_is_refused() {
        Matrix::new(region(&mut [0.0; 6]), [3, 2], 4);
    }

    #[test]
    fn bytes_of_matrices() {
        assert_eq!([bytes([3, 2], 4), bytes([0, 2], 4), bytes([3, 1], 0)], [Some(56), Some(0), Some(24)]);
        assert_eq!(bytes([1, 3], usize::MAX / 2), None);
    }
}
