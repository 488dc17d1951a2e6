//! Reductions over the images of the current team: sums, minima, maxima, and functions of the program.
//!
//! Idea: non-contiguous elements are packed, combined in the order of the images by the runtime's allreduce
//! or reduce, and unpacked. The operations on two blocks are written in C (`reduce.c`), which has all types.
//!
//! Restrictions: gfortran does not tell whether 16 bytes are a `real(10)` or a `real(16)`: they are taken for
//! `real(10)`.
//! Cost: see [`hcube_caf::collective`]; two copies of non-contiguous elements.

use crate::abi::{Descriptor, kind};
use crate::convert::Type;
use crate::failure::{Failure, Image, Result};
use crate::section::{Section, copy};
use crate::statistics;
use crate::team::{Team, current};
use hcube_caf::collective::Elements;
use hcube_core::memory::Region;
use std::ffi::{c_char, c_int};

unsafe extern "C" {
    fn hcube_caf_combine(
        operation: c_int,
        kind: c_int,
        bytes: usize,
        parameter: c_int,
        lower: *const c_char,
        higher: *mut c_char,
        count: usize,
    ) -> c_int;
    fn hcube_caf_apply(
        function: unsafe extern "C" fn(),
        by_value: c_int,
        kind: c_int,
        bytes: usize,
        parameter: c_int,
        lower: *const c_char,
        higher: *mut c_char,
        count: usize,
    ) -> c_int;
}

/// What C returns for a type that it does not know.
const DONE: c_int = 0;

/// The operation on two elements.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    /// Their sum.
    Sum,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// A function of the program, and whether it takes its arguments by value.
    Function(unsafe extern "C" fn(), bool),
}

impl Operation {
    /// Combines a block of lower ranks with one of higher ranks, where the result is left. Whether the type
    /// is known.
    fn combine(self, of: Type, lower: &[u8], higher: &mut [u8]) -> bool {
        let count = higher.len().checked_div(of.bytes).unwrap_or(0);
        let (kind, bytes, parameter) = (of.kind.into(), of.bytes, of.parameter);
        let (lower, higher) = (lower.as_ptr().cast(), higher.as_mut_ptr().cast());
        // SAFETY: both blocks have these elements; the function is one of the program for elements of this
        // type.
        let result = unsafe {
            match self {
                Self::Sum => hcube_caf_combine(0, kind, bytes, parameter, lower, higher, count),
                Self::Min => hcube_caf_combine(1, kind, bytes, parameter, lower, higher, count),
                Self::Max => hcube_caf_combine(2, kind, bytes, parameter, lower, higher, count),
                Self::Function(function, by_value) => {
                    hcube_caf_apply(function, by_value.into(), kind, bytes, parameter, lower, higher, count)
                }
            }
        };
        result == DONE
    }
}

/// The type of the elements of a descriptor; `length` is the length of text in characters.
fn type_of(descriptor: &Descriptor, length: usize) -> Type {
    let (kind, bytes) = (descriptor.dtype.kind, descriptor.dtype.elem_len);
    let parameter = match kind {
        kind::CHARACTER if length > 0 && bytes == 4 * length => 4,
        kind::CHARACTER => 1,
        kind::COMPLEX => bytes as c_int / 2,
        _ => bytes as c_int,
    };
    Type { kind, parameter, bytes }
}

/// The rank of an image that is given by its number, 0 standing for all.
fn root(number: c_int) -> Result<Option<usize>> {
    if number == 0 { Ok(None) } else { current().rank_of(number).map(Some) }
}

/// The number of contiguous elements, or none. For the components of a derived type that is broadcast,
/// gfortran leaves span and offset of their descriptors unset, and also passes components that are not
/// allocated.
///
/// # Safety
/// As [`reduce`].
unsafe fn packed_count(descriptor: &Descriptor) -> Option<usize> {
    let Descriptor { base, offset, .. } = *descriptor;
    if base.is_null() {
        return Some(0);
    }
    // SAFETY: a living descriptor of the compiler.
    let dimensions = unsafe { descriptor.dimensions() };
    if let [only] = dimensions
        && only.stride == 1
        && only.lower.wrapping_neg() != offset
    {
        return Some(only.extent());
    }
    // SAFETY: a living descriptor of the compiler.
    unsafe { descriptor.packed_count() }
}

