//! What the counters of finish blocks promise, in all orders of what three images do.
//!
//! No image ends its block while a function is in transit or runs, and all images end it. Each step is one of
//! an image: it runs a function that has arrived, which ships at most one to any image; it contributes to the
//! reduction that comes next, when all that it has shipped has arrived; or it takes the sum of one to which
//! all have contributed. States are explored once, by all paths to them. Functions that ship several
//! ones, in random orders: the tests of this module.

use super::{Counts, Label};
use hcube_core::atomic::model::{Model, Scene};
use std::collections::HashSet;

/// At least three, since two always know each other's reductions.
const IMAGES: usize = 3;

/// A function that has been shipped and not executed: it may ship others, so deep.
#[derive(Debug, Clone, Copy)]
struct Shipped {
    label: Label,
    depth: u32,
    from: usize,
}

#[derive(Debug, Clone, Default)]
struct Image {
    counts: Counts,
    arrived: Vec<Shipped>,
    /// Functions that were shipped and not taken.
    unheard: usize,
    reductions: usize,
    has_ended: bool,
}

#[derive(Debug, Clone, Default)]
struct Job {
    images: [Image; IMAGES],
    /// How many have contributed to each reduction, and the sum.
    given: Vec<(usize, i64)>,
}

impl Job {
    fn ship(&mut self, from: usize, to: usize, cause: Option<Label>, depth: u32) {
        let counts = &mut self.images[from].counts;
        let label = counts.label_for(cause.unwrap_or(counts.label));
        counts.add(label, 1);
        self.images[from].unheard += 1;
        self.images[to].arrived.push(Shipped { label, depth, from });
    }

    /// An image runs a function, which ships one to an image or none.
    fn run(&mut self, at: usize, number: usize, to: Option<usize>) {
        let Shipped { label, depth, from } = self.images[at].arrived.remove(number);
        self.images[from].unheard -= 1;
        let label = self.images[at].counts.label_for(label);
        if let Some(to) = to {
            self.ship(at, to, Some(label), depth - 1);
        }
        self.images[at].counts.add(label, -1);
    }

    /// An image contributes to a reduction, or takes its sum. Whether it can.
    fn reduce(&mut self, at: usize) -> bool {
        let image = &mut self.images[at];
        self.given.resize(self.given.len().max(image.reductions + 1), (0, 0));
        let (count, sum) = &mut self.given[image.reductions];
        if !image.counts.has_given && image.unheard == 0 {
            *count += 1;
            *sum += image.counts.give();
            return true;
        }
        if !image.counts.has_given || *count < IMAGES {
            return false;
        }
        image.has_ended = *sum == 0;
        image.counts.end_reduction();
        image.reductions += 1;
        true
    }

    /// All states that follow from this one.
    fn next(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for at in 0..IMAGES {
            let image = &self.images[at];
            for (number, shipped) in image.arrived.iter().enumerate() {
                let targets = if shipped.depth > 0 { IMAGES } else { 0 };
                for to in (0..targets).map(Some).chain([None]) {
                    let mut job = self.clone();
                    job.run(at, number, to);
                    all.push(job);
                }
            }
            let mut job = self.clone();
            if !image.has_ended && job.reduce(at) {
                all.push(job);
            }
        }
        all
    }

    fn check(&self) {
        let open: usize = self.images.iter().map(|image| image.arrived.len()).sum();
        assert!(
            open == 0 || !self.images.iter().any(|image| image.has_ended),
            "a block ends early: {self:?}"
        );
    }
}

/// Image 0 ships functions of these depths to the others in turn.
fn explore(depths: &[u32]) {
    let mut job = Job::default();
    for (number, &depth) in depths.iter().enumerate() {
        job.ship(0, 1 + number % (IMAGES - 1), None, depth);
    }
    let (mut known, mut open) = (HashSet::new(), vec![job]);
    while let Some(job) = open.pop() {
        job.check();
        let next = job.next();
        assert!(
            !next.is_empty() || job.images.iter().all(|image| image.has_ended),
            "no image goes on: {job:?}"
        );
        open.extend(next.into_iter().filter(|job| known.insert(format!("{job:?}"))));
    }
}

fn counters(scene: &mut Scene) {
    scene.participant(|| [&[3][..], &[2, 1]].into_iter().for_each(explore));
}

/// The cases.
pub const MODELS: &[Model] = &[Model::new("caf::finish", "counters of three images", counters)];
