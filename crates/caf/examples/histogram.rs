//! A coarray program in Rust: a histogram whose counters are distributed over the images. Each number that an
//! image draws is counted by a function on the image that has its counter.
//!
//! `cargo build --release -p hcube-caf --example histogram`, then
//! `mpirun -np 4 target/release/examples/histogram`.

use hcube_caf::process;
use hcube_core::error::Result;
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};
use std::cell::RefCell;
use std::rc::Rc;

/// Counters of an image.
const COUNTERS: usize = 1000;
/// Numbers that an image draws.
const NUMBERS: u64 = 100_000;

/// A word of the arguments of a shipped function.
fn word(arguments: &[u8]) -> u64 {
    u64::from_ne_bytes(arguments.try_into().expect("8 bytes"))
}

fn main() -> Result<()> {
    process::initialise()?;
    let errors = process::with(|image| {
        let world = image.world();
        let images = image.look_at_team(world, |team| team.size())?;

        // Shipped functions share what they work on with the program: both run in one thread.
        let counters = Rc::new(RefCell::new(vec![0_u64; COUNTERS]));
        let counted = Rc::clone(&counters);
        let count = image.register(Rc::new(move |_, _, arguments: &[u8]| {
            counted.borrow_mut()[word(arguments) as usize] += 1;
        }));

        image.begin_finish(world)?;
        let mut state = 88_172_645_463_325_252 + 7919 * image.own() as u64;
        for _ in 0..NUMBERS {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let bin = state % (images * COUNTERS) as u64;
            let (owner, counter) = (bin as usize / COUNTERS, bin % COUNTERS as u64);
            image.spawn(world, owner, count, bytes_of(&[counter]), None)?;
        }
        image.end_finish()?;

        // All numbers must have been counted once.
        let (mut own, mut all) = ([counters.borrow().iter().sum::<u64>()], [0_u64]);
        let (from, into) = (Region::of(bytes_of_mut(&mut own)), Region::of(bytes_of_mut(&mut all)));
        image.allreduce(world, from, into, &mut |lower, higher| {
            let sum = word(lower) + word(higher);
            higher.copy_from_slice(&sum.to_ne_bytes());
        })?;
        let errors = all[0].abs_diff(NUMBERS * images as u64);
        if image.own() == 0 {
            println!("{images} images, {} numbers, {errors} errors", all[0]);
        }
        Ok(errors)
    })?;
    process::finalise()?;
    assert_eq!(errors, 0, "numbers that were lost or counted twice");
    Ok(())
}