/// Elements of an array as one block.
#[derive(Debug)]
pub enum Block {
    /// Where they lie, by address and bytes.
    There(*mut u8, usize),
    /// A copy of elements that are not contiguous.
    Packed(Box<Section>, Vec<u8>),
}

impl Block {
    /// The elements of a descriptor.
    ///
    /// # Safety
    /// As [`reduce`].
    pub unsafe fn of(descriptor: &Descriptor) -> Self {
        // SAFETY: a living descriptor of the compiler, whose elements can be read; the copy is new.
        unsafe {
            if let Some(count) = packed_count(descriptor) {
                return Self::There(descriptor.base, count * descriptor.dtype.elem_len);
            }
            let section = Section::of(descriptor, descriptor.base);
            let mut packed = vec![0; section.bytes()];
            copy(&packed_like(&section, &mut packed), &section);
            Self::Packed(Box::new(section), packed)
        }
    }

    /// Its bytes.
    pub fn region(&mut self) -> Region<'_> {
        match self {
            // SAFETY: elements of the program, which waits meanwhile.
            Self::There(address, bytes) => unsafe { Region::new(*address, *bytes) },
            Self::Packed(_, packed) => Region::of(packed),
        }
    }

    /// Writes the elements of a copy to where they lie.
    ///
    /// # Safety
    /// As [`reduce`].
    pub unsafe fn unpack(&mut self) {
        if let Self::Packed(section, packed) = self {
            let packed = packed_like(section, packed);
            // SAFETY: the elements from which the copy was made may be written.
            unsafe { copy(section, &packed) };
        }
    }
}

/// As many contiguous elements as a section has.
fn packed_like(section: &Section, bytes: &mut [u8]) -> Section {
    Section::packed(bytes.as_mut_ptr(), section.element, section.count())
}

