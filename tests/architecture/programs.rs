//! The table of test programs: scripts/test.sh runs the programs of the table with other MPI libraries.

use crate::common::root;
use crate::metadata;
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

/// Programs of hcube-tool that run whenever programs of the same name do: cargo selects tests of all packages
/// by name.
const OF_THE_TOOL: [&str; 3] = ["bsp", "gfortran", "hpcc"];

/// The test programs of the other packages.
fn others() -> Vec<String> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list").iter();
    let others = packages.filter(|package| package["name"] != "hcube");
    let targets = others.flat_map(|package| package["targets"].as_array().expect("a list").clone());
    let tests = targets.filter(|target| target["kind"][0] == "test");
    tests.map(|target| target["name"].as_str().expect("a name").to_owned()).collect()
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
    let selected = |name: &String| table.get(name).is_some_and(|libraries| libraries[..] != ["-"]);
    let mut others = others();
    others.retain(selected);
    others.sort();
    assert_eq!(others, OF_THE_TOOL, "tests of other packages with names of tests/programs.txt");
    let script = fs::read_to_string(root().join("scripts/test.sh")).expect("the script");
    assert!(["mpich", "current"].iter().all(|word| script.contains(&format!("$(programs {word})"))));
}
