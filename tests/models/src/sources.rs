//! Whether the models visit every source that has atomics of its own.

use crate::run::Visited;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where protocols are.
const FOLDERS: [&str; 2] = ["crates", "hpcc-glue"];
/// The atomics themselves, with the explorer.
const OWN: &str = "crates/core/src/atomic/";
/// An access to an atomic has one of these.
const ORDERINGS: [&str; 4] =
    ["Ordering::Relaxed", "Ordering::Acquire", "Ordering::Release", "Ordering::AcqRel"];
/// Where the tests of a file begin.
const TESTS: &str = "#[cfg(test)]\nmod tests {";
/// The sources that no model visits: file and reason, separated by ` | `.
const KEPT: &str = include_str!("../unvisited.txt");

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_test = matches!(name, "tests" | "benches" | "examples" | "tests.rs" | "model.rs");
        if path.is_dir() && !is_test {
            sources(&path, found);
        } else if name.ends_with(".rs") && !is_test {
            found.push(path);
        }
    }
}

/// The sources that access atomics, outside of their tests.
fn with_atomics() -> BTreeSet<String> {
    let mut all = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(Path::new(folder), &mut all));
    let has = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("text");
        let (text, _) = text.split_once(TESTS).unwrap_or((&text, ""));
        ORDERINGS.iter().any(|ordering| text.contains(ordering))
    };
    let all = all.into_iter().filter(has).map(|path| path.to_string_lossy().into_owned());
    all.filter(|path| !path.starts_with(OWN)).collect()
}

/// What is wrong: sources that no model visits and that are not listed, and lines of the list that are not
/// needed.
pub fn wrong(visited: &[Visited]) -> Vec<String> {
    let seen: BTreeSet<&str> = visited.iter().flat_map(|one| &one.sites).map(|site| site.file()).collect();
    let lines = KEPT.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let kept: BTreeSet<&str> =
        lines.map(|line| line.split_once(" | ").expect("a file and a reason").0).collect();
    let all = with_atomics();
    let unseen: BTreeSet<&str> = all.iter().map(String::as_str).filter(|path| !seen.contains(path)).collect();
    let missing = unseen.difference(&kept).map(|path| format!("{path}: no model visits its atomics"));
    let stale = kept.difference(&unseen);
    let stale =
        stale.map(|path| format!("unvisited.txt lists {path}, which a model visits or which has no atomics"));
    missing.chain(stale).collect()
}
