//! References to memory that only its image can access: that image follows them.
//!
//! Idea: a request contains the location of the coarray, its size, its bounds and the steps; for a put also
//! the packed elements. The image follows the steps in its own memory, and replies with packed elements, or
//! when it has written.
//!
//! Cost: a request and a reply.

use super::elements::Elements;
use super::path::{Path, Words};
use super::resize::Whole;
use super::{Start, Target, Walk, object, outside};
use crate::abi::Dimension;
use crate::convert::Type;
use crate::failure::{Failure, Image, Result};
use crate::request;
use crate::section::{Section, copy};
use crate::statistics;
use crate::token::Token;
use crate::transfer::{assign, conform};
use hcube_core::memory::bytes_of;
use std::ffi::c_int;

/// The request.
const GET: i64 = 0;
const PUT: i64 = 1;
const PRESENT: i64 = 2;

/// A coarray on another image, and a reference.
pub struct Remote<'a> {
    /// The state of this image.
    pub image: &'a Image,
    /// The coarray.
    pub token: &'a Token,
    /// The image: its rank in the team of the coarray.
    pub rank: usize,
    /// The reference.
    pub path: &'a Path,
}

/// An element for which nothing was found.
pub fn not_allocated() -> Failure {
    Failure::new("the component is not allocated, or a pointer that is not associated, on that image")
}

impl Remote<'_> {
    /// Asks the image.
    fn ask(&self, kind: i64, further: &[i64], bytes: &[u8]) -> Result<Vec<u8>> {
        let place = self.image.place(self.token.data()?, self.rank, 0, 0)?;
        statistics::note_image(self.image, place.image, statistics::Path::Request);
        // That image accesses memory in which this one may have put something.
        outside::end_segment()?;
        // SAFETY: a token's descriptor lives as long as the token.
        let dimensions = unsafe { (*self.token.descriptor()).dimensions() };
        let mut words = vec![kind, place.offset as i64, self.token.bytes as i64, dimensions.len() as i64];
        words.extend(
            dimensions.iter().flat_map(|one| [one.stride, one.lower, one.upper]).map(|word| word as i64),
        );
        words.extend(self.path.words());
        words.extend(further);
        request::ask(self.image, place.image, &[bytes_of(&words), bytes].concat())
    }

    /// Reads the elements.
    pub fn get(&self) -> Result<Elements> {
        let answer = self.ask(GET, &[], &[])?;
        let mut words = Words::new(&answer);
        let element = words.take()? as usize;
        let rank = words.take()?;
        let counts = (0..rank).map(|_| words.take().map(|count| count as usize)).collect::<Result<_>>()?;
        Ok(Elements { element, counts, bytes: words.rest().to_vec() })
    }

    /// Writes the elements, which are packed; `resizes`: the component gets the shape of the source.
    pub fn put(&self, to: (i8, c_int), of: Type, source: &Elements, resizes: bool) -> Result<()> {
        let mut words = vec![i64::from(resizes), to.0.into(), to.1.into()];
        words.extend([of.kind.into(), of.parameter.into(), of.bytes as i64, source.counts.len() as i64]);
        words.extend(source.counts.iter().map(|&count| count as i64));
        self.ask(PUT, &words, &source.bytes).map(drop)
    }

    /// Whether the last component is allocated or associated.
    pub fn is_present(&self) -> Result<bool> {
        Ok(self.ask(PRESENT, &[], &[])? != [0])
    }
}

/// Serves a request of another image.
pub fn serve(image: &Image, request: &[u8]) -> Result<Vec<u8>> {
    if let Some(answer) = object::serve(image, request)? {
        return Ok(answer);
    }
    let mut words = Words::new(request);
    let (kind, offset) = (words.take()?, words.take()? as usize);
    let (bytes, rank) = (words.take()? as usize, words.take()?);
    let mut next = || words.take().map(|word| word as isize);
    let dimensions = (0..rank).map(|_| Ok(Dimension { stride: next()?, lower: next()?, upper: next()? }));
    let dimensions = dimensions.collect::<Result<Vec<_>>>()?;
    let path = Path::read(&mut words)?;
    let start = Start { part: image.own_memory(offset), bytes, dimensions: &dimensions };
    let walk = Walk { image, is_own: true };
    let found = || {
        // SAFETY: another image has got the reference from the compiler, and the place of the coarray from
        // this image.
        unsafe { walk.follow(&path.0, start) }
    };
    let here = |found| match found {
        Target::Here(section) => Ok(section),
        Target::Outside(_) | Target::Private | Target::Nothing => Err(not_allocated()),
    };
    match kind {
        GET => answer_get(&here(found()?)?),
        PUT => {
            let resizes = words.take()? != 0;
            let (kind, parameter) = (words.take()? as i8, words.take()? as c_int);
            let [of_kind, of_parameter, bytes, rank] =
                [words.take()?, words.take()?, words.take()?, words.take()?];
            let of = Type { kind: of_kind as i8, parameter: of_parameter as c_int, bytes: bytes as usize };
            let counts =
                (0..rank).map(|_| words.take().map(|count| count as usize)).collect::<Result<Vec<_>>>()?;
            if resizes {
                // SAFETY: another image has got the reference from the compiler; the program of this one
                // accesses the component after the next synchronisation.
                unsafe {
                    if let Some(whole) = Whole::of(&walk, &path, start)?
                        && whole.must_change(&counts)
                    {
                        whole.change(&walk, &counts)?;
                    }
                }
            }
            let into = here(found()?)?;
            let to = Type { kind, parameter, bytes: into.element };
            take_put(&into, to, of, &counts, words.rest()).map(|()| Vec::new())
        }
        _ => Ok(vec![u8::from(matches!(found()?, Target::Here(_)))]),
    }
}

fn answer_get(section: &Section) -> Result<Vec<u8>> {
    let mut words = vec![section.element as i64, section.extents().len() as i64];
    words.extend(section.extents().iter().map(|extent| extent.count as i64));
    let mut bytes = vec![0; section.bytes()];
    let packed = Section::packed(bytes.as_mut_ptr(), section.element, section.count());
    // SAFETY: elements of this image, to which the reference leads; the copy is new.
    unsafe { copy(&packed, section) };
    Ok([bytes_of(&words), &bytes].concat())
}

fn take_put(into: &Section, to: Type, of: Type, counts: &[usize], bytes: &[u8]) -> Result<()> {
    to.check(of)?;
    let packed = Section::array(bytes.as_ptr().cast_mut(), of.bytes, counts);
    if packed.bytes() != bytes.len() {
        return Err(Failure::new("a message has another number of elements than it says"));
    }
    // SAFETY: the elements of the message, and elements of this image, to which the reference leads.
    unsafe { assign(into, to, &*conform(into, &packed)?, of) };
    Ok(())
}
