//! The types that gfortran 12 to 14 passes to its coarray library, as in libgfortran's headers.
//!
//! gfortran 15 has replaced `get` and `send` by compiler-generated functions; see
//! [`crate::export::accessors`].

use crate::index::elements;
use crate::span;
use std::ffi::{c_char, c_int, c_void};
use std::slice;

/// Dimensions that an array has at most.
pub const MAX_RANK: usize = 15;

/// Status of an image, of a lock, of a list of images: the values of the constants in `ISO_FORTRAN_ENV`.
pub const STAT_UNLOCKED: c_int = 0;
/// This image has the lock.
pub const STAT_LOCKED: c_int = 1;
/// Another image has the lock.
pub const STAT_LOCKED_OTHER_IMAGE: c_int = 2;
/// An image is named twice, or is no image.
pub const STAT_DUP_SYNC_IMAGES: c_int = 3;
/// The result of libgfortran if memory cannot be allocated.
pub const STAT_ALLOCATION: c_int = 5014;
/// An image has stopped.
pub const STAT_STOPPED_IMAGE: c_int = 6000;
/// An image has failed.
pub const STAT_FAILED_IMAGE: c_int = 6001;

/// The type of elements.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dtype {
    /// Bytes of an element; of a component, if the descriptor describes a component of an array.
    pub elem_len: usize,
    /// 0.
    pub version: c_int,
    /// Dimensions, without codimensions.
    pub rank: i8,
    /// One of [`kind`].
    pub kind: i8,
    /// Not used.
    pub attribute: i16,
}

/// Types of elements.
pub mod kind {
    /// `integer`.
    pub const INTEGER: i8 = 1;
    /// `logical`.
    pub const LOGICAL: i8 = 2;
    /// `real`.
    pub const REAL: i8 = 3;
    /// `complex`.
    pub const COMPLEX: i8 = 4;
    /// A derived type.
    pub const DERIVED: i8 = 5;
    /// `character`.
    pub const CHARACTER: i8 = 6;
    /// A polymorphic object.
    pub const CLASS: i8 = 7;
    /// An object without a type in the program, such as a token.
    pub const VOID: i8 = 10;
}

/// A dimension of an array.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension {
    /// From one element to the next, in spans.
    pub stride: isize,
    /// The index of the first element.
    pub lower: isize,
    /// The index of the last element.
    pub upper: isize,
}

impl Dimension {
    /// Elements.
    pub fn extent(self) -> usize {
        if self.upper < self.lower { 0 } else { self.upper.abs_diff(self.lower).saturating_add(1) }
    }
}

/// The head of an array descriptor; its dimensions follow.
#[repr(C)]
#[derive(Debug)]
pub struct Descriptor {
    /// The first element.
    pub base: *mut u8,
    /// The index of the element whose subscripts are all 0.
    pub offset: isize,
    /// The type of elements.
    pub dtype: Dtype,
    /// Bytes per unit of a stride.
    pub span: isize,
    dimensions: [Dimension; 0],
}

impl Descriptor {
    /// The head of an array from 1 on.
    pub fn new(base: *mut u8, dtype: Dtype) -> Self {
        Self { base, offset: -1, dtype, span: dtype.elem_len as isize, dimensions: [] }
    }

    /// The dimensions; scalars have none.
    ///
    /// # Safety
    /// It is a descriptor of the compiler, which lives during the borrow.
    pub unsafe fn dimensions(&self) -> &[Dimension] {
        let rank = usize::try_from(self.dtype.rank).unwrap_or(0).min(MAX_RANK);
        // SAFETY: the compiler's descriptors have as many dimensions as their rank says, after the head.
        unsafe { slice::from_raw_parts((&raw const self.dimensions).cast(), rank) }
    }

    /// As [`Self::dimensions`], to be written.
    ///
    /// # Safety
    /// As there, and nothing else refers to them.
    pub unsafe fn dimensions_mut(&mut self) -> &mut [Dimension] {
        let rank = usize::try_from(self.dtype.rank).unwrap_or(0).min(MAX_RANK);
        // SAFETY: the compiler's descriptors have as many dimensions as their rank says, and nothing else
        // refers to them.
        unsafe { slice::from_raw_parts_mut((&raw mut self.dimensions).cast(), rank) }
    }

    /// The number of elements, if they are contiguous and an object may have their bytes.
    ///
    /// # Safety
    /// As [`Self::dimensions`].
    #[inline]
    pub unsafe fn packed_count(&self) -> Option<usize> {
        // SAFETY: a living descriptor of the compiler.
        let (unit, dimensions) = unsafe { (self.unit(), self.dimensions()) };
        let (mut bytes, mut count) = (self.dtype.elem_len as isize, 1_usize);
        for dimension in dimensions {
            let extent = dimension.extent();
            if extent > 1 && dimension.stride.checked_mul(unit) != Some(bytes) {
                return None;
            }
            bytes = bytes.checked_mul(isize::try_from(extent).ok()?)?;
            count = count.checked_mul(extent)?;
        }
        Some(count)
    }

    /// Bytes from one element to the next where the stride is 1. A section of a component has the span of the
    /// whole elements.
    ///
    /// # Safety
    /// As [`Self::dimensions`].
    pub unsafe fn unit(&self) -> isize {
        let element = self.dtype.elem_len as isize;
        if self.span <= element {
            return element;
        }
        // SAFETY: a living descriptor of the compiler.
        let dimensions = unsafe { self.dimensions() };
        let count = elements(dimensions.iter().map(|one| one.extent()));
        if span::is_plausible(self.span, self.base, count, self.dtype.elem_len) { self.span } else { element }
    }
}

