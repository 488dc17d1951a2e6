//! tests/c/bsp/semantics.c: all functions, in all dialects, on all paths.

use crate::common::bsp::{Dialect, launch, program, without_shared_memory, without_single_copy};
use crate::common::guest::ranks;
use crate::common::{Language, Launch, Mpi, unproved};

const NAME: &str = "bsp/semantics";

/// Runs it to its last line.
fn check(launch: Launch, ranks: usize, kind: &str) {
    assert_eq!(launch.run().success(), format!("ok {kind} {ranks}\n"));
}

#[test]
fn every_number_of_processes_on_one_node() {
    for ranks in 1..=ranks(9) {
        check(launch(NAME, ranks), ranks, "classic C");
    }
}

/// Nodes of 1, 2 and 3 processes, also unequal ones, and more nodes than one message serves.
#[test]
fn several_nodes() {
    let cases: &[(usize, usize)] = match Mpi::selected() {
        Mpi::Open => &[(2, 1), (3, 1), (3, 2), (4, 2), (5, 3), (7, 3), (9, 2), (9, 1)],
        Mpi::Mpich => &[(2, 1)],
    };
    for &(ranks, per_node) in cases {
        let launch = launch(NAME, ranks).per_node(per_node);
        check(launch, ranks, "classic C");
    }
    // Messages in pieces, and unbuffered operations within a node by single copy, small ones too.
    let ranks = ranks(6);
    let launch = launch(NAME, ranks).env("HCUBE_RANKS_PER_NODE", "2").env("HCUBE_MEMORY", "0");
    check(launch.env("HCUBE_BSP_SINGLE_COPY", "8"), ranks, "classic C");
}

#[test]
fn every_dialect_in_c_and_in_cxx() {
    let dialects = [
        (Dialect::Classic, "classic"),
        (Dialect::Multicore, "mcbsp"),
        (Dialect::Compatible, "classic"),
        (Dialect::Standard, "standard"),
    ];
    for (dialect, name) in dialects {
        for (language, language_name) in [(Language::C11, "C"), (Language::Cxx17, "C++")] {
            let ranks = ranks(3);
            let launch = Launch::new(program(NAME, language, dialect), ranks).limit(60);
            check(launch, ranks, &format!("{name} {language_name}"));
        }
    }
}

/// No room for shared memory on all processes, or on a node that is the last process: messages between all of
/// them. An error on that path (errors.rs) shows that it is taken.
#[test]
fn without_shared_memory_messages_travel() {
    let ranks = ranks(4);
    check(without_shared_memory("all", NAME, ranks), ranks, "classic C");
    let per_node = (ranks - 1).to_string();
    let launch = without_shared_memory("last", NAME, ranks).env("HCUBE_RANKS_PER_NODE", &per_node);
    check(launch, ranks, "classic C");
}

/// Single copy forbidden to some processes or to all, or not wanted: through buffers.
#[test]
fn without_single_copy_data_is_buffered() {
    for whom in ["0", "1", "2"] {
        let ranks = ranks(3);
        check(without_single_copy(launch(NAME, ranks).args(["refused", whom])), ranks, "classic C");
    }
    let ranks = ranks(4);
    check(launch(NAME, ranks).env("HCUBE_BSP_SINGLE_COPY", "0"), ranks, "classic C");
}

/// Unbuffered operations of every size by single copy, and `bsp_direct_get` from every process.
#[test]
fn with_single_copy() {
    let ranks = ranks(4);
    let outcome = launch(NAME, ranks).arg("direct").env("HCUBE_BSP_SINGLE_COPY", "1").run();
    if outcome.stderr.contains("whose memory the kernel permits to read") {
        unproved("single-copy", "the kernel permits no single copy");
        return;
    }
    assert_eq!(outcome.success(), format!("ok classic C {ranks}\n"));
}

/// The result of several operations that write the same bytes does not depend on the path, nor on which
/// processes share memory.
#[test]
fn operations_on_the_same_bytes_have_an_order() {
    for ranks in [1, 2, 3, 5, 8].into_iter().filter(|&number| number <= ranks(8)) {
        let text = format!("ok {ranks}\n");
        for bytes in ["0", "100", "1"] {
            let launch = launch("bsp/order", ranks).env("HCUBE_BSP_SINGLE_COPY", bytes);
            assert_eq!(launch.run().success(), text, "single copy from {bytes}");
        }
        for per_node in [1, 2, 3].into_iter().filter(|&per_node| per_node < ranks) {
            let launch = launch("bsp/order", ranks).per_node(per_node);
            assert_eq!(launch.run().success(), text, "{per_node} per node");
        }
    }
    assert_eq!(
        without_shared_memory("all", "bsp/order", ranks(3)).run().success(),
        format!("ok {}\n", ranks(3))
    );
}
