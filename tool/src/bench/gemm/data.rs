//! Elements of so few bits that all sums are exact in any order.
//!
//! Matrices of products hold integers times a power of 2. The matrix to factorise is P L U: below the
//! diagonal of L are multiples of 1/4 of at most 1/2, on the diagonal of U powers of 2, and the other
//! elements of U are small integers. Then the largest element of a column is unique in every step, partial
//! pivoting finds P again, and all intermediate results are multiples of 1/4.

use super::problem::Layout;
use crate::bench::random::{STEP, mix};
use hcube_gemm::element::Element;

/// Which matrix: its elements differ from the elements of the other matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    A = 1,
    B = 2,
    C = 3,
    Lower = 4,
    Upper = 5,
}

/// A random number for a place.
fn hash(matrix: Matrix, row: usize, column: usize) -> u64 {
    let value = (row as u64) << 32 ^ column as u64 ^ (matrix as u64) << 60;
    mix(value.wrapping_add(STEP))
}

/// Writes an element.
fn put(memory: &mut [u64], element: Element, index: usize, [re, im]: [f64; 2]) {
    match element {
        Element::Single => {
            let mut word = memory[index / 2].to_ne_bytes();
            word[4 * (index % 2)..][..4].copy_from_slice(&(re as f32).to_ne_bytes());
            memory[index / 2] = u64::from_ne_bytes(word);
        }
        Element::Double => memory[index] = re.to_bits(),
        Element::Complex => {
            let mut word = [0; 8];
            word[..4].copy_from_slice(&(re as f32).to_ne_bytes());
            word[4..].copy_from_slice(&(im as f32).to_ne_bytes());
            memory[index] = u64::from_ne_bytes(word);
        }
        Element::DoubleComplex => {
            memory[2 * index] = re.to_bits();
            memory[2 * index + 1] = im.to_bits();
        }
    }
}

/// Words of memory for elements.
pub fn words(element: Element, elements: usize) -> usize {
    (elements * element.bytes()).div_ceil(size_of::<u64>())
}

/// Numbers that differ. Zeros of either sign are the same: the sign of a sum of zeros depends on their order.
pub fn differences(element: Element, one: &[u64], other: &[u64]) -> usize {
    let halves = |word: u64| {
        let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
        [f32::from_ne_bytes([a, b, c, d]), f32::from_ne_bytes([e, f, g, h])]
    };
    let count = |(one, other): (u64, u64)| match element {
        Element::Single | Element::Complex => {
            halves(one).into_iter().zip(halves(other)).filter(|(one, other)| one != other).count()
        }
        Element::Double | Element::DoubleComplex => usize::from(f64::from_bits(one) != f64::from_bits(other)),
    };
    let words = one.iter().copied().zip(other.iter().copied());
    words.filter(|(one, other)| one != other).map(count).sum()
}

/// Bits of an element, of which sums of K products, of both parts, and an element of C are exact.
pub fn bits(element: Element, k: usize) -> u32 {
    let mantissa: u32 = match element {
        Element::Single | Element::Complex => f32::MANTISSA_DIGITS,
        Element::Double | Element::DoubleComplex => f64::MANTISSA_DIGITS,
    };
    let sums = k.max(2).next_power_of_two().ilog2() + u32::from(element.is_complex());
    (mantissa.saturating_sub(sums) / 2).clamp(1, 16)
}

/// An integer of that many bits with its sign, times a power of 2.
fn value(random: u64, bits: u32) -> f64 {
    let half = 1i64 << (bits - 1);
    ((random & ((1 << bits) - 1)) as i64 - half) as f64 / (2 * half) as f64
}

/// Fills the part of a process with what depends on row and column.
fn fill_by(element: Element, layout: &Layout, memory: &mut [u64], of: impl Fn(usize, usize) -> [f64; 2]) {
    for column in 0..layout.local[1] {
        let global_column = layout.global(1, column);
        for row in 0..layout.local[0] {
            let index = column * layout.leading() + row;
            put(memory, element, index, of(layout.global(0, row), global_column));
        }
    }
}

/// Fills a factor or the result of a product.
pub fn fill(matrix: Matrix, element: Element, bits: u32, layout: &Layout, memory: &mut [u64]) {
    fill_by(element, layout, memory, |row, column| {
        let random = hash(matrix, row, column);
        [value(random, bits), value(random >> 32, bits)]
    });
}

