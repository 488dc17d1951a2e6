//! The artefacts of `cargo build`, for the current sources.

use super::{build, modified};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

/// A library or command of the build under test, after a check that none of its sources has changed since:
/// cargo names all of them, of every crate that the file is linked from, in the dependency file beside it.
pub(crate) fn artifact(name: &str) -> PathBuf {
    let path = build().join(name);
    let built = modified(&path).unwrap_or_else(|| panic!("{} is missing: run make first", path.display()));
    let dependencies = path.with_extension("d");
    let text = fs::read_to_string(&dependencies)
        .unwrap_or_else(|error| panic!("{}: {error}: run make first", dependencies.display()));
    if let Some(source) = changed_since(built, &sources(&text)) {
        panic!("{} is older than {}: run make first", path.display(), source.display());
    }
    path
}

/// The sources in a dependency file, which has the form of a rule of make: `target: source source`, blanks in
/// names escaped.
fn sources(dependencies: &str) -> Vec<PathBuf> {
    let rule = dependencies.lines().next().and_then(|line| line.split_once(": "));
    let names = rule.map_or("", |(_, names)| names).replace("\\ ", "\0");
    names.split_whitespace().map(|name| PathBuf::from(name.replace('\0', " "))).collect()
}

/// A source that is newer than what was built from it, or that has been removed since.
fn changed_since(built: SystemTime, sources: &[PathBuf]) -> Option<&PathBuf> {
    sources.iter().find(|source| modified(source).is_none_or(|changed| changed > built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_counts_also_one_that_was_removed() {
        let here = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/built.rs"));
        let changed = modified(&here).expect("this file");
        let other = here.with_file_name("lib.rs");
        let rule = format!("/a/b/libx.so: {} {}\n\n/c: /d\n", other.display(), here.display());
        let named = sources(&rule);
        assert_eq!(named, [other, here.clone()]);
        let (before, after) = (SystemTime::UNIX_EPOCH, SystemTime::now());
        assert_eq!(changed_since(after, &named), None);
        assert_eq!(changed_since(before, &named[1..]), Some(&here));
        assert_eq!(changed_since(changed, &named[1..]), None);
        let removed = [PathBuf::from("/a removed/source.rs")];
        assert_eq!(changed_since(after, &removed), Some(&removed[0]));
        assert_eq!(sources("x: /a\\ removed/source.rs\n"), removed);
    }

    /// The lists that stood here before named 5 of 13 crates.
    #[test]
    fn the_library_names_sources_of_every_crate_that_it_is_linked_from() {
        let text = fs::read_to_string(build().join("libhcube.d")).expect("run make first");
        let named = sources(&text);
        let crates = fs::read_dir(super::super::root().join("crates")).expect("the checkout").flatten();
        for folder in crates.map(|entry| entry.path().join("src")) {
            assert!(named.iter().any(|source| source.starts_with(&folder)), "{}", folder.display());
        }
    }
}
