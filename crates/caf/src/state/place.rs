//! Locations in the heaps of images, and their encoding in words.

/// A place in the heap of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The image: its rank in the job.
    pub image: usize,
    /// The offset in its heap.
    pub offset: usize,
}

/// Bits of an image in the word of a place: 16 million images; the others hold the offset, 1 TiB.
pub(crate) const IMAGE_BITS: u32 = 24;

impl Place {
    /// The place in a word, which other images can read.
    #[inline]
    pub(crate) const fn word(self) -> u64 {
        debug_assert!(self.image < 1 << IMAGE_BITS && self.offset < 1 << (u64::BITS - IMAGE_BITS));
        self.image as u64 | (self.offset as u64) << IMAGE_BITS
    }

    /// The place that a word names.
    #[inline]
    pub(crate) const fn of(word: u64) -> Self {
        Self { image: (word & ((1 << IMAGE_BITS) - 1)) as usize, offset: (word >> IMAGE_BITS) as usize }
    }
}