/// Collective over the current team: combines the elements of all images, on the image with a number or, for
/// 0, on all.
///
/// # Safety
/// The descriptor is one of the compiler, whose elements may be read and written.
pub unsafe fn reduce(
    image: &Image,
    descriptor: &Descriptor,
    operation: Operation,
    result: c_int,
    length: usize,
) -> Result<()> {
    let of = type_of(descriptor, length);
    let Team { handle, rank, .. } = *current();
    let root = root(result)?;
    // Before any element is changed.
    if !operation.combine(of, &[], &mut []) {
        let text = match operation {
            Operation::Function(..) => {
                "expected a function by reference for a derived type, which has more than 16 bytes"
            }
            // The compiler passes the objects for a component of all elements of an array.
            _ => "expected numbers or text; components of an array have to be copied to a variable first",
        };
        return Err(Failure::new(format!("{of}: {text}")));
    }
    // SAFETY: a living descriptor of the compiler, whose elements may be read and written.
    let mut block = unsafe { Block::of(descriptor) };
    let mut combine = |lower: &[u8], higher: &mut [u8]| {
        operation.combine(of, lower, higher);
    };
    let region = block.region();
    statistics::note_bytes(region.len());
    // A minimum of 0 and -0 depends on the order.
    let elements = Elements { bytes: of.bytes, commute: matches!(operation, Operation::Sum) };
    match root {
        None => image.allreduce_elements(handle, (region, region), elements, &mut combine)?,
        Some(root) => image.reduce_elements(handle, root, (region, region), elements, &mut combine)?,
    }
    if root.is_none_or(|root| root == rank) {
        // SAFETY: the elements of the descriptor may be written.
        unsafe { block.unpack() };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of a derived type.
    const DERIVED: i8 = 5;

    fn combined<T: Copy>(operation: Operation, kind: i8, lower: &[T], higher: &[T]) -> Vec<T> {
        let bytes = size_of::<T>();
        let slice = |all: &[T]| {
            // SAFETY: plain numbers.
            unsafe { std::slice::from_raw_parts(all.as_ptr().cast::<u8>(), size_of_val(all)).to_vec() }
        };
        let parameter = if kind == kind::COMPLEX { bytes / 2 } else { bytes } as c_int;
        let of = Type { kind, parameter, bytes };
        // Not aligned.
        let one = [&[0_u8][..], &slice(lower)].concat();
        let mut two = [&[0_u8][..], &slice(higher)].concat();
        assert!(operation.combine(of, &one[1..], &mut two[1..]));
        // SAFETY: the bytes of these numbers.
        (0..lower.len()).map(|at| unsafe { two[1..].as_ptr().cast::<T>().add(at).read_unaligned() }).collect()
    }

    #[test]
    fn numbers_are_combined() {
        let (one, two) = ([3_i32, -5, i32::MAX], [4_i32, 2, 1]);
        assert_eq!(combined(Operation::Sum, kind::INTEGER, &one, &two), [7, -3, i32::MIN]);
        assert_eq!(combined(Operation::Min, kind::INTEGER, &one, &two), [3, -5, 1]);
        assert_eq!(combined(Operation::Max, kind::INTEGER, &[1_i8, -1], &[0, 1]), [1, 1]);
        assert_eq!(combined(Operation::Sum, kind::INTEGER, &[1_i128 << 100], &[1]), [(1 << 100) + 1]);
        assert_eq!(combined(Operation::Max, kind::REAL, &[1.5_f64, -2.0], &[1.0, -1.0]), [1.5, -1.0]);
        assert_eq!(combined(Operation::Sum, kind::COMPLEX, &[[1.5_f32, 2.0]], &[[1.0, -1.0]]), [[2.5, 1.0]]);
    }

    #[test]
    fn text_is_compared_by_its_characters() {
        let text = |operation: Operation| {
            let of = Type { kind: kind::CHARACTER, parameter: 1, bytes: 3 };
            let mut higher = *b"abdzzz";
            assert!(operation.combine(of, b"abcaaa", &mut higher));
            higher
        };
        assert_eq!((&text(Operation::Min), &text(Operation::Max)), (b"abcaaa", b"abdzzz"));
    }

    unsafe extern "C" fn product(one: *const f64, other: *const f64) -> f64 {
        // SAFETY: two numbers.
        unsafe { *one * *other }
    }

    unsafe extern "C" fn last_digit(one: i64, other: i64) -> i64 {
        (10 * one + other) % 100
    }

    #[test]
    fn functions_get_the_lower_image_first() {
        // SAFETY: called with the types that they have.
        let [by_reference, by_value] = unsafe {
            let product: unsafe extern "C" fn() = std::mem::transmute(product as *const ());
            let digits: unsafe extern "C" fn() = std::mem::transmute(last_digit as *const ());
            [Operation::Function(product, false), Operation::Function(digits, true)]
        };
        assert_eq!(combined(by_reference, kind::REAL, &[1.5_f64], &[4.0]), [6.0]);
        assert_eq!(combined(by_value, kind::INTEGER, &[7_i64], &[8]), [78]);
    }

    /// A derived type.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Things([f64; 3]);

    unsafe extern "C" fn first(one: *const Things, other: *const Things) -> Things {
        // SAFETY: two of them.
        let (one, other) = unsafe { (*one, *other) };
        Things([one.0[0], other.0[1], one.0[2] - other.0[2]])
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn derived_types_are_combined() {
        // SAFETY: called with the type that it has.
        let first: unsafe extern "C" fn() = unsafe { std::mem::transmute(first as *const ()) };
        let one = [Things([1.0, 2.0, 3.0]), Things([4.0, 5.0, 6.0])];
        let two = [Things([10.0, 20.0, 30.0]), Things([40.0, 50.0, 60.0])];
        let result = combined(Operation::Function(first, false), DERIVED, &one, &two);
        assert_eq!(result, [Things([1.0, 20.0, -27.0]), Things([4.0, 50.0, -54.0])]);
    }

    #[test]
    fn unknown_types_are_refused() {
        let of = Type { kind: DERIVED, parameter: 0, bytes: 24 };
        assert!(!Operation::Sum.combine(of, &[0; 24], &mut [0; 24]));
        // SAFETY: not called.
        let first: unsafe extern "C" fn() = unsafe { std::mem::transmute(first as *const ()) };
        assert!(!Operation::Function(first, true).combine(of, &[0; 24], &mut [0; 24]));
        let small = Type { bytes: 16, ..of };
        assert!(!Operation::Function(first, false).combine(small, &[0; 16], &mut [0; 16]));
    }
}
