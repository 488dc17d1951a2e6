//! Coarrays from C, C++ and Fortran: every function of hcube/caf.h with valid arguments; `interface.rs` has
//! invalid ones.

use crate::common;
use crate::common::{Language, Launch, Mpi, client, output, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Topologies: all images on one node, one per node, two per node.
const NODES: &[&str] = &["0", "1", "2"];
/// Where a number of images runs on one topology only: it has paths inside and between nodes.
const MIXED: &[&str] = &["2"];

/// Numbers of images, and their topologies.
const PROGRAMS: [(usize, &[&str]); 6] =
    [(1, NODES), (2, NODES), (3, NODES), (4, MIXED), (5, NODES), (8, MIXED)];

/// The names of the functions in a text, where a parenthesis follows.
fn functions(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let from = text.match_indices("hcube_caf_").map(|(place, _)| &text[place..]);
    let calls = from.filter_map(|rest| {
        let (name, behind) = rest.split_at(rest.find(|letter| !is_part(letter))?);
        behind.starts_with('(').then(|| name.to_owned())
    });
    calls.collect()
}

/// Every function of the header is called by a program.
fn calls_all_functions(program: &str) {
    let read =
        |path: &str| fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let declared = functions(&read("include/hcube/caf.h"));
    assert!(declared.len() > 50, "{declared:?}");
    let text = read(program);
    let missing: Vec<_> = declared.difference(&functions(&text)).cloned().collect();
    assert!(missing.is_empty(), "{program} does not call {missing:?}");
}

#[test]
fn every_function_works_in_c_and_cxx() {
    calls_all_functions("tests/c/caf.c");
    for language in [Language::C11, Language::Cxx17] {
        for (images, topologies) in PROGRAMS {
            for nodes in topologies {
                let launch = Launch::new(client("caf", language), images).env("HCUBE_RANKS_PER_NODE", nodes);
                let per_node = match nodes.parse().expect("a number") {
                    0 => images,
                    limit => images.min(limit),
                };
                // An image has itself on its node; it uses messages where there are other nodes.
                let paths = if images > per_node { "node messages" } else { "node" };
                let text = launch.limit(60).run().success();
                assert_eq!(text.trim(), format!("ok {images} {paths}"), "nodes {nodes}");
            }
        }
    }
}

#[test]
fn images_initialise_mpi_and_may_fail() {
    for (images, _) in PROGRAMS {
        let text = Launch::client("caf", images).arg("own").limit(60).run().success();
        assert_eq!(text.trim(), format!("ok {images} node"));
        if images > 1 {
            let text = Launch::client("caf", images).args(["own", "fail"]).limit(60).run().success();
            assert_eq!(text.trim(), format!("ok {images} node"));
        }
    }
}

/// Compiles a Fortran program with the modules.
fn fortran(name: &str) -> PathBuf {
    // A folder for each program, since compilers write the modules to it.
    let folder = common::folder(&format!("fortran-{name}"));
    let library = common::library();
    let library = library.parent().expect("a file lies in a folder").display();
    let program = folder.join(name);
    let mut compiler = Command::new(format!("mpifort.{}", Mpi::selected().name()));
    compiler.args(["-std=f2018", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]);
    compiler.args(["-fcheck=bounds,do,mem,pointer", &format!("-J{}", folder.display())]);
    let sources = ["fortran/hcube.f90", "fortran/hcube_caf.f90", &format!("tests/fortran/{name}.f90")];
    compiler.args(sources.map(|source| root().join(source))).arg("-o").arg(&program);
    output(compiler.arg(format!("-L{library}")).arg("-lhcube").arg(format!("-Wl,-rpath,{library}")));
    program
}

#[test]
fn every_procedure_of_the_fortran_module_works() {
    calls_all_functions("tests/fortran/caf.f90");
    let program = fortran("caf");
    for (images, topologies) in PROGRAMS {
        for nodes in topologies {
            let launch = Launch::new(&program, images).env("HCUBE_RANKS_PER_NODE", nodes).limit(60);
            let text = launch.run().success();
            let checks =
                text.trim().strip_prefix(&format!("ok {images} ")).and_then(|end| end.parse::<usize>().ok());
            assert!(checks.is_some_and(|checks| checks > 50), "{text}");
        }
        if images > 1 {
            let text = Launch::new(&program, images).arg("fail").limit(60).run().success();
            assert!(text.starts_with(&format!("ok {images} ")), "{text}");
        }
    }
}

/// Without ierror an error ends the program, with its message.
#[test]
fn fortran_programs_end_at_errors_that_they_do_not_ask_for() {
    let program = fortran("caf_error");
    let outcome = Launch::new(&program, 1).limit(60).run();
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.stderr.contains("ERROR STOP called before hcube_caf_init"), "{outcome:?}");
}
