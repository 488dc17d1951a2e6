//! Comments on `unsafe`: each `// SAFETY:` names the fact on which its block relies. A reference to a promise
//! of somebody or to another comment is not a fact.

use crate::common::root;
use crate::sources::{CRATES, files, relative};
use std::fs;

/// Words of comments that name no fact.
const EMPTY_WORDS: [&str; 24] = [
    "the",
    "contract",
    "of",
    "this",
    "function",
    "functions",
    "s",
    "caller",
    "callers",
    "as",
    "above",
    "below",
    "before",
    "see",
    "by",
    "in",
    "that",
    "which",
    "is",
    "it",
    "its",
    "all",
    "both",
    "them",
];

/// Whether the text of a comment has other words. Text between backticks is the name of another function.
fn names_a_fact(text: &str) -> bool {
    let prose = text.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let mut words =
        prose.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| !EMPTY_WORDS.contains(&word))
}

/// The `// SAFETY:` comments of a source: the numbers of their lines, and their texts to the last line.
fn comments(source: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(source.lines()) {
        let further = line.trim_start().strip_prefix("//").filter(|text| !text.starts_with('/'));
        if let Some((_, text)) = line.split_once("// SAFETY:") {
            all.push((number, text.to_owned()));
            goes_on = further.is_some();
        } else if let (Some(text), Some((_, comment)), true) = (further, all.last_mut(), goes_on) {
            comment.push_str(text);
        } else {
            goes_on = false;
        }
    }
    all
}

#[test]
fn comments_on_unsafe_name_facts() {
    let (mut count, mut empty) = (0, Vec::new());
    for path in CRATES.iter().flat_map(|folder| files(&root().join(folder), &[".rs"])) {
        let source = fs::read_to_string(&path).expect("text");
        for (line, text) in comments(&source) {
            count += 1;
            if !names_a_fact(&text) {
                empty.push(format!("{}:{line}:{text}", relative(&path)));
            }
        }
    }
    assert!(count > 500, "{count} comments");
    assert!(empty.is_empty(), "comments that name no fact:\n{}", empty.join("\n"));
}

#[test]
fn comments_that_name_no_fact_are_found() {
    for text in [
        " the contract of this function.",
        " by the contract of this function's caller.",
        " the contract of this function, which is that of `read`.",
        " as above.",
        " see above",
        " as in `gather`.",
        " as this function.",
        "",
    ] {
        assert!(!names_a_fact(text), "{text}");
    }
    for text in [
        " null or valid, by the contract of this function.",
        " as above; the copy is new.",
        " `count` elements can be read.",
        " no arrays.",
    ] {
        assert!(names_a_fact(text), "{text}");
    }
}

#[test]
fn comments_go_on_to_their_last_line() {
    let source = "// SAFETY: the contract\n// of this function.\nunsafe { one() };\n// Then another one.\n\
                  unsafe { two() } // SAFETY: as above.\n// No more of it.\n";
    let expected = [(1, " the contract of this function."), (5, " as above.")];
    assert_eq!(comments(source), expected.map(|(line, text)| (line, text.to_owned())));
}
