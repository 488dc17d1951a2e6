//! Scratch memory of bounded size, handed out in pieces that MPI or another process may use.

use super::Region;
use crate::error::{Error, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// Pieces start at lines of the cache.
const LINE: usize = 64;

/// Scratch memory; pieces are taken and given back in any order.
#[derive(Debug)]
pub struct Scratch {
    memory: NonNull<u8>,
    layout: Layout,
    /// Where the first line of the cache starts.
    start: usize,
    /// Taken pieces in ascending order.
    taken: Vec<Range<usize>>,
}

// SAFETY: the memory belongs to this value alone, like that of a Vec.
unsafe impl Send for Scratch {}

impl Scratch {
    /// Scratch memory of so many bytes, in whole lines; untouched pages cost nothing yet.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is not so much.
    pub fn new(bytes: usize) -> Result<Self> {
        // Zeroed memory of ordinary alignment comes from the kernel untouched; memory that is aligned
        // to more would be touched to zero it.
        let refused = || Error::Memory(format!("no {bytes} bytes of additional memory (HCUBE_MEMORY)"));
        let layout =
            Layout::from_size_align(bytes.next_multiple_of(LINE) + LINE, 1).map_err(|_| refused())?;
        // SAFETY: the layout has a size above 0.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        let start = memory.addr().get().next_multiple_of(LINE) - memory.addr().get();
        Ok(Self { memory, layout, start, taken: Vec::new() })
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.layout.size() - LINE
    }

    /// Takes the first free piece of this length, if there is one.
    pub fn take(&mut self, length: usize) -> Option<Range<usize>> {
        let length = length.next_multiple_of(LINE);
        let mut start = 0;
        let mut position = self.taken.len();
        for (index, piece) in self.taken.iter().enumerate() {
            if piece.start - start >= length {
                position = index;
                break;
            }
            start = piece.end;
        }
        if start + length > self.size() {
            return None;
        }
        self.taken.insert(position, start..start + length);
        Some(start..start + length)
    }

    /// Gives a piece back.
    pub fn give(&mut self, piece: &Range<usize>) {
        self.taken.retain(|taken| taken.start != piece.start);
    }

    /// Hands out the first bytes of a piece that is taken and that no transfer uses now.
    pub fn with<T>(&mut self, piece: &Range<usize>, length: usize, work: impl FnOnce(&mut [u8]) -> T) -> T {
        assert!(self.taken.contains(piece) && length <= piece.len());
        // SAFETY: inside the memory; whoever has taken the piece says that nothing else uses it, and
        // the closure ends before this value is used again. Bytes have no invalid values.
        work(unsafe {
            std::slice::from_raw_parts_mut(self.memory.as_ptr().add(self.start + piece.start), length)
        })
    }

    /// The first bytes of a piece. Its contents are whatever was written last, and nobody else's.
    pub fn region(&self, start: usize, length: usize) -> Region<'static> {
        assert!(start + length <= self.size());
        // SAFETY: inside the memory, to which no reference is ever made. It lives as long as this
        // value, which outlives the exchange that uses the piece: a failure in the middle of an
        // exchange ends the process.
        unsafe { Region::new(self.memory.as_ptr().add(self.start + start), length) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fill_gaps_and_stay_apart() {
        let mut scratch = Scratch::new(256).expect("memory");
        let pieces: Vec<_> = (0..4).map(|_| scratch.take(60).expect("room")).collect();
        assert_eq!(pieces, [0..64, 64..128, 128..192, 192..256]);
        assert_eq!(scratch.take(1), None);
        scratch.give(&pieces[1]);
        scratch.give(&pieces[2]);
        assert_eq!(scratch.take(129), None);
        assert_eq!(
            (scratch.take(64), scratch.take(64), scratch.take(64)),
            (Some(64..128), Some(128..192), None)
        );
    }
}
