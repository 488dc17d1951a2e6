//! Transpositions of all shapes, blocks, layouts and rigours of planning, by tests/c/fftw_transpose.c.

use crate::clients::{Line, Linked, Precision, always, counts, linked_client, precisions, ranks, with_hcube};
use crate::common::Launch;

/// Values of hcube's variables: each path, each size of memory, emulated nodes.
pub const VARIANTS: [&[(&str, &str)]; 9] = [
    &[("HCUBE_PATH", "message")],
    &[("HCUBE_PATH", "shared")],
    &[("HCUBE_PATH", "single-copy")],
    &[("HCUBE_MEMORY", "0")],
    &[("HCUBE_MEMORY", "64k")],
    &[("HCUBE_MEMORY", "0"), ("HCUBE_PATH", "message")],
    &[("HCUBE_RANKS_PER_NODE", "1")],
    &[("HCUBE_RANKS_PER_NODE", "2")],
    &[("HCUBE_RANKS_PER_NODE", "2"), ("HCUBE_ALLTOALL", "linear-shift")],
];

fn shapes(launch: Launch, seed: usize, cases: usize) -> Line {
    Line::of(launch.args(["shapes".to_owned(), seed.to_string(), cases.to_string()]))
}

#[test]
fn hcube_takes_all_that_it_can() {
    for ranks in ranks() {
        let cases = if ranks < 4 { 1000 } else { 500 };
        let line = shapes(always("fftw_transpose", Precision::Double, ranks), ranks, cases);
        line.all_planned(&format!("{ranks} ranks"));
    }
}

#[test]
fn all_precisions() {
    for &precision in precisions() {
        for &ranks in counts(&[1, 2, 3, 4], &[2]) {
            let line = shapes(always("fftw_transpose", precision, ranks), 10 + ranks, 200);
            line.all_planned(&format!("{precision:?}, {ranks} ranks"));
        }
    }
}

#[test]
fn all_paths_of_the_exchange() {
    for (number, variables) in VARIANTS.into_iter().enumerate() {
        for &ranks in counts(&[2, 3, 4], &[2]) {
            let launch = always("fftw_transpose", Precision::Double, ranks).envs(variables);
            let line = shapes(launch, 20 + number, 100);
            line.all_planned(&format!("{variables:?}, {ranks} ranks"));
            // By messages what is in place and not symmetric is FFTW's own.
            let messages = variables.contains(&("HCUBE_PATH", "message"));
            assert!(!messages || line.count("hcube") < line.count("plans"), "{line:?}");
        }
    }
}

/// Two halves of the ranks at the same time, other orders, each rank for itself.
#[test]
fn parts_of_the_ranks() {
    for ranks in ranks() {
        let launch = always("fftw_transpose", Precision::Double, ranks);
        let line = Line::of(launch.args(["communicators", "30", "80"]));
        line.all_planned(&format!("{ranks} ranks"));
    }
}

/// The planner chooses: every plan is correct, and some are hcube's.
#[test]
fn the_planner_chooses_by_default() {
    for &ranks in counts(&[1, 2, 3, 5], &[2]) {
        for value in [None, Some("auto"), Some("")] {
            let program = linked_client("fftw_transpose", Precision::Double, Linked::Plain);
            let launch = with_hcube(&program, Precision::Double, ranks);
            let launch = value.into_iter().fold(launch, |launch, value| launch.env("HCUBE_FFTW", value));
            let line = shapes(launch, 40 + ranks, 150);
            assert!(line.count("hcube") > 0, "{ranks} ranks, {value:?}: {line:?}");
        }
    }
}

#[test]
fn never_is_never() {
    let launch = always("fftw_transpose", Precision::Double, 2).env("HCUBE_FFTW", "never");
    assert_eq!(shapes(launch, 50, 100).count("hcube"), 0);
}
