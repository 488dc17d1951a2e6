//! Reallocation of an allocatable component by an assignment from another image.
//!
//! Idea: gfortran permits `a[2]%x = y` to allocate or reallocate the component on image 2. Only that image
//! can do so, because the memory belongs to its heap, so the assigning image checks whether it is necessary,
//! and requests it.
//!
//! Restrictions: Fortran itself forbids the assignment if the component is not allocated or has another
//! shape.

use super::path::{Chosen, Path, Step};
use super::{Start, Target, Walk};
use crate::abi::{Descriptor, Dimension, Dtype};
use crate::block;
use crate::failure::Result;
use crate::section::Section;
use crate::section::range::array_bytes;
use crate::token::Token;
use std::ffi::c_void;

unsafe extern "C" {
    /// The C library's, with which Fortran frees what is not a coarray.
    fn free(memory: *mut c_void);
}

/// An allocatable component that is assigned to as a whole.
#[derive(Debug)]
pub struct Whole {
    /// Its object, and where the component and its token are in it.
    object: *mut u8,
    offset: isize,
    token: isize,
    /// Bytes of an element.
    element: usize,
    rank: usize,
}

impl Whole {
    /// The component to which a reference leads, if it is a whole allocatable one that can be reached.
    ///
    /// # Safety
    /// As [`Walk::follow`].
    pub unsafe fn of(walk: &Walk<'_>, path: &Path, start: Start<'_>) -> Result<Option<Self>> {
        let (before, component, rank, element) = match &path.0[..] {
            [before @ .., component, Step::Elements { is_static: false, element, chosen }]
                if chosen.iter().all(Chosen::is_whole) =>
            {
                (before, component, chosen.len(), *element)
            }
            [before @ .., component @ Step::Component { element, .. }] => (before, component, 0, *element),
            _ => return Ok(None),
        };
        let &Step::Component { offset, is_indirect: true, token, .. } = component else { return Ok(None) };
        // SAFETY: the steps before the component are a reference of the compiler to the same coarray.
        let found = unsafe { walk.follow(before, start) }?;
        let Target::Here(Section { base: object, .. }) = found else { return Ok(None) };
        Ok(Some(Self { object, offset, token, element, rank }))
    }

    fn descriptor(&self) -> *mut Descriptor {
        self.object.wrapping_offset(self.offset).cast()
    }

    fn memory(&self) -> *mut *mut u8 {
        self.object.wrapping_offset(self.offset).cast()
    }

    /// Whether it has no memory, or a shape that differs from the source.
    ///
    /// # Safety
    /// The object can be read.
    pub unsafe fn must_change(&self, counts: &[usize]) -> bool {
        // SAFETY: the object can be read; a component that is an array has a descriptor with its dimensions.
        unsafe {
            if self.memory().read_unaligned().is_null() {
                return true;
            }
            let dimension = self.descriptor().add(1).cast::<Dimension>();
            self.rank == counts.len()
                && (0..self.rank)
                    .any(|number| dimension.add(number).read_unaligned().extent() != counts[number])
        }
    }

    /// Allocates it with the shape of a source.
    ///
    /// # Safety
    /// The object is one of this image, and nobody else accesses it meanwhile.
    pub unsafe fn change(&self, walk: &Walk<'_>, counts: &[usize]) -> Result<()> {
        let image = walk.image;
        let bytes = array_bytes(counts, self.element)?;
        // SAFETY: the component lies in an object of this image, which nobody else accesses meanwhile; where
        // it is an array, it has a descriptor.
        unsafe {
            let known = if self.rank == 0 { 0 } else { (*self.descriptor()).dtype.kind };
            let dtype = Dtype {
                elem_len: self.element,
                version: 0,
                rank: self.rank as i8,
                kind: known,
                attribute: 0,
            };
            let memory = block::allocate(image, bytes, dtype)?;
            let old = self.memory().replace(memory);
            if image.place_of_address(old).is_some() {
                block::free(image, old)?;
            } else {
                free(old.cast());
            }
            let token = self.object.wrapping_offset(self.token).cast::<*mut Token>();
            Token::attach(token, self.descriptor(), memory);
            if self.rank == 0 || counts.len() != self.rank {
                return Ok(());
            }
            let descriptor = &mut *self.descriptor();
            descriptor.dtype.elem_len = self.element;
            descriptor.dtype.rank = self.rank as i8;
            descriptor.span = self.element as isize;
            shape(descriptor, counts);
        }
        Ok(())
    }
}

/// Gives an array bounds from 1 to these extents.
///
/// # Safety
/// It has these dimensions.
pub unsafe fn shape(descriptor: &mut Descriptor, counts: &[usize]) {
    // Modulo 2^64, as the compiler computes them: an array without elements may have any extents.
    let (mut stride, mut offset) = (1_isize, 0_isize);
    // SAFETY: the descriptor has these dimensions.
    for (dimension, &count) in unsafe { descriptor.dimensions_mut() }.iter_mut().zip(counts) {
        *dimension = Dimension { stride, lower: 1, upper: count as isize };
        offset = offset.wrapping_sub(stride);
        stride = stride.wrapping_mul(count as isize);
    }
    descriptor.offset = offset;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fortran permits any extents of an array without elements.
    #[test]
    fn arrays_without_elements_may_have_any_extents() {
        #[repr(C)]
        struct Whole(Descriptor, [Dimension; 3]);
        let dtype = Dtype { elem_len: 8, version: 0, rank: 3, kind: 3, attribute: 0 };
        let none = Dimension { stride: 0, lower: 0, upper: 0 };
        let mut whole = Whole(Descriptor::new(std::ptr::null_mut(), dtype), [none; 3]);
        // SAFETY: laid out as the compiler does it.
        unsafe { shape(&mut *(&raw mut whole).cast::<Descriptor>(), &[1 << 40, 1 << 40, 0]) };
        assert_eq!(whole.1.map(Dimension::extent), [1 << 40, 1 << 40, 0]);
    }
}
