//! What the counters of finish blocks promise, in all orders of what three images do.
//!
//! No image ends its block while a function is in transit or runs, and all images end it. States are explored
//! once, by all paths to them. More images and functions, in random orders: the tests of this module.

use super::job::Job;
use hcube_core::atomic::model::{Model, Scene};
use std::collections::HashSet;

/// At least three, since two always know each other's reductions.
const IMAGES: usize = 3;

/// Image 0 ships some functions to the others in turn, which ship further ones.
fn explore(functions: usize, further: usize) {
    let mut job = Job::new(IMAGES, further);
    (0..functions).for_each(|number| job.ship(0, 1 + number % (IMAGES - 1)));
    let (mut known, mut open) = (HashSet::new(), vec![job]);
    while let Some(job) = open.pop() {
        let mut goes_on = false;
        for at in 0..IMAGES {
            for step in job.steps(at) {
                goes_on = true;
                let mut next = job.clone();
                next.perform(at, step);
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert!(goes_on || job.has_ended(), "no image goes on: {job:?}");
    }
}

fn counters(scene: &mut Scene, functions: usize, further: usize) {
    scene.participant(move || explore(functions, further));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::finish", "counters of three images, one function", |scene| counters(scene, 1, 3)),
    Model::new("caf::finish", "counters of three images, two functions", |scene| counters(scene, 2, 2)),
    Model::new("caf::finish", "counters of three images, more functions", |scene| counters(scene, 3, 3))
        .long(),
];
