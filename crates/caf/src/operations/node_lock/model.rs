//! What a lock of images on one node promises, in all interleavings.
//!
//! One image at a time holds it, and sees what its holders before have put; no image waits for ever for a
//! lock that is unlocked, or whose holder has ended: it gets the error that names that image.

use super::{NodeLock, Refused};
use crate::operations::model::{Image, coarray, images, read, watch, write};
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::error::Error;
use std::cell::Cell;
use std::rc::Rc;

/// The lock of a scene.
fn lock(scene: &mut Scene) -> NodeLock<'static> {
    NodeLock::new([scene.word(), scene.word()])
}

/// Adds one to a word of image 0, which only a holder may do.
fn add(image: &Image, data: Handle) -> u64 {
    let word = read(image, data, 0, 0);
    write(image, data, 0, 0, word + 1);
    word + 1
}

/// Every image takes the lock and adds one. `tries`: the last image does so where the lock is free.
fn rounds(scene: &mut Scene, count: usize, rounds: u64, tries: bool) {
    let (images, lock) = (images(scene, count, true), lock(scene));
    let data = coarray(&images, 64, Use::Data);
    let (added, taken) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    for image in images {
        let (added, taken) = (added.clone(), taken.clone());
        scene.participant(move || {
            for _ in 0..rounds {
                if tries && image.own() + 1 == count {
                    if !lock.try_lock(&image).expect("all are alive") {
                        continue;
                    }
                } else {
                    lock.lock(&image).expect("all are alive");
                }
                assert_eq!(lock.lock(&image), Err(Refused::LockedHere));
                taken.set(taken.get() + 1);
                added.set(add(&image, data));
                lock.unlock(&image).expect("all are alive");
                assert_ne!(lock.unlock(&image), Ok(()));
            }
        });
    }
    scene.finally(move || assert_eq!(added.get(), taken.get()));
}

/// The last image ends at some step while it asks for the lock, holds it or unlocks it.
fn end(scene: &mut Scene, count: usize, steps: usize) {
    let (mut images, lock) = (images(scene, count, true), lock(scene));
    let data = coarray(&images, 64, Use::Data);
    let (step, last, ended) = (scene.choose(steps), images.pop().expect("images"), count - 1);
    let end = scene.participant_that_ends(step, move || {
        lock.lock(&last).expect("all are alive");
        add(&last, data);
        lock.unlock(&last).expect("all are alive");
    });
    watch(&images, ended, &end);
    for image in images {
        scene.participant(move || match lock.lock(&image) {
            Ok(()) => {
                add(&image, data);
                let unlocked = lock.unlock(&image);
                assert!(matches!(unlocked, Ok(()) | Err(Refused::Other(Error::FailedImage { .. }))));
            }
            Err(error) => assert_eq!(error, Refused::Other(Error::FailedImage { image: ended })),
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::node_lock", "rounds of two images", |scene| rounds(scene, 2, 3, false))
        .with(Extent::Preemptions(2)),
    Model::new("caf::node_lock", "one of two images tries", |scene| rounds(scene, 2, 2, true))
        .with(Extent::Preemptions(3)),
    Model::new("caf::node_lock", "three images", |scene| rounds(scene, 3, 1, false))
        .with(Extent::Preemptions(2)),
    Model::new("caf::node_lock", "one of two images ends", |scene| end(scene, 2, 10))
        .with(Extent::Preemptions(2)),
    Model::new("caf::node_lock", "one of three images ends", |scene| end(scene, 3, 10))
        .with(Extent::Preemptions(1)),
];
