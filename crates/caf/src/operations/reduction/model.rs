//! What a reduction promises, in all interleavings.
//!
//! Each image gets the combination of the words of all images in this reduction, never of an earlier or a
//! later one; no image waits for ever once all have called it, or one of them has ended.

use super::Combination;
use crate::operations::model::{Image, images, images_on, is_done, watch};
use hcube_core::atomic::model::{Extent, Model, Scene};

const BOARDS: bool = true;
const RING: bool = false;

/// The words of an image in a reduction.
fn words(round: u64, rank: usize) -> [i64; 2] {
    [10_i64.pow(rank as u32) * round as i64, rank as i64 - round as i64]
}

/// The sums of these over some images.
fn sums(round: u64, count: usize) -> [i64; 2] {
    let all = (0..count).map(|rank| words(round, rank));
    all.fold([0; 2], |[one, other], words| [one + words[0], other + words[1]])
}

/// More reductions than there are slots.
fn rounds(scene: &mut Scene, count: usize, have_boards: bool, rounds: u64) {
    let images = images(scene, count, have_boards);
    rounds_of(scene, images, rounds);
}

fn rounds_of(scene: &mut Scene, images: Vec<Image>, rounds: u64) {
    let count = images.len();
    for image in images {
        scene.participant(move || {
            for round in 1..=rounds {
                let own = words(round, image.own());
                let all = image.combine(image.world(), own, Combination::Sum).expect("all are alive");
                assert_eq!(all, sums(round, count));
            }
        });
    }
}

/// Reductions, in which the last image ends at some step.
fn end(scene: &mut Scene, count: usize, have_boards: bool, steps: usize) {
    let images = images(scene, count, have_boards);
    end_of_last(scene, images, steps);
}

fn end_of_last(scene: &mut Scene, mut images: Vec<Image>, steps: usize) {
    const ROUNDS: u64 = 2;
    let count = images.len();
    let (step, last) = (scene.choose(steps), images.pop().expect("images"));
    let team = last.world();
    let end = scene.participant_that_ends(step, move || {
        for round in 1..=ROUNDS {
            last.combine(team, words(round, count - 1), Combination::Sum).expect("all are alive");
        }
    });
    watch(&images, count - 1, &end);
    for image in images {
        scene.participant(move || {
            for round in 1..=ROUNDS {
                let all = image.combine(team, words(round, image.own()), Combination::Sum);
                if let Ok(all) = &all {
                    assert_eq!(*all, sums(round, count));
                }
                if !is_done(all, count - 1) {
                    return;
                }
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::reduction", "rounds of two images on boards", |scene| rounds(scene, 2, BOARDS, 3)),
    Model::new("caf::reduction", "rounds of two images on a ring", |scene| rounds(scene, 2, RING, 3)),
    Model::new("caf::reduction", "rounds of three images on boards", |scene| rounds(scene, 3, BOARDS, 3))
        .with(Extent::Preemptions(2)),
    Model::new("caf::reduction", "rounds of three images on a ring", |scene| rounds(scene, 3, RING, 3))
        .with(Extent::Preemptions(2)),
    Model::new("caf::reduction", "rounds of two images on a node and one on another", |scene| {
        let images = images_on(scene, &[0, 0, 2]);
        rounds_of(scene, images, 2);
    })
    .with(Extent::Preemptions(1)),
    Model::new("caf::reduction", "rounds of five images on three nodes", |scene| {
        let images = images_on(scene, &[0, 0, 2, 3, 3]);
        rounds_of(scene, images, 3);
    })
    .with(Extent::Random(100)),
    Model::new("caf::reduction", "one of two images of a node ends, another node", |scene| {
        let images = images_on(scene, &[0, 1, 1]);
        end_of_last(scene, images, 16);
    })
    .with(Extent::Random(200)),
    Model::new("caf::reduction", "one of two images ends, boards", |scene| end(scene, 2, BOARDS, 14))
        .with(Extent::Preemptions(2)),
    Model::new("caf::reduction", "one of two images ends, ring", |scene| end(scene, 2, RING, 14))
        .with(Extent::Preemptions(2)),
];
