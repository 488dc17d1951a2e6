//! tests/c/pblas.c: random products of random sub-matrices on grids of all shapes, compared with ScaLAPACK's
//! results and with plain loops.

use crate::common::Mpi;
use crate::common::scalapack::{WithHcube, client};

type Variables<'a> = &'a [(&'a str, &'a str)];

/// Products on some grids: the name and the number of ranks; the numbers of products with Open MPI, and with
/// MPICH, which busy-waits and never yields, while ScaLAPACK computes each case as well; the grids; variables
/// of hcube, and paths of the statistics that some of the products take.
type Cases<'a> = (&'a str, usize, [usize; 2], &'a [&'a str], Variables<'a>, &'a [&'a str]);

/// Runs cases; every product must be hcube's.
fn check(cases: Cases<'_>) {
    check_refusing(cases, None);
}

/// The same where the kernel refuses shared memory to `whom`.
fn check_refusing(cases: Cases<'_>, whom: Option<&str>) {
    let (name, ranks, number, grids, variables, paths) = cases;
    let number = number[usize::from(Mpi::selected() == Mpi::Mpich)];
    if number == 0 {
        return;
    }
    let Some(program) = client("pblas", "", &[]) else { return };
    let run = match whom {
        None => WithHcube::preloaded(name, program, ranks),
        Some(whom) => {
            let Some(starter) = client("refuse_shared_memory", "", &[]) else { return };
            WithHcube::preloaded(name, starter, ranks).with(|launch| launch.arg(whom).arg(program))
        }
    };
    let run = run.with(|launch| {
        let launch = launch.args([(1000 + ranks).to_string(), number.to_string()]).args(grids).limit(100);
        launch.envs(variables)
    });
    let (text, statistics) = run.success();
    let line = text.lines().find(|line| line.starts_with("ok ")).unwrap_or_else(|| panic!("{text}"));
    let calls = line.split("calls=").nth(1).and_then(|calls| calls.parse::<u64>().ok());
    assert_eq!(Some(statistics.all_served()), calls, "{name}: {line}: {statistics:?}");
    assert_eq!(statistics.all_left(), 0, "{name}: {statistics:?}");
    for path in paths {
        assert!(statistics.by_path(path) > 0, "{name}: no product by {path}: {statistics:?}");
    }
}

/// Panels that are narrower than by default, so that there are several of them in products of this size.
const NARROW: (&str, &str) = ("HCUBE_GEMM_BLOCK", "5");

#[test]
fn few_ranks() {
    check(("one", 1, [300, 300], &["1x1r"], &[], &["local"]));
    let grids = &["1x2r", "2x1c", "1x1r", "1x2p", "2x1d", "1x1r+1x1r"];
    check(("two", 2, [600, 200], grids, &[], &["shared-panels", "local", "scale", "nothing"]));
    check(("two-narrow", 2, [300, 100], grids, &[NARROW], &["shared-panels"]));
    check(("three", 3, [200, 0], &["1x3r", "3x1c", "2x1d", "1x3p"], &[NARROW], &["shared-panels"]));
    let grids = &["2x2r", "2x2c", "2x2p", "1x3d", "2x1r+1x2c", "4x1r", "1x4c", "1x1d"];
    check(("four", 4, [400, 0], grids, &[], &["shared-panels"]));
}

#[test]
fn many_ranks() {
    let cases = |name, ranks, grids| -> Cases<'static> {
        (name, ranks, [250, 0], grids, &[NARROW], &["shared-panels"])
    };
    check(cases("six", 6, &["2x3r", "3x2c", "2x3p", "5x1r", "2x2r+1x2p", "1x5d", "3x2d"]));
    check(cases("eight", 8, &["2x4r", "7x1p", "3x1c+1x4p+1x1r", "4x2c", "2x3d"]));
    check(cases("nine", 9, &["3x3r", "3x3c", "3x3p", "2x2d+1x5r", "1x7r"]));
}

/// Panels are sent as messages, by SUMMA and by HSUMMA with groups that divide the grid and groups that do
/// not.
#[test]
fn messages_between_nodes() {
    for (name, ranks, few, per_node, grids) in [
        ("nodes-2", 2, [150, 100], "1", &["1x2r", "2x1c"][..]),
        ("nodes-4", 4, [150, 0], "1", &["2x2r", "2x2p", "4x1r", "1x3r"]),
        ("nodes-6", 6, [150, 0], "2", &["2x3r", "3x2p", "5x1r"]),
        ("uneven", 6, [150, 0], "4", &["2x3c", "3x2r", "6x1p"]),
    ] {
        check((name, ranks, few, grids, &[("HCUBE_RANKS_PER_NODE", per_node), NARROW], &["summa"]));
    }
    for (name, ranks, per_node, groups, blocks, grids) in [
        ("groups-2x1", 6, "1", "2x1", "3:9", &["2x3r", "3x2p", "6x1r"][..]),
        ("groups-2x2", 9, "1", "2x2", "5:20", &["3x3r", "3x3p"]),
        ("groups-of-nodes", 8, "2", "2x2", "4", &["2x4r", "4x2c", "7x1p"]),
    ] {
        let variables = &[
            ("HCUBE_RANKS_PER_NODE", per_node),
            ("HCUBE_GEMM", "hsumma"),
            ("HCUBE_GEMM_GROUPS", groups),
            ("HCUBE_GEMM_BLOCK", blocks),
        ];
        check((name, ranks, [150, 0], grids, variables, &["hsumma"]));
    }
}

/// Partial products are summed where A or B stays.
#[test]
fn another_matrix_stays() {
    const ON_A: (&str, &str) = ("HCUBE_GEMM_STATIONARY", "a");
    const ON_B: (&str, &str) = ("HCUBE_GEMM_STATIONARY", "b");
    const PAIRS: (&str, &str) = ("HCUBE_RANKS_PER_NODE", "2");
    check(("stays-a-2", 2, [150, 100], &["1x2r", "2x1c"], &[ON_A, NARROW], &["stationary-a"]));
    check(("stays-b-6", 6, [150, 0], &["2x3r", "3x2p"], &[ON_B, NARROW], &["stationary-b"]));
    check(("stays-a-6", 6, [150, 0], &["2x3c", "5x1r"], &[ON_A, NARROW, PAIRS], &["stationary-a"]));
    check(("stays-b-9", 9, [100, 0], &["3x3r", "2x4p"], &[ON_B, NARROW, PAIRS], &["stationary-b"]));
}

/// Ranks of a node that cannot share memory send messages to each other.
#[test]
fn ranks_to_which_shared_memory_is_refused() {
    let cases = |name, ranks, number, grids| -> Cases<'static> {
        (name, ranks, number, grids, &[NARROW], &["summa"])
    };
    check_refusing(cases("refused-2", 2, [100, 100], &["1x2r", "2x1c"]), Some("all"));
    check_refusing(cases("refused-6", 6, [100, 0], &["2x3r", "3x2p", "5x1r"]), Some("all"));
    check_refusing(cases("refused-last", 4, [100, 0], &["2x2r", "4x1r", "1x4p"]), Some("last"));
}
