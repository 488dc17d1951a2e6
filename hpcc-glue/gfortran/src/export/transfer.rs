//! Access to coarrays of other images by descriptors.

use crate::abi::{Descriptor, Outcome, Subscript, kind};
use crate::convert::Type;
use crate::failure::{Image, Result};
use crate::reference::object;
use crate::section::Section;
use crate::statement::{self, kind::Kind};
use crate::statistics;
use crate::token::{Part, Token};
use crate::transfer::{Side, check, side_of, transfer};
use std::ffi::c_int;
use std::ptr;

/// A coarray on an image.
#[derive(Clone, Copy)]
struct Remote {
    token: *const Token,
    offset: usize,
    number: c_int,
    descriptor: *const Descriptor,
    subscripts: *const Subscript,
    kind: c_int,
}

/// The type of elements of a descriptor.
fn type_of(descriptor: &Descriptor, parameter: c_int) -> Type {
    Type { kind: descriptor.dtype.kind, parameter, bytes: descriptor.dtype.elem_len }
}

impl Remote {
    /// # Safety
    /// The compiler has made it.
    unsafe fn side(&self, image: &Image) -> Result<(Side, Type)> {
        // SAFETY: the token is NULL or living, the descriptor is living, and there is a subscript for each of
        // its dimensions, or none at all.
        unsafe {
            let (token, descriptor) = (Token::of(self.token)?, &*self.descriptor);
            let mut of = type_of(descriptor, self.kind);
            of.bytes -= self.cut(token);
            let section = |base| {
                let mut section = match self.subscripts.is_null() {
                    true => Section::of(descriptor, base),
                    false => Section::selected(descriptor, base, self.subscripts),
                };
                section.element = of.bytes;
                section
            };
            let offset = if self.is_whole_scalar(token) { 0 } else { self.offset };
            let side = side_of(image, token, offset, self.number, section)?;
            Ok((side, of))
        }
    }

    /// Whether it is all of a scalar coarray. gfortran 12 copies a complex one, and passes the distance of
    /// the copy as the offset.
    ///
    /// # Safety
    /// As [`Self::side`].
    unsafe fn is_whole_scalar(&self, token: &Token) -> bool {
        // SAFETY: a living descriptor of the compiler; a token's descriptor lives as long as the token.
        let (one, whole) = unsafe { ((*self.descriptor).dtype, (*token.descriptor()).dtype) };
        whole.kind == kind::COMPLEX && (one.kind, one.elem_len) == (kind::COMPLEX, token.bytes)
    }

    /// Bytes that do not belong to a substring: gfortran passes the length of the whole text, so at least
    /// what begins in the middle of an element ends with it.
    ///
    /// # Safety
    /// As [`Self::side`].
    unsafe fn cut(&self, token: &Token) -> usize {
        // SAFETY: a living descriptor of the compiler; a token's descriptor lives as long as the token.
        let (one, whole) = unsafe { ((*self.descriptor).dtype, (*token.descriptor()).dtype) };
        let is_text = one.kind == kind::CHARACTER && whole.kind == kind::CHARACTER && one.elem_len > 0;
        if is_text && one.elem_len == whole.elem_len { self.offset % one.elem_len } else { 0 }
    }

    /// The address and the bytes of elements that are one block on both sides and need no conversion, if this
    /// image accesses them directly: what most statements need.
    ///
    /// # Safety
    /// As [`Self::side`], and as [`local`].
    #[inline]
    unsafe fn block(
        &self,
        image: &Image,
        statement: Kind,
        local: &Descriptor,
        kind: c_int,
    ) -> Result<Option<(*mut u8, usize)>> {
        // SAFETY: the token is NULL or living, and the descriptor is living.
        let (token, descriptor) = unsafe { (Token::of(self.token)?, &*self.descriptor) };
        let (one, other) = (descriptor.dtype, local.dtype);
        let is_alike = (one.kind, one.elem_len, self.kind) == (other.kind, other.elem_len, kind);
        if !is_alike || !self.subscripts.is_null() || one.kind == kind::CHARACTER && one.rank > 0 {
            return Ok(None);
        }
        // SAFETY: both are living descriptors of the compiler.
        let (count, others) = unsafe { (descriptor.packed_count(), local.packed_count()) };
        let Some(count) = count.filter(|_| count == others) else { return Ok(None) };
        let Part::Here(part) = token.part(image, self.number)? else { return Ok(None) };
        let (address, bytes) = (part.wrapping_add(self.offset), count * one.elem_len);
        if self.offset.checked_add(bytes).is_none_or(|end| end > token.bytes) {
            // SAFETY: the descriptor is living.
            if unsafe { self.is_whole_scalar(token) } {
                return Ok(None);
            }
            check(token, part, &Section::packed(address, one.elem_len, count))?;
        }
        self.note(statement, count, one.elem_len);
        Ok(Some((address, bytes)))
    }

    /// The image, by its rank in the job.
    ///
    /// # Safety
    /// As [`Self::side`].
    unsafe fn owner(&self, image: &Image) -> Result<usize> {
        // SAFETY: the token is NULL or living.
        let team = unsafe { Token::of(self.token) }?.team;
        team.image_of(image, team.rank_of_current(image, self.number)?)
    }

