//! Memory of an operation for blocks, aligned to words for the elements.

use hcube_core::memory::{Region, bytes_of, bytes_of_mut};

/// A block of bytes.
#[derive(Debug)]
pub(super) struct Space {
    words: Vec<u64>,
    length: usize,
}

impl Space {
    /// `length` zeros.
    pub fn new(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(size_of::<u64>())], length }
    }

    /// A copy of a region.
    pub fn of(from: Region<'_>) -> Self {
        let mut space = Self::new(from.len());
        space.region().copy_from(from);
        space
    }

    pub fn bytes(&self) -> &[u8] {
        &bytes_of(&self.words)[..self.length]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytes_of_mut(&mut self.words)[..self.length]
    }

    pub fn region(&mut self) -> Region<'_> {
        Region::of(self.bytes_mut())
    }
}
