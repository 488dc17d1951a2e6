//! Memory of other images outside of the heaps, such as the targets of pointers: accessed by single copy.
//!
//! Idea: the kernel copies from and to the memory of another process of the node without its involvement. A
//! system call takes as long as hundreds of small copies, so lines of that memory are cached: gets fetch
//! whole lines, and puts are collected in them, until the next image control statement of this image. Until
//! then Fortran permits no other image to change what this one reads, or to read what it changes (Fortran
//! 2018, 11.6.2: segments). Gets of this image see its own puts.
//!
//! Restrictions: inside of a node, if the system permits it. Memory behind a pointer in such memory, and
//! memory on other nodes, is accessed by its image ([`super::remote`]).
//! Cost: two system calls per line, one to read and one per run of bytes that were put; long runs are not
//! cached.
//! Memory: up to [`MAX_LINES`] lines.

use super::elements::Elements;
use crate::failure::{Failure, Image, Result};
use crate::section::Section;
use hcube_core::error::Error;
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{Process, Refused};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

/// Bytes of a line: a page, so that a line can be read if one byte of it can.
const LINE_BYTES: usize = 4096;
/// Cached lines.
const MAX_LINES: usize = 1024;
/// Bits of a word of a mask; each stands for a byte of the line.
const WORD_BITS: usize = u64::BITS as usize;

/// Bytes of a line.
#[derive(Debug, Clone)]
struct Mask([u64; LINE_BYTES / WORD_BITS]);

impl Mask {
    const fn new() -> Self {
        Self([0; LINE_BYTES / WORD_BITS])
    }

    /// The words of a range, and its bits in them.
    fn words(range: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        let first = range.start / WORD_BITS;
        (first..range.end.div_ceil(WORD_BITS)).map(move |word| {
            let begin = range.start.max(word * WORD_BITS) - word * WORD_BITS;
            let end = range.end.min((word + 1) * WORD_BITS) - word * WORD_BITS;
            (word, u64::MAX >> (WORD_BITS - (end - begin)) << begin)
        })
    }

    fn set(&mut self, range: Range<usize>) {
        Self::words(range).for_each(|(word, bits)| self.0[word] |= bits);
    }

    fn has_all(&self, range: Range<usize>) -> bool {
        Self::words(range).all(|(word, bits)| self.0[word] & bits == bits)
    }

    /// The bytes that are set, or those that are not.
    fn runs(&self, are_set: bool) -> impl Iterator<Item = Range<usize>> {
        let is = move |at: &usize| (self.0[at / WORD_BITS] >> (at % WORD_BITS) & 1 == 1) == are_set;
        let mut at = 0;
        std::iter::from_fn(move || {
            let begin = (at..LINE_BYTES).find(is)?;
            at = (begin..LINE_BYTES).find(|next| !is(next)).unwrap_or(LINE_BYTES);
            Some(begin..at)
        })
    }
}

/// A line of the memory of another image.
#[derive(Debug)]
struct Line {
    bytes: Box<[u8; LINE_BYTES]>,
    /// Bytes that are as they are there, or were put.
    known: Mask,
    /// Bytes that were put and are not yet there.
    changed: Mask,
}

impl Line {
    fn new() -> Self {
        Self { bytes: Box::new([0; LINE_BYTES]), known: Mask::new(), changed: Mask::new() }
    }

    /// Reads the line, except for what was put.
    fn fetch(&mut self, process: Process, address: usize) -> std::result::Result<(), Refused> {
        let mut bytes = [0; LINE_BYTES];
        process.read(address as u64, Region::of(&mut bytes))?;
        for run in self.changed.runs(false) {
            self.bytes[run.clone()].copy_from_slice(&bytes[run]);
        }
        self.known.set(0..LINE_BYTES);
        Ok(())
    }
}