    /// Gets objects that are one block on both sides.
    ///
    /// # Safety
    /// As [`Self::block`], which has found the block.
    #[cold]
    unsafe fn get_objects(&self, image: &Image, from: *mut u8, target: &Descriptor) -> Result<()> {
        // SAFETY: a living descriptor of the compiler, whose elements may be written; `block` has found as
        // many bytes at `from`.
        unsafe {
            let into = Section::of(target, target.base);
            let bytes = into.bytes();
            object::get(image, self.owner(image)?, from, &into, || {
                ptr::copy(from, into.base, bytes);
                Ok(())
            })
        }
    }

    /// Notes an access for the statistics; `bytes` is the size of an element.
    #[inline]
    fn note(&self, kind: Kind, count: usize, bytes: usize) {
        statistics::note_access(|| statistics::Access {
            kind,
            coarray: self.token.addr(),
            number: self.number,
            position: self.offset,
            count,
            bytes: count * bytes,
        });
    }
}

/// This image's side.
///
/// # Safety
/// The descriptor is one of the compiler.
unsafe fn local(descriptor: *const Descriptor, kind: c_int) -> (Side, Type) {
    // SAFETY: a living descriptor of the compiler.
    unsafe {
        let descriptor = &*descriptor;
        (Side::Here(Section::of(descriptor, descriptor.base)), type_of(descriptor, kind))
    }
}

/// `x = a[image]`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_get(
    token: *const Token,
    offset: usize,
    number: c_int,
    source: *const Descriptor,
    subscripts: *const Subscript,
    target: *const Descriptor,
    source_kind: c_int,
    target_kind: c_int,
    _may_overlap: bool,
    stat: *mut c_int,
) {
    let remote = Remote { token, offset, number, descriptor: source, subscripts, kind: source_kind };
    // SAFETY: the token is NULL or living; descriptors are living, subscripts belong to the source, and
    // elements of the target may be written; `stat` is NULL or may be written. A block that is found has the
    // same bytes on both sides.
    unsafe {
        statement::run_for(Kind::Get, only(stat), |image| {
            let has_components = object::may_have_components((*target).dtype.kind);
            if let Some((from, bytes)) = remote.block(image, Kind::Get, &*target, target_kind)? {
                if has_components {
                    return remote.get_objects(image, from, &*target);
                }
                ptr::copy(from, (*target).base, bytes);
                return Ok(());
            }
            let (from, of) = remote.side(image)?;
            remote.note(Kind::Get, from.section().count(), of.bytes);
            let (into, to) = local(target, target_kind);
            let get = || transfer(image, &into, to, &from, of);
            if has_components {
                let source = match &from {
                    Side::Here(section) => section.base,
                    Side::Away(..) => ptr::null_mut(),
                };
                return object::get(image, remote.owner(image)?, source, into.section(), get);
            }
            get()
        })
    };
}

/// `a[image] = x`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_send(
    token: *const Token,
    offset: usize,
    number: c_int,
    target: *const Descriptor,
    subscripts: *const Subscript,
    source: *const Descriptor,
    target_kind: c_int,
    source_kind: c_int,
    _may_overlap: bool,
    stat: *mut c_int,
) {
    let remote = Remote { token, offset, number, descriptor: target, subscripts, kind: target_kind };
    // SAFETY: the token is NULL or living; descriptors are living, subscripts belong to the target, and
    // elements of the source can be read; `stat` is NULL or may be written. A block that is found has the
    // same bytes on both sides.
    unsafe {
        statement::run_for(Kind::Put, only(stat), |image| {
            if let Some((into, bytes)) = remote.block(image, Kind::Put, &*source, source_kind)? {
                ptr::copy((*source).base, into, bytes);
                return Ok(());
            }
            let (from, of) = local(source, source_kind);
            let (into, to) = remote.side(image)?;
            remote.note(Kind::Put, into.section().count(), to.bytes);
            transfer(image, &into, to, &from, of)
        })
    };
}

/// `a[image] = b[other]`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sendget(
    target_token: *const Token,
    target_offset: usize,
    target_number: c_int,
    target: *const Descriptor,
    target_subscripts: *const Subscript,
    source_token: *const Token,
    source_offset: usize,
    source_number: c_int,
    source: *const Descriptor,
    source_subscripts: *const Subscript,
    target_kind: c_int,
    source_kind: c_int,
    _may_overlap: bool,
    stat: *mut c_int,
) {
    let into = Remote {
        token: target_token,
        offset: target_offset,
        number: target_number,
        descriptor: target,
        subscripts: target_subscripts,
        kind: target_kind,
    };
    let from = Remote {
        token: source_token,
        offset: source_offset,
        number: source_number,
        descriptor: source,
        subscripts: source_subscripts,
        kind: source_kind,
    };
    // SAFETY: the tokens are NULL or living, descriptors are living, subscripts belong to their descriptors,
    // and `stat` is NULL or may be written.
    unsafe {
        statement::run_for(Kind::Put, only(stat), |image| {
            let ((source, of), (target, to)) = (from.side(image)?, into.side(image)?);
            into.note(Kind::Put, target.section().count(), to.bytes);
            transfer(image, &target, to, &source, of)
        })
    };
}

/// A status without a message.
pub fn only(stat: *mut c_int) -> Outcome {
    Outcome { stat, message: ptr::null_mut(), length: 0 }
}
