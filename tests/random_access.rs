//! Whole updates under mpirun, compared word by word with a serial loop in C (tests/c/update.c).
//!
//! Each case states its expected path, and the counters of the run must agree with it: otherwise a test of
//! shared memory might silently use messages.

use hcube_testing as common;

use common::update::{Cases, MESSAGE, NODE, Path, THREE_HOP, check, standard_cases};
use common::{Language, Launch, Mpi, by_mpi};

fn check_options(ranks: usize, cases: &Cases) {
    check(Launch::client("update", ranks), ranks, "C", cases);
}

/// The numbers of ranks that the selected MPI is tested with. MPICH never yields if it is oversubscribed: a
/// third rank is a separate test.
fn ranks() -> std::ops::RangeInclusive<usize> {
    match Mpi::selected() {
        Mpi::Open => 1..=9,
        Mpi::Mpich => 1..=2,
    }
}

#[test]
fn defaults_use_shared_memory() {
    for ranks in ranks() {
        check_options(ranks, &standard_cases(Path::on_one_node(ranks)));
    }
}

#[test]
fn messages_when_the_environment_says_so() {
    for ranks in ranks() {
        let launch = Launch::client("update", ranks).env("HCUBE_MODE", "message");
        check(launch, ranks, "C", &standard_cases(Path::by_messages(ranks)));
    }
}

#[test]
fn a_client_in_cxx() {
    let launch = Launch::new(common::client("update", Language::Cxx17), 2);
    check(launch, 2, "C++", &standard_cases(Path::Shared));
}

/// The look-aheads of Table 4, with tables small enough for the small ones.
#[test]
fn all_look_aheads_of_table_4() {
    for &ranks in by_mpi(&[2, 3, 4][..], &[2]) {
        let mut cases = Cases::new();
        for (look_ahead, table) in [
            (1, 6),
            (4, 7),
            (16, 9),
            (64, 10),
            (256, 12),
            (1024, 13),
            (2048, 13),
            (4096, 14),
            (8192, 14),
            (32768, 15),
        ] {
            for (stream, mode, path) in [
                ("polynomial", 0, Path::Shared),
                ("lcg", 0, Path::Shared),
                ("polynomial", MESSAGE, Path::Messages),
            ] {
                cases.push((
                    format!("table={table},stream={stream},look_ahead={look_ahead},mode={mode}"),
                    path,
                ));
            }
        }
        cases.push(("table=12,look_ahead=64,relaxed=1,mode=1".into(), Path::Messages));
        cases.push(("table=12,look_ahead=64,relaxed=1".into(), Path::Shared));
        check_options(ranks, &cases);
    }
}

/// Nodes of 1 to 4 ranks, pretended on one machine; the last node may hold fewer.
#[test]
fn pretended_nodes() {
    if !common::only_with(Mpi::Open, "four ranks of MPICH on fewer cores take minutes") {
        return;
    }
    for ranks in 4..=9usize {
        let mut cases = Cases::new();
        for ranks_per_node in 1..=4usize {
            let nodes = ranks.div_ceil(ranks_per_node);
            for (mode, several) in [(NODE, Path::Hypercube(nodes)), (THREE_HOP, Path::ThreeHop(nodes))] {
                let path = match (ranks_per_node, nodes) {
                    (1, _) => Path::Messages,
                    (_, 1) => Path::Shared,
                    _ => several,
                };
                for (stream, rest) in [
                    ("polynomial", "table=11"),
                    ("lcg", "table=10,start=zero"),
                    ("polynomial", "table=9,count=uneven"),
                ] {
                    cases.push((
                        format!("{rest},stream={stream},mode={mode},ranks_per_node={ranks_per_node}"),
                        path,
                    ));
                }
            }
        }
        check_options(ranks, &cases);
    }
}

/// Without being told, three hops are chosen unless they need many more messages.
#[test]
fn three_hops_are_chosen_where_they_pay() {
    if !common::only_with(Mpi::Open, "eight ranks of MPICH on fewer cores take minutes") {
        return;
    }
    for (ranks, ranks_per_node, path) in
        [(8, 2, Path::Hypercube(4)), (8, 4, Path::Hypercube(2)), (9, 3, Path::ThreeHop(3))]
    {
        let launch = Launch::client("update", ranks).per_node(ranks_per_node);
        check(
            launch,
            ranks,
            "C",
            &vec![("table=12".into(), path), ("table=12,stream=lcg,count=uneven".into(), path)],
        );
    }
}

/// Table 3 of Plimpton et al. 2006 switches optimisations on one by one; §2 goes from direct to hypercube.
#[test]
fn optimisations_and_dimensions() {
    let ranks = by_mpi(5, 2);
    let mut cases = Cases::new();
    for bits in 0..16 {
        cases.push((format!("table=9,mode=1,optimisations={bits}"), Path::Messages));
    }
    // Messages in several pieces, each too long to be sent before its receiver is ready.
    for bits in [0, 1, 4, 7, 8, 15] {
        let skewed = format!("table=15,mode=1,look_ahead=32768,start=zero,optimisations={bits}");
        cases.push((skewed, Path::Messages));
    }
    for dimensions in 1..=3 {
        for stream in ["polynomial", "lcg"] {
            cases.push((format!("table=11,mode=1,stream={stream},dimensions={dimensions}"), Path::Messages));
        }
    }
    check_options(ranks, &cases);
}

/// MPICH with more ranks than this machine may have cores: a few rounds only, since every message
/// then waits for a time slice.
#[test]
fn mpich_on_three_ranks() {
    if !common::only_with(Mpi::Mpich, "the other tests have more ranks than cores") {
        return;
    }
    let cases = vec![
        ("table=6".into(), Path::Shared),
        ("table=6,stream=lcg,count=uneven,look_ahead=4096,mode=1".into(), Path::Messages),
        ("table=6,mode=2,ranks_per_node=2".into(), Path::Hypercube(2)),
    ];
    check_options(3, &cases);
}