/// The processes of the images of this node, and lines of their memory by image and address.
#[derive(Debug, Default)]
struct Outside {
    processes: HashMap<usize, Process>,
    lines: HashMap<(usize, usize), Line>,
}

thread_local! {
    static OUTSIDE: RefCell<Outside> = RefCell::default();
    /// Whether there are lines.
    static HAS_LINES: Cell<bool> = const { Cell::new(false) };
}

/// Collective over all images: finds out which memory can be accessed.
pub fn begin(image: &Image) -> Result<()> {
    let processes = image.processes()?.unwrap_or_default().into_iter().collect();
    OUTSIDE.with_borrow_mut(|outside| outside.processes = processes);
    Ok(())
}

/// The elements of a section of the memory of an image; none if they cannot be accessed.
pub fn read(image: usize, section: &Section) -> Option<Elements> {
    let counts = section.extents().iter().map(|extent| extent.count).collect();
    let mut elements = Elements { element: section.element, counts, bytes: vec![0; section.bytes()] };
    let done = OUTSIDE.with_borrow_mut(|outside| {
        let process = *outside.processes.get(&image)?;
        let mut rest = &mut elements.bytes[..];
        for (address, bytes) in runs(section) {
            let (run, further) = rest.split_at_mut(bytes);
            outside.read((image, process), address, run).ok()?;
            rest = further;
        }
        Some(())
    });
    done.map(|()| elements)
}

/// Puts packed elements to a section of the memory of an image. Whether they can be accessed.
///
/// # Safety
/// The section is one of elements to which the program may assign.
pub unsafe fn write(image: usize, section: &Section, mut bytes: &[u8]) -> Result<bool> {
    OUTSIDE.with_borrow_mut(|outside| {
        let Some(&process) = outside.processes.get(&image) else { return Ok(false) };
        for (address, count) in runs(section) {
            let (run, further) = bytes.split_at(count);
            // SAFETY: the program may assign to the elements of the section, of which this is a run.
            unsafe { outside.write((image, process), address, run) }
                .map_err(|refused| failure(image, &refused))?;
            bytes = further;
        }
        Ok(true)
    })
}

/// The end of a segment: what was put gets to its place, and what was read is forgotten.
#[inline]
pub fn end_segment() -> Result<()> {
    if HAS_LINES.get() { end_lines() } else { Ok(()) }
}

#[cold]
fn end_lines() -> Result<()> {
    OUTSIDE.with_borrow_mut(|outside| outside.end().map_err(|(image, refused)| failure(image, &refused)))
}

fn failure(image: usize, refused: &Refused) -> Failure {
    if refused.is_lost() {
        return Error::FailedImage { image }.into();
    }
    Failure::new(format!("memory behind a pointer of image {}: {}", image + 1, refused.error))
}

/// The addresses of runs of contiguous elements, and their bytes.
fn runs(section: &Section) -> impl Iterator<Item = (usize, usize)> {
    let mut addresses = section.addresses().map(<*mut u8>::addr).peekable();
    let element = section.element;
    std::iter::from_fn(move || {
        let begin = addresses.next()?;
        let mut end = begin + element;
        while addresses.next_if_eq(&end).is_some() {
            end += element;
        }
        Some((begin, end - begin))
    })
}

/// The parts of a run in lines: the address of the line, and the bytes in it.
fn parts(address: usize, bytes: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let end = address + bytes;
    let mut at = address;
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let line = at / LINE_BYTES * LINE_BYTES;
        let part = at - line..end.min(line + LINE_BYTES) - line;
        at = line + LINE_BYTES;
        Some((line, part))
    })
}

impl Outside {
    /// The line at an address, or a new one.
    fn line(&mut self, image: usize, address: usize) -> std::result::Result<&mut Line, Refused> {
        if self.lines.len() >= MAX_LINES && !self.lines.contains_key(&(image, address)) {
            self.end().map_err(|(_, refused)| refused)?;
        }
        HAS_LINES.set(true);
        Ok(self.lines.entry((image, address)).or_insert_with(Line::new))
    }

