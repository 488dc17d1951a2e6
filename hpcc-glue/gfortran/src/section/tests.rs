//! Copies of random sections compared with loops over their elements, and sections of any size compared with
//! 128 bits.

use super::range::array_bytes;
use super::*;
use crate::abi::{SubscriptOf, Triplet, Vector};
use crate::failure::Failure;
use hcube_testing::sizes::{distances, sizes, sizes_within};
use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::Range;

/// A small generator: the tests have to be the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Bytes of the arrays in which the sections lie.
const BYTES: usize = 4096;

/// A section with these counts, whose elements do not overlap, inside of `BYTES` bytes.
fn section(random: &mut Random, base: *mut u8, element: usize, counts: &[usize]) -> Section {
    let mut section = Section::scalar(base, element);
    let mut reach = element;
    for &count in counts {
        let stride = reach + element * random.below(2);
        match random.below(4) {
            0 => {
                let distances: Vec<isize> = (0..count).rev().map(|at| (at * stride) as isize).collect();
                section.push_table(distances.into());
            }
            1 => {
                section.shift((count.max(1) - 1) as isize * stride as isize);
                section.push(count, -(stride as isize));
            }
            _ => section.push(count, stride as isize),
        }
        reach = stride * count.max(1);
    }
    assert!(reach <= BYTES, "{reach} bytes");
    section
}

#[test]
fn copies_are_those_of_loops_over_elements() {
    let mut random = Random(7);
    for turn in 0..5000 {
        let element = [1, 2, 4, 8, 12, 16][random.below(6)];
        let mut counts: Vec<usize> = (0..random.below(4)).map(|_| random.below(5)).collect();
        let mut source: Vec<u8> = (0..BYTES).map(|at| (at * 7 + turn) as u8).collect();
        let (mut target, mut expected) = (vec![0; BYTES], vec![0; BYTES]);
        let from = section(&mut random, source.as_mut_ptr(), element, &counts);
        if random.below(3) == 0 {
            counts.insert(random.below(counts.len() + 1), 1);
        }
        let into = section(&mut random, target.as_mut_ptr(), element, &counts);
        let offset = into.base.addr() - target.as_ptr().addr();
        for (to, at) in into.distances().zip(from.addresses()) {
            let place = offset.wrapping_add_signed(to);
            let begin = at.addr() - source.as_ptr().addr();
            expected[place..place + element].copy_from_slice(&source[begin..begin + element]);
        }
        // SAFETY: both sections lie in their vectors.
        unsafe { copy(&into, &from) };
        assert_eq!(target, expected, "turn {turn}: {into:?} from {from:?}");
    }
}

#[test]
fn bounds_hold_all_elements_and_shapes_have_them() {
    let mut random = Random(11);
    for _ in 0..2000 {
        let element = 1 + random.below(9);
        let counts: Vec<usize> = (0..random.below(4)).map(|_| 1 + random.below(4)).collect();
        let mut memory = vec![0; BYTES];
        let section = section(&mut random, memory.as_mut_ptr(), element, &counts);
        let bounds = section.bounds();
        let low = section.distances().min().expect("an element");
        let high = section.distances().max().expect("an element") + element as isize;
        assert_eq!(bounds, low..high);
        let shape = section.shape().expect("a small one");
        assert_eq!(shape.bytes(), section.bytes());
        assert_eq!(shape.bounds(), low as i64..high as i64);
        let mut runs = Vec::new();
        shape.for_each(|distance| {
            runs.extend((0..shape.run()).map(|byte| distance + byte as i64));
        });
        let bytes: Vec<i64> = section
            .distances()
            .flat_map(|distance| (0..element).map(move |byte| distance as i64 + byte as i64))
            .collect();
        assert_eq!(runs, bytes);
    }
}

#[test]
fn overlap_is_seen() {
    let mut memory = [0_u8; 64];
    let base = memory.as_mut_ptr();
    let one = Section::packed(base, 4, 4);
    assert!(one.overlaps(&Section::packed(base.wrapping_add(12), 4, 4)));
    assert!(!one.overlaps(&Section::packed(base.wrapping_add(16), 4, 4)));
    assert!(!one.overlaps(&Section::packed(base, 4, 0)));
}

#[test]
fn leading_elements_are_taken_from_each_dimension() {
    let base = ptr::null_mut::<u8>().wrapping_add(1000);
    let distances = |section: Option<Section>| {
        section.map(|section| section.addresses().map(|address| address.addr() - 1000).collect::<Vec<_>>())
    };
    let array = |counts: &[usize]| Section::array(base, 1, counts);
    assert_eq!(distances(array(&[3, 4]).leading(&array(&[2, 3]))), Some(vec![0, 1, 3, 4, 6, 7]));
    assert_eq!(distances(array(&[5]).leading(&array(&[1, 2, 1]))), Some(vec![0, 1]));
    assert_eq!(distances(array(&[2, 6]).leading(&array(&[3, 3]))), None);
    assert_eq!(distances(array(&[6]).leading(&array(&[2, 2]))), None);
    let mut chosen = Section::scalar(base, 1);
    chosen.push_table([9, 4, 7].into());
    assert_eq!(distances(chosen.leading(&array(&[2]))), Some(vec![9, 4]));
}

