//! Nonblocking exchanges (tests/c/nonblocking.c), through the C interface and through the preload library:
//! random counts and datatypes, many requests at once, on several communicators in different orders, mixed
//! with messages.

use crate::common;
use crate::common::preload::Preloaded;
use crate::common::{Language, Launch, Mpi};

fn arguments(ranks: usize, numbers: [u64; 3], mode: &str) -> Vec<String> {
    let numbers = std::iter::once(ranks as u64).chain(numbers).map(|number| number.to_string());
    numbers.chain([mode.to_owned()]).collect()
}

/// On the path on which hcube makes them.
fn launch(ranks: usize, numbers: [u64; 3]) -> Launch {
    let launch = Launch::client("nonblocking", ranks).args(arguments(ranks, numbers, "hcube"));
    launch.env("HCUBE_PATH", "single-copy")
}

/// Whether all went well, and hcube has made exchanges.
fn passes(launch: Launch, rounds: u64, ranks: usize) {
    let text = launch.run().success();
    let served = text.trim().strip_prefix(&format!("ok {rounds} served="));
    let served: u64 = served.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    if served == 0 && ranks > 1 {
        common::unproved("single-copy", "no exchange took this path");
    }
}

/// MPICH never yields where there are more ranks than cores.
fn ranks() -> std::ops::RangeInclusive<usize> {
    1..=if Mpi::selected() == Mpi::Open { 9 } else { 2 }
}

#[test]
fn random_exchanges() {
    for ranks in ranks() {
        passes(launch(ranks, [3, 30, 5000]), 3, ranks);
    }
}

#[test]
fn a_thousand_mixed_requests() {
    passes(launch(2, [1, 1000, 3000]), 1, 2);
}

/// Blocks that are long enough to be shared by the two ranks of a pair.
#[test]
fn long_blocks() {
    for ranks in if Mpi::selected() == Mpi::Open { &[2, 3][..] } else { &[2] } {
        passes(launch(*ranks, [3, 12, 300_000]), 3, *ranks);
    }
}

/// No rank waits for another one when it starts an exchange.
#[test]
fn others_may_start_after_a_message() {
    for ranks in if Mpi::selected() == Mpi::Open { &[2, 3][..] } else { &[2] } {
        passes(launch(*ranks, [2, 200, 3000]).args(["late"]), 2, *ranks);
    }
}

/// Nor where it is thousands of exchanges ahead, more than the table of a node has rows for.
#[test]
fn others_may_start_after_thousands() {
    for ranks in if Mpi::selected() == Mpi::Open { &[2, 3][..] } else { &[2] } {
        passes(launch(*ranks, [1, 14_000, 3]).args(["late"]), 1, *ranks);
        let change = |launch: Launch| {
            let launch = launch.args(arguments(*ranks, [1, 14_000, 3], "preload")).arg("late");
            launch.env("HCUBE_PATH", "single-copy")
        };
        let program = common::client("nonblocking", Language::C11);
        let (text, statistics) = Preloaded::new("nonblocking-late", &program, *ranks).with(change).success();
        assert_eq!(text.trim(), "ok 1 served=0");
        let served = |function| statistics.rows(function, false).iter().any(|row| row.0 == "single-copy");
        if !FUNCTIONS.into_iter().all(served) {
            common::unproved("single-copy", "no exchange took this path");
        }
    }
}

/// Blocks that are too long are errors of one rank of a pair, and wrong arguments those of the rank that
/// passes them, with short blocks and with those that two ranks share.
#[test]
fn errors_are_those_of_the_rank_that_finds_them() {
    let served = calls(2, [1, 10, 100], &[("HCUBE_PATH", "single-copy")]);
    if served.iter().all(|[served, _]| *served == 0) {
        common::unproved("single-copy", "no exchange took this path");
        return;
    }
    for (mode, block) in [("hcube", "2000"), ("hcube", "100000"), ("preload", "2000")] {
        for ranks in if Mpi::selected() == Mpi::Open { &[2, 3, 5][..] } else { &[2] } {
            let mut arguments = arguments(*ranks, [5, 1, 1], mode);
            arguments.extend(["refused", block].map(str::to_owned));
            let change =
                |launch: Launch| launch.args(arguments).env("HCUBE_PATH", "single-copy").whole_lines();
            let text = match mode {
                "hcube" => change(Launch::client("nonblocking", *ranks)).run().success(),
                _ => {
                    let program = common::client("nonblocking", Language::C11);
                    Preloaded::new("nonblocking", &program, *ranks).with(change).success().0
                }
            };
            assert_eq!(text.trim(), "truncated 1", "{mode}, {ranks} ranks, blocks of {block}");
        }
    }
}

const FUNCTIONS: [&str; 3] = ["MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw"];

/// Calls by function, as hcube has made and forwarded them.
fn calls(ranks: usize, numbers: [u64; 3], options: &[(&str, &str)]) -> Vec<[u64; 2]> {
    let program = common::client("nonblocking", Language::C11);
    let change = |launch: Launch| {
        let launch = launch.args(arguments(ranks, numbers, "preload"));
        options.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    };
    let (text, statistics) = Preloaded::new("nonblocking", &program, ranks).with(change).success();
    assert_eq!(text.trim(), format!("ok {} served=0", numbers[0]));
    let of_path = |function: &str, path: &str| {
        let rows = statistics.rows(function, false);
        rows.iter().filter(|row| row.0 == path).map(|row| row.1).sum()
    };
    FUNCTIONS.map(|function| ["single-copy", "library"].map(|path| of_path(function, path))).to_vec()
}

#[test]
fn preloaded_calls_are_served() {
    for ranks in if Mpi::selected() == Mpi::Open { &[2, 3, 5][..] } else { &[2] } {
        let calls = calls(*ranks, [4, 60, 20_000], &[("HCUBE_PATH", "single-copy")]);
        if calls.iter().all(|[served, _]| *served == 0) {
            common::unproved("single-copy", "no exchange took this path");
            return;
        }
        assert!(calls.iter().all(|[served, forwarded]| *served > 5 && *forwarded == 0), "{calls:?}");
        assert_eq!(calls.iter().flatten().sum::<u64>(), 4 * 30 * *ranks as u64);
    }
}

/// Without options, MPI libraries are as fast.
#[test]
fn other_calls_are_forwarded() {
    let calls = calls(2, [4, 60, 90_000], &[]);
    assert!(calls.iter().all(|[served, forwarded]| *served == 0 && *forwarded > 0), "{calls:?}");
}
