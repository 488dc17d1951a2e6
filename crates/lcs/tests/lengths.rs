//! All kernels against each other and against rapidfuzz.

use hcube_core::machine::instructions::Level;
use hcube_lcs::kernel::Kernel;
use hcube_lcs::serial::{Options, observed};
use hcube_lcs::{Outcome, Symbol};
use proptest::prelude::*;
use rapidfuzz::distance::lcs_seq;
use std::ops::ControlFlow;

/// Numbers of a simple generator.
fn random(seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
}

fn string(seed: u64, length: usize, alphabet: u32) -> Vec<u32> {
    random(seed).take(length).map(|number| number % alphabet).collect()
}

fn kernels() -> impl Iterator<Item = Options> {
    let levels = |kernel: Kernel| Level::available().into_iter().filter(move |&level| kernel.uses(level));
    let all =
        Kernel::ALL.into_iter().flat_map(move |(kernel, _)| levels(kernel).map(move |level| (kernel, level)));
    all.map(|(kernel, level)| Options { kernel: Some(kernel), level, ..Options::default() })
        .chain([Options::default()])
}

fn same_for_all<S: Symbol + std::hash::Hash>(a: &[S], b: &[S]) {
    let values = |string: &[S]| string.iter().map(|symbol| symbol.value()).collect::<Vec<_>>();
    let expected = lcs_seq::similarity(values(a), values(b));
    for options in kernels() {
        for (a, b) in [(a, b), (b, a)] {
            let outcome = observed(a, b, &options, &mut |_| ControlFlow::Continue(()));
            assert_eq!(outcome, Ok(Outcome::Length(expected)), "{options:?}, {} x {}", a.len(), b.len());
        }
    }
}

/// The same in symbols of all widths.
fn check(a: &[u32], b: &[u32]) {
    same_for_all(a, b);
    let narrow = |string: &[u32]| string.iter().map(|&value| value as u16).collect::<Vec<_>>();
    same_for_all(&narrow(a), &narrow(b));
    let bytes = |string: &[u32]| string.iter().map(|&value| value as u8).collect::<Vec<_>>();
    same_for_all(&bytes(a), &bytes(b));
}

#[test]
fn random_strings_around_boundaries_of_words_and_strips() {
    let lengths = [0, 1, 2, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 200];
    for (seed, &m) in lengths.iter().enumerate() {
        for &n in &lengths {
            for alphabet in [1, 2, 4, 27, 300] {
                check(&string(seed as u64, m, alphabet), &string(77 + n as u64, n, alphabet));
            }
        }
    }
}

/// Every number of planes, strips and pieces of every kernel, and what is left behind them.
#[test]
fn long_strings() {
    let lengths = [(1024, 1025), (2000, 13_000), (3100, 4000), (6300, 2700)];
    for (number, alphabet) in [2, 4, 7, 16, 20, 64, 100, 256, 5000].into_iter().enumerate() {
        let (m, n) = lengths[number % lengths.len()];
        same_for_all(&string(1, m, alphabet), &string(2, n, alphabet));
        same_for_all(&string(1, 4000, alphabet), &string(2, 700, alphabet));
    }
    same_for_all(&string(1, 70_000, 4), &string(2, 3100, 4));
}

#[test]
fn equal_disjoint_and_periodic_strings() {
    let period = |length: usize, period: u32| (0..length as u32).map(|at| at % period).collect::<Vec<_>>();
    for length in [1, 63, 64, 192, 193, 1000, 2000] {
        let a = string(3, length, 100);
        check(&a, &a);
        check(&a, &a.iter().map(|value| value + 100).collect::<Vec<_>>());
        check(&a, &a.iter().rev().copied().collect::<Vec<_>>());
        check(&period(length, 3), &period(length + 70, 5));
        check(&period(length, 64), &period(length / 2, 63));
        let edited = [&a[..length / 3], &[7, 8], &a[length / 2..]].concat();
        check(&a, &edited);
    }
}

#[test]
fn symbols_of_32_bits_are_compared_as_a_whole() {
    let large =
        |string: Vec<u32>| string.into_iter().map(|value| value << 24 | value << 3).collect::<Vec<_>>();
    same_for_all(&large(string(1, 700, 200)), &large(string(2, 900, 200)));
    same_for_all(&[0, u32::MAX, 5], &[u32::MAX, 5, 5]);
}

#[test]
fn a_bound_ends_the_computation_and_so_does_the_observer() {
    let (a, b) = (string(1, 3000, 26), string(2, 200_000, 26));
    let run = |options: &Options, observer: &mut hcube_lcs::progress::Observer<'_>| {
        observed(&a, &b, options, observer).expect("short")
    };
    for options in kernels().filter(|options| options.kernel != Some(Kernel::Standard)) {
        let bound = |at_least| Options { at_least, ..options };
        let Outcome::Length(length) = run(&options, &mut |_| ControlFlow::Continue(())) else {
            panic!("no bound")
        };
        let mut last = None;
        let mut note = |progress| {
            last = Some(progress);
            ControlFlow::Continue(())
        };
        assert_eq!(run(&bound(length), &mut note), Outcome::Length(length));
        let last = last.expect("progress");
        assert_eq!((last.done, last.total), (3000 * 200_000, 3000 * 200_000));
        assert_eq!(run(&bound(length + 1), &mut |_| ControlFlow::Continue(())), Outcome::Below);
        // Not even begun.
        let never = &mut |_| panic!("computes");
        assert_eq!(run(&bound(3001), never), Outcome::Below);
        assert_eq!(run(&options, &mut |_| ControlFlow::Break(())), Outcome::Interrupted);
    }
}

proptest! {
    #[test]
    fn any_bytes(a: Vec<u8>, b: Vec<u8>) {
        same_for_all(&a, &b);
    }

    #[test]
    fn few_symbols(a in prop::collection::vec(0_u8..4, 0..700), b in prop::collection::vec(0_u8..4, 0..700)) {
        same_for_all(&a, &b);
    }

    #[test]
    fn wide_symbols(
        a in prop::collection::vec(0_u32..2000, 0..2500),
        b in prop::collection::vec(prop::num::u32::ANY.prop_map(|value| value >> (value % 32)), 0..600),
    ) {
        same_for_all(&a, &b);
    }
}

#[test]
#[ignore = "takes 7 GiB of memory and a minute"]
fn more_than_2_to_31_symbols() {
    let (a, mut b) = ([&[2; 1][..], &[1; 10], &[2; 90]].concat(), vec![1_u8; (1 << 31) + 70]);
    b.extend([2; 50]);
    assert_eq!(hcube_lcs::llcs(&a, &b), Ok(60));
    assert_eq!(hcube_lcs::llcs(&b, &a), Ok(60));
}
