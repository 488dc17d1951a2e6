//! The architecture, without MPI: allowed dependencies, the places of raw MPI calls, system calls and
//! `unsafe`, cycles between files, the length of files, and ARCHITECTURE.md compared with the tree.
//!
//! Lists contain the exceptions with their reasons; an exception that no longer applies fails as well.

use hcube_testing as common;

mod circles;
mod declared;
mod map;
mod modules;
mod programs;
mod safety;
mod security;
mod sources;
mod width;

use common::root;
use serde_json::Value;
use sources::{CRATES, Source, files, relative, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

/// The core and the systems, and what each of them may depend on.
const SYSTEMS: [(&str, &[&str]); 13] = [
    ("hcube-core", &[]),
    ("hcube-random-access", &["hcube-core"]),
    ("hcube-alltoall", &["hcube-core"]),
    ("hcube-transpose", &["hcube-core", "hcube-alltoall"]),
    ("hcube-fft", &["hcube-core", "hcube-alltoall", "hcube-transpose"]),
    ("hcube-gemm", &["hcube-core"]),
    ("hcube-bsp", &["hcube-core"]),
    ("hcube-caf", &["hcube-core"]),
    ("hcube-lcs", &["hcube-core", "hcube-bsp"]),
    ("hcube-matmul", &["hcube-core", "hcube-bsp"]),
    ("hcube-stream", &["hcube-core"]),
    ("hcube-hpl", &["hcube-core"]),
    ("hcube-hpcc", &["hcube-core", "hcube-alltoall", "hcube-caf", "hcube-fft", "hcube-random-access"]),
];

/// Packages that may use the core and every system, and what else they may use.
const ABOVE_ALL: [(&str, &[&str]); 3] = [
    ("hcube", &["hcube-interface"]),
    ("hcube-tool", &["hcube-results"]),
    ("hcube-lab", &["hcube-interface", "hcube-results", "hcube-tool", "hcube-hosts"]),
];

/// The packages that other packages may depend on.
const OTHERS: [(&str, &[&str]); 13] = [
    ("hcube-interface", &[]),
    ("hcube-drop-in", &["hcube-core"]),
    ("hcube-preload", &["hcube-core", "hcube-alltoall", "hcube-drop-in"]),
    ("hcube-pblas", &["hcube-core", "hcube-gemm", "hcube-drop-in"]),
    ("hcube-bsplib", &["hcube-core", "hcube-bsp"]),
    ("hcube-gfortran", &["hcube-core", "hcube-caf", "hcube-drop-in"]),
    ("hcube-results", &[]),
    ("hcube-hosts", &[]),
    ("hcube-yielding", &[]),
    ("hcube-testing", &["hcube-hosts"]),
    ("hcube-datatypes", &[]),
    ("hcube-core-client", &["hcube-core"]),
    (
        "hcube-models",
        &[
            "hcube-core",
            "hcube-alltoall",
            "hcube-transpose",
            "hcube-fft",
            "hcube-gemm",
            "hcube-bsp",
            "hcube-caf",
            "hcube-hpl",
            "hcube-results",
        ],
    ),
];

/// The packages that each package may depend on.
fn arrows() -> BTreeMap<&'static str, Vec<&'static str>> {
    let systems = SYSTEMS.map(|(name, _)| name);
    let above = ABOVE_ALL.map(|(name, others)| (name, [&systems, others].concat()));
    let below = SYSTEMS.into_iter().chain(OTHERS).map(|(name, on)| (name, on.to_vec()));
    below.chain(above).collect()
}

/// The packages that the tests of every package may use.
const OF_TESTS: [&str; 2] = ["hcube-testing", "hcube-datatypes"];

/// Manifests of packages outside of the workspace, which cannot inherit its version.
const OUTSIDE: [&str; 2] = ["fuzz/Cargo.toml", "fuzz/interface/Cargo.toml"];

/// Lines that a source file may have.
const MAX_LINES: usize = 450;

/// Files that may be longer, with reasons.
const LONG_FILES: [(&str, &str); 5] = [
    ("fortran/hcube.f90", "a Fortran module cannot be spread over files, and compilers read it as one"),
    ("fortran/hcube_caf.f90", "the same"),
    ("hpcc-glue/fftw/transpose-hcube.c", "a solver of FFTW is one file, as in FFTW's tree"),
    ("include/hcube/alltoall.h", "the header of one system, which is generated from several files"),
    ("include/hcube/caf.h", "the same"),
];

/// Where system calls stand.
const SYSTEM_CALLS: [&str; 1] = ["crates/core/src/node/"];

/// Further files with `libc`, with reasons.
const OTHER_SYSTEM_CALLS: [(&str, &str); 5] = [
    ("crates/core/src/atomic/fault.rs", "kills or disturbs the process in builds for tests of faults"),
    ("tool/src/bench/caf/calls/openshmem.rs", "ends the process where OpenSHMEM asks for it"),
    ("tool/src/bench/gfortran/job.rs", "asks mpirun to end, which ends its processes"),
    ("tool/src/bench/footprint.rs", "gives memory back between measurements"),
    (
        "tool/src/bench/stream/calls.rs",
        "measures the C library's memcpy, of which no other library's may be in the way",
    ),
];

/// Where `unsafe` stands.
const UNSAFE: [&str; 10] = [
    "crates/core/src/",
    "crates/alltoall/src/mpi_front/",
    "crates/alltoall/src/single_copy/",
    "crates/fft/src/kernel/",
    "crates/gemm/src/pblas/",
    "crates/lcs/src/kernel/",
    "crates/random-access/src/kernel/",
    "src/",
    "hpcc-glue/",
    "tests/core-client/src/",
];

/// Further files with `unsafe`, with reasons.
const OTHER_UNSAFE: [(&str, &str); 21] = [
    ("crates/alltoall/src/state/model.rs", "the buffers of a model"),
    ("crates/caf/src/operations/model.rs", "the coarrays of a model"),
    ("crates/bsp/src/sync/model.rs", "the memory of a model's processes"),
    ("tool/src/bsp/run/scalapack.rs", "calls functions of ScaLAPACK and the BLACS that were loaded"),
    (
        "crates/bsp/src/memory.rs",
        "takes registered memory back, when the superstep that removes the registration has ended",
    ),
    (
        "crates/alltoall/src/exchange.rs",
        "lets ranks write to each other, when the votes have shown that they may",
    ),
    (
        "crates/alltoall/src/messages.rs",
        "takes memory back from messages; only it knows that they have finished",
    ),
    ("crates/bsp/src/direct.rs", "writes to another process, which has registered the memory"),
    ("crates/hpcc/src/fft/images.rs", "accesses its part of a coarray, whose life it determines"),
    ("crates/hpcc/src/random_access/run_state.rs", "stores the table for shipped functions during a run"),
    (
        "crates/caf/src/operations/collective/pieces.rs",
        "combines what members have published, while nobody writes it",
    ),
    ("tool/src/bench/gfortran/job.rs", "asks mpirun to end"),
    ("crates/caf/src/process.rs", "keeps the state of the process, which its threads use in turns"),
    (
        "crates/bsp/src/sync.rs",
        "reads lists of other processes, in the superstep in which they were published",
    ),
    ("crates/hpl/src/network.rs", "transfers from and to slots of panels, which outlast the calls"),
    ("crates/hpl/src/slots.rs", "writes to shared memory where the counters of ranks permit it"),
    ("crates/gemm/src/local.rs", "calls the program's BLAS"),
    (
        "crates/alltoall/src/general/direct.rs",
        "writes to another process, which has asked for these bytes and waits for them",
    ),
    ("crates/transpose/src/grid/tile.rs", "reads and writes matrices by address, within their regions"),
    ("tool/src/bench/footprint.rs", "gives memory back between measurements"),
    ("tool/src/bench/library.rs", "finds functions by their names, for those that measure them"),
];

/// Where functions are exported.
const EXPORTS: [&str; 2] = ["src/", "hpcc-glue/"];

/// Further files with exported functions, with reasons.
const OTHER_EXPORTS: [(&str, &str); 1] =
    [("tests/core-client/src/lib.rs", "mpirun and smpirun start a program in C, which calls the checks")];

/// Where MPI is called.
const MPI_CALLS: [&str; 3] = ["crates/core/src/mpi/", "hpcc-glue/drop-in/src/", "hpcc-glue/mpi/src/"];

/// Whether a file is one of the tool's modules `calls`, in which it calls the functions of other libraries
/// that it measures.
fn is_of_calls(path: &str) -> bool {
    path.starts_with("tool/src/") && path.split('/').any(|part| matches!(part, "calls" | "calls.rs"))
}

fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--manifest-path"]);
    let text = common::output(command.arg(root().join("Cargo.toml")));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn packages_depend_only_on_what_is_below_them() {
    let metadata = metadata();
    let allowed = arrows();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().expect("a list") {
        let name = package["name"].as_str().expect("a name");
        let allowed =
            allowed.get(name).unwrap_or_else(|| panic!("{name} has no place in the list of arrows"));
        for dependency in package["dependencies"].as_array().expect("a list") {
            let on = dependency["name"].as_str().expect("a name");
            let of_tests = dependency["kind"] == "dev" && OF_TESTS.contains(&on);
            let outside = dependency["path"].is_null();
            assert!(outside || of_tests || allowed.contains(&on), "{name} must not depend on {on}");
        }
        seen.insert(name.to_owned());
    }
    assert_eq!(seen, allowed.keys().map(|&name| name.to_owned()).collect());
}

#[test]
fn all_packages_have_one_version() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list").iter();
    let inside = packages.map(|package| package["version"].as_str().expect("a version").to_owned());
    let outside = OUTSIDE.iter().map(|manifest| {
        let text = fs::read_to_string(root().join(manifest)).expect("a manifest");
        let version = text.lines().find_map(|line| line.strip_prefix("version = "));
        version.unwrap_or_else(|| panic!("{manifest}: no version")).trim_matches('"').to_owned()
    });
    let versions: BTreeSet<String> = inside.chain(outside).collect();
    assert_eq!(versions.len(), 1, "versions of the packages and of {OUTSIDE:?}: {versions:?}");
}

