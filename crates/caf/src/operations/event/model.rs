//! What an event promises, in all interleavings.
//!
//! No notification is lost or counted twice; an image that has waited for one sees what the notifying image
//! has put before; a wait ends once there are as many notifications as it needs, or no image is left that
//! could send them.

use crate::operations::model::{coarray, images, is_done, read, watch, write};
use crate::state::coarray::Use;
use hcube_core::atomic::model::{Extent, Model, Scene};
use std::cell::Cell;
use std::rc::Rc;

/// The other images put a word and notify image 0, several times; it waits for all notifications of an image
/// count at once, or for one after the other.
fn notifications(scene: &mut Scene, count: usize, rounds: u64, at_once: bool) {
    let mut images = images(scene, count, true);
    let [events, data] = [Use::Events, Use::Data].map(|purpose| coarray(&images, 64, purpose));
    for image in images.drain(1..) {
        scene.participant(move || {
            for round in 1..=rounds {
                write(&image, data, 0, image.own() + (round as usize - 1) * count, round);
                image.notify(events, 0, 0).expect("all are alive");
            }
        });
    }
    let image = images.pop().expect("the first");
    scene.participant(move || {
        let all = (count as u64 - 1) * rounds;
        if at_once {
            image.wait_notices(events, 0, all).expect("all are alive");
        } else {
            (0..all).for_each(|_| image.wait_event(events, 0).expect("all are alive"));
        }
        for round in 1..=rounds {
            for from in 1..count {
                assert_eq!(read(&image, data, 0, from + (round as usize - 1) * count), round);
            }
        }
        assert!(!image.image.borrow().take_notice(events, 0).expect("an event"), "one too many");
    });
}

/// Two images notify each other by turns.
fn turns(scene: &mut Scene) {
    let images = images(scene, 2, true);
    let [events, data] = [Use::Events, Use::Data].map(|purpose| coarray(&images, 64, purpose));
    for image in images {
        scene.participant(move || {
            let own = image.own();
            for round in 0..2 {
                if own == round % 2 {
                    write(&image, data, 1 - own, 0, round as u64 + 1);
                    image.notify(events, 0, 1 - own).expect("all are alive");
                } else {
                    assert_eq!(image.wait_any(&[(events, 0)]).expect("all are alive"), 0);
                    assert_eq!(read(&image, data, own, 0), round as u64 + 1);
                }
            }
        });
    }
}

/// The only image that notifies ends at some step.
fn end(scene: &mut Scene, steps: usize) {
    let mut images = images(scene, 2, true);
    let events = coarray(&images, 64, Use::Events);
    let (step, last, notified) = (scene.choose(steps), images.pop().expect("two"), Rc::new(Cell::new(0)));
    let begun = notified.clone();
    let end = scene.participant_that_ends(step, move || {
        for round in 1..=2 {
            begun.set(round);
            last.notify(events, 0, 0).expect("all are alive");
        }
    });
    watch(&images, 1, &end);
    let image = images.pop().expect("two");
    scene.participant(move || {
        for round in 1..=2 {
            if !is_done(image.wait_event(events, 0), 1) {
                return;
            }
            assert!(notified.get() >= round);
        }
    });
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::event", "two notifications of one image, at once", |scene| {
        notifications(scene, 2, 2, true)
    }),
    Model::new("caf::event", "two notifications of one image, each", |scene| {
        notifications(scene, 2, 2, false)
    }),
    Model::new("caf::event", "notifications of two images, at once", |scene| {
        notifications(scene, 3, 1, true)
    }),
    Model::new("caf::event", "notifications of two images, each", |scene| notifications(scene, 3, 1, false)),
    Model::new("caf::event", "many notifications of three images", |scene| notifications(scene, 4, 2, true))
        .with(Extent::Random(100)),
    Model::new("caf::event", "two images by turns", turns),
    Model::new("caf::event", "the image that notifies ends", |scene| end(scene, 8)),
];
