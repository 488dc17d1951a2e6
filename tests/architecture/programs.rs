//! The table of test programs: scripts/test.sh runs with other MPI libraries what it says.

use crate::common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The programs of cargo: a file of tests, or a folder with a main.rs.
fn programs() -> BTreeSet<String> {
    let entries =
        fs::read_dir(root().join("tests")).expect("tests").map(|entry| entry.expect("an entry").path());
    let programs = entries
        .filter(|path| path.join("main.rs").exists() || path.extension().is_some_and(|end| end == "rs"));
    programs.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

#[test]
fn each_program_says_for_which_libraries_it_runs() {
    let text = fs::read_to_string(root().join("tests/programs.txt")).expect("the table");
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut words = line.split_whitespace();
        (words.next().expect("a name").to_owned(), words.collect::<Vec<_>>())
    });
    let table: BTreeMap<_, _> = lines.collect();
    assert_eq!(table.keys().cloned().collect::<BTreeSet<_>>(), programs(), "tests/programs.txt");
    for (name, libraries) in &table {
        let is_known = matches!(libraries[..], ["-"] | ["mpich"] | ["mpich", "current"]);
        assert!(is_known, "tests/programs.txt: {name}: {libraries:?}");
    }
    let script = fs::read_to_string(root().join("scripts/test.sh")).expect("the script");
    assert!(["mpich", "current"].iter().all(|word| script.contains(&format!("$(programs {word})"))));
}
