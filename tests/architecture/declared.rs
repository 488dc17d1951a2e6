//! Every source file of a crate is a module of that crate: otherwise the compiler silently ignores it.

use crate::common::root;
use crate::sources::{CRATES, files, relative};
use std::fs;
use std::path::Path;

/// Whether a file is the root of a crate, or one of the files that can declare it does.
fn is_declared(folder: &Path, path: &Path) -> bool {
    let is_folder = path.ends_with("mod.rs");
    let module = if is_folder { path.parent().expect("a folder").into() } else { path.with_extension("") };
    let (around, name) = (module.parent().expect("a folder"), module.file_name().expect("a name"));
    let name = name.to_string_lossy();
    let candidates =
        [around.join("lib.rs"), around.join("main.rs"), around.join("mod.rs"), around.with_extension("rs")];
    let declaration = format!("mod {name};");
    (around == folder && ["lib", "main"].contains(&&*name))
        || candidates.iter().filter_map(|candidate| fs::read_to_string(candidate).ok()).any(|text| {
            text.lines().any(|line| line.trim_start().trim_start_matches("pub ").ends_with(&declaration))
        })
}

#[test]
fn each_file_is_declared_by_another() {
    let mut undeclared = Vec::new();
    for folder in CRATES.map(|folder| root().join(folder)) {
        let all = files(&folder, &[".rs"]);
        undeclared.extend(all.iter().filter(|path| !is_declared(&folder, path)).map(|path| relative(path)));
    }
    assert!(undeclared.is_empty(), "no module: {undeclared:?}");
}

#[test]
fn files_without_a_declaration_are_found() {
    let folder = root().join("src");
    assert!(is_declared(&folder, &folder.join("lib.rs")) && is_declared(&folder, &folder.join("fft.rs")));
    assert!(
        !is_declared(&folder, &folder.join("fft_.rs")) && !is_declared(&folder, &folder.join("caf/lib.rs"))
    );
}
