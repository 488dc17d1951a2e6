//! The linear congruential stream: state <- a state + 1 modulo 2^64, with Knuth's multiplier.
//!
//! Idea: k steps are again an affine map, so a leap of eight costs as much as a step, and a jump is
//! a power by squaring of that map.
//! Cost: a product and a sum; a jump at most 128 products.
//! Source: multiplier from Knuth, The Art of Computer Programming, vol. 2, §3.3.4; prescribed for
//! the LCG variant of the benchmark.

use super::{LANES, Recurrence};

/// The recurrence of the linear congruential stream.
#[derive(Debug, Clone, Copy)]
pub struct Lcg;

/// state -> factor * state + term.
#[derive(Clone, Copy)]
struct Affine {
    factor: u64,
    term: u64,
}

impl Affine {
    const IDENTITY: Self = Self { factor: 1, term: 0 };
    const STEP: Self = Self { factor: 6_364_136_223_846_793_005, term: 1 };

    /// First `self`, then `next`.
    const fn then(self, next: Self) -> Self {
        Self {
            factor: self.factor.wrapping_mul(next.factor),
            term: self.term.wrapping_mul(next.factor).wrapping_add(next.term),
        }
    }

    const fn power(mut exponent: u64) -> Self {
        let (mut result, mut square) = (Self::IDENTITY, Self::STEP);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.then(square);
            }
            square = square.then(square);
            exponent >>= 1;
        }
        result
    }

    #[inline(always)]
    const fn of(self, state: u64) -> u64 {
        self.factor.wrapping_mul(state).wrapping_add(self.term)
    }
}

/// [`LANES`] steps as one.
const LEAP: Affine = Affine::power(LANES as u64);

impl Recurrence for Lcg {
    fn state(steps: i64) -> u64 {
        Affine::power(steps.max(0) as u64).of(1)
    }

    #[inline(always)]
    fn step(state: u64) -> u64 {
        Affine::STEP.of(state)
    }

    #[inline(always)]
    fn leap(state: u64) -> u64 {
        LEAP.of(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_properties() {
        super::super::testing::check::<Lcg>();
    }
}
