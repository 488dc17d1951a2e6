//! tests/c/bsp/random.c: random supersteps compared with a serial model.

use crate::common;
use crate::common::bsp::{Dialect, launch, program, without_shared_memory};
use crate::common::guest::ranks;
use crate::common::{Language, Launch, Mpi};
use serde_json::Value;
use std::fs;

const NAME: &str = "bsp/random";

/// Runs the given number of programs with segments of at most the given size; returns their calls.
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
        let launch = launch(NAME, ranks).per_node(per_node);
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

/// Bytes and operations of a profile, by superstep: their mean and the largest of a process.
fn h_relations(launch: Launch, name: &str) -> Vec<Value> {
    let file = common::folder("profiles").join(format!("{name}.json"));
    calls(launch.env("HCUBE_BSP_PROFILE", &file.display().to_string()), 61, 2, 5000);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let profile: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(profile["mean"]["sent"], profile["mean"]["received"], "{name}: {text}");
    let figures = ["mean", "max"]
        .map(|kind| ["sent", "received", "operations"].map(|figure| profile[kind][figure].clone()));
    figures.into_iter().flatten().collect()
}

/// On every path, the profile counts the same, and sent data arrives.
#[test]
fn profiles_do_not_depend_on_the_path() {
    let ranks = ranks(4);
    let buffered = h_relations(launch(NAME, ranks).env("HCUBE_BSP_SINGLE_COPY", "0"), "buffered");
    let some =
        buffered[0].as_array().expect("supersteps").iter().filter(|bytes| bytes.as_f64() > Some(1000.0));
    assert!(some.count() > 4, "{buffered:?}");
    let direct = h_relations(launch(NAME, ranks).env("HCUBE_BSP_SINGLE_COPY", "1"), "direct");
    assert_eq!(buffered, direct);
    let nodes = h_relations(launch(NAME, ranks).env("HCUBE_RANKS_PER_NODE", "2"), "nodes");
    assert_eq!(buffered, nodes);
}
