//! Random programs with coarrays, compiled by gfortran for libhcube_caf.so, compared with ordinary arrays
//! that each image computes by itself. A seed identifies a program; `HCUBE_TEST_SEEDS=100-200` runs other
//! programs than the default.

use hcube_testing as common;

use common::Launch;
use common::gfortran::{arrays, components, has_compiler, written};
use std::ops::RangeInclusive;

/// Numbers of images, and how many of them count as one node.
const PLACES: [(usize, usize); 6] = [(3, 3), (3, 1), (2, 2), (4, 2), (1, 1), (8, 3)];

/// The seeds of this run.
fn seeds(usual: RangeInclusive<u64>) -> RangeInclusive<u64> {
    let Ok(given) = std::env::var("HCUBE_TEST_SEEDS") else { return usual };
    let ends =
        given.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    let (first, last) = ends.unwrap_or_else(|| panic!("HCUBE_TEST_SEEDS={given}: expected as 100-200"));
    first..=last
}

/// Runs the programs of some seeds, each in two places.
fn pass(kind: &str, usual: RangeInclusive<u64>, program: fn(u64) -> String) {
    if !has_compiler() {
        return;
    }
    for seed in seeds(usual) {
        let file = written(&format!("random-{kind}-{seed}"), &program(seed));
        for turn in 0..2 {
            let (images, per_node) = PLACES[(2 * seed + turn) as usize % PLACES.len()];
            let run = Launch::new(&file, images).limit(60).per_node(per_node);
            let text = run.run().success();
            assert_eq!(text, "passed\n", "{kind}, seed {seed}: {images} images, {per_node} per node");
        }
    }
}

#[test]
fn sections_move_as_in_ordinary_arrays() {
    pass("arrays", 1..=6, arrays::program);
}

#[test]
fn components_move_as_in_ordinary_types() {
    pass("components", 1..=6, components::program);
}
