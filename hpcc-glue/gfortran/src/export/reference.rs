//! Access to components of coarrays of other images.

use super::transfer::only;
use crate::abi::{Descriptor, Reference};
use crate::convert::Type;
use crate::failure::Result;
use crate::reference::access::Access;
use crate::reference::object;
use crate::reference::path::Path;
use crate::reference::resize::shape;
use crate::section::range::array_bytes;
use crate::section::{Section, copy};
use crate::statement::{self, kind::Kind};
use crate::token::Token;
use crate::transfer::{assign, conform};
use std::ffi::{c_int, c_void};

unsafe extern "C" {
    /// The C library's, from which Fortran gets what is not a coarray.
    fn realloc(memory: *mut c_void, bytes: usize) -> *mut c_void;
}

/// Gives the variable on the left side of an assignment the shape of the right side, if it is allocatable and
/// has another one.
///
/// # Safety
/// The descriptor is one of the compiler.
unsafe fn fit(descriptor: &mut Descriptor, counts: &[usize], may_change: bool) -> Result<()> {
    // SAFETY: a living descriptor of the compiler.
    let dimensions = unsafe { descriptor.dimensions() };
    let is_alike = dimensions.len() != counts.len()
        || dimensions.iter().zip(counts).all(|(dimension, &count)| dimension.extent() == count);
    if !descriptor.base.is_null() && (is_alike || !may_change) {
        return Ok(());
    }
    let bytes = array_bytes(counts, descriptor.dtype.elem_len)?;
    // SAFETY: memory of Fortran, or NULL.
    descriptor.base = unsafe { realloc(descriptor.base.cast(), bytes.max(1)) }.cast();
    if descriptor.base.is_null() {
        return Err(
            hcube_core::Error::Memory(format!("{bytes} bytes for the left side of an assignment")).into()
        );
    }
    descriptor.span = descriptor.dtype.elem_len as isize;
    // SAFETY: a living descriptor of the compiler, to which nothing else refers.
    unsafe { shape(descriptor, counts) };
    Ok(())
}

/// `x = a[image]%component`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_get_by_ref(
    token: *const Token,
    number: c_int,
    target: *mut Descriptor,
    reference: *const Reference,
    target_kind: c_int,
    source_kind: c_int,
    _may_overlap: bool,
    may_reallocate: bool,
    stat: *mut c_int,
    source_type: c_int,
) {
    // SAFETY: the token is NULL or living, the reference is one to elements of its coarray, the descriptor of
    // the target is living, and its elements may be written; `stat` is NULL or may be written.
    unsafe {
        statement::run_for(Kind::Get, only(stat), |image| {
            let path = Path::of(reference)?;
            path.check(source_type)?;
            let access = Access::new(image, Token::of(token)?, number, &path)?;
            access.read(|counts, from| {
                access.note(Kind::Get, from.count(), from.element);
                fit(&mut *target, counts, may_reallocate)?;
                let target = &*target;
                let into = Section::of(target, target.base);
                let to = Type { kind: target.dtype.kind, parameter: target_kind, bytes: into.element };
                let of = Type { kind: source_type as i8, parameter: source_kind, bytes: from.element };
                to.check(of)?;
                let get = || {
                    assign(&into, to, &*conform(&into, from)?, of);
                    Ok(())
                };
                match object::may_have_components(to.kind) {
                    true => object::get(image, access.image_of_part()?, from.base, &into, get),
                    false => get(),
                }
            })
        })
    };
}

/// `a[image]%component = x`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_send_by_ref(
    token: *const Token,
    number: c_int,
    source: *const Descriptor,
    reference: *const Reference,
    target_kind: c_int,
    source_kind: c_int,
    _may_overlap: bool,
    may_reallocate: bool,
    stat: *mut c_int,
    target_type: c_int,
) {
    // SAFETY: the token is NULL or living, the reference is one to elements of its coarray, the descriptor of
    // the source is living, and its elements can be read; `stat` is NULL or may be written.
    unsafe {
        statement::run_for(Kind::Put, only(stat), |image| {
            let path = Path::of(reference)?;
            path.check(target_type)?;
            let access = Access::new(image, Token::of(token)?, number, &path)?;
            let source = &*source;
            let from = Section::of(source, source.base);
            let of = Type { kind: source.dtype.kind, parameter: source_kind, bytes: from.element };
            access.write((target_type as i8, target_kind), of, &from, may_reallocate)
        })
    };
}

/// `a[image]%component = b[other]%component`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sendget_by_ref(
    target_token: *const Token,
    target_number: c_int,
    target_reference: *const Reference,
    source_token: *const Token,
    source_number: c_int,
    source_reference: *const Reference,
    target_kind: c_int,
    source_kind: c_int,
    _may_overlap: bool,
    target_stat: *mut c_int,
    source_stat: *mut c_int,
    target_type: c_int,
    source_type: c_int,
) {
    // SAFETY: the tokens are NULL or living, the references are those to elements of their coarrays, and each
    // `stat` is NULL or may be written; the elements that are written come from the copy.
    unsafe {
        let read = statement::run_for(Kind::Get, only(source_stat), |image| {
            let path = Path::of(source_reference)?;
            path.check(source_type)?;
            let access = Access::new(image, Token::of(source_token)?, source_number, &path)?;
            access.read(|counts, from| {
                access.note(Kind::Get, from.count(), from.element);
                let mut bytes = vec![0_u8; from.bytes()];
                copy(&Section::packed(bytes.as_mut_ptr(), from.element, from.count()), from);
                Ok((counts.to_vec(), from.element, bytes))
            })
        });
        let Some((counts, element, mut bytes)) = read else { return };
        statement::run_for(Kind::Put, only(target_stat), |image| {
            let path = Path::of(target_reference)?;
            path.check(target_type)?;
            let access = Access::new(image, Token::of(target_token)?, target_number, &path)?;
            let from = Section::array(bytes.as_mut_ptr(), element, &counts);
            let of = Type { kind: source_type as i8, parameter: source_kind, bytes: element };
            access.write((target_type as i8, target_kind), of, &from, true)
        });
    }
}

/// `allocated(a[image]%component)`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_is_present(
    token: *const Token,
    number: c_int,
    reference: *const Reference,
) -> c_int {
    // SAFETY: the token is NULL or living, and the reference is one to a component of its coarray.
    let is_present = statement::run(Kind::Allocated, |image| unsafe {
        let path = Path::of(reference)?;
        Access::new(image, Token::of(token)?, number, &path)?.is_present()
    });
    is_present.into()
}
