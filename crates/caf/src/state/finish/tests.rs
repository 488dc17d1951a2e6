//! Random schedules of images that ship functions, with the counters of this module and reductions that end
//! at any time.

use super::*;

/// Functions that a function may ship, at most so deep.
const DEPTH: u32 = 5;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

/// A function that has been shipped and not executed.
struct Shipped {
    label: Label,
    depth: u32,
    from: usize,
}

#[derive(Default)]
struct Image {
    counts: Counts,
    arrived: Vec<Shipped>,
    /// Functions that were shipped and not taken.
    unheard: usize,
    reductions: usize,
    has_ended: bool,
}

struct Job {
    random: Random,
    images: Vec<Image>,
    /// The contributions of the images to each reduction.
    given: Vec<Vec<i64>>,
}

impl Job {
    fn ship(&mut self, from: usize, cause: Option<Label>, depth: u32) {
        let to = self.random.below(self.images.len());
        let counts = &mut self.images[from].counts;
        let label = counts.label_for(cause.unwrap_or(counts.label));
        counts.add(label, 1);
        self.images[from].unheard += 1;
        self.images[to].arrived.push(Shipped { label, depth, from });
    }

    fn run_one(&mut self, at: usize) {
        if self.images[at].arrived.is_empty() {
            return;
        }
        let Shipped { label, depth, from } = self.images[at].arrived.remove(0);
        self.images[from].unheard -= 1;
        let label = self.images[at].counts.label_for(label);
        if depth > 0 {
            for _ in 0..[0, 0, 1, 2, 2][self.random.below(5)] {
                self.ship(at, Some(label), depth - 1);
            }
        }
        self.images[at].counts.add(label, -1);
    }

    /// Contributes the number of an image, or tests whether the reduction has ended.
    fn reduce(&mut self, at: usize) {
        let (images, image) = (self.images.len(), &mut self.images[at]);
        if !image.counts.has_given {
            if image.unheard == 0 {
                self.given.resize(self.given.len().max(image.reductions + 1), Vec::new());
                self.given[image.reductions].push(image.counts.give());
            }
        } else if self.given[image.reductions].len() == images {
            image.has_ended = self.given[image.reductions].iter().sum::<i64>() == 0;
            image.counts.end_reduction();
            image.reductions += 1;
        }
    }
}

/// At least three images, since two always know each other's reductions.
#[test]
fn no_block_ends_before_its_functions() {
    for seed in 1..=4000 {
        for images in 2..=5 {
            let mut job = Job {
                random: Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed) | 1),
                images: (0..images).map(|_| Image::default()).collect(),
                given: Vec::new(),
            };
            for image in 0..images {
                if job.random.below(3) > 0 {
                    job.ship(image, None, DEPTH);
                }
            }
            let mut steps = 0;
            while job.images.iter().any(|image| !image.has_ended) {
                let slow = steps / 40 % images;
                let at = job.random.below(images);
                steps += 1;
                if job.images[at].has_ended || at == slow && job.random.below(2) == 0 {
                    continue;
                }
                if job.random.below(2) == 0 {
                    job.run_one(at)
                } else {
                    job.reduce(at)
                }
                let open: usize = job.images.iter().map(|image| image.arrived.len()).sum();
                assert!(!job.images[at].has_ended || open == 0, "seed {seed}: {images} images, {open} open");
                assert!(steps < 100_000, "seed {seed}: {images} images do not end");
            }
        }
    }
}
