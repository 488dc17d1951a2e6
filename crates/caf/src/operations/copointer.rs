//! Copointers: pointers to memory in coarrays of other images, which may be passed to any image.
//!
//! Idea: two words: the address, and the number of bytes that may be accessed from there. They have the same
//! meaning on all images, so they can be arguments of shipped functions or elements of coarrays, also for
//! images outside of the coarray's team.
//!
//! Restrictions: accesses are checked against the number of bytes, the number of images and the range of the
//! heap. Other images do not know whether the coarray has been freed.
//! Cost: an access, without a lookup.
//! Source: Mellor-Crummey et al. 2009, "A new vision for Coarray Fortran"; the two words are our own.

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::place::Place;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::onesided::Atomic;

/// A pointer to memory of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Copointer {
    /// The image in the lower 24 bits, the offset in its heap in the others.
    pub place: u64,
    /// Bytes that may be accessed from there.
    pub bytes: u64,
}

impl Copointer {
    /// Encoded as words, to be passed to other images.
    pub const fn words(self) -> [u64; 2] {
        [self.place, self.bytes]
    }

    /// From [`Self::words`]. Other words result in a copointer whose accesses are errors, or access other
    /// memory in heaps.
    pub const fn from_words([place, bytes]: [u64; 2]) -> Self {
        Self { place, bytes }
    }

    /// The image: its rank in the job.
    pub const fn image(self) -> usize {
        Place::of(self.place).image
    }

    /// Bytes that may be accessed.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }

    /// The place of a range, if it is inside.
    fn place(self, at: usize, length: usize) -> Result<Place> {
        let Place { image, offset } = Place::of(self.place);
        match at.checked_add(length) {
            Some(end) if end as u64 <= self.bytes => Ok(Place { image, offset: offset.saturating_add(at) }),
            _ => {
                let given = format!("{} (offset = {at}, bytes = {length})", at as u128 + length as u128);
                let expected = format!("at most {}, the bytes of the copointer", self.bytes);
                Err(Error::argument("offset + bytes", given, expected))
            }
        }
    }
}

impl<C: Comm> Runtime<C> {
    /// A copointer to a coarray on a member, from `at` on to its end.
    ///
    /// # Errors
    /// As [`Self::place`].
    pub fn copointer(&self, coarray: Handle, rank: usize, at: usize) -> Result<Copointer> {
        let place = self.place_of_data(coarray, rank, at, 0)?.word();
        let bytes = self.with(|image| Ok(image.coarrays.get(coarray)?.bytes() - at))? as u64;
        Ok(Copointer { place, bytes })
    }

    /// The place of a range of a copointer.
    ///
    /// # Errors
    /// For an image that is not in the job, a range outside of the copointer's bytes or of the heap.
    pub(crate) fn place_of_copointer(&self, copointer: Copointer, at: usize, length: usize) -> Result<Place> {
        let place = copointer.place(at, length)?;
        self.with(|image| {
            let images = image.comm.size();
            if place.image >= images {
                let expected = format!("one of an image from 0 to {}", images - 1);
                return Err(Error::argument(
                    "copointer",
                    format_args!("one of image {}", place.image),
                    expected,
                ));
            }
            if image.memory.is_accessible(place.offset, length) {
                return Ok(place);
            }
            let given = format!("one of {length} bytes at offset {}", place.offset);
            Err(Error::argument("copointer", given, "a range of the heap that programs have"))
        })
    }

    /// Writes to where a copointer leads, from `at` on; see [`Self::put`].
    ///
    /// # Errors
    /// As `Self::place_of_copointer`; if an image has failed or stopped.
    pub fn put_to(&self, copointer: Copointer, at: usize, from: Region<'_>) -> Result<()> {
        let place = self.place_of_copointer(copointer, at, from.len())?;
        self.put_place(place, from)
    }

    /// Reads from where a copointer leads, from `at` on; see [`Self::get`].
    ///
    /// # Errors
    /// As [`Self::put_to`].
    pub fn get_from(&self, copointer: Copointer, at: usize, into: Region<'_>) -> Result<()> {
        let place = self.place_of_copointer(copointer, at, into.len())?;
        self.get_place(place, into)
    }

    /// An atomic operation on the word at `at` from where a copointer leads: what it was before.
    ///
    /// # Errors
    /// As [`Self::put_to`], and for a word that does not begin at a multiple of 8 bytes in the heap.
    pub fn atomic_at(&self, copointer: Copointer, at: usize, operation: Atomic, operand: u64) -> Result<u64> {
        let place = self.place_of_copointer(copointer, at, size_of::<u64>())?;
        if !place.offset.is_multiple_of(size_of::<u64>()) {
            return Err(Error::argument("offset", at, "a multiple of 8 bytes"));
        }
        self.atomic_place(place, operation, operand)
    }
}
