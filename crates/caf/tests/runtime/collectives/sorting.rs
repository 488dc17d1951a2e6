//! Sorting over a team.

use super::{Group, in_teams, read};
use hcube_core::memory::Region;
use std::cmp::Ordering;

/// Elements by their first byte only, so that many are equal.
fn by_first(one: &[u8], other: &[u8]) -> Ordering {
    one[0].cmp(&other[0])
}

fn check(group: &Group<'_>, count: usize, bytes: usize, mut compare: impl FnMut(&[u8], &[u8]) -> Ordering) {
    let &Group { image, team, rank, size, .. } = group;
    let text = format!("{count} elements of {bytes} bytes: {rank} of {:?}", group.images);
    let length = count * bytes;
    for is_coarray in [false, true] {
        let own = super::bytes_of([group.images[rank], count], length);
        let region = group.holding(is_coarray, 0, &own);
        image.sort(team, region, bytes, &mut compare).expect(&text);
        let mut sorted = read(region);
        assert!(sorted.chunks_exact(bytes).is_sorted_by(|a, b| compare(a, b) != Ordering::Greater), "{text}");
        let mut all = vec![0; size * length];
        let into = Region::of(&mut all);
        image.allgather(team, Region::of(&mut sorted), into).expect("results");
        assert!(all.chunks_exact(bytes).is_sorted_by(|a, b| compare(a, b) != Ordering::Greater), "{text}");
        // The same elements as before.
        let given = group.images.iter().flat_map(|&image| super::bytes_of([image, count], length));
        let mut given: Vec<Vec<u8>> =
            given.collect::<Vec<u8>>().chunks_exact(bytes).map(<[u8]>::to_vec).collect();
        let mut found: Vec<Vec<u8>> = all.chunks_exact(bytes).map(<[u8]>::to_vec).collect();
        given.sort();
        found.sort();
        assert!(given == found, "{text}");
    }
}

#[test]
fn elements_of_any_length() {
    in_teams(|group| {
        for (count, bytes) in [(0, 8), (1, 1), (1, 600), (3, 8), (100, 3), (300, 8), (40, 24)] {
            check(group, count, bytes, |one, other| one.cmp(other));
            check(group, count, bytes, |one, other| other.cmp(one));
            check(group, count, bytes, by_first);
        }
    });
}
