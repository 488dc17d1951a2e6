//! What collective operations promise, in all interleavings.
//!
//! Each image gets the block of the root, or the combination of the blocks of all images, of this operation,
//! never of an earlier or a later one; when an operation has returned, the image may write its blocks, which
//! nobody reads any more. That holds for blocks on boards, in one piece or in several, for blocks in
//! messages, and for blocks that others copy from the heap.

use super::Elements;
use crate::operations::model::{Image, coarray, images, own_part};
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use hcube_core::atomic::model::{Extent, Model, Scene, is_of_scene};
use hcube_core::atomic::{read, written};
use hcube_core::memory::Region;

const BOARDS: bool = true;
const RING: bool = false;

/// Bytes of a block that fits on a board or into a message, and of one that is exposed, or has several pieces
/// on a board.
const SHORT: usize = 16;
const LONG: usize = 600;

/// The block of an image in a round.
fn value(round: usize, rank: usize) -> u8 {
    (16 * round + 1 + rank) as u8
}

/// Notes an access of an image to its block, where others may access it.
fn note(block: Region<'_>, access: fn(*const u8)) {
    if is_of_scene(block.address()) {
        access(block.address());
    }
}

/// The image writes its block, which it may.
fn fill(block: Region<'_>, value: u8) {
    note(block, written);
    block.write(&vec![value; block.len()]);
}

fn check(block: Region<'_>, value: u8) {
    let mut found = vec![0; block.len()];
    note(block, read);
    block.read(&mut found);
    assert!(found.iter().all(|&byte| byte == value), "{found:?}: expected {value}");
}

/// Broadcasts, each of another root. `in_heap`: of memory that others read directly.
fn broadcasts(scene: &mut Scene, count: usize, (boards, in_heap): (bool, bool), bytes: usize, rounds: usize) {
    let images = images(scene, count, boards);
    let data = coarray(&images, LONG, Use::Data);
    for image in images {
        let mut elsewhere = vec![0; bytes];
        scene.participant(move || {
            let buffer =
                if in_heap { own_part(&image, data, bytes) } else { Region::of(elsewhere.as_mut_slice()) };
            for round in 0..rounds {
                let root = round % count;
                let own = image.own() == root;
                fill(buffer, if own { value(round, root) } else { 0 });
                image.broadcast(image.world(), root, buffer).expect("all are alive");
                check(buffer, value(round, root));
            }
        });
    }
}

/// The sum of the blocks of all images on all images.
fn sums(scene: &mut Scene, count: usize, have_boards: bool, bytes: usize, rounds: usize) {
    for image in images(scene, count, have_boards) {
        scene.participant(move || {
            let (mut from, mut into) = (vec![0; bytes], vec![0; bytes]);
            let [from, into] = [&mut from, &mut into].map(|block| Region::of(block));
            let elements = Elements { bytes: 8, commute: false };
            let mut add = |lower: &[u8], higher: &mut [u8]| {
                higher
                    .iter_mut()
                    .zip(lower)
                    .for_each(|(higher, lower)| *higher = higher.wrapping_add(*lower));
            };
            for round in 0..rounds {
                from.write(&vec![value(round, image.own()); bytes]);
                image
                    .allreduce_elements(image.world(), (from, into), elements, &mut add)
                    .expect("all are alive");
                let all = (0..count).map(|rank| value(round, rank)).fold(0, u8::wrapping_add);
                let mut found = vec![0; bytes];
                into.read(&mut found);
                assert_eq!(found, vec![all; bytes]);
            }
        });
    }
}

/// A sum over the members of a team.
fn sum(image: &Image, team: Handle) -> u8 {
    let (mut from, mut into) = ([value(0, image.own()); 8], [0; 8]);
    let blocks = (Region::of(&mut from), Region::of(&mut into));
    let mut add = |lower: &[u8], higher: &mut [u8]| higher[0] += lower[0];
    image.allreduce(team, blocks.0, blocks.1, &mut add).expect("all are alive");
    into[0]
}

/// Teams of these colours, which are formed, used and freed in each round.
fn teams(scene: &mut Scene, colours: &'static [i64], rounds: usize) {
    for image in images(scene, colours.len(), true) {
        scene.participant(move || {
            let own = image.own();
            let colour = colours[own];
            // The other way round than in the team of all images.
            let key = -(own as i64);
            for _ in 0..rounds {
                let team = image.split(image.world(), colour, key).expect("all are alive");
                assert_eq!(team.is_some(), colour >= 0);
                let Some(team) = team else { continue };
                let members = (0..colours.len()).filter(|&rank| colours[rank] == colour);
                let later = members.clone().filter(|&rank| rank > own).count();
                assert_eq!(image.with_team(team, |team| (team.rank(), team.size())), {
                    (later, members.clone().count())
                });
                assert_eq!(sum(&image, team), members.map(|rank| value(0, rank)).sum());
                image.free_team(team).expect("all are alive");
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::collective", "broadcasts of two images on boards", |scene| {
        broadcasts(scene, 2, (BOARDS, false), SHORT, 3);
    })
    .with(Extent::Preemptions(3)),
    Model::new("caf::collective", "broadcasts of three images on boards", |scene| {
        broadcasts(scene, 3, (BOARDS, false), SHORT, 2);
    })
    .with(Extent::Preemptions(2)),
    Model::new("caf::collective", "broadcasts of two images by messages", |scene| {
        broadcasts(scene, 2, (RING, false), SHORT, 2);
    })
    .with(Extent::Preemptions(2)),
    Model::new("caf::collective", "broadcasts of two images of memory in the heap", |scene| {
        broadcasts(scene, 2, (BOARDS, true), LONG, 2);
    })
    .with(Extent::Preemptions(2)),
    Model::new("caf::collective", "broadcasts of two images of copies in the heap", |scene| {
        broadcasts(scene, 2, (BOARDS, false), LONG, 2);
    })
    .with(Extent::Preemptions(2)),
    Model::new("caf::collective", "broadcasts of three images of memory in the heap", |scene| {
        broadcasts(scene, 3, (RING, true), LONG, 2);
    })
    .with(Extent::Preemptions(1)),
    Model::new("caf::collective", "sums of two images in pieces", |scene| sums(scene, 2, BOARDS, LONG, 2))
        .with(Extent::Preemptions(2)),
    Model::new("caf::collective", "sums of three images in shares", |scene| {
        sums(scene, 3, BOARDS, LONG, 1);
    })
    .with(Extent::Preemptions(1)),
    Model::new("caf::collective", "sums of two images by messages", |scene| sums(scene, 2, RING, SHORT, 2))
        .with(Extent::Preemptions(2)),
    Model::new("caf::teams", "a team of two images", |scene| teams(scene, &[1, 1], 2))
        .with(Extent::Preemptions(1)),
    Model::new("caf::teams", "teams of two images and of none", |scene| teams(scene, &[1, -1], 1))
        .with(Extent::Preemptions(1)),
    Model::new("caf::teams", "teams of three images", |scene| teams(scene, &[2, 1, 2], 1))
        .with(Extent::Preemptions(1)),
];
