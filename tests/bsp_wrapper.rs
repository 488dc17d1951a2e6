//! BSPWrapper.h, the C++ interface to BSPlib: tests/c/bsp/wrapper.cpp as C++98 and C++17, in both dialects,
//! and every error that it reports.

use hcube_testing as common;

use common::{Language, Launch, Mpi, by_mpi, output};
use std::path::PathBuf;
use std::process::Command;

/// Compiles the client against `libhcube_bsp.so` of the build under test.
fn client(name: &str, arguments: &[&str]) -> PathBuf {
    let (library, program) = (common::preload::bsp_library(), common::folder("bsp_wrapper").join(name));
    let library = library.parent().expect("a file lies in a folder");
    let mut compiler: Command = Language::Cxx17.compiler(Mpi::selected());
    let sources =
        ["wrapper.cpp", "wrapper_second.cpp"].map(|name| common::root().join("tests/c/bsp").join(name));
    compiler.args(["-O1", "-Wshadow", "-Wconversion"]).args(arguments).args(sources);
    compiler.arg("-o").arg(&program).arg("-L").arg(library).arg("-lhcube_bsp");
    output(compiler.arg(format!("-Wl,-rpath,{}", library.display())));
    program
}

#[test]
fn every_function_and_member_works() {
    let ranks: &[usize] = by_mpi(&[1, 2, 3, 4][..], &[1, 2]);
    for (name, arguments) in
        [("cxx17", &[][..]), ("cxx98", &["-std=c++98"][..]), ("multicore", &["-DBSP_MCBSP"][..])]
    {
        let program = client(name, arguments);
        for &ranks in ranks {
            let text = Launch::new(&program, ranks).whole_lines().run().success();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            let mut expected: Vec<String> = (0..ranks).map(|process| format!("process {process}")).collect();
            expected.extend(["last one".to_owned(), format!("ok {ranks}")]);
            expected.sort_unstable();
            assert_eq!(lines, expected, "{name}, {ranks} processes");
        }
    }
}

/// Several nodes are emulated: gets, puts and messages use MPI.
#[test]
fn processes_of_several_nodes_work() {
    let program = client("nodes", &[]);
    let ranks = by_mpi(4, 2);
    let launch = Launch::new(&program, ranks).env("HCUBE_RANKS_PER_NODE", "1").whole_lines();
    let text = launch.run().success();
    assert!(text.lines().any(|line| line == format!("ok {ranks}")), "{text}");
}

/// Name of an error in the client, and what is printed after "hcube: process <n>: ".
const ERRORS: [(&str, &str); 23] = [
    ("index", "CAVector::operator[]: index = 5: expected 0 to 4"),
    ("negative-index", "CAVector::operator[]: index = -1: expected 0 to 4"),
    ("vector-put", "CAVector::Put: index = -1: expected 0 or more"),
    ("vector-get", "CAVector::Get: len = -2: expected 0 or more"),
    ("vector-size", "CAVector::SetSize: _size = -3: expected 0 or more"),
    ("vector-grow", "CAVector::SetSize: _grow = 0: expected 1 or more"),
    ("shrink", "CAVector::Shrink: newcount = -1: expected 0 or more"),
    ("buffer", "CAVector::CAVector: buffer = NULL: expected an address of 3 elements"),
    ("null", "CAVector::Put: _data = NULL: expected an address"),
    ("overflow", "CAVector::Put: index + len exceeds 2147483647"),
    ("qnr", "CMultiQueue::Enqueue: qnr = 2: expected 0 to 1"),
    ("delete", "CMultiQueue::DeleteHead: _count = 1: expected 0 to 0, the length of the queue"),
    ("first", "CMultiQueue::DeleteFirstHead: count = 1: expected 0, because all queues are empty"),
    ("counts", "CMultiQueue::FromArray: counts[0] = 3: expected a multiple of 4"),
    ("displs", "CMultiQueue::FromArray: displs[0] = -4: expected 0 or more"),
    ("queues", "CMultiQueue::SetSize: qcount = -1: expected 0 or more"),
    ("count", "Put: count = -1: expected 0 or more"),
    ("process", "bsp_hpget: pid = 2: expected 0 to 1"),
    ("range", "bsp_hpput: offset + nbytes = 5: expected at most 4"),
    ("address", "bsp_get: src = 0x"),
    ("tag", "SetTagSize: sz = -1: expected 0 or more"),
    ("empty", "bsp_move: the queue has no message"),
    ("status", "GetTag: status = NULL: expected an address"),
];

#[test]
fn errors_name_function_argument_and_value() {
    let program = client("errors", &[]);
    for (name, expected) in ERRORS {
        let outcome = Launch::new(&program, 2).arg(name).whole_lines().limit(60).run();
        assert!(!outcome.status.success() && outcome.left.is_empty(), "{name}: {outcome:?}");
        let said = outcome.stderr.lines().filter_map(|line| line.strip_prefix("hcube: process "));
        let mut said = said.filter_map(|rest| rest.split_once(": ")).map(|(_, text)| text);
        assert!(said.any(|text| text.starts_with(expected)), "{name}: expected '{expected}': {outcome:?}");
    }
}
