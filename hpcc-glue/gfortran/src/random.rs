//! Seeds that are the same on all images and different in each run.
//!
//! Idea: `random_init` is not a collective subroutine, so the images receive a number at the start of the
//! program. Each call continues with another seed, so images with the same number of calls have equal seeds.

use crate::failure::{Image, Result};
use hcube_core::memory::Region;
use std::cell::Cell;
use std::time::SystemTime;

/// Words of a seed of libgfortran.
pub const SEED_WORDS: usize = 8;

thread_local! {
    static STATE: Cell<u64> = const { Cell::new(0) };
}

/// Collective over all images.
pub fn begin(image: &Image) -> Result<()> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut bytes = (now.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(40)).to_ne_bytes();
    image.broadcast(image.world(), 0, Region::of(&mut bytes))?;
    STATE.set(u64::from_ne_bytes(bytes));
    Ok(())
}

/// The next seed.
pub fn common() -> [i32; SEED_WORDS] {
    std::array::from_fn(|_| next() as i32)
}

/// The generator splitmix64 (Steele, Lea and Flood 2014).
fn next() -> u64 {
    STATE.set(STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
    let mut word = STATE.get();
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
