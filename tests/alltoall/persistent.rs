//! Persistent exchanges (tests/c/persistent.c), through the C interface and through the preload library:
//! random counts and datatypes, started again and again with other data, on several communicators, mixed with
//! persistent messages.

use crate::common::{Mpi, by_mpi};
use crate::ranks;
use crate::requests::{Requests, SINGLE_COPY, passes};

pub const PERSISTENT: Requests = Requests {
    client: "persistent",
    functions: ["MPI_Alltoall_init", "MPI_Alltoallv_init", "MPI_Alltoallw_init"],
};

/// Whether the MPI library has persistent exchanges. Without, initialisations through the C interface are
/// refused on all ranks; with them, those with wrong arguments of one rank are.
fn exist() -> bool {
    let text = PERSISTENT.launch(2, [1, 1, 1, 1]).arg("errors").run().success();
    match text.trim() {
        "refused" => true,
        "lacking" => {
            assert_eq!(Mpi::selected().name(), "openmpi", "of MPI 4, this library has large counts");
            false
        }
        _ => panic!("{text}"),
    }
}

#[test]
fn random_exchanges() {
    if exist() {
        for ranks in ranks() {
            passes(PERSISTENT.launch(ranks, [ranks as u64, 4, 30, 5000]), 4, ranks);
        }
    }
}

/// Also blocks that are long enough to be shared by the two ranks of a pair.
#[test]
fn long_blocks() {
    if exist() {
        for &ranks in by_mpi(&[2, 3][..], &[2]) {
            passes(PERSISTENT.launch(ranks, [3, 5, 12, 300_000]), 5, ranks);
        }
    }
}

/// Exchanges on other paths are performed by the MPI library.
#[test]
fn other_paths_are_forwarded() {
    if exist() {
        let text = PERSISTENT.launch(2, [5, 3, 20, 4000]).env("HCUBE_PATH", "shared").run().success();
        assert_eq!(text.trim(), "ok 3 served=0");
    }
}

#[test]
fn errors_are_those_of_all_ranks() {
    if exist() {
        for &ranks in by_mpi(&[2, 3, 5][..], &[2]) {
            let text = PERSISTENT.launch(ranks, [1, 1, 1, 1]).arg("errors").run().success();
            assert_eq!(text.trim(), "refused", "{ranks} ranks");
            let text = PERSISTENT.preloaded(ranks, [1, 1, 1, 1], &["errors"], &[SINGLE_COPY]).0;
            assert_eq!(text, "refused", "preloaded, {ranks} ranks");
        }
    }
}

#[test]
fn preloaded_calls_are_served() {
    if exist() {
        for &ranks in by_mpi(&[2, 3, 5][..], &[2]) {
            PERSISTENT.are_served(ranks, [7, 5, 60, 20_000]);
        }
    }
}

#[test]
fn other_starts_are_forwarded_and_counted() {
    if exist() {
        assert_eq!(PERSISTENT.are_forwarded([7, 5, 60, 20_000]), 5 * 30 * 2);
    }
}
