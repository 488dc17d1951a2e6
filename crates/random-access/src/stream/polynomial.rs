//! The polynomial stream: a step multiplies by x modulo x^64 + x^2 + x + 1 over GF(2).
//!
//! Idea: k steps multiply by x^k; the k bits shifted out at the top are added back multiplied by x^2 + x + 1,
//! so a leap of eight costs as much as a step. Jumping to position s is a power by squaring.
//! Cost: a step or a leap is six operations; a jump at most 126 carry-less products.
//! Source: the generator is prescribed by the benchmark (Plimpton et al. 2006, §2); values close
//! to the start are skewed: position s holds x^s itself, a single bit, while s < 64.

use super::{LANES, Recurrence};

/// The recurrence of the polynomial stream.
#[derive(Debug, Clone, Copy)]
pub struct Polynomial;

/// Multiplication by x^`steps`, for 1 to 61 steps.
#[inline(always)]
fn shift(state: u64, steps: usize) -> u64 {
    let out = state >> (64 - steps);
    (state << steps) ^ out ^ (out << 1) ^ (out << 2)
}

/// Product of two elements of the field.
fn multiply(left: u64, right: u64) -> u64 {
    (0..64).rev().fold(0, |product, bit| {
        let doubled = shift(product, 1);
        if right >> bit & 1 == 1 { doubled ^ left } else { doubled }
    })
}

impl Recurrence for Polynomial {
    fn state(steps: i64) -> u64 {
        let steps = steps.max(0) as u64;
        (0..64).rev().fold(1, |power, bit| {
            let square = multiply(power, power);
            if steps >> bit & 1 == 1 { shift(square, 1) } else { square }
        })
    }

    #[inline(always)]
    fn step(state: u64) -> u64 {
        shift(state, 1)
    }

    #[inline(always)]
    fn leap(state: u64) -> u64 {
        shift(state, LANES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_properties() {
        super::super::testing::check::<Polynomial>();
    }

    /// The serial loop of the benchmark, in its own terms: shift, and 7 where the top bit falls out.
    #[test]
    fn step_is_the_recurrence_of_the_benchmark() {
        let mut ran: u64 = 1;
        for steps in 1..1000 {
            ran = (ran << 1) ^ if (ran as i64) < 0 { 7 } else { 0 };
            assert_eq!(Polynomial::state(steps), ran);
        }
    }

    #[test]
    fn the_period_of_the_benchmark_comes_round() {
        assert_eq!(Polynomial::state(1_317_624_576_693_539_401), 1);
    }
}
