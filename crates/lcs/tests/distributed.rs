//! The length on ranks that are threads, against that of one process.

use hcube_core::Error;
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_lcs::distributed::{Options, llcs, prepare};
use hcube_lcs::kernel::Kernel;
use hcube_lcs::{Outcome, Symbol};
use std::ops::ControlFlow;

fn string(seed: u64, length: usize, alphabet: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let symbols = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32 % alphabet
    });
    symbols.take(length).collect()
}

/// The part of a rank: nearly equal parts, or everything on one rank, or parts that grow.
fn part<T>(whole: &[T], rank: usize, ranks: usize, way: usize) -> &[T] {
    let bound = |rank: usize| match way % 3 {
        0 => whole.len() * rank / ranks,
        1 => whole.len() * usize::from(rank > way % ranks),
        _ => whole.len() * rank * rank / (ranks * ranks),
    };
    &whole[bound(rank)..bound(rank + 1)]
}

fn run<S: Symbol>(
    comm: &ThreadComm,
    a: &[S],
    b: &[S],
    way: usize,
    options: &Options,
) -> Result<Outcome, Error> {
    let (rank, ranks) = (comm.rank(), comm.size());
    let parts = (part(a, rank, ranks, way), part(b, rank, ranks, way + 1));
    llcs(comm, parts.0, parts.1, options, &mut |_| ControlFlow::Continue(()))
}

fn check<S: Symbol>(ranks: usize, a: &[S], b: &[S], way: usize, options: &Options) {
    let expected = hcube_lcs::llcs(a, b).expect("short");
    let found = threads::run(ranks, ranks, |comm| run(comm, a, b, way, options));
    let lengths = (a.len(), b.len());
    assert_eq!(found, vec![Ok(Outcome::Length(expected)); ranks], "{lengths:?}, way {way}, {options:?}");
}

#[test]
fn every_number_of_ranks_and_every_alpha() {
    let (a, b) = (string(1, 1499, 5), string(2, 1201, 5));
    for ranks in 1..=16 {
        for alpha in 1..=5 {
            let way = ranks + alpha;
            let block_rows = [0, 1, 7, 2 * ranks + 1][way % 4];
            let options = Options { alpha, block_rows, barriers: way % 5 == 0, ..Options::default() };
            check(ranks, &a, &b, way, &options);
            check(ranks, &b[..way * 50], &a, way, &options);
        }
        check(ranks, &a, &b, ranks, &Options::default());
    }
}

#[test]
fn every_kernel_and_alphabet() {
    for (number, alphabet) in [1, 2, 20, 256, 400, 3000].into_iter().enumerate() {
        let (a, b) = (string(3, 9000, alphabet), string(4, 2500, alphabet));
        for (kernel, _) in Kernel::ALL {
            let options = Options { kernel: Some(kernel), alpha: 2, ..Options::default() };
            check(2 + number % 3, &a, &b, number, &options);
        }
    }
}

#[test]
fn symbols_of_all_widths() {
    let (a, b) = (string(5, 1100, 60_000), string(6, 1300, 60_000));
    let (a, b) = ([&a[..], &b[..500]].concat(), [&b[..], &a[200..900]].concat());
    let bytes = |string: &[u32]| string.iter().map(|&value| value as u8).collect::<Vec<_>>();
    let words = |string: &[u32]| string.iter().map(|&value| value as u16).collect::<Vec<_>>();
    let large = |string: &[u32]| string.iter().map(|&value| value.rotate_left(16) | 1).collect::<Vec<_>>();
    for ranks in [1, 2, 3, 7] {
        check(ranks, &bytes(&a), &bytes(&b), ranks, &Options::default());
        check(ranks, &words(&a), &words(&b), ranks, &Options::default());
        check(ranks, &large(&a), &large(&b), ranks, &Options::default());
    }
}

