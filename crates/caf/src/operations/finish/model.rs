//! What a finish block promises, in all interleavings.
//!
//! It ends when, and only when, all functions that were shipped in it have returned on all images, with those
//! that they have shipped.

use crate::operations::model::{Image, images};
use hcube_core::atomic::model::{Extent, Model, Scene};
use std::cell::Cell;
use std::rc::Rc;

/// How far functions are shipped on, the first one by image 0: each is shipped to the next image and ships
/// the next one.
fn ship(image: &Image, functions: u8) {
    if functions > 0 {
        let to = (image.own() + 1) % image.with_team(image.world(), |team| team.size());
        image.spawn(image.world(), to, 0, &[functions], None).expect("all are alive");
    }
}

/// Blocks in which the first image ships a chain of functions.
fn blocks(scene: &mut Scene, count: usize, blocks: u64, length: u8, all_ship: bool) {
    let have_run = Rc::new(Cell::new(0));
    for image in images(scene, count, true) {
        let (ran, have_run) = (have_run.clone(), have_run.clone());
        image.register(Rc::new(move |image: &Image, _, arguments: &[u8]| {
            ship(image, arguments[0] - 1);
            ran.set(ran.get() + 1);
        }));
        let chains = if all_ship { count as u64 } else { 1 };
        scene.participant(move || {
            for block in 1..=blocks {
                image.begin_finish(image.world()).expect("all are alive");
                if all_ship || image.own() == 0 {
                    ship(&image, length);
                }
                image.end_finish().expect("all are alive");
                let least = block * chains * u64::from(length);
                assert!(have_run.get() >= least, "a block ends with {} of {least}", have_run.get());
            }
        });
    }
    let all = blocks * if all_ship { count as u64 } else { 1 } * u64::from(length);
    scene.finally(move || assert_eq!(have_run.get(), all));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::finish", "a function of two images", |scene| blocks(scene, 2, 1, 1, false))
        .with(Extent::Preemptions(4)),
    Model::new("caf::finish", "a chain of two images", |scene| blocks(scene, 2, 1, 2, false))
        .with(Extent::Preemptions(4)),
    Model::new("caf::finish", "a chain of three images", |scene| blocks(scene, 3, 1, 3, false))
        .with(Extent::Preemptions(2)),
    Model::new("caf::finish", "blocks of three images", |scene| blocks(scene, 3, 3, 4, true))
        .with(Extent::Random(300)),
];
