//! Sections of coarrays: strided elements, and elements of an index vector.

use super::{array, buffer, on_image, rank, size};
use crate::types::{hcube_coarray, hcube_error};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::onesided::Shape;
use std::ffi::c_void;

/// Elements at regular distances.
///
/// # Safety
/// counts and strides are null or valid for `dimensions` elements.
unsafe fn section(
    element_bytes: u64,
    dimensions: i32,
    counts: *const i64,
    (name, strides): (&'static str, *const i64),
) -> Result<Shape> {
    if dimensions < 0 {
        return Err(Error::argument("dimensions", dimensions, "0 or more"));
    }
    // SAFETY: valid for `dimensions` elements, by the contract of this function.
    let (counts, strides) =
        unsafe { (array("counts", counts, dimensions.into())?, array(name, strides, dimensions.into())?) };
    let mut all = Vec::with_capacity(counts.len());
    for (&count, &stride) in counts.iter().zip(strides) {
        let count = usize::try_from(count).map_err(|_| Error::argument("counts", count, "0 or more"))?;
        all.push((count, stride));
    }
    Shape::strided(size("element_bytes", element_bytes)?, &all)
}

/// The memory of the caller that a section touches, from its lowest byte on.
///
/// # Safety
/// The address of the first element is null or valid for the section while the region is used.
unsafe fn touched<'a>(name: &'static str, first: *const c_void, section: &Shape) -> Result<Region<'a>> {
    // SAFETY: only the elements are accessed, which are valid, by the contract of this function.
    unsafe {
        buffer(name, first, section.bytes() as u64)?;
        let lowest = first.cast_mut().cast::<u8>().wrapping_offset(section.bounds().start as isize);
        Ok(Region::new(lowest, section.extent()))
    }
}

/// Memory for the packed elements of a section.
fn packed(section: &Shape) -> Result<Vec<u8>> {
    let (mut packed, bytes) = (Vec::new(), section.bytes());
    packed
        .try_reserve_exact(bytes)
        .map_err(|_| Error::Memory(format!("{bytes} bytes for the elements of a section")))?;
    packed.resize(bytes, 0);
    Ok(packed)
}

/// One-sided. Writes a strided section of an array to a coarray on an image; otherwise as hcube_caf_put.
/// Between nodes the elements are packed into messages of up to 128 KiB.
///
/// coarray, image, offset: as for hcube_caf_put; offset is the offset of the first element.
/// element_bytes: size of an element.
/// dimensions: number of dimensions, 0 or more.
/// counts: number of elements per dimension, 0 or more; the dimension that varies fastest comes first.
/// strides: distance in bytes from one element to the next in the coarray, per dimension; may be
/// negative.
/// from: address of the first element.
/// from_strides: the strides of from; NULL if its elements are contiguous.
/// Errors: as for hcube_caf_put, and HCUBE_ERR_COUNT if the number of bytes exceeds the address space.
///
/// # Safety
/// The pointers are null or valid; the arrays have as many elements as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_put_strided(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    element_bytes: u64,
    dimensions: i32,
    counts: *const i64,
    strides: *const i64,
    from: *const c_void,
    from_strides: *const i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let coarray = Handle::from_number(coarray);
            let shape = section(element_bytes, dimensions, counts, ("strides", strides))?;
            let (rank, offset) = (rank(runtime, coarray, Use::Data, image)?, size("offset", offset)?);
            if from_strides.is_null() {
                let from = buffer("from", from, shape.bytes() as u64)?;
                return runtime.put_shape(coarray, rank, offset, &shape, from);
            }
            let own = section(element_bytes, dimensions, counts, ("from_strides", from_strides))?;
            let from = touched("from", from, &own)?;
            runtime.check_section(coarray, rank, offset, &shape)?;
            let mut packed = packed(&own)?;
            own.gather(from, Region::of(&mut packed));
            runtime.put_shape(coarray, rank, offset, &shape, Region::of(&mut packed))
        })
    }
}

