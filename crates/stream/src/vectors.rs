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

/// Where the vectors lie in their memory.
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Elements of each vector.
    length: usize,
    /// Elements from the begin of a vector to the begin of the next one.
    distance: usize,
    /// Elements of the memory.
    elements: usize,
}

impl Layout {
    /// Of vectors of `length` elements; none if 64 bits do not count them.
    fn new(length: usize) -> Option<Self> {
        let distance = length.checked_next_multiple_of(LINE)?.checked_add(PADDING)?;
        Some(Self { length, distance, elements: distance.checked_mul(VECTORS)? })
    }

    fn range(self, vector: usize) -> Range<usize> {
        let begin = vector * self.distance;
        begin..begin + self.length
    }
}

/// The vectors a, b and c.
#[derive(Debug)]
pub struct Vectors {
    memory: Pages,
    layout: Layout,
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
        let layout = Layout::new(length).ok_or_else(too_long)?;
        Ok(Self { memory: Pages::new(layout.elements).map_err(|_| too_long())?, layout, runs: [0; 2] })
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
        self.layout.length
    }

    /// All three vectors.
    pub fn all(&mut self) -> [&mut [f64]; VECTORS] {
        let ranges = [0, 1, 2].map(|vector| self.layout.range(vector));
        self.memory.elements().get_disjoint_mut(ranges).expect("the vectors lie apart, inside their memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn vectors_of_any_size_lie_apart_or_are_refused(length in sizes()) {
            let distance = (length as u128).next_multiple_of(8) + 512 + 33 * 8;
            let layout = Layout::new(length);
            prop_assert_eq!(layout.is_some(), 3 * distance <= usize::MAX as u128);
            if let Some(layout) = layout {
                prop_assert_eq!(layout.elements as u128, 3 * distance);
                for vector in 0..3 {
                    let range = layout.range(vector);
                    let begin = vector as u128 * distance;
                    prop_assert_eq!((range.start as u128, range.end as u128), (begin, begin + length as u128));
                }
            }
        }
    }
}
