//! Streams of random values: generators that can jump to any position and generate eight values at a time.
//!
//! Value number i of a stream (from 0) started at position s is the generator's state after
//! s + i + 1 steps from 1, as in HPCC.

pub mod lcg;
pub mod polynomial;

pub use super::options::StreamKind;

use hcube_core::error::{Error, Result};

/// Number of values generated together: a 512-bit vector.
pub const LANES: usize = 8;

/// The recurrence of one generator.
pub trait Recurrence: Copy {
    /// State after `steps` (0 or more) steps from 1.
    fn state(steps: i64) -> u64;
    /// One step.
    fn step(state: u64) -> u64;
    /// [`LANES`] steps; the loop over lanes becomes vector code.
    fn leap(state: u64) -> u64;
}

/// A stream of values of one recurrence.
#[derive(Debug, Clone, Copy)]
pub struct Stream<R: Recurrence> {
    /// The next values.
    lanes: [u64; LANES],
    /// How many of them have been handed out.
    used: usize,
    recurrence: std::marker::PhantomData<R>,
}

impl<R: Recurrence> Stream<R> {
    /// The stream whose first value is the one after position `start`.
    pub fn new(start: i64) -> Self {
        let mut state = R::state(start);
        let lanes = std::array::from_fn(|_| {
            state = R::step(state);
            state
        });
        Self { lanes, used: 0, recurrence: std::marker::PhantomData }
    }

    /// Fills `out` with the next values.
    #[inline(always)]
    pub fn fill(&mut self, out: &mut [u64]) {
        let ready = (LANES - self.used).min(out.len());
        let (head, rest) = out.split_at_mut(if self.used == 0 { 0 } else { ready });
        head.copy_from_slice(&self.lanes[self.used..self.used + head.len()]);
        self.used += head.len();
        if self.used == LANES {
            self.used = 0;
            self.lanes = self.lanes.map(R::leap);
        }
        // In a local, the lanes stay in a register from block to block.
        let mut lanes = self.lanes;
        let mut blocks = rest.chunks_exact_mut(LANES);
        for block in &mut blocks {
            block.copy_from_slice(&lanes);
            lanes = lanes.map(R::leap);
        }
        self.lanes = lanes;
        let tail = blocks.into_remainder();
        if !tail.is_empty() {
            tail.copy_from_slice(&self.lanes[..tail.len()]);
            self.used = tail.len();
        }
    }
}

/// Checks a start position: both streams take any that is not negative.
pub fn check_start(start: i64) -> Result<()> {
    if start < 0 {
        return Err(Error::argument("updates.start", start, "0 or more steps"));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// The properties that every recurrence must have.
    pub fn check<R: Recurrence + std::fmt::Debug>() {
        let mut state = 1;
        for steps in 0..200 {
            assert_eq!(R::state(steps), state, "{steps} steps");
            state = R::step(state);
        }
        for start in [0, 1, 63, 64, 12345, i64::MAX / 3] {
            let one = R::state(start);
            assert_eq!(R::leap(one), (0..LANES).fold(one, |state, _| R::step(state)), "leap at {start}");
            // The same values for pieces of any length.
            let mut whole = vec![0; 500];
            Stream::<R>::new(start).fill(&mut whole);
            let expected: Vec<u64> =
                std::iter::successors(Some(R::step(one)), |&s| Some(R::step(s))).take(500).collect();
            assert_eq!(whole, expected);
            let (mut stream, mut pieces) = (Stream::<R>::new(start), Vec::new());
            for length in (0..32).cycle() {
                let mut piece = vec![0; length.min(500 - pieces.len())];
                stream.fill(&mut piece);
                pieces.extend(piece);
                if pieces.len() == 500 {
                    break;
                }
            }
            assert_eq!(pieces, whole);
        }
    }
}
