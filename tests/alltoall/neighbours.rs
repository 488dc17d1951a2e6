//! Exchanges between neighbours (tests/c/neighbours.c), through the C interface and through the preload
//! library: random topologies, counts and datatypes, against the MPI library's own functions.

use crate::common;
use crate::common::preload::Preloaded;
use crate::common::{Language, Launch, Mpi, by_mpi};
use crate::{ranks, used};

pub const FUNCTIONS: [&str; 3] =
    ["MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw"];

/// The function `MPI_Neighbor_alltoallw` of MPICH 4.0.2 sometimes ends the program or delivers wrong bytes
/// with derived datatypes, also without hcube: nothing can be compared with it.
fn functions() -> &'static [&'static str] {
    if Mpi::selected().name() == "mpich" { &FUNCTIONS[..2] } else { &FUNCTIONS }
}

fn arguments(ranks: usize, cases: u64, largest: u64, mode: &str) -> Vec<String> {
    let mut all = vec![ranks.to_string(), cases.to_string(), largest.to_string(), mode.to_owned()];
    if functions().len() < FUNCTIONS.len() {
        all.push("without-alltoallw".to_owned());
    }
    all
}

#[test]
fn random_topologies() {
    for ranks in ranks() {
        // Blocks that become part of a notice, and blocks that do not.
        for largest in [40, 40_000] {
            let launch = Launch::client("neighbours", ranks).args(arguments(ranks, 9, largest, "hcube"));
            let text = launch.env("HCUBE_PATH", "shared").run().success();
            assert!(text.starts_with("ok 9"), "{text}");
            let inside = used(&text, "shared") + used(&text, "alone");
            assert_eq!(inside, 9 * functions().len() as u64, "{text}");
        }
    }
}

/// Without options: after an exchange with short blocks others are forwarded.
#[test]
fn short_blocks_are_forwarded() {
    let functions = functions().len() as u64;
    for (largest, inside, library) in [(40, 1..12, 6..28), (40_000, 3 * functions..28, 0..18)] {
        let launch = Launch::client("neighbours", 2).args(arguments(2, 9, largest, "hcube"));
        let text = launch.run().success();
        let found = [used(&text, "shared") + used(&text, "single-copy"), used(&text, "library")];
        assert!(inside.contains(&found[0]) && library.contains(&found[1]), "{text}");
    }
}

#[test]
fn single_copy_and_messages() {
    for (path, name) in [("single-copy", "single-copy"), ("message", "message")] {
        let launch = Launch::client("neighbours", 2).args(arguments(2, 9, 4000, "hcube"));
        let text = launch.env("HCUBE_PATH", path).run().success();
        if path == "single-copy" && used(&text, name) == 0 {
            common::unproved("single-copy", "no exchange took this path");
            continue;
        }
        // A third of the cases have blocks that are too short for single copy, or no neighbours.
        assert!(used(&text, name) as usize > functions().len(), "{text}");
    }
}

#[test]
fn no_rank_waits_where_one_is_refused() {
    for (what, class) in
        [("counts", "truncate"), ("negative", "count"), ("datatype", "type"), ("null", "argument")]
    {
        let common = ["2", "1", "40", "hcube", what];
        let launch = Launch::client("neighbours", 2).args(common);
        let text = launch.whole_lines().run().success();
        let refused = text.lines().filter(|line| line.starts_with("refused") && line.ends_with(class));
        assert_eq!(refused.count(), 2, "{what}: {text}");
    }
}

#[test]
fn preloaded_calls_are_served() {
    let program = common::client("neighbours", Language::C11);
    for ranks in by_mpi(&[2, 3, 8][..], &[2]) {
        let change = |launch: Launch| launch.args(arguments(*ranks, 6, 60_000, "preload"));
        let (text, statistics) = Preloaded::new("neighbours", &program, *ranks).with(change).success();
        assert!(text.starts_with("ok 6"), "{text}");
        for function in functions() {
            let rows = statistics.rows(function, false);
            let served: u64 =
                rows.iter().filter(|(path, ..)| *path != "library").map(|(_, calls, _)| *calls).sum();
            // Of 3 calls in 6 cases, except the first ones and those behind an exchange with short blocks.
            assert!(served >= 2 * *ranks as u64, "{function}: {rows:?}");
        }
    }
}
