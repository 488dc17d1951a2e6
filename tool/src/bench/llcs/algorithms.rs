//! What one process runs.

use super::arguments::Variant;
use super::strings::Strings;
use crate::bench::proof::{Claim, Counts};
use hcube_core::comm::Comm;
use hcube_core::{Error, Result};
use hcube_lcs::distributed;
use hcube_lcs::progress::Observer;
use hcube_lcs::serial::{Options, observed};
use hcube_lcs::{Kernel, Outcome, Symbol};
use rapidfuzz::HashableChar;
use rapidfuzz::distance::lcs_seq;
use std::any::type_name;
use std::cell::Cell;
use std::iter::Copied;
use std::ops::ControlFlow;
use std::slice::Iter;

/// The length that an outcome without a bound has.
pub fn length(outcome: Outcome) -> Result<usize> {
    match outcome {
        Outcome::Length(length) => Ok(length),
        other => Err(Error::Internal(format!("{other:?} without a bound"))),
    }
}

/// What has computed, by its counter: the kernels of hcube say which of them works, short strings have none.
const KERNELS: [(Option<Kernel>, &str); 4] = [
    (Some(Kernel::Standard), "hcube's kernel standard"),
    (Some(Kernel::Words), "hcube's kernel words"),
    (Some(Kernel::Planes), "hcube's kernel planes"),
    (None, "hcube's function for short strings"),
];
/// hcube, where strings are equal and it has no entry to compute.
const NOTHING: &str = "hcube without entries";
/// hcube, between all ranks.
const ON_ALL: &str = "hcube on all ranks";
const PLAIN: &str = "plain loop";
const RAPIDFUZZ: &str = "rapidfuzz";

/// Counters of all algorithms on this rank.
#[derive(Debug, Default)]
pub struct Worked {
    kernels: [Cell<u64>; KERNELS.len()],
    nothing: Cell<u64>,
    on_all: Cell<u64>,
    plain: Cell<u64>,
    rapidfuzz: Cell<u64>,
}

fn add(to: &Cell<u64>, count: usize) {
    to.set(to.get() + count as u64);
}

impl Worked {
    pub fn counts(&self) -> Counts {
        let kernels = KERNELS.iter().zip(&self.kernels).map(|((_, name), count)| (*name, count.get()));
        let others = [
            (NOTHING, &self.nothing),
            (ON_ALL, &self.on_all),
            (PLAIN, &self.plain),
            (RAPIDFUZZ, &self.rapidfuzz),
        ];
        kernels.chain(others.map(|(name, count)| (name, count.get()))).collect()
    }

    /// Collective: computes on all ranks, whose kernels report to the observer.
    pub fn on_all<C: Comm, S: Symbol>(
        &self,
        comm: &C,
        [a, b]: [&[S]; 2],
        options: &distributed::Options,
    ) -> Result<usize> {
        let length = self.observe(|observer| distributed::llcs(comm, a, b, options, observer))?;
        add(&self.on_all, 1);
        Ok(length)
    }