/// Files with a property are in some folders or in a list.
fn only_in(folders: &[&str], others: &[(&str, &str)], what: &str, has: impl Fn(&Source) -> bool) {
    let mut found = BTreeSet::new();
    let mut inside = 0;
    for source in CRATES.iter().flat_map(|folder| sources(folder)).filter(has) {
        if folders.iter().any(|folder| source.path.starts_with(folder)) {
            inside += 1;
        } else {
            found.insert(source.path);
        }
    }
    assert!(inside > 0, "{what}: not even where it belongs");
    let listed = others.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, listed, "{what} outside of {folders:?}");
}

#[test]
fn symbols_are_exported_by_the_outermost_crates() {
    let exports =
        |source: &Source| source.words.iter().any(|word| word == "no_mangle" || word == "export_name");
    only_in(&EXPORTS, &OTHER_EXPORTS, "exports", exports);
}

#[test]
fn mpi_is_called_in_one_module() {
    let calls = |source: &Source| {
        let function = |word: &str| {
            let name = word.strip_prefix('P').unwrap_or(word).strip_prefix("MPI_").unwrap_or_default();
            let mut letters = name.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
        };
        source.words.windows(2).any(|pair| pair[1] == "(" && function(&pair[0])) || source.has("raw", "::")
    };
    only_in(&MPI_CALLS, &[], "calls of MPI", |source| calls(source) && !is_of_calls(&source.path));
}

