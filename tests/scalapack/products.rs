//! tests/c/pblas.c: random products of random sub-matrices on grids of all kinds, compared with ScaLAPACK's own results
//! and with plain loops.

use crate::common::Mpi;
use crate::common::scalapack::{WithHcube, available, client};

/// Runs cases on grids; every product must be hcube's.
fn check(name: &str, ranks: usize, cases: usize, grids: &[&str]) {
    if !available() {
        return;
    }
    let program = client("pblas", "", &[]);
    let run = WithHcube::preloaded(name, program, ranks)
        .with(|launch| launch.args([format!("{}", 1000 + ranks), cases.to_string()]).args(grids).limit(100));
    let (text, statistics) = run.success();
    let line = text.lines().find(|line| line.starts_with("ok ")).unwrap_or_else(|| panic!("{text}"));
    let calls = line.split("calls=").nth(1).and_then(|calls| calls.parse::<u64>().ok());
    assert_eq!(Some(statistics.all_served()), calls, "{line}: {statistics:?}");
    assert_eq!(statistics.all_left(), 0, "{statistics:?}");
}

/// Cases on more ranks than cores: MPICH busy-waits and never yields, and ScaLAPACK computes each case as well.
fn many(openmpi: usize) -> usize {
    if Mpi::selected() == Mpi::Open { openmpi } else { 12 }
}

#[test]
fn one_rank() {
    check("one", 1, 400, &["1x1r"]);
}

#[test]
fn two_ranks() {
    check("two", 2, 800, &["1x2r", "2x1c", "1x1r", "1x2p", "2x1d", "1x1r+1x1r"]);
}

#[test]
fn three_and_four_ranks() {
    check("three", 3, many(300), &["1x3r", "3x1c", "2x1d", "1x3p"]);
    check("four", 4, many(600), &["2x2r", "2x2c", "2x2p", "1x3d", "2x1r+1x2c", "4x1r", "1x4c", "1x1d"]);
}

#[test]
fn six_ranks() {
    check("six", 6, many(500), &["2x3r", "3x2c", "2x3p", "5x1r", "2x2r+1x2p", "1x5d", "3x2d"]);
}

#[test]
fn eight_and_nine_ranks() {
    check("eight", 8, many(300), &["2x4r", "7x1p", "3x1c+1x4p+1x1r", "4x2c", "2x3d"]);
    check("nine", 9, many(300), &["3x3r", "3x3c", "3x3p", "2x2d+1x5r", "1x7r"]);
}
