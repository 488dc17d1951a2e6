//! Strided elements, and elements of an index vector.
//!
//! Idea: a shape describes the elements of an access by their offsets in bytes from a location: per dimension
//! a number and a stride, or a list. Adjacent elements form one run, so the contiguous dimensions of a
//! section cost one copy. Inside a node elements are copied directly. Between nodes they are sent packed, in
//! the order of the shape, and the owner of the location unpacks or packs them; a large access is divided
//! along its last dimension.
//!
//! Cost: a few ns per run in addition to its copy; between nodes 16 bytes per dimension, or 8 per element of
//! an index vector.

use super::kinds::{Kind, PIECE_BYTES};
use super::{Onesided, Request};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::machine::work;
use crate::memory::{Region, bytes_of};
use std::ops::Range;

/// The elements of an access, from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of a run.
    run: usize,
    /// Bytes of all elements.
    bytes: usize,
    /// The offsets of the first byte and of the end from the location.
    bounds: Range<i64>,
    runs: Runs,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Runs {
    /// Number and distance, in bytes, per dimension, the fastest first.
    Strided(Vec<(usize, i64)>),
    /// Distances in bytes.
    Indexed(Vec<i64>),
}

fn too_large() -> Error {
    Error::Count("the section is larger than the address space".into())
}

/// The offsets from the first byte to the end of the last of elements that begin between two distances.
fn bounds_of(first: i64, last: i64, element: i64) -> Result<Range<i64>> {
    let end = last.checked_add(element).ok_or_else(too_large)?;
    // Their difference is the number of bytes that an access touches.
    end.checked_sub(first).map(|_| first..end).ok_or_else(too_large)
}

impl Shape {
    /// Elements of `element` bytes at regular distances: per dimension their number and the distance in
    /// bytes, which may be negative; the fastest first.
    ///
    /// # Errors
    /// [`Error::Count`] where a distance or the size has no 63 bits.
    pub fn strided(element: usize, dimensions: &[(usize, i64)]) -> Result<Self> {
        let element_bytes = i64::try_from(element).map_err(|_| too_large())?;
        let mut bytes = element;
        for &(count, _) in dimensions {
            bytes = bytes
                .checked_mul(count)
                .filter(|&bytes| i64::try_from(bytes).is_ok())
                .ok_or_else(too_large)?;
        }
        let mut run = element;
        let mut rest: Vec<(usize, i64)> = Vec::with_capacity(dimensions.len());
        let (mut first, mut last) = (0_i64, 0_i64);
        for &(count, stride) in dimensions.iter().filter(|(count, _)| *count != 1) {
            let reach = i64::try_from(count.saturating_sub(1)).ok().and_then(|last| last.checked_mul(stride));
            let reach = reach.ok_or_else(too_large)?;
            first = first.checked_add(reach.min(0)).ok_or_else(too_large)?;
            last = last.checked_add(reach.max(0)).ok_or_else(too_large)?;
            if rest.is_empty() && i64::try_from(run) == Ok(stride) {
                run *= count;
            } else {
                rest.push((count, stride));
            }
        }
        let bounds = if bytes == 0 { 0..0 } else { bounds_of(first, last, element_bytes)? };
        Ok(Self { run, bytes, bounds, runs: Runs::Strided(rest) })
    }

