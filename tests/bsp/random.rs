//! tests/c/bsp/random.c: random supersteps against a serial model.

use crate::common::bsp::{Dialect, launch, program, without_shared_memory};
use crate::common::guest::ranks;
use crate::common::{Language, Launch, Mpi};

const NAME: &str = "bsp/random";

/// Runs so many programs with segments of at most so many bytes; their calls.
fn calls(launch: Launch, seed: usize, programs: usize, largest: usize) -> usize {
    let text = launch.args([seed, programs, largest].map(|number| number.to_string())).run().success();
    text.trim().strip_prefix("ok ").and_then(|calls| calls.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn random_programs_on_one_node() {
    for ranks in 1..=ranks(9) {
        assert!(calls(launch(NAME, ranks), ranks, 12, 300) > 1000, "{ranks} processes");
    }
    // Long segments, and unbuffered operations by single copy.
    let ranks = ranks(5);
    assert!(calls(launch(NAME, ranks), 21, 3, 60_000) > 200);
    assert!(calls(launch(NAME, ranks).env("HCUBE_BSP_SINGLE_COPY", "1"), 22, 12, 400) > 1000);
}

#[test]
fn random_programs_on_several_nodes() {
    let cases: &[(usize, usize)] = match Mpi::selected() {
        Mpi::Open => &[(2, 1), (4, 1), (5, 2), (6, 3), (8, 3), (9, 1), (9, 2)],
        Mpi::Mpich => &[(2, 1)],
    };
    for &(ranks, per_node) in cases {
        let launch = launch(NAME, ranks).env("HCUBE_RANKS_PER_NODE", &per_node.to_string());
        let launch = launch.env("HCUBE_MEMORY", if ranks % 2 == 0 { "0" } else { "1048576" });
        assert!(calls(launch, 30 + ranks, 8, 300) > 800, "{ranks} processes, {per_node} per node");
    }
    let ranks = ranks(4);
    let launch = launch(NAME, ranks).env("HCUBE_RANKS_PER_NODE", "2");
    assert!(calls(launch, 41, 2, 60_000) > 150);
    assert!(calls(without_shared_memory("all", NAME, ranks), 42, 8, 300) > 800);
}

#[test]
fn random_programs_in_the_other_dialect() {
    let ranks = ranks(4);
    let launch = Launch::new(program(NAME, Language::Cxx17, Dialect::Multicore), ranks);
    assert!(calls(launch.limit(60), 51, 10, 300) > 1000);
}
