//! Exchanges on several nodes, whose algorithms are compared with each other and with the MPI library's
//! function.

use crate::common::by_mpi;
use crate::common::guest::{ALWAYS, DEFAULT, Guest, later_ones_are_served};
use crate::common::preload::Statistics;
use crate::common::skip;

/// Exchanges of a rank that are forwarded in one comparison.
const COMPARED: u64 = 4 * 8;

/// Exchanges in place that were forwarded.
fn in_place_by_library(statistics: &Statistics) -> u64 {
    let rows = statistics.rows("MPI_Alltoall", true);
    rows.iter().filter(|row| row.0 == "library").map(|row| row.1).sum()
}

/// Every algorithm was used, and exchanges of both kinds were forwarded without votes.
fn all_are_compared(statistics: &Statistics, ranks: usize, ranks_per_node: &str) {
    let (many, led) = (ranks >= 4, ranks >= 4 && ranks_per_node != "1");
    let forwarded = |text: &str| statistics.reasons().iter().any(|reason| reason.contains(text));
    let paths = |function, in_place| -> Vec<&str> {
        statistics.rows(function, in_place).iter().map(|row| row.0).collect()
    };
    // Trials after the votes would use the library's function a few times if it is not the fastest.
    assert!(in_place_by_library(statistics) >= COMPARED * ranks as u64, "{statistics:?}");
    assert_eq!(forwarded("makes faster than hcube"), led, "{statistics:?}");
    for in_place in [false, true] {
        assert_eq!(paths("MPI_Alltoall", in_place).contains(&"node-leaders"), led, "{statistics:?}");
    }
    let lists = paths("MPI_Alltoallv", true);
    assert_eq!(lists.contains(&"node-leaders"), led, "{statistics:?}");
    // Where node leaders take part, they make all exchanges of small blocks.
    let all = [&lists[..], &paths("MPI_Alltoall", true)].concat();
    assert_eq!(all.contains(&"hypercube"), many && !led, "{statistics:?}");
    assert!(all.iter().any(|path| path.ends_with("message")), "{statistics:?}");
}

#[test]
fn exchanges_between_nodes_stay_right() {
    let placements = by_mpi(&[(2, "1"), (4, "1"), (4, "2"), (5, "3")][..], &[(2, "1")]);
    for &(ranks, ranks_per_node) in placements {
        for line in ["between", "between errors"] {
            let guest = Guest::new(line, ranks).env("HCUBE_RANKS_PER_NODE", ranks_per_node);
            let stock = guest.stock();
            let (_, statistics) = guest.same_as(&stock, DEFAULT);
            later_ones_are_served(&statistics);
            all_are_compared(&statistics, ranks, ranks_per_node);
        }
        let guest = Guest::new("between", ranks).env("HCUBE_RANKS_PER_NODE", ranks_per_node);
        let (_, statistics) = guest.same_as(&guest.stock(), ALWAYS);
        assert_eq!(statistics.calls_by("library"), 0, "{statistics:?}");
    }
}

/// Two threads exchange on two communicators, which compare independently.
#[test]
fn exchanges_of_two_threads_are_compared() {
    let (ranks, ranks_per_node) = by_mpi((4, "2"), (2, "1"));
    let guest = Guest::new("threads together 150", ranks).env("HCUBE_RANKS_PER_NODE", ranks_per_node);
    let stock = guest.stock();
    if stock.skipped() {
        return skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
    }
    let (_, statistics) = guest.same_as(&stock, DEFAULT);
    later_ones_are_served(&statistics);
    assert!(in_place_by_library(&statistics) >= 2 * COMPARED * ranks as u64, "{statistics:?}");
}
