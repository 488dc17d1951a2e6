//! Rust sources as words: comments, strings and tests are removed, so that the code of a library remains.

use crate::common::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of sources that belong to a crate of the workspace: the folder of its root module, and its name
/// here. Of the crates in tests/, that which becomes a library of its own.
pub const CRATES: [&str; 24] = [
    "crates/core/src",
    "crates/random-access/src",
    "crates/alltoall/src",
    "crates/transpose/src",
    "crates/fft/src",
    "crates/gemm/src",
    "crates/hpl/src",
    "crates/bsp/src",
    "crates/caf/src",
    "crates/lcs/src",
    "crates/matmul/src",
    "crates/hpcc/src",
    "crates/interface/src",
    "crates/stream/src",
    "src",
    "hpcc-glue/drop-in/src",
    "hpcc-glue/mpi/src",
    "hpcc-glue/scalapack/src",
    "hpcc-glue/bsplib/src",
    "hpcc-glue/gfortran/src",
    "tool/src",
    "lab/src",
    "results/src",
    "tests/core-client/src",
];

#[derive(Debug)]
pub struct Source {
    /// From the root of the checkout.
    pub path: String,
    /// Identifiers, `::`, and all other characters one by one.
    pub words: Vec<String>,
}

impl Source {
    /// Whether two words follow each other anywhere.
    pub fn has(&self, first: &str, second: &str) -> bool {
        self.words.windows(2).any(|pair| pair[0] == first && pair[1] == second)
    }
}

/// Files below a folder whose names end so, in order; nothing that was built.
pub fn files(folder: &Path, ends: &[&str]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                all.extend(files(&path, ends));
            }
        } else if ends.iter().any(|end| name.ends_with(end)) {
            all.push(path);
        }
    }
    all
}

/// The path from the root of the checkout.
pub fn relative(path: &Path) -> String {
    path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned()
}

/// The sources of a crate without its tests.
pub fn sources(folder: &str) -> Vec<Source> {
    let mut only_tests = Vec::new();
    let mut all: Vec<Source> = files(&root().join(folder), &[".rs"])
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let (mut words, modules) = without_tests(words(&text));
            name_from_the_file(&mut words);
            let stem = path.with_extension("");
            let below = if stem.ends_with("mod") || stem.ends_with("lib") || stem.ends_with("main") {
                stem.parent().expect("a folder").to_path_buf()
            } else {
                stem
            };
            only_tests.extend(modules.iter().map(|name| relative(&below.join(name))));
            Source { path: relative(path), words }
        })
        .collect();
    all.retain(|source| !only_tests.iter().any(|test| source.path.starts_with(test)));
    all
}

/// Cuts a text into words; comments, strings and lifetimes go.
pub fn words(text: &str) -> Vec<String> {
    let (characters, mut at, mut words) = (text.chars().collect::<Vec<_>>(), 0, Vec::new());
    let next = |at: usize| characters.get(at).copied().unwrap_or('\0');
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    while at < characters.len() {
        match (next(at), next(at + 1)) {
            ('/', '/') => at += characters[at..].iter().take_while(|&&character| character != '\n').count(),
            ('/', '*') => {
                let end = characters[at + 2..].windows(2).position(|pair| pair == ['*', '/']);
                at += end.map_or(characters.len(), |end| end + 4);
            }
            ('r', '"' | '#') if next(at + 1) == '"' || matches!(next(at + 2), '"' | '#') => {
                let hashes = characters[at + 1..].iter().take_while(|&&character| character == '#').count();
                let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                let from = at + hashes + 2;
                let length = characters[from..].windows(end.len()).position(|window| window == end);
                at = from + length.expect("a string ends") + end.len();
            }
            ('"', _) => {
                at += 1;
                while at < characters.len() && next(at) != '"' {
                    at += if next(at) == '\\' { 2 } else { 1 };
                }
                at += 1;
            }
            // A character, which may be a quotation mark, or a lifetime.
            ('\'', '\\') => {
                at += 3;
                at += characters[at..].iter().take_while(|&&character| character != '\'').count() + 1;
            }
            ('\'', _) if next(at + 2) == '\'' => at += 3,
            ('\'', _) => at += 1 + characters[at + 1..].iter().take_while(|&&it| is_word(it)).count(),
            (':', ':') => {
                words.push("::".to_owned());
                at += 2;
            }
            (character, _) if is_word(character) => {
                let length = characters[at..].iter().take_while(|&&it| is_word(it)).count();
                words.push(characters[at..at + length].iter().collect());
                at += length;
            }
            (character, _) => {
                if !character.is_whitespace() {
                    words.push(character.to_string());
                }
                at += 1;
            }
        }
    }
    words
}

/// Removes what is compiled only for tests; also the names of modules in files of their own of that kind.
fn without_tests(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    while at < words.len() {
        if !words[at..].iter().zip(mark).map(|(word, mark)| word == mark).eq([true; 7]) {
            kept.push(words[at].clone());
            at += 1;
            continue;
        }
        at += mark.len();
        if words.get(at).is_some_and(|word| word == "mod")
            && words.get(at + 2).is_some_and(|word| word == ";")
        {
            modules.push(words[at + 1].clone());
        }
        // To the end of the item: a semicolon, or the brace that closes the first one.
        let mut depth = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            match word.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                ";" if depth == 0 => break,
                _ => continue,
            }
            if depth == 0 {
                break;
            }
        }
    }
    (kept, modules)
}

/// Inside a module that has no file of its own, `super` is the file.
fn name_from_the_file(words: &mut [String]) {
    let mut at = 0;
    while at + 2 < words.len() {
        if words[at] == "mod" && words[at + 2] == "{" {
            let mut depth = 0;
            for word in &mut words[at + 2..] {
                match word.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    "super" => "self".clone_into(word),
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
        }
        at += 1;
    }
}
