//! The C interface as built: exported symbols, header, and what every function does with bad arguments.

use hcube_testing as common;

use common::{Language, Launch, Mpi, output};
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
fn library_exports_only_the_listed_symbols() {
    assert_eq!(exported(&common::library()), listed(), "exported symbols and tests/symbols.txt differ");
}

#[test]
fn preload_library_exports_only_the_listed_symbols() {
    let mut listed = names("symbols_preload.txt");
    if Mpi::selected() == Mpi::Open {
        listed.retain(|name| !name.ends_with("_c"));
    }
    let exported = exported(&common::preload::library());
    assert_eq!(exported, listed, "exported symbols and tests/symbols_preload.txt differ");
}

#[test]
fn pblas_library_exports_only_the_listed_symbols() {
    let exported = exported(&common::preload::pblas_library());
    assert_eq!(exported, names("symbols_pblas.txt"), "exported symbols and tests/symbols_pblas.txt differ");
}

#[test]
fn header_declares_only_the_listed_symbols() {
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

/// Every exported function is called with every kind of bad argument (tests/c/boundary.c), before `MPI_Init`, while
/// MPI is active and after `MPI_Finalize`: it returns the right code or error class, writes nothing, and the program
/// goes on.
#[test]
fn exported_functions_refuse_bad_arguments() {
    let cannot_fail = ["hcube_version", "hcube_error_string"];
    for ranks in 1..=if Mpi::selected() == Mpi::Open { 3 } else { 2 } {
        // A named schedule: hcube by itself might leave a call to the MPI library, which has its own checks.
        let text = Launch::client("boundary", ranks).env("HCUBE_ALLTOALL", "linear-shift").run().success();
        let mut called = BTreeSet::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("called ")) {
            let (name, refusals) = line.split_once(' ').expect("a name and a number");
            assert_eq!(refusals == "0", cannot_fail.contains(&name), "{ranks} ranks: {line}");
            called.insert(name.to_owned());
        }
        assert_eq!(called, listed(), "functions in tests/c/boundary.c and tests/symbols.txt differ");
    }
}

#[test]
fn headers_are_valid_c_and_cxx_alone_and_twice() {
    let mpi = Mpi::selected();
    let folder = common::folder("");
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