/// One-sided. Reads a strided section of a coarray on an image; the inverse of hcube_caf_put_strided.
///
/// coarray, image, offset, element_bytes, dimensions, counts, strides: as for hcube_caf_put_strided.
/// into: address of the first element; receives the elements.
/// into_strides: the strides of into; NULL if its elements are contiguous.
/// Errors: as for hcube_caf_put_strided.
///
/// # Safety
/// The pointers are null or valid; the arrays have as many elements as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_get_strided(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    element_bytes: u64,
    dimensions: i32,
    counts: *const i64,
    strides: *const i64,
    into: *mut c_void,
    into_strides: *const i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let coarray = Handle::from_number(coarray);
            let shape = section(element_bytes, dimensions, counts, ("strides", strides))?;
            let (rank, offset) = (rank(runtime, coarray, Use::Data, image)?, size("offset", offset)?);
            if into_strides.is_null() {
                let into = buffer("into", into, shape.bytes() as u64)?;
                return runtime.get_shape(coarray, rank, offset, &shape, into);
            }
            let own = section(element_bytes, dimensions, counts, ("into_strides", into_strides))?;
            let into = touched("into", into, &own)?;
            runtime.check_section(coarray, rank, offset, &shape)?;
            let mut packed = packed(&own)?;
            runtime.get_shape(coarray, rank, offset, &shape, Region::of(&mut packed))?;
            own.scatter(Region::of(&mut packed), into);
            Ok(())
        })
    }
}

/// The elements that an index vector names.
///
/// # Safety
/// indices is null or valid for count elements.
unsafe fn selection(element_bytes: u64, count: i64, indices: *const i64) -> Result<Shape> {
    let element = size("element_bytes", element_bytes)?;
    // SAFETY: valid for `count` elements, by the contract of this function.
    let indices = unsafe { array("indices", indices, count)? };
    let distance = |&index: &i64| {
        let distance = i64::try_from(element).ok().and_then(|element| index.checked_mul(element));
        distance.ok_or_else(|| Error::argument("indices", index, "an element of the coarray"))
    };
    Shape::indexed(element, indices.iter().map(distance).collect::<Result<_>>()?)
}

/// One-sided. Writes elements to a vector subscript of a coarray on an image (scatter); otherwise as
/// hcube_caf_put. If an index occurs several times, the last element is written.
///
/// coarray, image, offset: as for hcube_caf_put; offset is the offset of index 0.
/// element_bytes: size of an element.
/// count, indices: the number of indices and the indices, in elements.
/// from: count contiguous elements.
/// Errors: as for hcube_caf_put_strided.
///
/// # Safety
/// The pointers are null or valid; the arrays have as many elements as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_put_indexed(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    element_bytes: u64,
    count: i64,
    indices: *const i64,
    from: *const c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, shape) = (Handle::from_number(coarray), selection(element_bytes, count, indices)?);
            let from = buffer("from", from, shape.bytes() as u64)?;
            let rank = rank(runtime, coarray, Use::Data, image)?;
            runtime.put_shape(coarray, rank, size("offset", offset)?, &shape, from)
        })
    }
}

/// One-sided. Reads the elements of a vector subscript of a coarray on an image (gather); the inverse of
/// hcube_caf_put_indexed.
///
/// coarray, image, offset, element_bytes, count, indices: as for hcube_caf_put_indexed.
/// into: receives count contiguous elements.
/// Errors: as for hcube_caf_put_strided.
///
/// # Safety
/// The pointers are null or valid; the arrays have as many elements as they say.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_get_indexed(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    element_bytes: u64,
    count: i64,
    indices: *const i64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, shape) = (Handle::from_number(coarray), selection(element_bytes, count, indices)?);
            let into = buffer("into", into, shape.bytes() as u64)?;
            let rank = rank(runtime, coarray, Use::Data, image)?;
            runtime.get_shape(coarray, rank, size("offset", offset)?, &shape, into)
        })
    }
}