/// No part is larger than the address space.
const MAX_PART: usize = 1 << 56;
/// No object has more bytes.
const MAX_BYTES: u128 = isize::MAX as u128;

/// Whether a section lies in the first `bytes` bytes of memory.
fn is_inside(section: &Section, bytes: usize) -> bool {
    section.check_inside(ptr::null(), bytes, |_| Failure::new("outside")).is_ok()
}

/// Bytes of an array; none if no object has as many.
fn exact_bytes(counts: &[u128], element: usize) -> Option<u128> {
    if counts.contains(&0) {
        return Some(0);
    }
    let fits = |&bytes: &u128| bytes <= MAX_BYTES;
    let all = counts.iter().try_fold(1, |all: u128, &count| all.checked_mul(count).filter(fits));
    all.and_then(|all| Some(all * element as u128).filter(fits))
}

/// A dimension and a triplet of it: any, or one of a few elements from the first one on.
fn triplets() -> impl Strategy<Value = (Dimension, Triplet)> {
    let numbers = || [distances(), distances(), distances()];
    let any = (numbers(), numbers()).prop_map(|(of, [lower, upper, stride])| {
        (Dimension { stride: of[0], lower: of[1], upper: of[2] }, Triplet { lower, upper, stride })
    });
    let few =
        ([distances(), distances()], 0..4_isize, 1..3_isize).prop_map(|([of, lower], count, stride)| {
            let lower = lower.clamp(isize::MIN + 1, isize::MAX - 4);
            (
                Dimension { stride: of, lower, upper: lower },
                Triplet { lower, upper: lower + count - 1, stride },
            )
        });
    prop_oneof![1 => any, 3 => few]
}

/// The range of the elements that triplets select, and their numbers; none where 128 bits do not count them.
fn exact_selection(
    all: &[(Dimension, Triplet)],
    (element, unit): (usize, isize),
) -> Option<(Range<i128>, Vec<u128>)> {
    let (mut low, mut high, mut counts) = (0_i128, element as i128, Vec::new());
    for (dimension, triplet) in all {
        let step = dimension.stride as i128 * unit as i128;
        let by = if triplet.stride == 0 { 1 } else { triplet.stride as i128 };
        let [from, to, lower] = [triplet.lower, triplet.upper, dimension.lower].map(|index| index as i128);
        let count = ((to - from + by) / by).max(0);
        counts.push(count as u128);
        let ends = [from, from + (count - 1).max(0) * by];
        let [one, other] = ends.map(|index| (index - lower).checked_mul(step));
        low = low.checked_add(one?.min(other?))?;
        high = high.checked_add(one?.max(other?))?;
    }
    Some((low..high, counts))
}

