//! Invalid arguments, and arguments that differ: an error on all members, after which the team is still
//! usable.

use super::{Group, in_teams};
use crate::support::{Image, form, with_images};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

type Operation<'a> = Box<dyn Fn(&Image) -> Result<()> + 'a>;

/// An error on all members; then all of them perform an operation that works.
fn refused(group: &Group<'_>, what: &str, operation: impl FnOnce(&Image) -> Result<()>) -> String {
    let error = operation(group.image).expect_err(what);
    let rank = group.rank as u64;
    let (mut own, mut all) = (rank.to_ne_bytes(), vec![0; 8 * group.size]);
    let [own, into] = [Region::of(&mut own), Region::of(&mut all)];
    group.image.allgather(group.team, own, into).expect("an operation that works");
    let expected: Vec<u8> = (0..group.size as u64).flat_map(u64::to_ne_bytes).collect();
    assert!(all == expected, "after {what}");
    error.to_string()
}

/// An operation of reductions, which is never called.
fn keep(_: &[u8], _: &mut [u8]) {}

#[test]
fn wrong_arguments_are_an_error_on_all_members() {
    in_teams(|group| {
        let &Group { team, rank, size, .. } = group;
        let mut memory = vec![0; 8 * size + 8];
        let all = Region::of(&mut memory);
        let part = |length: usize| all.part(0..length);
        for wrong in 0..size {
            let is_wrong = rank == wrong;
            let (root, into) = if is_wrong { (size, 9) } else { (0, 8) };
            let destination = if is_wrong { size } else { rank };
            let other = format!("rank {wrong} refused: its arguments are not valid");
            let roots: [(&str, &str, Operation<'_>); 5] = [
                ("broadcast", "root", Box::new(|image| image.broadcast(team, root, part(8)))),
                ("gather", "root", Box::new(|image| image.gather(team, root, part(8), part(8 * size)))),
                ("scatter", "root", Box::new(|image| image.scatter(team, root, part(8 * size), part(8)))),
                ("reduce", "root", Box::new(|image| image.reduce(team, root, part(8), part(8), &mut keep))),
                (
                    "permute",
                    "destination",
                    Box::new(|image| image.permute(team, destination, part(8), part(8))),
                ),
            ];
            for (what, name, operation) in roots {
                let own = format!("{name} = {size}: expected 0 to {}, the members of the team", size - 1);
                assert_eq!(&refused(group, what, operation), if is_wrong { &own } else { &other }, "{what}");
            }
            let gathered = 8 * size - 8 + into;
            let lengths: [(&str, Operation<'_>); 7] = [
                ("shift", Box::new(|image| image.shift(team, 1, part(8), part(into)))),
                ("allgather", Box::new(|image| image.allgather(team, part(8), part(gathered)))),
                ("alltoall", Box::new(|image| image.alltoall(team, part(8 * size), part(gathered)))),
                ("sort", Box::new(|image| image.sort(team, part(8), into, &mut |a, b| a.cmp(b)))),
                ("scan", Box::new(|image| image.scan(team, part(8), part(into), false, &mut keep))),
                ("scan", Box::new(|image| image.scan(team, part(8), part(into), true, &mut keep))),
                ("allreduce", Box::new(|image| image.allreduce(team, part(8), part(into), &mut keep))),
            ];
            for (what, operation) in lengths {
                let error = refused(group, what, operation);
                let is_expected = if is_wrong { error.contains("expected") } else { error == other };
                assert!(is_expected, "{what}: {error}");
            }
        }
    });
}

#[test]
fn arguments_that_differ_are_an_error_on_all_members() {
    in_teams(|group| {
        let &Group { team, rank, size, .. } = group;
        if size == 1 {
            return;
        }
        let mut memory = vec![0; 64 * size];
        let all = Region::of(&mut memory);
        let part = |length: usize| all.part(0..length);
        for wrong in 0..size {
            let is_wrong = rank == wrong;
            let by_one = |value: usize| value + usize::from(is_wrong);
            let bytes = by_one(8);
            // Each with the argument that differs, and its least value.
            let cases: [(&str, i64, Operation<'_>); 7] = [
                ("bytes", 8, Box::new(|image| image.broadcast(team, 0, part(bytes)))),
                ("root", 0, Box::new(|image| image.broadcast(team, by_one(0), part(8)))),
                ("bytes", 8, Box::new(|image| image.gather(team, 1, part(bytes), part(bytes * size)))),
                ("distance", 5, Box::new(|image| image.shift(team, by_one(5) as i64, part(8), part(8)))),
                ("bytes", 8, Box::new(|image| image.allreduce(team, part(bytes), part(bytes), &mut keep))),
                ("inclusive", 0, Box::new(|image| image.scan(team, part(8), part(8), is_wrong, &mut keep))),
                (
                    "element_bytes",
                    8,
                    Box::new(|image| image.sort(team, part(72), by_one(8), &mut |one, other| one.cmp(other))),
                ),
            ];
            for (number, (name, least, operation)) in cases.into_iter().enumerate() {
                let expected = Error::Mismatch { name, least, most: least + 1 }.to_string();
                assert_eq!(refused(group, name, operation), expected, "case {number}");
            }
            // No permutation: one member is named twice.
            let destination = if is_wrong { (rank + 1) % size } else { rank };
            let error = refused(group, "permute", |image| image.permute(team, destination, part(8), part(8)));
            let expected = "expected a different member for each member of the team";
            assert_eq!(error, format!("destination = {destination}: {expected}"));
        }
    });
}

#[test]
fn teams_that_were_freed_and_overlapping_blocks_are_refused() {
    with_images(3, 2, |image| {
        let team = form(image, image.world(), 0, 0);
        image.free_team(team).expect("a team without coarrays");
        let mut memory = vec![0; 60];
        let all = Region::of(&mut memory);
        assert!(
            image.broadcast(team, 0, all).is_err()
                && image.broadcast_async(team, 0, all_of(all), None).is_err()
        );
        let error = image.alltoall(image.world(), all.part(0..30), all.part(1..31)).expect_err("overlap");
        assert!(error.to_string().starts_with("into = "), "{error}");
        let error = image.alltoall(image.world(), all.part(0..31), all.part(0..31)).expect_err("31 bytes");
        assert_eq!(error.to_string(), "bytes = 31: expected a multiple of 3");
    });
}

/// A region without bytes, for operations that begin nothing.
fn all_of(region: Region<'_>) -> Region<'static> {
    // SAFETY: no bytes.
    unsafe { Region::new(region.address(), 0) }
}
