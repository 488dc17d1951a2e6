//! The pages of the documentation: links lead somewhere, numbers agree with the sources, and words and shape
//! are plain.

mod commands;
mod crates;
mod expression;
mod numbers;
mod results;
mod shape;
mod texts;
mod words;

use hcube_testing as common;

use common::links::{broken, pages};
use std::fs;

#[test]
fn links_lead_somewhere() {
    let all = pages(&common::root());
    assert!(all.len() > 12, "{all:?}");
    let broken = broken(&all);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let folder = common::folder("documentation");
    let page = folder.join("page.md");
    let text = "# One & two\n[a](#one--two) [b](#three) [c](page.md#one--two) [d](none.md) [e](page.md#four)\n\
                `[f](code.md)` [g](../documentation/page.md) [h](https://example.org/none)\n```\n# five [i](code.md)\n```\n[j](#five)\n";
    fs::write(&page, text).expect("writable");
    let found = broken(&[page]);
    let targets: Vec<&str> =
        found.iter().map(|line| line.split(['(', ')']).nth(1).expect("a target")).collect();
    assert_eq!(targets, ["#three", "none.md", "page.md#four", "#five"], "{found:?}");
}

#[test]
fn every_page_is_in_the_index() {
    let root = common::root();
    let index = fs::read_to_string(root.join("README.md")).expect("there");
    for page in pages(&root.join("doc")) {
        let name = page.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(index.contains(&format!("](doc/{name})")), "README.md: no link to doc/{name}");
    }
}
