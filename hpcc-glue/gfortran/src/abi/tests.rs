//! The compiler's layouts, and descriptors of any size.

use super::*;
use hcube_testing::sizes::{distances, sizes_within};
use proptest::collection::vec;
use proptest::prelude::*;
use std::mem::offset_of;

/// Of gfortran 12 on x86-64 and AArch64.
#[test]
fn layouts_are_those_of_the_compiler() {
    assert_eq!((size_of::<Dtype>(), size_of::<Dimension>(), size_of::<Descriptor>()), (16, 24, 40));
    let fields =
        [offset_of!(Descriptor, offset), offset_of!(Descriptor, dtype), offset_of!(Descriptor, span)];
    assert_eq!(fields, [8, 16, 32]);
    assert_eq!((offset_of!(Dtype, rank), offset_of!(Dtype, kind)), (12, 13));
    assert_eq!((size_of::<Subscript>(), offset_of!(Subscript, of)), (32, 8));
    assert_eq!((offset_of!(Reference, item_size), offset_of!(Reference, of)), (16, 24));
    assert_eq!((offset_of!(Elements, static_type), offset_of!(Elements, dimensions)), (16, 24));
    assert_eq!((size_of::<Subscripts>(), size_of::<Reference>()), (24, 24 + 24 + 24 * MAX_RANK));
}

#[test]
fn packed_arrays_are_known() {
    #[repr(C)]
    struct Whole(Descriptor, [Dimension; 3]);
    for (extents, expected) in [
        (&[][..], Some(1)),
        (&[(5, 1)], Some(5)),
        (&[(5, 2)], None),
        (&[(5, 1), (3, 5)], Some(15)),
        (&[(5, 1), (1, 999), (3, 5)], Some(15)),
        (&[(5, 1), (3, 6)], None),
        (&[(1, 10), (3, 1)], Some(3)),
        (&[(0, 1), (3, 0)], Some(0)),
    ] {
        let rank = extents.len() as i8;
        let dtype = Dtype { elem_len: 4, version: 0, rank, kind: kind::INTEGER, attribute: 0 };
        let mut dimensions = [Dimension { stride: 0, lower: 1, upper: 0 }; 3];
        for (dimension, &(upper, stride)) in dimensions.iter_mut().zip(extents) {
            *dimension = Dimension { stride, lower: 1, upper };
        }
        let whole = Whole(Descriptor::new(std::ptr::null_mut(), dtype), dimensions);
        // SAFETY: laid out as the compiler does it.
        let count = unsafe { (*(&raw const whole).cast::<Descriptor>()).packed_count() };
        assert_eq!(count, expected, "{extents:?}");
    }
}

#[test]
fn the_extent_of_an_empty_dimension_is_none() {
    for (lower, upper, extent) in [(1, 0, 0), (1, -5, 0), (-3, -3, 1), (0, 9, 10)] {
        assert_eq!(Dimension { stride: 1, lower, upper }.extent(), extent);
    }
}

proptest! {
    #[test]
    fn extents_of_any_size_are_exact(lower in distances(), upper in distances()) {
        let expected = (upper as i128 - lower as i128 + 1).clamp(0, usize::MAX as i128);
        prop_assert_eq!(Dimension { stride: 1, lower, upper }.extent() as i128, expected);
    }

    /// Arrays whose dimensions follow one another, perhaps except for one.
    #[test]
    fn packed_arrays_of_any_size_have_their_elements_or_none(
        extents in vec(sizes_within(0, isize::MAX as usize), 0..3), element in sizes_within(1, isize::MAX as usize),
        wrong in distances(), place in 0..6_usize,
    ) {
        #[repr(C)]
        struct Whole(Descriptor, [Dimension; 3]);
        let rank = extents.len() as i8;
        let dtype = Dtype { elem_len: element, version: 0, rank, kind: kind::INTEGER, attribute: 0 };
        let mut dimensions = [Dimension { stride: 0, lower: 1, upper: 0 }; 3];
        let (mut count, mut follows) = (1_u128, true);
        for (number, &extent) in extents.iter().enumerate() {
            let stride = if number == place { wrong } else { count as isize };
            dimensions[number] = Dimension { stride, lower: 1, upper: extent as isize };
            follows &= extent <= 1 || count as i128 * element as i128 == stride as i128 * element as i128;
            count *= extent as u128;
        }
        let whole = Whole(Descriptor::new(std::ptr::null_mut(), dtype), dimensions);
        // SAFETY: laid out as the compiler does it.
        let found = unsafe { (*(&raw const whole).cast::<Descriptor>()).packed_count() };
        let fits = count.checked_mul(element as u128).is_some_and(|bytes| bytes <= isize::MAX as u128);
        if fits && follows && count > 0 {
            prop_assert_eq!(found.map(|found| found as u128), Some(count));
        } else {
            // Whether an array without elements is contiguous does not matter.
            prop_assert!(found.is_none() || found == Some(0) && count == 0, "{:?}", found);
        }
    }
}

/// A subscript of 16 bytes does not become one of another element.
#[test]
fn indices_beyond_64_bits_are_the_farthest() {
    let vector = [(1_i128 << 64) + 1, -(1 << 64), 7];
    // SAFETY: the vector has three elements of 16 bytes.
    let found = [0, 1, 2].map(|at| unsafe { subscript(vector.as_ptr().cast(), 16, at) });
    assert_eq!(found, [isize::MAX, isize::MIN, 7]);
}
