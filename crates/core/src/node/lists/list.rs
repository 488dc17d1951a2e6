//! A list of records in chunks of memory: its writer and its reader.
//!
//! A chunk starts with two words: the location of the next chunk, and the end of its records. Chunks of a
//! list double in size up to [`MAX_CHUNK`], so a list of a few records needs little memory and a long list
//! few chunks.

use crate::atomic;
use crate::memory::Region;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Records and payloads begin at multiples of this many bytes, which suits every type of C.
const ALIGNMENT: usize = 16;
/// Bytes before the payload of a record, and before the records of a chunk.
const HEAD: usize = 16;
/// Bytes of the first chunk of a list, where a rank has few lists and where it has many.
const FIRST_CHUNK: usize = if cfg!(hcube_model) { 64 } else { 4 << 10 };
const FIRST_CHUNK_OF_MANY: usize = 1 << 10;
const MANY_LISTS: usize = 256;
/// Bytes up to which chunks double.
const MAX_CHUNK: usize = 1 << 20;

/// The list of one reader, at the writer. Offsets count from the start of the segment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Writer {
    /// The first chunk; 0 if the list has no chunk, since no buffer begins there.
    first: usize,
    /// The last chunk, where its next record goes, and where it ends.
    chunk: usize,
    at: usize,
    end: usize,
}

impl Writer {
    #[inline]
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    pub fn is_empty(&self) -> bool {
        self.first == 0
    }

    /// Takes bytes that are left; where they begin.
    #[inline]
    pub fn take(&mut self, bytes: usize) -> usize {
        debug_assert!(bytes <= self.left());
        let at = self.at;
        self.at += bytes;
        at
    }

    /// Bytes of the next chunk, which is to hold a record.
    pub fn next_chunk(&self, record: usize, lists: usize) -> usize {
        let first = if lists > MANY_LISTS { FIRST_CHUNK_OF_MANY } else { FIRST_CHUNK };
        let doubled =
            if self.is_empty() { first } else { (2 * (self.end - self.chunk)).clamp(first, MAX_CHUNK) };
        doubled.max(record + HEAD)
    }

    /// Goes on in a chunk of `length` bytes at `place`.
    ///
    /// # Safety
    /// The chunk, and those before, are memory of this list from `segment` on that nobody else accesses.
    pub unsafe fn append(&mut self, segment: NonNull<u8>, place: usize, length: usize) {
        if self.is_empty() {
            self.first = place;
        } else {
            // SAFETY: there is a chunk, in memory of this list that nobody else accesses.
            unsafe { self.end_chunk(segment, place) };
        }
        (self.chunk, self.at, self.end) = (place, place + HEAD, place + length);
    }

    /// Writes the two words of the last chunk.
    ///
    /// # Safety
    /// As [`Self::append`]; there is a chunk.
    unsafe fn end_chunk(&self, segment: NonNull<u8>, next: usize) {
        // SAFETY: a chunk of this list, which begins aligned with two words that nobody else accesses.
        unsafe {
            atomic::written(segment.add(self.chunk).as_ptr());
            segment.add(self.chunk).cast::<[u64; 2]>().write([next as u64, self.at as u64]);
        }
    }

    /// Ends the list; what readers find it by.
    ///
    /// # Safety
    /// As [`Self::append`].
    pub unsafe fn close(&mut self, segment: NonNull<u8>) -> u64 {
        if self.is_empty() {
            return 0;
        }
        // SAFETY: there is a chunk, in memory of this list that nobody else accesses.
        unsafe { self.end_chunk(segment, 0) };
        std::mem::take(self).first as u64
    }
}

/// The header of a record, before its payload.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Head {
    value: u64,
    /// The label, and the bytes of the payload.
    rest: u64,
}

/// Bits of [`Head::rest`] that hold the bytes of the payload.
const LENGTH_BITS: u32 = 40;
/// Labels are smaller.
pub const LABELS: u32 = 1 << (u64::BITS - LENGTH_BITS);

impl Head {
    #[inline(always)]
    pub fn new(value: u64, label: u32, length: usize) -> Self {
        assert!(label < LABELS && length <= MAX_PAYLOAD_BYTES, "label {label}, {length} bytes");
        Self { value, rest: u64::from(label) << LENGTH_BITS | length as u64 }
    }

    #[inline]
    fn length(self) -> usize {
        (self.rest & MAX_PAYLOAD_BYTES as u64) as usize
    }
}

const _: () = assert!(size_of::<Head>() == HEAD && HEAD.is_multiple_of(ALIGNMENT));

/// The longest payload of a record.
pub const MAX_PAYLOAD_BYTES: usize = (1 << LENGTH_BITS) - 1;

/// Bytes that a record with a payload of `length` bytes takes.
#[inline]
pub(super) const fn record_bytes(length: usize) -> usize {
    HEAD + length.next_multiple_of(ALIGNMENT)
}

/// Writes the head of a record; the region of its payload.
///
/// # Safety
/// [`record_bytes`] from `at` on, aligned, are memory that nobody else accesses during `'a`.
#[inline(always)]
pub(super) unsafe fn write<'a>(at: NonNull<u8>, head: Head) -> Region<'a> {
    // SAFETY: aligned memory for the head and the payload, which nobody else accesses during `'a`.
    unsafe {
        atomic::written(at.as_ptr());
        at.cast::<Head>().write(head);
        Region::new(at.add(HEAD).as_ptr(), head.length())
    }
}

/// A record of a list.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The caller's.
    pub value: u64,
    /// The caller's.
    pub label: u32,
    /// The words written by the writer.
    pub payload: Region<'a>,
}

/// Where a list begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct List(u64);

impl List {
    pub(super) fn at(offset: u64) -> Self {
        Self(offset)
    }

    /// Whether it has no record.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The records.
    ///
    /// # Safety
    /// During `'a` the chunks of the list from `segment` on stay what the writer has published.
    pub(super) unsafe fn records<'a>(self, segment: NonNull<u8>) -> Records<'a> {
        Records { segment, next: self.0 as usize, at: 0, end: 0, alive: PhantomData }
    }
}

/// The records of a list, in the order in which they were written.
#[derive(Debug)]
pub struct Records<'a> {
    segment: NonNull<u8>,
    /// The chunk after this one, or 0.
    next: usize,
    /// The next record of this chunk, and where they end.
    at: usize,
    end: usize,
    alive: PhantomData<&'a ()>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        // A chunk is begun for a record, so none is empty.
        if self.at == self.end {
            if self.next == 0 {
                return None;
            }
            // SAFETY: the words that `Writer::end_chunk` has written, by the contract of `List::records`.
            let [next, end] = unsafe {
                let chunk = self.segment.add(self.next);
                atomic::read(chunk.as_ptr());
                chunk.cast::<[u64; 2]>().read()
            };
            (self.at, self.end, self.next) = (self.next + HEAD, end as usize, next as usize);
        }
        // SAFETY: what `write` has written here.
        let (head, payload) = unsafe {
            let at = self.segment.add(self.at);
            atomic::read(at.as_ptr());
            (at.cast::<Head>().read(), at.add(HEAD))
        };
        let length = head.length();
        self.at += record_bytes(length);
        // SAFETY: after the head, inside the chunk, which stays during 'a.
        let payload = unsafe { Region::new(payload.as_ptr(), length) };
        Some(Record { value: head.value, label: (head.rest >> LENGTH_BITS) as u32, payload })
    }
}