#[test]
fn empty_equal_and_disjoint_strings() {
    let a = string(7, 700, 50);
    let other: Vec<u32> = a.iter().map(|value| value + 50).collect();
    for ranks in [1, 4, 5] {
        let options = Options { alpha: 2, ..Options::default() };
        check(ranks, &a, &a, 0, &options);
        check(ranks, &a, &other, 1, &options);
        check(ranks, &a, &[], 2, &options);
        check::<u32>(ranks, &[], &[], 3, &Options::default());
        check(ranks, &[1_u8], &[1], 4, &options);
    }
}

#[test]
fn common_ends_are_not_computed() {
    let (begin, end) = (string(11, 5000, 20), string(12, 3000, 20));
    let strings =
        [[20, 3, 4], [21, 5, 3]].map(|middle: [u32; 3]| [&begin[..], &middle[..], &end[..]].concat());
    for (ranks, alpha) in [(1, 1), (3, 0), (5, 2)] {
        let options = Options { alpha, ..Options::default() };
        let [a, b] = &strings;
        check(ranks, a, b, ranks, &options);
        let plans = threads::run(ranks, ranks, |comm| {
            let parts = [a, b].map(|string| part(string, comm.rank(), ranks, 0));
            prepare(comm, parts[0], parts[1], &options).and_then(|prepared| prepared.plan())
        });
        let plan = plans[0].as_ref().expect("equal options");
        // Symbols 20 and 21 are only in one string.
        assert_eq!((plan.problem.columns, plan.problem.rows, plan.alphabet), (2, 2, 20), "{plan:?}");
        assert!(plan.seconds > 0.0 && plan.grid.ranks == ranks, "{plan:?}");
    }
}

#[test]
fn options_that_differ_are_refused_on_all_ranks() {
    let a = string(8, 300, 4);
    let failed = |options: &(dyn Fn(usize) -> Options + Sync)| {
        let found = threads::run(3, 3, |comm| run(comm, &a, &a, 0, &options(comm.rank())));
        found.into_iter().map(|result| result.expect_err("refused")).collect::<Vec<_>>()
    };
    let alpha = |alpha| Options { alpha, ..Options::default() };
    for error in failed(&|rank| alpha(rank % 2)) {
        assert_eq!(error, Error::Mismatch { name: "alpha", least: 0, most: 1 });
    }
    let errors = failed(&|rank| alpha(if rank == 1 { usize::MAX } else { 1 }));
    assert!(matches!(errors[1], Error::Argument { name: "alpha", .. }), "{errors:?}");
    assert!(matches!(errors[0], Error::Remote { rank: 1, .. }), "{errors:?}");
    let types = threads::run(2, 2, |comm| {
        let (options, observer) = (Options::default(), &mut |_| ControlFlow::Continue(()));
        if comm.rank() == 0 {
            llcs::<_, u8>(comm, &[1], &[1], &options, observer)
        } else {
            llcs::<_, u16>(comm, &[1], &[1], &options, observer)
        }
    });
    assert_eq!(types, vec![Err(Error::Mismatch { name: "bits of a symbol", least: 8, most: 16 }); 2]);
}

#[test]
fn a_bound_is_checked_and_any_rank_may_end_the_computation() {
    let (a, b) = (string(9, 3000, 20), string(10, 3000, 20));
    let length = hcube_lcs::llcs(&a, &b).expect("short");
    for (at_least, expected) in
        [(length, Outcome::Length(length)), (length + 1, Outcome::Below), (2999, Outcome::Below)]
    {
        let options = Options { at_least, alpha: 2, ..Options::default() };
        let found = threads::run(3, 3, |comm| run(comm, &a, &b, 0, &options));
        assert_eq!(found, vec![Ok(expected); 3]);
    }
    for ending in 0..3 {
        let found = threads::run(3, 3, |comm| {
            let (rank, options) = (comm.rank(), Options { alpha: 2, ..Options::default() });
            let mut last = None;
            let mut observer = |progress| {
                last = Some(progress);
                if rank == ending { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            llcs(comm, part(&a, rank, 3, 0), part(&b, rank, 3, 0), &options, &mut observer)
        });
        assert_eq!(found, vec![Ok(Outcome::Interrupted); 3]);
    }
}