proptest! {
    #[test]
    fn sections_of_any_size_lie_in_a_part_or_are_refused(
        element in sizes_within(1, MAX_PART), dimensions in vec((sizes(), distances()), 0..5),
        offset in sizes_within(0, MAX_PART), bytes in sizes_within(0, MAX_PART),
    ) {
        let mut section = Section::scalar(ptr::without_provenance_mut(offset), element);
        let (mut low, mut high) = (0, element as i128);
        for &(count, stride) in &dimensions {
            let stride = distance(stride, 0, 1);
            section.push(count, stride);
            let last = (count.max(1) as i128 - 1) * stride as i128;
            (low, high) = (low + last.min(0), high + last.max(0));
        }
        let counts: Vec<u128> = dimensions.iter().map(|&(count, _)| count as u128).collect();
        let exact = exact_bytes(&counts, element);
        prop_assert_eq!(section.count() == 0, counts.contains(&0));
        prop_assert!(exact.map_or(section.bytes() as u128 > MAX_BYTES, |bytes| section.bytes() as u128 == bytes));
        if counts.contains(&0) {
            (low, high) = (0, 0);
        }
        let fits = |number: i128| number.clamp(isize::MIN as i128, isize::MAX as i128) as isize;
        prop_assert_eq!(section.bounds(), fits(low)..fits(high));
        let lies_inside = low + offset as i128 >= 0 && high + offset as i128 <= bytes as i128;
        prop_assert_eq!(is_inside(&section, bytes), exact == Some(0) || exact.is_some() && lies_inside);
    }

    #[test]
    fn triplets_of_any_size_select_elements_of_a_part_or_are_refused(
        all in vec(triplets(), 1..=MAX_RANK), element in sizes_within(1, 1 << 20),
        unit in sizes_within(1, MAX_PART), bytes in sizes_within(0, MAX_PART),
    ) {
        let mut section = Section::scalar(ptr::null_mut(), element);
        for &(dimension, triplet) in &all {
            let subscript = Subscript { count: 0, of: SubscriptOf { triplet } };
            // SAFETY: without a count it is a triplet.
            unsafe { section.select(dimension, unit as isize, &subscript) };
        }
        let exact = exact_selection(&all, (element, unit as isize));
        let is_empty = section.count() == 0;
        let expected = exact.filter(|(range, counts)| {
            let lies_inside = range.start >= 0 && range.end <= bytes as i128;
            !is_empty && lies_inside && exact_bytes(counts, element).is_some()
        });
        prop_assert_eq!(is_inside(&section, bytes), is_empty || expected.is_some());
        if let Some((range, counts)) = expected {
            let found = section.range(ptr::null());
            prop_assert_eq!(found.start as i128..found.end as i128, range);
            prop_assert_eq!(section.count() as u128, counts.iter().product::<u128>());
        }
    }

    #[test]
    fn vector_subscripts_of_any_size_select_elements_of_a_part_or_are_refused(
        indices in vec(distances(), 1..4), [lower, stride] in [distances(), distances()],
        near in any::<bool>(), unit in sizes_within(1, 1 << 40), bytes in sizes_within(0, MAX_PART),
    ) {
        // Half of the vectors select elements near the first one.
        let near = |index: isize| if near { lower.saturating_add(index.rem_euclid(4)) } else { index };
        let indices: Vec<i128> = indices.into_iter().map(|index| near(index) as i128).collect();
        let dimension = Dimension { stride, lower, upper: lower };
        let vector = Vector { data: indices.as_ptr().cast(), kind: 16 };
        let mut section = Section::scalar(ptr::null_mut(), 8);
        // SAFETY: the vector has these elements of 16 bytes.
        unsafe { section.select(dimension, unit as isize, &Subscript { count: indices.len(), of: SubscriptOf { vector } }) };
        let step = stride as i128 * unit as i128;
        let distances = indices.iter().map(|index| (index - lower as i128).checked_mul(step));
        let inside = distances.clone().all(|at| at.is_some_and(|at| at >= 0 && at + 8 <= bytes as i128));
        prop_assert_eq!(is_inside(&section, bytes), inside);
        if inside {
            prop_assert!(section.distances().map(|at| Some(at as i128)).eq(distances));
        }
    }

    #[test]
    fn arrays_of_any_size_have_their_bytes_or_none(counts in vec(sizes(), 0..5), element in sizes()) {
        let exact: Vec<u128> = counts.iter().map(|&count| count as u128).collect();
        let found = array_bytes(&counts, element).ok().map(|bytes| bytes as u128);
        // Elements without bytes, such as text of length 0.
        let expected = if element == 0 { Some(0) } else { exact_bytes(&exact, element) };
        prop_assert_eq!(found, expected);
        let array = Section::array(ptr::null_mut(), element, &counts);
        prop_assert!(expected.is_none_or(|bytes| array.bytes() as u128 == bytes));
    }
}

/// Places in opposite directions, far outside of the coarray, which together would be its first element.
#[test]
fn far_places_do_not_add_up_to_a_near_one() {
    let mut section = Section::scalar(ptr::null_mut(), 8);
    for lower in [1 << 60, -(1 << 60)] {
        let triplet = Triplet { lower, upper: lower, stride: 1 };
        let dimension = Dimension { stride: 1, lower: 0, upper: 9 };
        // SAFETY: without a count it is a triplet.
        unsafe { section.select(dimension, 8, &Subscript { count: 0, of: SubscriptOf { triplet } }) };
    }
    assert!(!is_inside(&section, 80));
}

/// `a(v, v, v)` repeats elements, so that they have more bytes than any object.
#[test]
fn repeated_elements_without_end_are_refused() {
    let mut section = Section::scalar(ptr::null_mut(), 8);
    for _ in 0..3 {
        section.push(1 << 21, 0);
    }
    let error = section.check_inside(ptr::null(), 8, |_| Failure::new("outside")).expect_err("2^66 bytes");
    assert_eq!(error.text, "a section [2097152, 2097152, 2097152] of elements of 8 bytes: expected fewer");
}

/// A pointer that was never associated may have any value.
#[test]
fn elements_behind_no_address_are_refused() {
    let at = |address: usize| Section::packed(ptr::without_provenance_mut(address), 8, 2).check_addresses();
    assert!(at(4096).is_ok() && at(isize::MAX as usize - 8).is_err());
    let text = at(usize::MAX - 3).expect_err("no address").text;
    assert_eq!(text, "memory from 0xfffffffffffffffc on: expected the target of a pointer");
}
