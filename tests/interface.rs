//! The C interface as built: exported symbols, header, panic boundary.

use hcube_testing as common;

use common::{Language, Mpi, output};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The names in a list under tests/.
fn names(list: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(common::root().join("tests").join(list)).expect("a list of symbols");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn listed() -> BTreeSet<String> {
    names("symbols.txt")
}

fn exported(library: &Path) -> BTreeSet<String> {
    let text = output(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    text.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect()
}

#[test]
fn library_exports_the_listed_symbols_alone() {
    assert_eq!(exported(&common::library()), listed(), "exported symbols and tests/symbols.txt differ");
}

#[test]
fn preload_library_exports_the_listed_symbols_alone() {
    let mut listed = names("symbols_preload.txt");
    if Mpi::selected() == Mpi::Open {
        listed.retain(|name| !name.ends_with("_c"));
    }
    let exported = exported(&common::preload::library());
    assert_eq!(exported, listed, "exported symbols and tests/symbols_preload.txt differ");
}

#[test]
fn header_declares_the_listed_symbols_alone() {
    let header = common::headers::whole(&common::root().join("include/hcube.h"));
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    let declared: BTreeSet<String> = code
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("hcube_"))
        .map(str::to_owned)
        .collect();
    assert_eq!(declared, listed(), "include/hcube.h and tests/symbols.txt differ");
}

/// Every exported function that can fail goes through the one boundary that keeps panics in.
#[test]
fn exported_functions_pass_the_boundary() {
    let (mut seen, folder) = (BTreeSet::new(), common::root().join("src"));
    for file in fs::read_dir(folder).expect("src").flatten().filter(|file| file.path().is_file()) {
        let source = fs::read_to_string(file.path()).expect("a source file");
        for item in source.split("#[unsafe(no_mangle)]").skip(1) {
            let function = item.split("\n}").next().expect("a function");
            let (signature, body) = function.split_once('{').expect("a body");
            let (_, after) = signature.split_once("fn ").expect("a function");
            let name = after.split('(').next().expect("a name").to_owned();
            let can_fail = signature.contains("-> i32");
            // Those for Fortran convert handles and call the function for C.
            let for_c = name.strip_prefix("hcube_fortran_").map(|rest| rest.trim_end_matches("_in_place"));
            match for_c {
                Some(rest) => {
                    assert!(body.contains(&format!("hcube_{rest}(")), "{name} does not call hcube_{rest}")
                }
                None => assert!(!can_fail || body.contains("enter("), "{name} does not call enter()"),
            }
            assert!(can_fail || !body.contains("Result"), "{name} may fail and returns no code");
            seen.insert(name);
        }
    }
    assert_eq!(seen, listed(), "functions in src and tests/symbols.txt differ");
}

#[test]
fn headers_are_valid_c_and_cxx_alone_and_twice() {
    let mpi = Mpi::selected();
    let folder = common::build().join("clients");
    fs::create_dir_all(&folder).expect("the target directory is writable");
    let include = common::root().join("include");
    let headers = common::headers::files();
    assert!(headers.len() > 5, "{headers:?}");
    for (language, extension) in [(Language::C11, "c"), (Language::Cxx17, "cpp")] {
        for header in &headers {
            let name = header.strip_prefix(&include).expect("below include").display();
            let source = folder.join(format!("header.{extension}"));
            let text =
                format!("#include <{name}>\n#include <{name}>\nint main(void) {{ return HCUBE_SUCCESS; }}\n");
            fs::write(&source, text).expect("writable");
            output(language.compiler(mpi).arg("-fsyntax-only").arg(source));
        }
    }
}

#[test]
fn clients_are_valid_in_both_languages() {
    let clients =
        fs::read_dir(common::root().join("tests/c")).expect("tests/c").flatten().map(|entry| entry.path());
    let mut count = 0;
    for source in clients.filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
        for (language, name) in [(Language::C11, "c"), (Language::Cxx17, "c++")] {
            output(language.compiler(Mpi::selected()).args(["-fsyntax-only", "-x", name]).arg(&source));
        }
        count += 1;
    }
    assert!(count >= 7, "only {count} clients found");
}
