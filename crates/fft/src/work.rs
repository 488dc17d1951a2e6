//! Local work of a transform, by which simulated ranks advance their clocks.

use hcube_core::machine::work::{Unit, Work};

/// A complex number in a level of butterflies of radix 2: five floating-point operations.
pub const LEVEL: Unit = Unit::new("level");

/// The levels of numbers that belong to transforms of a length.
pub fn levels(numbers: usize, length: usize) -> Work {
    LEVEL.of(numbers * length.next_power_of_two().ilog2() as usize)
}
