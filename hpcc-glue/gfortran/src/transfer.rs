//! Copies between sections of coarrays and of this image's memory.
//!
//! Idea: each side is a section that this image accesses directly, or a section of a part on another node.
//! A section on another node is read or written as packed bytes, by one message in each direction (more if it
//! is long). Between direct sections, elements are copied, and converted if their types differ. If the
//! sections overlap, the source is copied first.
//!
//! Cost: one copy inside the node, three between nodes. Memory: packed bytes of a section on another node, or
//! of an overlapping section.

use crate::convert::{Type, convert};
use crate::failure::{Failure, Image, Result};
use crate::section::{Section, copy};
use crate::statistics;
use crate::token::{Part, Token};
use hcube_caf::Handle;
use hcube_core::memory::Region;
use std::borrow::Cow;
use std::ops::Range;
use std::ptr;

/// A side of a copy. The base of a section of a part is its offset as an address.
#[derive(Debug)]
pub enum Side {
    /// Elements that this image accesses directly.
    Here(Section),
    /// Elements of a part on another node, by handle and rank.
    Away(Handle, usize, Section),
}

impl Side {
    /// Its elements.
    pub fn section(&self) -> &Section {
        match self {
            Self::Here(section) | Self::Away(_, _, section) => section,
        }
    }
}

/// Packed elements.
struct Packed {
    bytes: Vec<u8>,
    element: usize,
}

impl Packed {
    fn of(section: &Section, element: usize) -> Self {
        Self { bytes: vec![0; section.count() * element], element }
    }

    fn section(&mut self) -> Section {
        let count = self.bytes.len().checked_div(self.element).unwrap_or(0);
        Section::packed(self.bytes.as_mut_ptr(), self.element, count)
    }
}

/// The elements of a coarray on an image, given by number: the elements of a section at an offset of the
/// part.
///
/// `section` makes the section from the address, or the offset, of its first element.
pub fn side_of(
    image: &Image,
    token: &Token,
    offset: usize,
    number: i32,
    section: impl FnOnce(*mut u8) -> Section,
) -> Result<Side> {
    match token.part(image, number)? {
        Part::Here(address) => {
            let section = section(address.wrapping_add(offset));
            check(token, address, &section)?;
            Ok(Side::Here(section))
        }
        Part::Away(rank) => {
            let section = section(ptr::without_provenance_mut(offset));
            check(token, ptr::null_mut(), &section)?;
            statistics::note_path(statistics::Path::Messages);
            Ok(Side::Away(token.data()?, rank, section))
        }
    }
}

/// An error where a section leaves the part that begins at an address.
pub fn check(token: &Token, part: *mut u8, section: &Section) -> Result<()> {
    section.check_inside(part, token.bytes, |range| outside(token, section.element, range))
}

/// Farther from a coarray is only what lies in other memory.
const FAR: usize = 1 << 32;

#[cold]
fn outside(token: &Token, element: usize, Range { start: begin, end }: Range<isize>) -> Failure {
    if begin.unsigned_abs() > FAR.max(token.bytes) {
        let text = "a place outside of the coarray: gfortran 12 to 14 compile a vector subscript inside an expression so; assign the elements to a variable first";
        return Failure::new(text);
    }
    let element = element.max(1) as isize;
    // The last element is not known if its end exceeds 64 bits.
    let is_known = end < isize::MAX && begin.rem_euclid(element) == 0;
    let text = if is_known && token.bytes.is_multiple_of(element as usize) {
        let (first, last) = (begin / element, (end - 1).div_euclid(element));
        token.no_elements(first..=last, token.bytes as isize / element)
    } else {
        format!("bytes {begin} to {end}: expected 0 to {}, the bytes of the coarray", token.bytes)
    };
    Failure::new(text)
}

/// The elements of a source that are assigned to a destination: all, the only one to each, or, if there are
/// more of them in a dimension, the first ones. Fortran has no meaning for the last case, but programs rely
/// on it, because gfortran assigns so if no other image is concerned.
pub fn conform<'a>(into: &Section, from: &'a Section) -> Result<Cow<'a, Section>> {
    let (wanted, given) = (into.count(), from.count());
    if given == wanted || given == 1 {
        return Ok(Cow::Borrowed(from));
    }
    let leading = from.leading(into).map(Cow::Owned);
    leading.ok_or_else(|| Failure::new(format!("{given} elements are assigned to {wanted}")))
}

/// Copies elements, and converts them if their types differ. [`conform`] selects them.
///
/// # Safety
/// Elements on this image may be read and written.
pub unsafe fn transfer(image: &Image, into: &Side, to: Type, from: &Side, of: Type) -> Result<()> {
    let target = into.section();
    if target.count() == 0 {
        return Ok(());
    }
    let source = conform(target, from.section())?;
    to.check(of)?;
    let (mut fetched, packed);
    let here = match from {
        Side::Here(_) => &*source,
        Side::Away(handle, rank, _) => {
            fetched = Packed::of(&source, of.bytes);
            let offset = source.base.addr();
            image.get_shape(*handle, *rank, offset, &source.shape()?, Region::of(&mut fetched.bytes))?;
            packed = fetched.section();
            &packed
        }
    };
    match into {
        // SAFETY: elements of the section may be written, and elements of the source can be read: they are on
        // this image or were fetched.
        Side::Here(section) => unsafe { assign(section, to, here, of) },
        Side::Away(handle, rank, section) => {
            let mut packed = Packed::of(section, to.bytes);
            // SAFETY: elements of the source can be read; the copy is new.
            unsafe { assign(&packed.section(), to, here, of) };
            let offset = section.base.addr();
            image.put_shape(*handle, *rank, offset, &section.shape()?, Region::of(&mut packed.bytes))?;
        }
    }
    Ok(())
}

/// As [`transfer`], between sections here, of types that were checked.
///
/// # Safety
/// As [`transfer`].
pub unsafe fn assign(into: &Section, to: Type, from: &Section, of: Type) {
    let (mut packed, copied);
    let mut source = from;
    if from.overlaps(into) {
        packed = Packed::of(from, from.element);
        copied = packed.section();
        source = &copied;
        // SAFETY: elements of the source can be read; the copy is new.
        unsafe { copy(source, from) };
    }
    let is_copied = to.is_copied_from(of);
    if is_copied && source.count() == into.count() {
        // SAFETY: elements of the source can be read, and elements of the target written; they do not
        // overlap.
        unsafe { copy(into, source) };
        return;
    }
    let first = source.addresses().next().unwrap_or(source.base);
    let mut all = source.addresses();
    let is_one = source.count() == 1;
    for target in into.addresses() {
        let element = if is_one { first } else { all.next().unwrap_or(first) };
        // SAFETY: an element of the source, which can be read, and one of the target, which may be written,
        // of types that were checked.
        unsafe { convert(to, target, of, element) };
    }
}
