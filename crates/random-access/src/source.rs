//! The values that a rank generates.

use super::kernel;
use super::stream::{self, Stream, StreamKind, lcg::Lcg, polynomial::Polynomial};
use hcube_core::error::{Error, Result};
use hcube_core::machine::instructions::Level;

/// The share of a stream that a rank applies to the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Updates {
    /// The generator; the same on all ranks.
    pub kind: StreamKind,
    /// Steps that the generator has taken before this rank's first value.
    pub start: i64,
    /// Number of this rank's values.
    pub count: i64,
}

impl Updates {
    /// Checks the ranges.
    pub fn check(&self) -> Result<()> {
        stream::check_start(self.start)?;
        if self.count < 0 {
            return Err(Error::argument("updates.count", self.count, "0 or more updates"));
        }
        Ok(())
    }
}

/// A generator of either kind.
#[derive(Debug)]
enum Generator {
    Polynomial(Stream<Polynomial>),
    Lcg(Stream<Lcg>),
}

/// Generates the values of [`Updates`] piece by piece.
#[derive(Debug)]
pub struct Source {
    generator: Generator,
    level: Level,
    left: u64,
}

impl Source {
    /// The values of these updates.
    pub fn new(updates: &Updates, level: Level) -> Self {
        let generator = match updates.kind {
            StreamKind::Polynomial => Generator::Polynomial(Stream::new(updates.start)),
            StreamKind::Lcg => Generator::Lcg(Stream::new(updates.start)),
        };
        Self { generator, level, left: updates.count as u64 }
    }

    /// Values still to be generated.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Replaces the contents of `values` by the next `max` values, or by all that are left.
    pub fn generate(&mut self, max: usize, values: &mut Vec<u64>) {
        let count = usize::try_from(self.left).map_or(max, |left| left.min(max));
        values.resize(count, 0);
        match &mut self.generator {
            Generator::Polynomial(stream) => kernel::generate(self.level, stream, values),
            Generator::Lcg(stream) => kernel::generate(self.level, stream, values),
        }
        self.left -= count as u64;
        #[cfg(test)]
        super::audit::generated(values);
    }
}
