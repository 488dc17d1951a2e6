//! Reads and writes by reference.
//!
//! Idea: elements that this image can access directly are copied. Elements in other memory of the node are
//! copied by the kernel ([`outside`]), if this is permitted; all others are requested from their image
//! ([`super::remote`]).

use super::elements::Elements;
use super::outside;
use super::path::Path;
use super::remote::{Remote, not_allocated};
use super::resize::Whole;
use super::{Start, Target, Walk};
use crate::abi::MAX_RANK;
use crate::convert::Type;
use crate::failure::{Image, Result};
use crate::section::{Section, copy};
use crate::statement::kind::Kind;
use crate::statistics;
use crate::token::{Part, Token};
use crate::transfer::{assign, conform};
use std::ffi::c_int;
use std::ptr;

/// A reference to a coarray on an image.
pub struct Access<'a> {
    image: &'a Image,
    remote: Remote<'a>,
    part: Part,
}

impl<'a> Access<'a> {
    /// A reference to the part of an image, which is given by its number.
    pub fn new(image: &'a Image, token: &'a Token, number: i32, path: &'a Path) -> Result<Self> {
        let rank = token.team.rank_of_current(image, number)?;
        let part = token.part_of(image, rank)?;
        Ok(Self { image, remote: Remote { image, token, rank, path }, part })
    }

    fn walk(&self) -> Walk<'a> {
        let token = self.remote.token;
        Walk { image: self.image, is_own: self.remote.rank == token.team.rank }
    }

    fn start(&self, part: *mut u8) -> Start<'a> {
        let token = self.remote.token;
        // SAFETY: a token's descriptor lives as long as the token.
        let dimensions = unsafe { (*token.descriptor()).dimensions() };
        Start { part, bytes: token.bytes, dimensions }
    }

    /// Where it leads.
    fn find(&self) -> Result<Target> {
        match self.part {
            // SAFETY: the compiler has made the reference for this coarray.
            Part::Here(part) => unsafe { self.walk().follow(&self.remote.path.0, self.start(part)) },
            Part::Away(_) => Ok(Target::Private),
        }
    }

    /// Notes an access for the statistics; `bytes` is the size of an element.
    pub fn note(&self, kind: Kind, count: usize, bytes: usize) {
        let Remote { token, rank, path, .. } = &self.remote;
        statistics::note_access(|| statistics::Access {
            kind,
            coarray: ptr::from_ref(*token).addr(),
            number: *rank as i32,
            // Subscripts of elements of a section differ by a constant.
            position: path.words().into_iter().fold(0, i64::wrapping_add) as usize,
            count,
            bytes: count * bytes,
        });
    }

    /// Whether the component to which it leads is allocated or associated.
    pub fn is_present(&self) -> Result<bool> {
        match self.find()? {
            Target::Here(_) | Target::Outside(_) => Ok(true),
            Target::Nothing => Ok(false),
            Target::Private => self.remote.is_present(),
        }
    }

    /// The elements of a section in memory outside of the heaps.
    fn read_outside(&self, section: &Section) -> Result<Elements> {
        match outside::read(self.image_of_part()?, section) {
            Some(elements) => Ok(elements),
            None => self.remote.get(),
        }
    }

    /// The image on which the reference begins, by its rank in the job.
    pub fn image_of_part(&self) -> Result<usize> {
        let Remote { image, token, rank, .. } = self.remote;
        token.team.image_of(image, rank)
    }

    /// Writes to a section in memory outside of the heaps. Whether it can be accessed.
    ///
    /// # Safety
    /// As [`Self::write`], and the section is one to which the reference leads.
    unsafe fn write_outside(&self, into: &Section, to: Type, of: Type, source: &Section) -> Result<bool> {
        let mut bytes = vec![0; into.bytes()];
        let packed = Section::packed(bytes.as_mut_ptr(), into.element, into.count());
        // SAFETY: the source can be read, and the copy is new; the reference leads to elements to which the
        // program may assign.
        unsafe {
            assign(&packed, to, &*conform(into, source)?, of);
            outside::write(self.image_of_part()?, into, &bytes)
        }
    }

    /// Reads the elements: `take` gets their numbers per dimension and the section in which they lie.
    pub fn read<T>(&self, take: impl FnOnce(&[usize], &Section) -> Result<T>) -> Result<T> {
        match self.find()? {
            Target::Here(section) => {
                let (mut counts, extents) = ([0; MAX_RANK], section.extents());
                counts.iter_mut().zip(extents).for_each(|(count, extent)| *count = extent.count);
                take(&counts[..extents.len()], &section)
            }
            Target::Nothing => Err(not_allocated()),
            found @ (Target::Outside(_) | Target::Private) => {
                let mut elements = match &found {
                    Target::Outside(section) => self.read_outside(section)?,
                    _ => self.remote.get()?,
                };
                let section = elements.section();
                take(&elements.counts, &section)
            }
        }
    }

    /// Writes elements. The type is the type of the source; with `resizes`, a whole component gets the shape
    /// of the source.
    ///
    /// # Safety
    /// The source can be read.
    pub unsafe fn write(&self, to: (i8, c_int), of: Type, source: &Section, resizes: bool) -> Result<()> {
        let counts: Vec<usize> = source.extents().iter().map(|extent| extent.count).collect();
        let mut asks = false;
        if let (true, Part::Here(part)) = (resizes, self.part) {
            let walk = self.walk();
            // SAFETY: the compiler has made the reference for this coarray. The object that was found can be
            // read; if it is this image's own, no other image accesses it in this segment.
            unsafe {
                if let Some(whole) = Whole::of(&walk, self.remote.path, self.start(part))?
                    && whole.must_change(&counts)
                {
                    if walk.is_own { whole.change(&walk, &counts)? } else { asks = true }
                }
            }
        }
        match if asks { Target::Private } else { self.find()? } {
            Target::Here(into) => {
                let to = Type { kind: to.0, parameter: to.1, bytes: into.element };
                to.check(of)?;
                self.note(Kind::Put, into.count(), into.element);
                let source = conform(&into, source)?;
                // SAFETY: the source can be read; the reference leads to elements of the coarray, to which
                // the program may assign.
                unsafe { assign(&into, to, &source, of) };
                Ok(())
            }
            Target::Nothing => Err(not_allocated()),
            found @ (Target::Outside(_) | Target::Private) => {
                if let Target::Outside(into) = &found {
                    let to = Type { kind: to.0, parameter: to.1, bytes: into.element };
                    to.check(of)?;
                    // SAFETY: the source can be read; the section is the one to which the reference leads.
                    if unsafe { self.write_outside(into, to, of, source)? } {
                        self.note(Kind::Put, into.count(), into.element);
                        return Ok(());
                    }
                }
                let mut elements = Elements { element: of.bytes, counts, bytes: vec![0; source.bytes()] };
                let target = elements.section();
                // SAFETY: the source can be read; the copy is new.
                unsafe { copy(&target, source) };
                let put = self.remote.put(to, of, &elements, resizes);
                self.note(Kind::Put, source.count(), source.element);
                put
            }
        }
    }
}
