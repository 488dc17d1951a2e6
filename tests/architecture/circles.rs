//! Circles between files, and between the modules of the core.

use crate::modules::{Modules, circles};
use crate::sources::CRATES;
use std::collections::{BTreeMap, BTreeSet};

/// A circle that there may be: the crate's folder, its modules, and the reason.
type Permitted = (&'static str, &'static [&'static str], &'static str);

const PERMITTED: [Permitted; 1] = [(
    "crates/caf/src",
    &[
        "crate::barrier",
        "crate::coarray",
        "crate::collective::agreement",
        "crate::collective::broadcast",
        "crate::collective::lending",
        "crate::collective::members",
        "crate::copointer",
        "crate::copy",
        "crate::finish",
        "crate::image",
        "crate::lock",
        "crate::operation",
        "crate::others",
        "crate::participation",
        "crate::reduction",
        "crate::runtime",
        "crate::spawn",
        "crate::team",
        "crate::team::board",
        "crate::team::lookup",
    ],
    "an image does in every wait what all parts of the runtime have asked for, and each part waits",
)];

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn files_form_no_circles() {
    let (mut unknown, mut used) = (Vec::new(), BTreeSet::new());
    for folder in CRATES {
        for circle in circles(&Modules::of(folder).uses()) {
            let permits = |(of, modules, _): &Permitted| *of == folder && circle.is_subset(&set(modules));
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
