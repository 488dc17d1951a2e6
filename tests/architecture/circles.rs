//! Circles between files, and between the rooms of the core.

use crate::modules::{Modules, circles};
use crate::sources::CRATES;
use std::collections::{BTreeMap, BTreeSet};

/// Circles that there may be: the crate's folder, its modules, and the reason.
const PERMITTED: [(&str, &[&str], &str); 11] = [
    (
        "crates/alltoall/src",
        &["crate::select", "crate::trials"],
        "trials measure what is selected, and the selection asks for their results",
    ),
    ("crates/core/src", &["crate::plan::stages", "crate::plan::three_hop"], "three hops are made of stages"),
    (
        "crates/random-access/src",
        &[
            "crate::on_node",
            "crate::prepare",
            "crate::rounds",
            "crate::rounds::message_stage",
            "crate::rounds::node_stage",
            "crate::update",
        ],
        "stages hold the state of a run, which is prepared for them",
    ),
    ("crates/transpose/src", &["crate", "crate::sliced"], "slices of a transposition are transpositions"),
    (
        "src",
        &["crate::boundary", "crate::sized", "crate::types"],
        "structures with a size are types of the header, and their errors pass the boundary",
    ),
    (
        "lab/src",
        &["crate::hpcc::arguments", "crate::hpcc::launch", "crate::hpcc::progress", "crate::hpcc::run"],
        "a run is made of arguments, which list the runs",
    ),
    (
        "lab/src",
        &["crate::report::rates", "crate::report::sweeps", "crate::report::variants"],
        "sections of the report draw each other's series",
    ),
    (
        "lab/src",
        &["crate::simulate", "crate::simulate::smpirun"],
        "a simulation is started and read in two files",
    ),
    (
        "tool/src",
        &["crate::doctor", "crate::doctor::environment", "crate::doctor::probes"],
        "parts of the report return its findings",
    ),
    (
        "tool/src",
        &[
            "crate::manual",
            "crate::manual::commands",
            "crate::manual::completion",
            "crate::manual::functions",
        ],
        "parts of the manual return its files",
    ),
    (
        "tool/src",
        &["crate::model", "crate::model::predict", "crate::model::published", "crate::model::report"],
        "parts of the prediction share its rounds",
    ),
];

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn files_form_no_circles() {
    let (mut unknown, mut used) = (Vec::new(), BTreeSet::new());
    for folder in CRATES {
        for circle in circles(&Modules::of(folder).uses()) {
            let permits =
                |(of, modules, _): &(&str, &[&str], &str)| *of == folder && circle.is_subset(&set(modules));
            match PERMITTED.iter().position(permits) {
                Some(number) => drop(used.insert(number)),
                None => unknown.push(format!("{folder}: {circle:?}")),
            }
        }
    }
    assert_eq!(unknown, [""; 0], "circles between files");
    let stale = (0..PERMITTED.len()).filter(|number| !used.contains(number)).map(|number| PERMITTED[number]);
    assert_eq!(stale.collect::<Vec<_>>(), [], "circles that are permitted and gone: take them from the list");
}

/// The test sees a circle, also one by way of a name that is passed on, and none where there is none.
#[test]
fn circles_are_found() {
    let graph = |edges: &[(&'static str, &str)]| {
        let mut uses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            uses.entry(from).or_default().insert((*to).to_owned());
        }
        uses
    };
    let mut uses = graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]);
    assert_eq!(circles(&uses), [set(&["b", "c"])]);
    uses.insert("c", BTreeSet::new());
    assert_eq!(circles(&uses), []);
}
