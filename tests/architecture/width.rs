//! The width of comments, which is the width of code in rustfmt.toml: rustfmt does not wrap comments.

use crate::common::root;
use crate::sources::{files, relative};
use std::fs;

/// Characters that a line may have.
const MAX_WIDTH: usize = 110;

/// Comments that are too wide, by the numbers of their lines; rows of tables cannot be divided.
fn too_wide(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    numbered.filter(|(_, line)| {
        let comment =
            line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!', ' ']));
        comment.is_some_and(|text| line.chars().count() > MAX_WIDTH && !text.starts_with('|'))
    })
}

#[test]
fn no_comment_is_too_wide() {
    let mut found = Vec::new();
    for path in files(&root(), &[".rs"]) {
        let text = fs::read_to_string(&path).expect("text");
        found.extend(too_wide(&text).map(|(number, line)| format!("{}:{number}: {line}", relative(&path))));
    }
    assert!(found.is_empty(), "comments of more than {MAX_WIDTH} characters:\n{}", found.join("\n"));
}

#[test]
fn wide_comments_are_found() {
    let format = fs::read_to_string(root().join("rustfmt.toml")).expect("rustfmt.toml");
    assert!(format.contains(&format!("max_width = {MAX_WIDTH}\n")), "{format}");
    let long = "x".repeat(MAX_WIDTH);
    let found = |text: &str| too_wide(text).map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(
        found(&format!("// short\n{long}y\n    // {long}\n//! | {long}\nlet a = \"// {long}\";")),
        [3]
    );
}
