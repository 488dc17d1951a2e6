//! What a barrier promises, in all interleavings.
//!
//! No image leaves it before all have called it; what an image has put before is there for all after it; no
//! image waits for ever once all have called it, or one of them has ended.

use crate::operations::model::{Image, coarray, images, images_on, is_done, read, watch, write};
use crate::state::coarray::Use;
use hcube_core::atomic::model::{Extent, Model, Scene};
use std::cell::Cell;
use std::rc::Rc;

/// The board of a node, or the rounds of a ring.
const BOARDS: bool = true;
const RING: bool = false;

/// Every image writes before each barrier what all read after it.
fn rounds(scene: &mut Scene, count: usize, have_boards: bool, rounds: u64) {
    let images = images(scene, count, have_boards);
    let data = coarray(&images, 16, Use::Data);
    for image in images {
        scene.participant(move || {
            let (team, own) = (image.world(), image.own());
            for round in 1..=rounds {
                // The word of the round before may still be read.
                let number = round as usize % 2;
                write(&image, data, own, number, round);
                image.barrier(team).expect("all are alive");
                for from in 0..count {
                    assert_eq!(read(&image, data, from, number), round);
                }
            }
        });
    }
}

/// Images on several nodes: every image writes to all others before each barrier what they read after it.
fn rounds_on(scene: &mut Scene, nodes: &[u32], rounds: u64) {
    let images = images_on(scene, nodes);
    let count = images.len();
    let data = coarray(&images, 16 * count, Use::Data);
    for image in images {
        scene.participant(move || {
            let (team, own) = (image.world(), image.own());
            for round in 1..=rounds {
                // The words of the round before may still be read.
                let number = |of: usize| 2 * of + round as usize % 2;
                (0..count).for_each(|to| write(&image, data, to, number(own), round));
                image.barrier(team).expect("all are alive");
                (0..count).for_each(|from| assert_eq!(read(&image, data, own, number(from)), round));
            }
        });
    }
}

/// Barriers, in which the last image ends at some step.
fn end(scene: &mut Scene, count: usize, have_boards: bool, steps: usize) {
    let images = images(scene, count, have_boards);
    end_of_last(scene, images, steps);
}

fn end_of_last(scene: &mut Scene, mut images: Vec<Image>, steps: usize) {
    const ROUNDS: u64 = 2;
    let count = images.len();
    let called = Rc::new(Cell::new(0));
    let (step, last, calls) = (scene.choose(steps), images.pop().expect("images"), called.clone());
    let team = last.world();
    let end = scene.participant_that_ends(step, move || {
        for round in 1..=ROUNDS {
            calls.set(round);
            // The others do not end before.
            last.barrier(team).expect("all are alive");
        }
    });
    watch(&images, count - 1, &end);
    for image in images {
        let called = called.clone();
        scene.participant(move || {
            for round in 1..=ROUNDS {
                if !is_done(image.barrier(team), count - 1) {
                    return;
                }
                assert!(called.get() >= round, "a barrier ends that not all have called");
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::barrier", "rounds of two images on boards", |scene| rounds(scene, 2, BOARDS, 3)),
    Model::new("caf::barrier", "rounds of two images on a ring", |scene| rounds(scene, 2, RING, 2)),
    Model::new("caf::barrier", "rounds of three images on boards", |scene| rounds(scene, 3, BOARDS, 2))
        .with(Extent::Preemptions(2)),
    Model::new("caf::barrier", "rounds of three images on a ring", |scene| rounds(scene, 3, RING, 2))
        .with(Extent::Preemptions(2)),
    Model::new("caf::barrier", "rounds of two images on a node and one on another", |scene| {
        rounds_on(scene, &[0, 0, 2], 2);
    })
    .with(Extent::Preemptions(1)),
    Model::new("caf::barrier", "rounds of four images on two nodes", |scene| {
        rounds_on(scene, &[0, 0, 2, 2], 2);
    })
    .with(Extent::Random(100)),
    Model::new("caf::barrier", "one of two images of a node ends, another node", |scene| {
        let images = images_on(scene, &[0, 1, 1]);
        end_of_last(scene, images, 14);
    })
    .with(Extent::Random(200)),
    Model::new("caf::barrier", "one of two images ends, boards", |scene| end(scene, 2, BOARDS, 12))
        .with(Extent::Preemptions(2)),
    Model::new("caf::barrier", "one of two images ends, ring", |scene| end(scene, 2, RING, 12))
        .with(Extent::Preemptions(2)),
];
