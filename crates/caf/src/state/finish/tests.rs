//! Random schedules of images that ship functions, with reductions that end at any time.

use super::job::Job;

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

/// At least three images, since two always know each other's reductions.
#[test]
fn no_block_ends_before_its_functions() {
    for seed in 1..=4000 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed) | 1);
        for images in 2..=5 {
            let mut job = Job::new(images, 20);
            for from in 0..images {
                if random.below(3) > 0 {
                    job.ship(from, random.below(images));
                }
            }
            let mut rounds = 0;
            while !job.has_ended() {
                rounds += 1;
                assert!(rounds < 100_000, "seed {seed}: {images} images do not end");
                let (at, slow) = (random.below(job.images()), rounds / 40 % images);
                let mut steps = job.steps(at);
                if !steps.is_empty() && (at != slow || random.below(4) == 0) {
                    job.perform(at, steps.swap_remove(random.below(steps.len())));
                }
            }
        }
    }
}