#[test]
fn the_system_is_called_in_one_module() {
    only_in(&SYSTEM_CALLS, &OTHER_SYSTEM_CALLS, "system calls", |source| source.has("libc", "::"));
}

/// So that a protocol cannot be written that no model can run. The tool, the lab and the drop-ins have flags
/// of their own process, which are no protocol.
#[test]
fn protocols_take_their_atomics_from_one_module() {
    let has = |source: &Source| {
        let words = ["sync", "::", "atomic"];
        source.path.starts_with("crates/") && source.words.windows(3).any(|three| three == words)
    };
    only_in(&["crates/core/src/atomic"], &[], "atomics of the standard library", has);
}

#[test]
fn unsafe_code_stands_where_it_must() {
    let is_unsafe = |source: &Source| source.words.iter().any(|word| word == "unsafe");
    only_in(&UNSAFE, &OTHER_UNSAFE, "unsafe code", |source| is_unsafe(source) && !is_of_calls(&source.path));
}

#[test]
fn no_file_is_too_long() {
    let ends =
        [".rs", ".c", ".h", ".cpp", ".f90", ".F90", ".sh", ".py", ".css", ".html", "Makefile", "hcube-run"];
    let all = files(&root(), &ends);
    assert!(all.len() > 300, "{} files", all.len());
    let long: BTreeSet<String> = all
        .iter()
        .filter(|path| fs::read_to_string(path).expect("text").lines().count() > MAX_LINES)
        .map(|path| relative(path))
        .collect();
    let listed = LONG_FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(long, listed, "files of more than {MAX_LINES} lines");
}
