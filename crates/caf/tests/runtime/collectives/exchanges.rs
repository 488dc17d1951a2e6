//! Exchanges of blocks between members.

use super::{Group, bytes_of, in_teams, read};
use crate::support::Image;
use hcube_core::error::Result;
use hcube_core::memory::Region;

/// A case: what this member gives, how many bytes it gets, and what these are; nothing if they stay as they
/// are.
struct Case {
    given: Vec<u8>,
    gets: usize,
    expected: Option<Vec<u8>>,
}

/// Runs an operation in memory of both kinds, in two places and in one.
fn check(
    group: &Group<'_>,
    what: &str,
    case: &Case,
    operation: impl Fn(&Image, Region<'_>, Region<'_>) -> Result<()>,
) {
    let Case { given, gets, expected } = case;
    for (is_coarray, is_same) in [(false, false), (false, true), (true, false), (true, true)] {
        let text = format!(
            "{what}: member {} of {:?}, {} and {gets} bytes, coarray: {is_coarray}, same: {is_same}",
            group.rank,
            group.images,
            given.len()
        );
        let at = if is_same { 0 } else { given.len() };
        group.holding(is_coarray, 0, &vec![0xee; at + gets]);
        let from = group.holding(is_coarray, 0, given);
        let into = group.memory[usize::from(is_coarray)].part(at..at + gets);
        let before = read(into);
        operation(group.image, from, into).expect(&text);
        // An exposed block may be written immediately.
        if !is_same {
            from.write(&vec![0x55; given.len()]);
        }
        assert!(read(into) == *expected.as_ref().unwrap_or(&before), "{text}");
    }
}

fn all_from(group: &Group<'_>, length: usize) -> Vec<u8> {
    group.images.iter().flat_map(|&image| bytes_of([image, 0], length)).collect()
}

#[test]
fn gather_and_scatter() {
    in_teams(|group| {
        let own = group.images[group.rank];
        for length in group.lengths() {
            let roots = if length <= 513 { group.size } else { 2.min(group.size) };
            for root in (0..group.size).rev().take(roots) {
                let is_root = group.rank == root;
                let all = group.size * length;
                let case = Case {
                    given: bytes_of([own, 0], length),
                    gets: if is_root { all } else { 0 },
                    expected: is_root.then(|| all_from(group, length)),
                };
                check(group, "gather", &case, |image, from, into| image.gather(group.team, root, from, into));
                let case = Case {
                    given: if is_root { all_from(group, length) } else { Vec::new() },
                    gets: length,
                    expected: Some(bytes_of([own, 0], length)),
                };
                check(group, "scatter", &case, |image, from, into| {
                    image.scatter(group.team, root, from, into)
                });
            }
        }
    });
}

#[test]
fn allgather_and_alltoall() {
    in_teams(|group| {
        let own = group.images[group.rank];
        for length in group.lengths() {
            let case = Case {
                given: bytes_of([own, 0], length),
                gets: group.size * length,
                expected: Some(all_from(group, length)),
            };
            check(group, "allgather", &case, |image, from, into| image.allgather(group.team, from, into));
            let blocks = |pair: &dyn Fn(usize) -> [usize; 2]| -> Vec<u8> {
                group.images.iter().flat_map(|&other| bytes_of(pair(other), length)).collect()
            };
            let case = Case {
                given: blocks(&|other| [own, other]),
                gets: group.size * length,
                expected: Some(blocks(&|other| [other, own])),
            };
            check(group, "alltoall", &case, |image, from, into| image.alltoall(group.team, from, into));
        }
    });
}

#[test]
fn shift_and_permute() {
    in_teams(|group| {
        let (size, own) = (group.size as i64, group.images[group.rank]);
        for length in group.lengths() {
            let distances = [1, -2, 0, -1, 2, size, size + 1, -3 * size - 2, i64::MAX, i64::MIN];
            for &distance in &distances[..if length == 8 || length == 513 { 10 } else { 2 }] {
                let source = (group.rank as i128 - i128::from(distance)).rem_euclid(size.into()) as usize;
                let case = Case {
                    given: bytes_of([own, 0], length),
                    gets: length,
                    expected: Some(bytes_of([group.images[source], 0], length)),
                };
                check(group, "shift", &case, |image, from, into| {
                    image.shift(group.team, distance, from, into)
                });
            }
            // Factors that have no common divisor with any of the sizes.
            for factor in [1, 11] {
                let to = |rank: usize| (rank * factor + 1) % group.size;
                let source = (0..group.size).find(|&rank| to(rank) == group.rank).expect("a permutation");
                let case = Case {
                    given: bytes_of([own, 0], length),
                    gets: length,
                    expected: Some(bytes_of([group.images[source], 0], length)),
                };
                check(group, "permute", &case, |image, from, into| {
                    image.permute(group.team, to(group.rank), from, into)
                });
            }
        }
    });
}
