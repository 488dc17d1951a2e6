//! The page of coarray programs has the numbers of lines that the examples have.

use hcube_testing as common;

use hcube_lab::lines::{count_file, examples, table};
use std::fs;
use std::path::Path;

#[test]
fn table_of_lines_is_that_of_the_examples() {
    let root = common::root();
    let files = examples(&root.join("examples")).expect("readable");
    assert!(files.len() >= 14, "{files:?}");
    let rows = files.into_iter().map(|file| count_file(Path::new(&file)).map(|lines| (file, lines)));
    let rows = rows.collect::<Result<Vec<_>, _>>().expect("programs");
    for (file, lines) in &rows {
        assert!(
            lines.communication > 4 && lines.declarations > 4 && lines.computation > 4,
            "{file}: {lines:?}"
        );
    }
    let page = fs::read_to_string(root.join("doc/coarrays.md")).expect("there");
    let expected = table::table(&rows);
    assert!(
        page.contains(&expected),
        "doc/coarrays.md: expected the output of `hcube-lab lines`:\n{expected}"
    );
}

#[test]
fn other_files_are_refused_by_name() {
    let message = count_file(Path::new("README.md")).expect_err("no program");
    assert_eq!(message, "FILES README.md: expected names that end in .c or .f90");
    let message = count_file(Path::new("none.c")).expect_err("not there");
    assert!(message.starts_with("FILES none.c: "), "{message}");
}
