//! The headers of hcube as one text.

use crate::root;
use std::fs;
use std::path::{Path, PathBuf};

/// All headers of libhcube, hcube.h first.
pub fn files() -> Vec<PathBuf> {
    let folder = root().join("include");
    let mut systems: Vec<PathBuf> = fs::read_dir(folder.join("hcube"))
        .expect("include/hcube")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    systems.sort();
    systems.insert(0, folder.join("hcube.h"));
    systems
}

/// The text of a header, with the headers of its own folder inserted where it includes them, each once.
pub fn whole(header: &Path) -> String {
    expanded(header, &mut Vec::new())
}

fn expanded(header: &Path, seen: &mut Vec<PathBuf>) -> String {
    let header = header.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", header.display()));
    if seen.contains(&header) {
        return String::new();
    }
    seen.push(header.clone());
    let text = fs::read_to_string(&header).expect("a text");
    let mut whole = String::new();
    for line in text.lines() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(name) => whole += &expanded(&header.with_file_name(name), seen),
            None => whole += &format!("{line}\n"),
        }
    }
    whole
}
