//! What one process runs.

use super::arguments::Variant;
use super::strings::Strings;
use hcube_core::{Error, Result};
use hcube_lcs::serial::{Options, llcs, observed};
use hcube_lcs::{Kernel, Outcome, Symbol};
use rapidfuzz::distance::lcs_seq;
use std::ops::ControlFlow;

/// The length that an outcome without a bound has.
pub fn length(outcome: Outcome) -> Result<usize> {
    match outcome {
        Outcome::Length(length) => Ok(length),
        other => Err(Error::Internal(format!("{other:?} without a bound"))),
    }
}

/// The length by a variant of one process.
///
/// # Errors
/// Those of [`llcs`].
pub fn run(variant: Variant, strings: &Strings) -> Result<usize> {
    match (variant, strings) {
        (Variant::Rapidfuzz, Strings::Narrow([a, b])) => {
            Ok(lcs_seq::similarity(a.iter().copied(), b.iter().copied()))
        }
        (Variant::Rapidfuzz, Strings::Wide([a, b])) => {
            Ok(lcs_seq::similarity(a.iter().copied(), b.iter().copied()))
        }
        (_, Strings::Narrow([a, b])) => of_symbols(variant, a, b),
        (_, Strings::Wide([a, b])) => of_symbols(variant, a, b),
    }
}

fn of_symbols<S: Symbol>(variant: Variant, a: &[S], b: &[S]) -> Result<usize> {
    let kernel = match variant {
        Variant::PlainLoop => return Ok(plain(a, b)),
        Variant::Standard => Kernel::Standard,
        Variant::Words => Kernel::Words,
        Variant::Planes => Kernel::Planes,
        _ => return llcs(a, b),
    };
    let options = Options { kernel: Some(kernel), ..Options::default() };
    length(observed(a, b, &options, &mut |_| ControlFlow::Continue(()))?)
}

/// Every entry of the matrix, row by row, with values of 32 bits as in the thesis.
fn plain<S: Symbol>(a: &[S], b: &[S]) -> usize {
    let mut row = vec![0_u32; a.len()];
    for symbol in b {
        let (mut diagonal, mut left) = (0, 0);
        for (entry, other) in row.iter_mut().zip(a) {
            let above = *entry;
            *entry = if symbol == other { diagonal + 1 } else { above.max(left) };
            (diagonal, left) = (above, *entry);
        }
    }
    row.last().map_or(0, |&length| length as usize)
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Kind;
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn all_find_the_same() {
        assert_eq!(plain(b"aaababa", b"bbabba"), 4);
        for (length, symbols, common) in [(0, 4, 0), (1, 1, 0), (300, 4, 0), (300, 26, 50), (300, 1000, 90)] {
            let strings = Strings::new(length, symbols, common);
            let expected = run(Variant::Rapidfuzz, &strings).expect("short");
            for &variant in Variant::value_variants() {
                if let Kind::OneProcess { .. } = variant.kind() {
                    assert_eq!(run(variant, &strings), Ok(expected), "{variant:?}, {symbols} symbols");
                }
            }
        }
    }
}