    /// Computes by hcube, whose kernels report to the observer.
    fn observe(&self, compute: impl FnOnce(&mut Observer<'_>) -> Result<Outcome>) -> Result<usize> {
        let mut reported = false;
        let outcome = compute(&mut |progress| {
            let number = KERNELS.iter().position(|(kernel, _)| *kernel == progress.kernel);
            number.into_iter().for_each(|number| add(&self.kernels[number], 1));
            reported = true;
            ControlFlow::Continue(())
        })?;
        add(&self.nothing, usize::from(!reported));
        length(outcome)
    }

    /// The length by a variant of one process.
    ///
    /// # Errors
    /// The errors of [`observed`].
    pub fn run(&self, variant: Variant, strings: &Strings) -> Result<usize> {
        match strings {
            Strings::Narrow([a, b]) => self.of_symbols(variant, a, b),
            Strings::Wide([a, b]) => self.of_symbols(variant, a, b),
        }
    }

    fn of_symbols<S: Symbol + HashableChar>(&self, variant: Variant, a: &[S], b: &[S]) -> Result<usize> {
        let kernel = match variant {
            Variant::PlainLoop => {
                let (length, rows) = plain(a, b);
                add(&self.plain, rows);
                return Ok(length);
            }
            Variant::Rapidfuzz => return Ok(self.by_rapidfuzz(lcs_seq::similarity, a, b)),
            Variant::Standard => Some(Kernel::Standard),
            Variant::Words => Some(Kernel::Words),
            Variant::Planes => Some(Kernel::Planes),
            _ => None,
        };
        let options = Options { kernel, ..Options::default() };
        self.observe(|observer| observed(a, b, &options, observer))
    }

    /// Calls a function, and counts that as work of the crate rapidfuzz if it is one of that.
    fn by_rapidfuzz<'s, S: Copy + 's, F>(&self, function: F, a: &'s [S], b: &'s [S]) -> usize
    where
        F: FnOnce(Copied<Iter<'s, S>>, Copied<Iter<'s, S>>) -> usize,
    {
        let is_theirs = type_name::<F>().starts_with("rapidfuzz::");
        let length = function(a.iter().copied(), b.iter().copied());
        add(&self.rapidfuzz, usize::from(is_theirs));
        length
    }
}

impl Variant {
    /// What has to compute.
    pub fn claim(self) -> Claim {
        let [standard, words, planes, short] = KERNELS.map(|(_, name)| name);
        match self {
            Self::PlainLoop => Claim::counted(PLAIN),
            Self::Rapidfuzz => Claim::counted(RAPIDFUZZ),
            Self::Standard => Claim::counted_as(&[standard, NOTHING]),
            Self::Words => Claim::counted_as(&[words, NOTHING]),
            Self::Planes => Claim::counted_as(&[planes, NOTHING]),
            // What it selects.
            Self::Hcube => Claim::counted_as(&[standard, words, planes, short, NOTHING]),
            Self::Grid | Self::Alpha | Self::Barriers => {
                Claim::counted(ON_ALL).with(&[standard, words, planes, short, NOTHING])
            }
        }
    }
}

/// Every entry of the matrix, row by row, with values of 32 bits as in the thesis; also the number of rows.
fn plain<S: Symbol>(a: &[S], b: &[S]) -> (usize, usize) {
    let (mut row, mut rows) = (vec![0_u32; a.len()], 0);
    for symbol in b {
        let (mut diagonal, mut left) = (0, 0);
        for (entry, other) in row.iter_mut().zip(a) {
            let above = *entry;
            *entry = if symbol == other { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *entry);
        }
        rows += 1;
    }
    (row.last().map_or(0, |&length| length as usize), rows)
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Kind;
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn all_find_the_same() {
        assert_eq!(plain(b"aaababa", b"bbabba"), (4, 6));
        for (length, symbols, common) in [(0, 4, 0), (1, 1, 0), (300, 4, 0), (300, 26, 50), (300, 1000, 90)] {
            let strings = Strings::new(length, symbols, common);
            let worked = Worked::default();
            let expected = worked.run(Variant::Rapidfuzz, &strings).expect("short");
            for &variant in Variant::value_variants() {
                if let Kind::OneProcess { .. } = variant.kind() {
                    assert_eq!(worked.run(variant, &strings), Ok(expected), "{variant:?}, {symbols} symbols");
                }
            }
        }
    }

    #[test]
    fn what_has_computed_is_counted() {
        let counted = |work: &dyn Fn(&Worked)| {
            let worked = Worked::default();
            work(&worked);
            let counts = worked.counts();
            counts.into_iter().filter(|(_, count)| *count > 0).map(|(name, _)| name).collect::<Vec<_>>()
        };
        let strings = Strings::new(300, 4, 0);
        let by = |variant: Variant| counted(&|worked| drop(worked.run(variant, &strings)));
        assert_eq!(by(Variant::Rapidfuzz), [RAPIDFUZZ]);
        assert_eq!(by(Variant::PlainLoop), [PLAIN]);
        assert_eq!(by(Variant::Words), ["hcube's kernel words"]);
        assert_eq!(by(Variant::Standard), ["hcube's kernel standard"]);
        // Another function under the name of rapidfuzz.
        let own = |a: Copied<Iter<'_, u8>>, b: Copied<Iter<'_, u8>>| a.count().min(b.count());
        assert!(counted(&|worked| _ = worked.by_rapidfuzz(own, b"abc", b"abd")).is_empty());
        let equal = Strings::new(300, 4, 100);
        assert_eq!(counted(&|worked| drop(worked.run(Variant::Words, &equal))), [NOTHING]);
    }
}
