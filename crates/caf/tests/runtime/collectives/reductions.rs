//! All reductions, by an operation that does not commute and by sums whose rounding depends on their order.

use super::{Group, LONG, in_teams, read};
use hcube_caf::collective::Elements;
use hcube_core::error::Error;
use hcube_core::memory::Region;

/// Bytes of an element: a linear function modulo 2^64.
const ELEMENT: usize = 16;

fn word(bytes: &[u8]) -> u64 {
    u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
}

/// Functions of lower ranks are applied before functions of higher ranks.
fn compose(lower: &[u8], higher: &mut [u8]) {
    for (lower, higher) in lower.chunks_exact(ELEMENT).zip(higher.chunks_exact_mut(ELEMENT)) {
        let [a, b, c, d] = [&lower[..8], &lower[8..], &higher[..8], &higher[8..]].map(word);
        higher[..8].copy_from_slice(&a.wrapping_mul(c).to_ne_bytes());
        higher[8..].copy_from_slice(&b.wrapping_mul(c).wrapping_add(d).to_ne_bytes());
    }
}

/// The functions of an image.
fn functions(image: usize, length: usize) -> Vec<u8> {
    super::bytes_of([image, 7], length)
}

/// Those of the members of a range, one after the other.
fn composed(group: &Group<'_>, ranks: std::ops::Range<usize>, length: usize) -> Vec<u8> {
    let images = &group.images[ranks];
    let mut result = functions(images[0], length);
    for &image in &images[1..] {
        let mut next = functions(image, length);
        compose(&result, &mut next);
        result = next;
    }
    result
}

#[test]
fn operations_that_do_not_commute() {
    in_teams(|group| {
        let &Group { image, team, rank, size, .. } = group;
        let mut lengths = vec![0, ELEMENT, 496, 528, 10_000];
        lengths.extend((size <= 3).then_some(LONG));
        for length in lengths {
            let own = functions(group.images[rank], length);
            let whole = composed(group, 0..size, length);
            let up_to_own = composed(group, 0..rank + 1, length);
            let before_own = (rank > 0).then(|| composed(group, 0..rank, length));
            for (is_coarray, is_same) in [(false, false), (true, true), (true, false)] {
                let text = format!("{length} bytes, coarray: {is_coarray}, same: {is_same}");
                let all = group.memory[usize::from(is_coarray)].part(0..2 * length);
                let into = all.part(if is_same { 0..length } else { length..2 * length });
                let from = all.part(0..length);
                let refill = || {
                    all.write(&vec![0xee; 2 * length]);
                    from.write(&own);
                };
                for root in (0..size).rev().take(if length <= 528 { size } else { 2 }) {
                    refill();
                    let before = read(into);
                    image.reduce(team, root, from, into, &mut compose).expect(&text);
                    let expected = if rank == root { &whole } else { &before };
                    assert!(read(into) == *expected, "reduce to {root} of {:?}, {text}", group.images);
                }
                refill();
                image.allreduce(team, from, into, &mut compose).expect(&text);
                assert!(read(into) == whole, "allreduce: {rank} of {:?}, {text}", group.images);
                refill();
                image.scan(team, from, into, true, &mut compose).expect(&text);
                assert!(read(into) == up_to_own, "inclusive scan: {rank} of {:?}, {text}", group.images);
                refill();
                let before = read(into);
                image.scan(team, from, into, false, &mut compose).expect(&text);
                assert!(
                    read(into) == *before_own.as_ref().unwrap_or(&before),
                    "exclusive scan: {rank} of {:?}, {text}",
                    group.images
                );
            }
        }
    });
}

#[test]
fn all_members_get_the_same_bits() {
    in_teams(|group| {
        let &Group { image, team, rank, size, .. } = group;
        let mut add = |lower: &[u8], higher: &mut [u8]| {
            for (lower, higher) in lower.chunks_exact(8).zip(higher.chunks_exact_mut(8)) {
                let sum = f64::from_bits(word(lower)) + f64::from_bits(word(higher));
                higher.copy_from_slice(&sum.to_ne_bytes());
            }
        };
        for elements in [1, 60, 70, 2000] {
            let mut results = Vec::new();
            for turn in 0..3 {
                let number = |index| 0.1 * (rank + 1) as f64 + 1e16 / (index + rank * rank + 1) as f64;
                let mut from: Vec<u8> =
                    (0..elements).flat_map(|index: usize| number(index).to_ne_bytes()).collect();
                let (mut into, length) = (vec![0; from.len()], from.len());
                // Members come at different times.
                for _ in 0..(rank * 7 + turn * 5) % 11 {
                    std::thread::yield_now();
                }
                let into = Region::of(&mut into);
                image.allreduce(team, Region::of(&mut from), into, &mut add).expect("a sum");
                let mut all = vec![0; length * size];
                image.allgather(team, into, Region::of(&mut all)).expect("results");
                results.extend(all.chunks_exact(length).map(<[u8]>::to_vec));
            }
            assert!(results.iter().all(|result| *result == results[0]), "{elements} of {size} members");
        }
    });
}

/// Sums of words, which may be combined in any order.
fn add(lower: &[u8], higher: &mut [u8]) {
    for (lower, higher) in lower.chunks_exact(8).zip(higher.chunks_exact_mut(8)) {
        let sum = word(lower).wrapping_add(word(higher));
        higher.copy_from_slice(&sum.to_ne_bytes());
    }
}

#[test]
fn operations_that_commute() {
    in_teams(|group| {
        let &Group { image, team, rank, size, .. } = group;
        let elements = Elements { bytes: 8, commute: true };
        for length in [0, 8, 504, 520, 10_000] {
            let mut expected = vec![0; length];
            group.images.iter().for_each(|&member| add(&functions(member, length), &mut expected));
            let own = functions(image.own(), length);
            for is_coarray in [false, true] {
                let text = format!("{length} bytes, coarray: {is_coarray}, {rank} of {:?}", group.images);
                let all = group.holding(is_coarray, 0, &[own.clone(), vec![0xee; length]].concat());
                let (from, into) = (all.part(0..length), all.part(length..2 * length));
                for root in (0..size).rev() {
                    let before = read(into);
                    image.reduce_elements(team, root, (from, into), elements, &mut add).expect(&text);
                    assert!(read(into) == *if rank == root { &expected } else { &before }, "{root}, {text}");
                }
                into.write(&vec![0xee; length]);
                image.allreduce_elements(team, (from, into), elements, &mut add).expect(&text);
                assert!(read(into) == expected && read(from) == own, "{text}");
                image.allreduce_elements(team, (from, from), elements, &mut add).expect(&text);
                assert!(read(from) == expected, "in place, {text}");
            }
        }
    });
}

/// Members that combined in different orders would wait for ever.
#[test]
fn all_members_combine_in_the_same_order() {
    in_teams(|group| {
        let &Group { image, team, rank, size, .. } = group;
        if size == 1 {
            return;
        }
        let mut bytes = [1; 8];
        let region = Region::of(&mut bytes);
        let elements = Elements { bytes: 8, commute: rank != size / 2 };
        let name = "whether the order of elements matters";
        let refused = Err(Error::Mismatch { name, least: 0, most: 1 });
        assert_eq!(image.allreduce_elements(team, (region, region), elements, &mut add), refused);
        assert_eq!(image.reduce_elements(team, 0, (region, region), elements, &mut add), refused);
        let elements = Elements { bytes: 8, commute: true };
        image.allreduce_elements(team, (region, region), elements, &mut add).expect("the same order");
        assert_eq!(word(&bytes), size as u64 * word(&[1; 8]));
    });
}