    /// Elements of `element` bytes at these distances in bytes.
    ///
    /// # Errors
    /// [`Error::Count`] where a distance or the size has no 63 bits.
    pub fn indexed(element: usize, distances: Vec<i64>) -> Result<Self> {
        let element_bytes = i64::try_from(element).map_err(|_| too_large())?;
        let bytes = element.checked_mul(distances.len()).filter(|&bytes| i64::try_from(bytes).is_ok());
        let bytes = bytes.ok_or_else(too_large)?;
        let (least, most) = (distances.iter().min(), distances.iter().max());
        let bounds = match least.zip(most) {
            Some((&least, &most)) if element > 0 => bounds_of(least, most, element_bytes)?,
            _ => 0..0,
        };
        Ok(Self { run: element, bytes, bounds, runs: Runs::Indexed(distances) })
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The offsets of the first byte and of the end from the location.
    pub fn bounds(&self) -> Range<i64> {
        self.bounds.clone()
    }

    /// The range of offsets that an access from this offset on touches, if no offset is negative.
    pub fn range(&self, offset: usize) -> Option<Range<usize>> {
        let at = |distance: i64| i64::try_from(offset).ok()?.checked_add(distance)?.try_into().ok();
        Some(at(self.bounds.start)?..at(self.bounds.end)?)
    }

    /// Bytes of a run of neighbours.
    pub fn run(&self) -> usize {
        self.run
    }

    /// Calls `work` with the distance of every run, in the order of the shape.
    pub fn for_each(&self, mut work: impl FnMut(i64)) {
        if self.bytes == 0 {
            return;
        }
        match &self.runs {
            Runs::Indexed(distances) => distances.iter().copied().for_each(work),
            Runs::Strided(dimensions) => match dimensions[..] {
                [] => work(0),
                [(count, stride), ref outer @ ..] => each_outer(outer, 0, &mut |begin| {
                    (0..count as i64).for_each(|index| work(begin + index * stride));
                }),
            },
        }
    }

    /// Copies the elements from a place to packed bytes. The region is what the shape touches, from its
    /// lowest byte on.
    ///
    /// # Panics
    /// Where either has another length.
    pub fn gather(&self, from: Region<'_>, into: Region<'_>) {
        assert_eq!((from.len(), into.len()), (self.extent(), self.bytes), "bytes of a shape");
        let mut at = 0;
        self.for_each(|distance| {
            let begin = (distance - self.bounds.start) as usize;
            from.part(begin..begin + self.run).copy_to(into.part(at..at + self.run));
            at += self.run;
        });
    }

    /// Copies packed bytes to the elements at a place; see [`Self::gather`].
    ///
    /// # Panics
    /// As [`Self::gather`].
    pub fn scatter(&self, from: Region<'_>, into: Region<'_>) {
        assert_eq!((from.len(), into.len()), (self.bytes, self.extent()), "bytes of a shape");
        let mut at = 0;
        self.for_each(|distance| {
            let begin = (distance - self.bounds.start) as usize;
            from.part(at..at + self.run).copy_to(into.part(begin..begin + self.run));
            at += self.run;
        });
    }

    /// Bytes from the lowest to the highest one.
    pub fn extent(&self) -> usize {
        (self.bounds.end - self.bounds.start) as usize
    }

    /// Parts whose bytes do not exceed a limit where a dimension can be cut, each with its distance from the
    /// place.
    pub(super) fn cut(&self, limit: usize) -> Vec<(i64, Self)> {
        if self.bytes <= limit {
            return vec![(0, self.clone())];
        }
        match &self.runs {
            Runs::Indexed(distances) => {
                let several = (limit / self.run).max(1);
                let part = |part: &[i64]| Self::indexed(self.run, part.to_vec()).expect("a part of a shape");
                distances.chunks(several).map(|distances| (0, part(distances))).collect()
            }
            Runs::Strided(dimensions) => {
                let Some((&(count, stride), inner)) = dimensions.split_last() else {
                    return self.cut_run(limit);
                };
                let slice = self.bytes / count;
                let several = (limit / slice).clamp(1, count);
                let firsts = (0..count).step_by(several);
                firsts
                    .flat_map(|first| {
                        let last = (several.min(count - first), stride);
                        let dimensions = [inner, &[last]].concat();
                        let part = Self::strided(self.run, &dimensions).expect("a part of a shape");
                        let begin = first as i64 * stride;
                        part.cut(limit).into_iter().map(move |(distance, part)| (begin + distance, part))
                    })
                    .collect()
            }
        }
    }

    /// As [`Self::cut`], of one run.
    fn cut_run(&self, limit: usize) -> Vec<(i64, Self)> {
        let begins = (0..self.run).step_by(limit);
        let part = |begin: usize| Self::strided(limit.min(self.run - begin), &[]).expect("a part of a shape");
        begins.map(|begin| (begin as i64, part(begin))).collect()
    }

    /// As words for another rank.
    pub(super) fn words(&self) -> Vec<u64> {
        match &self.runs {
            Runs::Strided(dimensions) => {
                let head = [self.run as u64, dimensions.len() as u64];
                let rest = dimensions.iter().flat_map(|&(count, stride)| [count as u64, stride as u64]);
                head.into_iter().chain(rest).collect()
            }
            Runs::Indexed(distances) => {
                let head = [self.run as u64 | INDEXED, distances.len() as u64];
                head.into_iter().chain(distances.iter().map(|&distance| distance as u64)).collect()
            }
        }
    }

    /// The shape that another rank has sent, and the bytes after it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let word = |index: usize| {
            let bytes = bytes.get(index.checked_mul(8)?..)?.get(..8)?;
            Some(u64::from_ne_bytes(bytes.try_into().expect("eight bytes")))
        };
        let (run, count) = (word(0)?, word(1)? as usize);
        let element = (run & !INDEXED) as usize;
        let per_entry = if run & INDEXED == 0 { 2 } else { 1 };
        let end = count.checked_mul(per_entry)?.checked_add(2)?;
        let rest = bytes.get(end.checked_mul(8)?..)?;
        let shape = if run & INDEXED == 0 {
            let dimension = |index: usize| Some((word(2 + 2 * index)? as usize, word(3 + 2 * index)? as i64));
            Self::strided(element, &(0..count).map(dimension).collect::<Option<Vec<_>>>()?)
        } else {
            let distance = |index: usize| Some(word(2 + index)? as i64);
            Self::indexed(element, (0..count).map(distance).collect::<Option<Vec<_>>>()?)
        };
        Some((shape.ok()?, rest))
    }
}