/// Fills memory of a process, with no matrix in it.
pub fn fill_locally(element: Element, memory: &mut [u64]) {
    let elements = size_of_val(memory) / element.bytes();
    for index in 0..elements {
        let random = hash(Matrix::A, index, 0);
        put(memory, element, index, [value(random, 8), value(random >> 32, 8)]);
    }
}

/// A step that visits every row once.
fn stride(order: usize) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    let start = (order / 3) | 1;
    (start..).find(|&step| divisor(step, order) == 1).unwrap_or(1)
}

/// Fills P L or U.
pub fn fill_triangle(matrix: Matrix, element: Element, layout: &Layout, memory: &mut [u64]) {
    let order = layout.size[0];
    let stride = stride(order);
    let lower = |row: usize, column: usize| {
        let row = (row * stride + 1) % order;
        match row.cmp(&column) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => ((hash(matrix, row, column) % 5) as f64 - 2.0) / 4.0,
        }
    };
    let upper = |row: usize, column: usize| {
        let random = hash(matrix, row, column);
        match row.cmp(&column) {
            std::cmp::Ordering::Less => (random % 9) as f64 - 4.0,
            std::cmp::Ordering::Equal => [1.0, -2.0, 4.0, 2.0][(random % 4) as usize],
            std::cmp::Ordering::Greater => 0.0,
        }
    };
    fill_by(element, layout, memory, |row, column| {
        [if matrix == Matrix::Lower { lower(row, column) } else { upper(row, column) }, 0.0]
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_room() {
        for &element in Element::ALL {
            for k in [1, 64, 4096, 100_000] {
                let bits = bits(element, k);
                let mantissa = if element.bytes() == 4 || element == Element::Complex { 24 } else { 53 };
                let parts = if element.is_complex() { 2.0 } else { 1.0 };
                let largest = 4f64.powi(bits as i32 - 1) * parts * k as f64;
                assert!(largest < 2f64.powi(mantissa) && bits > 1, "{element:?} {k}: {bits}");
            }
        }
        assert_eq!((bits(Element::Double, 4096), bits(Element::Single, 4096)), (16, 6));
    }

    #[test]
    fn values_are_integers_times_a_power_of_two() {
        for bits in [1, 3, 16] {
            let values = (0..1000).map(|row| value(hash(Matrix::B, row, 7), bits));
            let scaled: Vec<f64> = values.map(|value| value * 2f64.powi(bits as i32)).collect();
            assert!(
                scaled.iter().all(|value| value.fract() == 0.0 && value.abs() <= 2f64.powi(bits as i32 - 1))
            );
            assert!(scaled.iter().any(|value| *value != scaled[0]));
        }
    }

    #[test]
    fn elements_lie_where_their_type_says() {
        let mut memory = [0; 2];
        put(&mut memory, Element::Single, 1, [2.0, 0.0]);
        assert_eq!(memory[0].to_ne_bytes()[4..], 2f32.to_ne_bytes());
        put(&mut memory, Element::DoubleComplex, 0, [1.0, -3.0]);
        assert_eq!(memory, [1f64.to_bits(), (-3f64).to_bits()]);
        put(&mut memory, Element::Complex, 1, [0.5, 0.25]);
        assert_eq!(memory[1].to_ne_bytes()[4..], 0.25f32.to_ne_bytes());
        assert_eq!((words(Element::Single, 3), words(Element::DoubleComplex, 3)), (2, 6));
    }

    #[test]
    fn zeros_are_the_same_and_nan_is_not() {
        let doubles = [1.0, 0.0, 2.0, f64::NAN].map(f64::to_bits);
        assert_eq!(differences(Element::Double, &doubles, &doubles), 0);
        assert_eq!(differences(Element::Double, &doubles, &[1.0, -0.0, 2.5, 1.0].map(f64::to_bits)), 2);
        let [mut one, mut other] = [[0], [0]];
        for (index, value) in [(0, 3.0), (1, -0.0)] {
            put(&mut one, Element::Single, index, [value, 0.0]);
        }
        put(&mut other, Element::Single, 0, [4.0, 0.0]);
        assert_eq!(
            (differences(Element::Single, &one, &other), differences(Element::Complex, &one, &one)),
            (1, 0)
        );
    }

    #[test]
    fn rows_are_permuted() {
        for order in [1, 2, 3, 10, 97, 1000, 2000] {
            let mut rows: Vec<usize> = (0..order).map(|row| (row * stride(order) + 1) % order).collect();
            rows.sort_unstable();
            assert_eq!(rows, (0..order).collect::<Vec<_>>());
        }
    }
}