    fn read(
        &mut self,
        (image, process): (usize, Process),
        address: usize,
        mut into: &mut [u8],
    ) -> std::result::Result<(), Refused> {
        if into.len() >= LINE_BYTES {
            self.end().map_err(|(_, refused)| refused)?;
            return process.read(address as u64, Region::of(into));
        }
        for (at, part) in parts(address, into.len()) {
            let line = self.line(image, at)?;
            if !line.known.has_all(part.clone()) {
                line.fetch(process, at)?;
            }
            let (here, further) = into.split_at_mut(part.len());
            here.copy_from_slice(&line.bytes[part]);
            into = further;
        }
        Ok(())
    }

    /// # Safety
    /// As the function of the module.
    unsafe fn write(
        &mut self,
        (image, process): (usize, Process),
        address: usize,
        mut from: &[u8],
    ) -> std::result::Result<(), Refused> {
        if from.len() >= LINE_BYTES {
            self.end().map_err(|(_, refused)| refused)?;
            // SAFETY: only read; the place is one to which the program may assign in this segment.
            return unsafe {
                let bytes = Region::new(from.as_ptr().cast_mut(), from.len());
                process.write(address as u64, bytes)
            };
        }
        for (at, part) in parts(address, from.len()) {
            let line = self.line(image, at)?;
            let (here, further) = from.split_at(part.len());
            line.bytes[part.clone()].copy_from_slice(here);
            line.known.set(part.clone());
            line.changed.set(part);
            from = further;
        }
        Ok(())
    }

    /// Brings what was put to its place, and forgets all lines. The image where that cannot be done.
    fn end(&mut self) -> std::result::Result<(), (usize, Refused)> {
        HAS_LINES.set(false);
        for ((image, address), mut line) in self.lines.drain() {
            let Some(&process) = self.processes.get(&image) else { continue };
            for run in line.changed.runs(true) {
                let place = (address + run.start) as u64;
                let bytes = Region::of(&mut line.bytes[run]);
                // SAFETY: bytes that were put in this segment, so that no other image accesses them.
                match unsafe { process.write(place, bytes) } {
                    // An image that has failed needs them no more, and its status is the matter of others.
                    Err(refused) if !refused.is_lost() => return Err((image, refused)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_runs() {
        let mut mask = Mask::new();
        for range in [0..1, 60..70, 128..256, 4095..4096] {
            mask.set(range.clone());
            assert!(mask.has_all(range));
        }
        assert!(!mask.has_all(0..2) && !mask.has_all(59..70) && !mask.has_all(128..257));
        assert_eq!(mask.runs(true).collect::<Vec<_>>(), [0..1, 60..70, 128..256, 4095..4096]);
        assert_eq!(mask.runs(false).collect::<Vec<_>>(), [1..60, 70..128, 256..4095]);
        assert_eq!(Mask::new().runs(true).count(), 0);
        mask.set(0..LINE_BYTES);
        assert!(mask.runs(true).eq(std::iter::once(0..LINE_BYTES)));
    }

    #[test]
    fn runs_are_divided_at_lines() {
        let all = |address, bytes| parts(address, bytes).collect::<Vec<_>>();
        assert_eq!(all(8192, 10), [(8192, 0..10)]);
        assert_eq!(all(8190, 10), [(4096, 4094..4096), (8192, 0..8)]);
        assert_eq!(all(8191, 4098), [(4096, 4095..4096), (8192, 0..4096), (12288, 0..1)]);
        assert_eq!(all(5, 0), []);
        let base = std::ptr::without_provenance_mut(1000);
        let mut section = Section::scalar(base, 8);
        section.push(3, 8);
        section.push(2, 24);
        section.push(2, -100);
        assert_eq!(runs(&section).collect::<Vec<_>>(), [(1000, 48), (900, 48)]);
    }
}