/// Marks the length of a run in a shape with an index vector.
const INDEXED: u64 = 1 << 63;

/// Calls `work` with the distance of every slice, the last dimension slowest.
fn each_outer(dimensions: &[(usize, i64)], begin: i64, work: &mut impl FnMut(i64)) {
    let Some((&(count, stride), inner)) = dimensions.split_last() else { return work(begin) };
    for index in 0..count as i64 {
        each_outer(inner, begin + index * stride, work);
    }
}

impl<C: Comm> Onesided<C> {
    /// Writes packed bytes to the elements of a shape at a place.
    ///
    /// # Panics
    /// Where the lengths differ, or the shape does not lie in the heap.
    pub fn put_shape(&mut self, comm: &C, to: usize, offset: usize, shape: &Shape, from: Region<'_>) {
        let range = shape.range(offset).expect("a shape in the heap");
        assert_eq!(from.len(), shape.bytes(), "bytes of a shape");
        comm.charge(work::COPY.of(from.len()));
        if let Some(into) = self.here(to, range.start, range.len()) {
            shape.scatter(from, into);
            self.counts.local_puts += 1;
            self.counts.local_bytes += from.len() as u64;
            return;
        }
        self.counts.remote_puts += 1;
        self.counts.remote_bytes += from.len() as u64;
        let mut at = 0;
        for (distance, part) in shape.cut(PIECE_BYTES) {
            let begin = (offset as i64 + distance) as u64;
            let elements = from.part(at..at + part.bytes());
            self.messages.send_region(to, Kind::PutShape as u8, begin, bytes_of(&part.words()), elements);
            at += part.bytes();
        }
    }

    /// Starts reading the elements of a shape at a place into packed bytes; see [`Self::get`].
    ///
    /// # Panics
    /// As [`Self::put_shape`].
    pub fn get_shape(
        &mut self,
        comm: &C,
        from: usize,
        offset: usize,
        shape: &Shape,
        into: Region<'_>,
    ) -> Request {
        let range = shape.range(offset).expect("a shape in the heap");
        assert_eq!(into.len(), shape.bytes(), "bytes of a shape");
        comm.charge(work::COPY.of(into.len()));
        if let Some(from) = self.here(from, range.start, range.len()) {
            shape.gather(from, into);
            self.counts.local_gets += 1;
            self.counts.local_bytes += into.len() as u64;
            return Request::DONE;
        }
        self.counts.remote_gets += 1;
        self.counts.remote_bytes += into.len() as u64;
        let mut at = 0;
        let pieces = shape.cut(PIECE_BYTES).into_iter().map(move |(distance, part)| {
            let mut words = vec![(offset as i64 + distance) as u64, at as u64];
            words.append(&mut part.words());
            at += part.bytes();
            (Kind::GetShape as u8, words)
        });
        self.ask(from, into.len(), pieces)
    }
}
