//! The rates of the kernels and of rapidfuzz on random strings, one process on one core.
//!
//! ```text
//! cargo run --release -p hcube-lcs --example kernels -- [LENGTH ALPHABET [REPEATS [COMMON]]]
//! ```
//!
//! COMMON per cent of the symbols are the same in both strings, one half at the beginning and one at the end.
//!
//! All take turns; the table has the medians, and in brackets the best, in 10^9 entries of the matrix per second.

use hcube_core::machine::instructions::Level;
use hcube_lcs::kernel::Kernel;
use hcube_lcs::serial::{Options, observed};
use hcube_lcs::{Outcome, llcs};
use rapidfuzz::distance::lcs_seq;
use std::ops::ControlFlow;
use std::time::Instant;

/// The strings of the table: length and alphabet.
const CASES: [(usize, u32); 12] = [
    (1000, 4),
    (1000, 256),
    (10_000, 4),
    (10_000, 26),
    (10_000, 256),
    (100_000, 2),
    (100_000, 4),
    (100_000, 8),
    (100_000, 26),
    (100_000, 256),
    (1_000_000, 4),
    (1_000_000, 256),
];

/// The standard algorithm is measured up to this length.
const MAX_STANDARD: usize = 20_000;

type Algorithm<'a> = (String, Box<dyn Fn() -> usize + 'a>);

fn main() {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse().expect("a number")).collect();
    let repeats = numbers.get(2).copied().unwrap_or(5);
    match numbers[..] {
        [length, alphabet, ..] => {
            measure(length, alphabet as u32, repeats, numbers.get(3).copied().unwrap_or(0));
        }
        _ => CASES.into_iter().for_each(|(length, alphabet)| measure(length, alphabet, repeats, 0)),
    }
}

fn string(seed: u64, length: usize, alphabet: u32) -> Vec<u8> {
    let mut state = seed;
    let symbols = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as u32 % alphabet) as u8
    });
    symbols.take(length).collect()
}

fn algorithms<'a>(a: &'a [u8], b: &'a [u8]) -> Vec<Algorithm<'a>> {
    let mut all: Vec<Algorithm<'_>> = vec![
        ("hcube".into(), Box::new(|| llcs(a, b).expect("short"))),
        ("rapidfuzz".into(), Box::new(|| lcs_seq::similarity(a.iter().copied(), b.iter().copied()))),
    ];
    for (kernel, name) in Kernel::ALL {
        if kernel == Kernel::Standard && a.len() > MAX_STANDARD {
            continue;
        }
        let levels = Level::available().into_iter().filter(|&level| kernel.uses(level));
        for level in levels {
            let options = Options { kernel: Some(kernel), level, ..Options::default() };
            let run = move || match observed(a, b, &options, &mut |_| ControlFlow::Continue(())) {
                Ok(Outcome::Length(length)) => length,
                other => panic!("{other:?}"),
            };
            all.push((format!("{name} {}", level.name()), Box::new(run)));
        }
    }
    all
}

fn measure(length: usize, alphabet: u32, repeats: usize, common: usize) {
    let (a, mut b) = (string(1, length, alphabet), string(2, length, alphabet));
    let half = length * common / 200;
    for equal in [0..half, length - half..length] {
        b[equal.clone()].copy_from_slice(&a[equal]);
    }
    let algorithms = algorithms(&a, &b);
    let entries = length as f64 * length as f64;
    let calls = (1e8 / entries).max(1.0) as usize;
    let mut rates = vec![Vec::new(); algorithms.len()];
    for _ in 0..repeats {
        for ((name, run), rates) in algorithms.iter().zip(&mut rates) {
            let begin = Instant::now();
            let mut found = 0;
            for _ in 0..calls {
                found = std::hint::black_box(run());
            }
            rates.push(entries * calls as f64 / begin.elapsed().as_secs_f64() / 1e9);
            assert_eq!(found, algorithms[0].1(), "{name}");
        }
    }
    print!("{length:8} x {length:<8} {alphabet:3} symbols:");
    for ((name, _), rates) in algorithms.iter().zip(&mut rates) {
        rates.sort_by(f64::total_cmp);
        print!("  {name} {:.1} ({:.1})", rates[repeats / 2], rates[repeats - 1]);
    }
    println!();
}
