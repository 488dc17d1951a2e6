//! The elements of the matrices: small integers, so that all sums are exact.

/// An element of A, and one of B.
pub fn elements(row: usize, column: usize) -> [f64; 2] {
    [((row * 3 + column) % 7) as f64 - 3.0, ((row + column * 5) % 11) as f64 - 5.0]
}