/// A subscript of a section: a vector if `vectors` is not 0, else a triplet.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Subscript {
    /// Elements of the vector.
    pub count: usize,
    /// Its kind.
    pub of: SubscriptOf,
}

/// See [`Subscript`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union SubscriptOf {
    /// Where `count` is not 0.
    pub vector: Vector,
    /// Where `count` is 0.
    pub triplet: Triplet,
}

/// A vector of subscripts.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Vector {
    /// Integers.
    pub data: *const c_void,
    /// Their bytes.
    pub kind: c_int,
}

/// A triplet of subscripts.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Triplet {
    /// The first.
    pub lower: isize,
    /// The limit.
    pub upper: isize,
    /// The step.
    pub stride: isize,
}

/// A step from a coarray to a component or to elements.
#[repr(C)]
pub struct Reference {
    /// The next step, of that to which this one leads.
    pub next: *const Reference,
    /// One of [`step`].
    pub kind: c_int,
    /// Bytes of an element of that to which this one leads.
    pub item_size: usize,
    /// Its kind.
    pub of: ReferenceOf,
}

/// Kinds of steps.
pub mod step {
    /// A component.
    pub const COMPONENT: i32 = 0;
    /// Elements of an array that has a descriptor.
    pub const ARRAY: i32 = 1;
    /// Elements of an array without one.
    pub const STATIC_ARRAY: i32 = 2;
}

/// See [`Reference`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union ReferenceOf {
    /// Of a component.
    pub component: Component,
    /// Of an array.
    pub array: Elements,
}

/// A component.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// Its bytes from the beginning of the object.
    pub offset: isize,
    /// The bytes of its token; 0 if it has none, as components that are neither allocatable nor pointers.
    pub token_offset: isize,
}

/// Elements of an array.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Elements {
    /// Per dimension one of [`mode`]; the first [`mode::NONE`] ends them.
    pub modes: [u8; MAX_RANK],
    /// The type of an array without a descriptor.
    pub static_type: c_int,
    /// Per dimension what the mode needs.
    pub dimensions: [Subscripts; MAX_RANK],
}

/// Modes of subscripts.
pub mod mode {
    /// No dimension.
    pub const NONE: u8 = 0;
    /// A vector.
    pub const VECTOR: u8 = 1;
    /// All elements, with a step.
    pub const FULL: u8 = 2;
    /// From start to end.
    pub const RANGE: u8 = 3;
    /// The start.
    pub const SINGLE: u8 = 4;
    /// From the start on.
    pub const OPEN_END: u8 = 5;
    /// Up to the end.
    pub const OPEN_START: u8 = 6;
}

/// See [`Elements`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union Subscripts {
    /// All modes except the next one.
    pub range: Range,
    /// [`mode::VECTOR`].
    pub vector: Indices,
}

/// Subscripts in steps.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The first.
    pub start: isize,
    /// The limit.
    pub end: isize,
    /// The step.
    pub stride: isize,
}

/// A vector of subscripts.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Indices {
    /// Integers.
    pub data: *const c_void,
    /// Their number.
    pub count: usize,
    /// Their bytes.
    pub kind: c_int,
}

/// A subscript of a vector.
///
/// # Safety
/// The vector has this element.
pub unsafe fn subscript(data: *const c_void, kind: c_int, index: usize) -> isize {
    // SAFETY: the vector has an element with this index, of `kind` bytes.
    unsafe {
        match kind {
            1 => data.cast::<i8>().add(index).read_unaligned() as isize,
            2 => data.cast::<i16>().add(index).read_unaligned() as isize,
            4 => data.cast::<i32>().add(index).read_unaligned() as isize,
            8 => data.cast::<i64>().add(index).read_unaligned() as isize,
            // No array has an index that exceeds 64 bits.
            _ => {
                let index = data.cast::<i128>().add(index).read_unaligned();
                index.clamp(isize::MIN as i128, isize::MAX as i128) as isize
            }
        }
    }
}

/// The kind of object that is registered.
pub mod registration {
    /// A coarray that is not allocatable.
    pub const STATIC: i32 = 0;
    /// An allocatable coarray.
    pub const ALLOCATED: i32 = 1;
    /// Locks; the size is their number.
    pub const LOCKS_STATIC: i32 = 2;
    /// A critical construct.
    pub const CRITICAL: i32 = 4;
    /// Events; the size is their number.
    pub const EVENTS_STATIC: i32 = 5;
    /// Allocatable ones.
    pub const EVENTS_ALLOCATED: i32 = 6;
    /// A component without memory.
    pub const COMPONENT: i32 = 7;
    /// The memory of a component.
    pub const COMPONENT_MEMORY: i32 = 8;
}

/// Operations of `atomic_op`.
pub mod atomic {
    /// `atomic_add`.
    pub const ADD: i32 = 1;
    /// `atomic_and`.
    pub const AND: i32 = 2;
    /// `atomic_or`.
    pub const OR: i32 = 3;
    /// `atomic_xor`.
    pub const XOR: i32 = 4;
}

/// Flags of `co_reduce`.
pub mod reduction {
    /// The function takes its arguments by value.
    pub const BY_VALUE: i32 = 1 << 2;
}

/// Where a statement wants its status and the message of an error.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// NULL: an error ends the program.
    pub stat: *mut c_int,
    /// Blank-padded; may be NULL.
    pub message: *mut c_char,
    /// Its length.
    pub length: usize,
}

#[cfg(test)]
mod tests;
