//! Cycles between files, and between the modules of the core.

use crate::modules::{Modules, circles};
use crate::sources::CRATES;
use std::collections::{BTreeMap, BTreeSet};

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Without the calls of a protocol to its own model, which stand in builds of models only.
fn without_models(mut uses: BTreeMap<&str, BTreeSet<String>>) -> BTreeMap<&str, BTreeSet<String>> {
    for (module, used) in &mut uses {
        used.remove(&format!("{module}::model"));
    }
    uses
}

#[test]
fn files_form_no_circles() {
    let of = |folder| {
        circles(&without_models(Modules::of(folder).uses()))
            .into_iter()
            .map(move |circle| format!("{folder}: {circle:?}"))
    };
    assert_eq!(CRATES.into_iter().flat_map(of).collect::<Vec<_>>(), [""; 0], "circles between files");
}

/// The test finds a circle, also one through a re-exported name, and reports none in a graph without circles.
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
