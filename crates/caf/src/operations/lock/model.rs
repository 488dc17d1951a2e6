//! What a lock promises, in all interleavings.
//!
//! One image at a time holds it, and sees what its holders before have put; no image waits for ever for a
//! lock that is unlocked; where the holder, or an image that waits in the queue, ends at some step, every
//! survivor has the lock or the error that names that image.

use crate::operations::model::{Image, coarray, images, is_done, read, watch, write};
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use hcube_core::atomic::model::{Extent, Model, Scene};
use std::cell::Cell;
use std::rc::Rc;

/// Adds one to a word of image 0, which only a holder may do.
fn add(image: &Image, data: Handle) {
    let word = read(image, data, 0, 0);
    write(image, data, 0, 0, word + 1);
}

/// Every image takes the lock and adds one.
fn rounds(scene: &mut Scene, count: usize, rounds: u64) {
    let images = images(scene, count, true);
    let [locks, data] = [Use::Locks, Use::Data].map(|purpose| coarray(&images, 64, purpose));
    let added = Rc::new(Cell::new(0));
    for image in images {
        let added = added.clone();
        scene.participant(move || {
            for _ in 0..rounds {
                image.lock(locks, 0, 0).expect("all are alive");
                add(&image, data);
                added.set(read(&image, data, 0, 0));
                image.unlock(locks, 0, 0).expect("all are alive");
            }
        });
    }
    scene.finally(move || assert_eq!(added.get(), count as u64 * rounds));
}

/// One image takes the lock if it is free, the other one waits for it.
fn tries(scene: &mut Scene) {
    let images = images(scene, 2, true);
    let [locks, data] = [Use::Locks, Use::Data].map(|purpose| coarray(&images, 64, purpose));
    for image in images {
        scene.participant(move || {
            if image.own() == 0 {
                image.lock(locks, 0, 0).expect("all are alive");
            } else if !image.try_lock(locks, 0, 0).expect("all are alive") {
                return;
            }
            add(&image, data);
            image.unlock(locks, 0, 0).expect("all are alive");
        });
    }
}

/// The last image ends at some step while it asks for the lock, holds it or unlocks it. A survivor that knows
/// this handles it, if it is tolerant, and unlocks what it has.
fn end(scene: &mut Scene, count: usize, is_tolerant: bool, steps: usize) {
    let mut images = images(scene, count, true);
    let [locks, data] = [Use::Locks, Use::Data].map(|purpose| coarray(&images, 64, purpose));
    let (step, last, ended) = (scene.choose(steps), images.pop().expect("images"), count - 1);
    let end = scene.participant_that_ends(step, move || {
        last.lock(locks, 0, 0).expect("all are alive");
        add(&last, data);
        last.unlock(locks, 0, 0).expect("all are alive");
    });
    watch(&images, ended, &end);
    for image in images {
        scene.participant(move || {
            if is_tolerant {
                image.tolerate();
            }
            if !is_done(image.lock(locks, 0, 0), ended) {
                return;
            }
            add(&image, data);
            if !is_done(image.unlock(locks, 0, 0), ended) && is_tolerant {
                // The program knows of the failure now.
                is_done(image.unlock(locks, 0, 0), ended);
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::lock", "two images", |scene| rounds(scene, 2, 1)),
    Model::new("caf::lock", "rounds of two images", |scene| rounds(scene, 2, 2)).with(Extent::Preemptions(3)),
    Model::new("caf::lock", "three images", |scene| rounds(scene, 3, 1)).with(Extent::Preemptions(2)),
    Model::new("caf::lock", "one of two images tries", tries),
    Model::new("caf::lock", "one of two images ends", |scene| end(scene, 2, false, 14))
        .with(Extent::Preemptions(2)),
    Model::new("caf::lock", "one of two tolerant images ends", |scene| end(scene, 2, true, 14))
        .with(Extent::Preemptions(2)),
    Model::new("caf::lock", "one of three images ends", |scene| end(scene, 3, false, 14))
        .with(Extent::Preemptions(1)),
];
