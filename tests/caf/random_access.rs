//! Updates on coarrays under mpirun, compared word by word with a serial loop in C (tests/c/update.c).

use crate::common::update::{Cases, ON_COARRAYS, Path, check, standard_cases};
use crate::common::{Launch, Mpi, by_mpi};

/// See tests/random_access.rs.
fn ranks() -> Vec<usize> {
    match Mpi::selected() {
        Mpi::Open => vec![1, 2, 3, 5, 6, 7, 8, 9],
        Mpi::Mpich => vec![1, 2],
    }
}

fn path(ranks: usize, how: &'static str, per_node: usize) -> Path {
    match ranks {
        1 => Path::Alone,
        _ => Path::Images(how, per_node > 1, per_node < ranks),
    }
}

#[test]
fn any_number_of_images() {
    for ranks in ranks() {
        for (_, name, how) in ON_COARRAYS {
            let mut cases = standard_cases(path(ranks, how, ranks));
            // Tables smaller than the number of images.
            cases.push(("table=2,count=uneven".into(), path(ranks, how, ranks)));
            cases.push(("table=0,count=few,stream=lcg".into(), path(ranks, how, ranks)));
            check(Launch::client("update", ranks).env("HCUBE_MODE", name), ranks, "C", &cases);
        }
    }
}

/// Nodes of one and of two images, pretended on one machine: the runtime has them from the environment.
#[test]
fn several_nodes() {
    for &ranks in by_mpi(&[2, 3, 4, 5][..], &[2]) {
        for per_node in [1, 2].into_iter().filter(|&per_node| per_node < ranks) {
            for (_, name, how) in ON_COARRAYS {
                let cases: Cases = ["table=10", "table=9,stream=lcg,start=zero", "table=8,count=uneven"]
                    .map(|case| (case.to_owned(), path(ranks, how, per_node)))
                    .into();
                let launch = Launch::client("update", ranks).env("HCUBE_MODE", name);
                check(launch.per_node(per_node), ranks, "C", &cases);
            }
        }
    }
}

/// One runtime serves all options of a program, and other modes at the same time.
#[test]
fn modes_and_look_aheads_change() {
    for &ranks in by_mpi(&[2, 3, 4][..], &[2]) {
        let mut cases = Cases::new();
        for (look_ahead, table) in [(1, 6), (2, 6), (47, 10), (1024, 12), (4096, 12)] {
            for (number, _, how) in ON_COARRAYS {
                let case = format!("table={table},look_ahead={look_ahead},mode={number}");
                cases.push((case, path(ranks, how, ranks)));
            }
            cases.push((format!("table={table},look_ahead={look_ahead},mode=0"), Path::Shared));
        }
        for (number, _, how) in ON_COARRAYS {
            let case = format!("table=11,look_ahead=64,relaxed=1,stream=lcg,mode={number}");
            cases.push((case, path(ranks, how, ranks)));
        }
        cases.push(("table=10,mode=4,dimensions=1".into(), path(ranks, ON_COARRAYS[0].2, ranks)));
        check(Launch::client("update", ranks), ranks, "C", &cases);
    }
}
