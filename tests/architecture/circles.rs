//! Circles between files, and between the rooms of the core.

use crate::modules::{Modules, circles};
use crate::sources::CRATES;
use std::collections::{BTreeMap, BTreeSet};

/// Circles that there may be: the crate's folder, its modules, and the reason.
const PERMITTED: [(&str, &[&str], &str); 7] = [
    ("lab/results/src", &["crate::plot", "crate::plot::draw"], "a plot draws itself, in a file of its own"),
    (
        "tool/src",
        &[
            "crate::bench",
            "crate::bench::alltoall",
            "crate::bench::alltoall::arguments",
            "crate::bench::alltoall::measure",
            "crate::bench::alltoall::report",
            "crate::bench::random_access",
            "crate::bench::random_access::arguments",
            "crate::bench::random_access::report",
            "crate::bench::random_access::updates",
        ],
        "the list of benchmarks and the frame that each of them fills are one file",
    ),
    (
        "tool/src",
        &[
            "crate::model",
            "crate::model::arguments",
            "crate::model::predict",
            "crate::model::published",
            "crate::model::report",
            "crate::probe",
        ],
        "the parts of a prediction share its rounds; the probe prints what the model warns of",
    ),
    (
        "lab/src",
        &["crate::hpcc::arguments", "crate::hpcc::plan"],
        "a plan lists runs of the variants in the arguments",
    ),
    (
        "lab/src",
        &["crate::hpcc::progress", "crate::hpcc::run"],
        "a run reports its outcome, which is a type of the run",
    ),
    (
        "lab/src",
        &["crate::report::rates", "crate::report::sweeps", "crate::report::variants"],
        "sections of the report draw each other's series",
    ),
    (
        "lab/src",
        &["crate::simulate", "crate::simulate::smpirun"],
        "a failed simulation is a type of what starts it",
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
