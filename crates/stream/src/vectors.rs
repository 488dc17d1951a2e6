//! Memory of the three vectors: one allocation at a boundary of huge pages. The vectors are some cache lines
//! and a page apart, so that corresponding elements are neither in the same memory bank nor in the same set
//! of the cache.

use crate::kernels::Stores;
use hcube_core::error::{Error, Result};
use hcube_core::node::pages::Pages;
use std::ops::Range;

/// Vectors.
const VECTORS: usize = 3;
/// Elements of a line of the cache, at which vectors begin.
const LINE: usize = 8;
/// Elements between vectors: a page and an odd number of lines.
const PADDING: usize = 512 + 33 * LINE;

/// The vectors a, b and c.
#[derive(Debug)]
pub struct Vectors {
    memory: Pages,
    length: usize,
    /// Kernels that have run on them, with ordinary and with streaming stores.
    runs: [u64; 2],
}

impl Vectors {
    /// Vectors of `length` elements, all zero.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(length: usize) -> Result<Self> {
        let too_long = || Error::Memory(format!("{VECTORS} vectors of {length} elements"));
        let elements = length
            .checked_next_multiple_of(LINE)
            .and_then(|length| length.checked_add(PADDING)?.checked_mul(VECTORS))
            .ok_or_else(too_long)?;
        Ok(Self { memory: Pages::new(elements).map_err(|_| too_long())?, length, runs: [0; 2] })
    }

    /// Counts a kernel that runs on them.
    pub(crate) fn count(&mut self, stores: Stores) {
        self.runs[stores as usize] += 1;
    }

    /// Kernels that have run on them with these stores.
    pub fn runs(&self, stores: Stores) -> u64 {
        self.runs[stores as usize]
    }

    /// Elements of each vector.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Elements from the begin of a vector to the begin of the next one.
    fn distance(&self) -> usize {
        self.length.next_multiple_of(LINE) + PADDING
    }

    fn range(&self, vector: usize) -> Range<usize> {
        let begin = vector * self.distance();
        begin..begin + self.length
    }

    /// All three vectors.
    pub fn all(&mut self) -> [&mut [f64]; VECTORS] {
        let ranges = [0, 1, 2].map(|vector| self.range(vector));
        self.memory.elements().get_disjoint_mut(ranges).expect("the vectors lie apart, inside their memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_lie_apart_at_lines_of_the_cache() {
        for length in [0, 1, 7, 8, 9, 1000, 300_001] {
            let mut vectors = Vectors::new(length).expect("memory");
            assert_eq!(vectors.length(), length);
            for (index, vector) in vectors.all().into_iter().enumerate() {
                assert_eq!((vector.len(), vector.as_ptr().addr() % 64), (length, 0));
                assert!(vector.iter().all(|&element| element == 0.0), "vector {index} was written before");
                vector.fill(index as f64 + 1.0);
            }
            assert!(
                vectors
                    .all()
                    .iter()
                    .enumerate()
                    .all(|(index, vector)| { vector.iter().all(|&element| element == index as f64 + 1.0) })
            );
        }
    }

    #[test]
    fn too_long_vectors_are_refused() {
        for length in [usize::MAX, usize::MAX / 8, usize::MAX / 24] {
            let error = Vectors::new(length).expect_err("no such memory");
            assert!(error.to_string().contains(&format!("3 vectors of {length} elements")), "{error}");
        }
    }
}
