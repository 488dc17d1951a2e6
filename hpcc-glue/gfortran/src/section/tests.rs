//! Copies of random sections compared with loops over their elements.

use super::*;

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
