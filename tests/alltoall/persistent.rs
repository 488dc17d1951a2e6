//! Persistent exchanges (tests/c/persistent.c), through the C interface and through the preload library:
//! random counts and datatypes, started again and again with other data, on several communicators, mixed with
//! persistent messages.

use crate::common;
use crate::common::preload::Preloaded;
use crate::common::{Language, Launch, Mpi};

const FUNCTIONS: [&str; 3] = ["MPI_Alltoall_init", "MPI_Alltoallv_init", "MPI_Alltoallw_init"];

fn arguments(numbers: [u64; 4], mode: &str) -> Vec<String> {
    numbers.map(|number| number.to_string()).into_iter().chain([mode.to_owned()]).collect()
}

/// On the path on which hcube makes them.
fn launch(ranks: usize, numbers: [u64; 4]) -> Launch {
    let launch = Launch::client("persistent", ranks).args(arguments(numbers, "hcube"));
    launch.env("HCUBE_PATH", "single-copy")
}

/// Whether the MPI library has persistent exchanges. Without, initialisations through the C interface are
/// refused on all ranks; with them, those with wrong arguments of one rank are.
fn exist() -> bool {
    let text = launch(2, [1, 1, 1, 1]).args(["errors"]).run().success();
    match text.trim() {
        "refused" => true,
        "lacking" => {
            assert_eq!(Mpi::selected().name(), "openmpi", "of MPI 4, this library has large counts");
            false
        }
        _ => panic!("{text}"),
    }
}

/// Whether all went well, and hcube has made exchanges.
fn passes(launch: Launch, turns: u64, ranks: usize) {
    let text = launch.run().success();
    let served = text.trim().strip_prefix(&format!("ok {turns} served="));
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
    if exist() {
        for ranks in ranks() {
            passes(launch(ranks, [ranks as u64, 4, 30, 5000]), 4, ranks);
        }
    }
}

/// Also blocks that are long enough to be shared by the two ranks of a pair.
#[test]
fn long_blocks() {
    if exist() {
        for ranks in if Mpi::selected() == Mpi::Open { &[2, 3][..] } else { &[2] } {
            passes(launch(*ranks, [3, 5, 12, 300_000]), 5, *ranks);
        }
    }
}

/// The exchanges of other paths are those of the library.
#[test]
fn other_paths_are_forwarded() {
    if exist() {
        let text = launch(2, [5, 3, 20, 4000]).env("HCUBE_PATH", "shared").run().success();
        assert_eq!(text.trim(), "ok 3 served=0");
    }
}

#[test]
fn errors_are_those_of_all_ranks() {
    if exist() {
        let sizes = if Mpi::selected() == Mpi::Open { &[2, 3, 5][..] } else { &[2] };
        for &ranks in sizes {
            let text = launch(ranks, [1, 1, 1, 1]).args(["errors"]).run().success();
            assert_eq!(text.trim(), "refused", "{ranks} ranks");
            let program = common::client("persistent", Language::C11);
            let mut arguments = arguments([1, 1, 1, 1], "preload");
            arguments.push("errors".to_owned());
            let change =
                |launch: Launch| launch.args(arguments).env("HCUBE_PATH", "single-copy").whole_lines();
            let text = Preloaded::new("persistent", &program, ranks).with(change).success().0;
            assert_eq!(text.trim(), "refused", "preloaded, {ranks} ranks");
        }
    }
}

/// Starts by function, as hcube has made and forwarded them.
fn starts(ranks: usize, numbers: [u64; 4], options: &[(&str, &str)]) -> Vec<[u64; 2]> {
    let program = common::client("persistent", Language::C11);
    let change = |launch: Launch| {
        let launch = launch.args(arguments(numbers, "preload"));
        options.iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    };
    let (text, statistics) = Preloaded::new("persistent", &program, ranks).with(change).success();
    assert_eq!(text.trim(), format!("ok {} served=0", numbers[1]));
    let of_path = |function: &str, path: &str| {
        let rows = statistics.rows(function, false);
        rows.iter().filter(|row| row.0 == path).map(|row| row.1).sum()
    };
    FUNCTIONS.map(|function| ["single-copy", "library"].map(|path| of_path(function, path))).to_vec()
}

#[test]
fn preloaded_calls_are_served() {
    if exist() {
        for ranks in if Mpi::selected() == Mpi::Open { &[2, 3, 5][..] } else { &[2] } {
            let starts = starts(*ranks, [7, 5, 60, 20_000], &[("HCUBE_PATH", "single-copy")]);
            if starts.iter().all(|[served, _]| *served == 0) {
                common::unproved("single-copy", "no exchange took this path");
                return;
            }
            assert!(starts.iter().all(|[served, forwarded]| *served > 5 && *forwarded == 0), "{starts:?}");
            assert_eq!(starts.iter().flatten().sum::<u64>(), 5 * 30 * *ranks as u64);
        }
    }
}

#[test]
fn other_starts_are_forwarded_and_counted() {
    if exist() {
        let starts = starts(2, [7, 5, 60, 20_000], &[]);
        assert!(starts.iter().all(|[served, forwarded]| *served == 0 && *forwarded > 0), "{starts:?}");
        assert_eq!(starts.iter().flatten().sum::<u64>(), 5 * 30 * 2);
    }
}
