//! Memory in the heap for copies of exposed blocks.
//!
//! Idea: an area of the heap that all images reserve at the start, at the same offset, so that copies on some
//! images do not change the offsets of later coarrays. Its pages become resident at their first use and stay
//! resident: to fault them in again takes longer than the copy. Blocks that do not fit are allocated in the
//! heap.
//!
//! Cost: a search among the copies in use, which are few. Memory: at most [`AREA_BYTES`].
//! Source: first fit.

use hcube_core::comm::{Comm, agree};
use hcube_core::error::Result;
use hcube_core::node::heap::Heap;
use hcube_core::onesided::Onesided;

/// Bytes of the area.
pub(crate) const AREA_BYTES: usize = if cfg!(hcube_model) { 4 << 10 } else { 4 << 20 };
/// Copies begin at pairs of lines of the cache.
const ALIGNMENT: usize = 128;

/// The area of an image.
#[derive(Debug)]
pub(crate) struct Staging {
    begin: usize,
    /// Ranges in use: begin and end in the area, in ascending order.
    used: Vec<(usize, usize)>,
}

impl Staging {
    /// Collective over `comm`.
    pub fn new<C: Comm>(comm: &C, memory: &mut Onesided<C>) -> Result<Self> {
        let begin = agree(comm, memory.heap().reserve(AREA_BYTES))?;
        Ok(Self { begin, used: Vec::new() })
    }

    /// Allocates a copy: its offset in the heap, if there is room.
    pub fn allocate(&mut self, heap: &mut Heap, bytes: usize) -> Option<usize> {
        let length = bytes.checked_next_multiple_of(ALIGNMENT)?;
        let mut at = 0;
        for index in 0..=self.used.len() {
            let end = self.used.get(index).map_or(AREA_BYTES, |&(begin, _)| begin);
            if end - at >= length {
                self.used.insert(index, (at, at + length));
                return Some(self.begin + at);
            }
            at = self.used.get(index).map_or(AREA_BYTES, |&(_, end)| end);
        }
        heap.allocate(bytes).ok()
    }

    /// Frees a copy.
    ///
    /// # Errors
    /// If no memory is available.
    pub fn free(&mut self, heap: &mut Heap, offset: usize) -> Result<()> {
        let found = self.used.iter().position(|&(begin, _)| self.begin + begin == offset);
        match found {
            Some(index) => {
                self.used.remove(index);
                Ok(())
            }
            None => heap.free(offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_do_not_overlap_and_the_area_is_used_first() {
        let mut heap = Heap::own(64 << 20).expect("a heap");
        let begin = heap.reserve(AREA_BYTES).expect("a range");
        let mut staging = Staging { begin, used: Vec::new() };
        let is_inside = |offset: usize| (begin..begin + AREA_BYTES).contains(&offset);
        let (mut held, mut state) = (Vec::<(usize, usize)>::new(), 1_usize);
        for _ in 0..2000 {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            if state >> 40 & 3 == 0 && !held.is_empty() {
                let (offset, _) = held.swap_remove((state >> 44) % held.len());
                staging.free(&mut heap, offset).expect("a copy");
                continue;
            }
            if held.len() > 40 {
                continue;
            }
            let bytes = (state >> 33) % 400_000 + 1;
            let offset = staging.allocate(&mut heap, bytes).expect("room");
            assert!(held.iter().all(|&(other, length)| other + length <= offset || offset + bytes <= other));
            held.push((offset, bytes));
        }
        assert!(held.iter().any(|&(offset, _)| !is_inside(offset)), "more than the area has room for");
        for (offset, _) in held {
            staging.free(&mut heap, offset).expect("a copy");
        }
        let whole = staging.allocate(&mut heap, AREA_BYTES).expect("room");
        assert!(whole == begin && !is_inside(staging.allocate(&mut heap, 1).expect("room")));
        assert!(staging.free(&mut heap, begin + 1).is_err());
    }
}
