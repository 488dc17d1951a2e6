//! What people read, cut into passages: the paragraphs of pages, the comments of headers, the strings of
//! programs, and the comments that become the pages of rustdoc.

use crate::common::links::pages;
use crate::common::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with Rust and C sources.
const SOURCES: [&str; 6] = ["src", "crates", "tool/src", "lab/src", "results/src", "hpcc-glue"];

/// Where a passage is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Pages,
    /// Comments of headers, Fortran modules and examples.
    Headers,
    /// `doc/options.md`, which has the help texts of all commands.
    Help,
    /// Strings of programs, and all of the installed scripts.
    Messages,
    Comments,
}

impl Scope {
    pub const ALL: [(&'static str, Self); 5] = [
        ("pages", Self::Pages),
        ("headers", Self::Headers),
        ("help", Self::Help),
        ("messages", Self::Messages),
        ("comments", Self::Comments),
    ];
}

/// Text that belongs together: a paragraph, a comment, a string.
#[derive(Debug)]
pub struct Passage {
    /// From the root of the checkout.
    pub file: String,
    pub scope: Scope,
    /// Lines with their numbers, without code.
    pub lines: Vec<(usize, String)>,
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned()
}

/// All files below a folder; nothing that was built.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a folder can be read").path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !hidden && !path.ends_with("target") {
            all.extend(files(&path));
        } else if path.is_file() {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// Pages with their names. What the changelog says about old versions is not changed.
pub fn all_pages() -> Vec<(String, String)> {
    let named = pages(&root()).into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (relative(&path), text)
    });
    named.filter(|(name, _)| name != "CHANGELOG.md").collect()
}

/// The lines of a page outside of examples, with their numbers.
pub fn outside_examples(text: &str) -> Vec<(usize, &str)> {
    let mut code = false;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            code = !code;
            lines.push((number + 1, ""));
        } else if !code {
            lines.push((number + 1, line));
        }
    }
    lines
}

/// A line without code in backquotes and without the targets of links.
pub fn without_code(line: &str) -> String {
    let outside = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut parts = outside.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "]" + part.split_once(')').map_or(part, |(_, rest)| rest))
}

/// Collects lines into passages; an empty line ends one.
fn passages(file: &str, scope: Scope, lines: impl Iterator<Item = (usize, String)>) -> Vec<Passage> {
    let mut all = Vec::new();
    let mut current = Vec::new();
    for (number, line) in lines.chain([(0, String::new())]) {
        let line = without_code(&line);
        if !line.trim().is_empty() {
            current.push((number, line));
        } else if !current.is_empty() {
            all.push(Passage { file: file.to_owned(), scope, lines: std::mem::take(&mut current) });
        }
    }
    all
}

/// Lines that begin with one of these signs, without it; all others are empty.
fn comments<'a>(text: &'a str, signs: &'a [&str]) -> impl Iterator<Item = (usize, String)> + 'a {
    text.lines().enumerate().map(|(number, line)| {
        let line = line.trim_start();
        let sign = signs.iter().find(|sign| line.starts_with(**sign));
        (number + 1, sign.map_or(String::new(), |sign| line[sign.len()..].to_owned()))
    })
}

/// The end of a raw string that begins here with `r`, if one does: places of its text.
fn raw_string(letters: &[char], at: usize) -> Option<(usize, usize)> {
    let hashes = letters[at + 1..].iter().take_while(|&&letter| letter == '#').count();
    let from = at + hashes + 2;
    (letters.get(from - 1) == Some(&'"')).then_some(())?;
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let length = letters[from..].windows(end.len()).position(|window| window == end)?;
    Some((from, from + length))
}

/// Strings of a Rust or C source outside of its tests, with the numbers of their first lines.
pub fn strings(text: &str) -> Vec<(usize, String)> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let letters: Vec<char> = text.chars().collect();
    let next = |at: usize| letters.get(at).copied().unwrap_or('\0');
    let (mut at, mut line, mut all) = (0, 1, Vec::new());
    while at < letters.len() {
        let (begin, first) = (at, line);
        match (next(at), next(at + 1)) {
            ('/', '/') => at += letters[at..].iter().take_while(|&&letter| letter != '\n').count(),
            ('/', '*') => {
                let end = letters[at + 2..].windows(2).position(|pair| pair == ['*', '/']);
                at = end.map_or(letters.len(), |end| at + end + 4);
            }
            ('r', '"' | '#') if raw_string(&letters, at).is_some() => {
                let (from, to) = raw_string(&letters, at).expect("a string");
                all.push((first, letters[from..to].iter().collect()));
                at = to + 1;
            }
            ('"', _) => {
                let mut string = String::new();
                at += 1;
                while at < letters.len() && next(at) != '"' {
                    let escaped = next(at) == '\\';
                    string.push(if escaped { ' ' } else { next(at) });
                    at += 1 + usize::from(escaped);
                }
                at += 1;
                all.push((first, string));
            }
            // A character, which may be a quotation mark, or a lifetime.
            ('\'', '\\') => {
                at += 3;
                at += letters[at..].iter().take_while(|&&letter| letter != '\'').count() + 1;
            }
            ('\'', _) if next(at + 2) == '\'' => at += 3,
            _ => at += 1,
        }
        line += letters[begin..at.min(letters.len())].iter().filter(|&&letter| letter == '\n').count();
    }
    all
}

fn of_source(file: &str, text: &str) -> Vec<Passage> {
    let mut all = Vec::new();
    if file.ends_with(".rs") {
        all = passages(file, Scope::Comments, comments(text, &["//! ", "/// "]));
    }
    // A word by itself is a name.
    for (line, string) in strings(text).into_iter().filter(|(_, string)| string.trim().contains(' ')) {
        let lines = string.lines().enumerate().map(|(number, text)| (line + number, text.to_owned()));
        all.extend(passages(file, Scope::Messages, lines));
    }
    all
}

/// Everything that is read.
pub fn all() -> Vec<Passage> {
    let mut all = Vec::new();
    for (name, text) in all_pages() {
        let scope = if name == "doc/options.md" { Scope::Help } else { Scope::Pages };
        let lines = outside_examples(&text).into_iter().map(|(number, line)| (number, line.to_owned()));
        all.extend(passages(&name, scope, lines));
    }
    let read = |path: &Path| fs::read_to_string(path).ok().map(|text| (relative(path), text));
    for (name, text) in ["include", "fortran", "examples"]
        .iter()
        .flat_map(|folder| files(&root().join(folder)))
        .filter_map(|path| read(&path))
    {
        all.extend(passages(&name, Scope::Headers, comments(&text, &["/**", "/*", "*", "//", "!", "# "])));
    }
    for (name, text) in files(&root().join("install")).iter().filter_map(|path| read(path)) {
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.to_owned()));
        all.extend(passages(&name, Scope::Messages, lines));
    }
    for path in SOURCES.iter().flat_map(|folder| files(&root().join(folder))) {
        let is_source = path.extension().is_some_and(|end| end == "rs" || end == "c");
        let is_test =
            path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches")
                || path.ends_with("tests.rs");
        if let (true, false, Some((name, text))) = (is_source, is_test, read(&path)) {
            all.extend(of_source(&name, &text));
        }
    }
    all
}
