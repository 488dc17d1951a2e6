//! HPL in HPCC.

use super::common;
use common::hpcc::{Input, program};
use common::{Mpi, by_mpi};

/// Behind the last column all panels have the same root.
#[test]
fn matrices_of_fewer_columns_than_hpl_looks_ahead_are_solved() {
    let ranks = by_mpi(8, 2);
    for (n, block, depth) in [(60, 80, 0), (60, 80, 1), (60, 80, 2), (60, 80, 3), (60, 25, 3)] {
        let input = Input { n, block, columns: ranks, depth, ..Input::default() };
        let folder = common::hpcc::folder(&format!("hpcc-small-{block}-{depth}"), &input);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| launch);
        common::hpcc::solved(&folder);
        common::hpcc::announcement(&stderr, "HPL broadcast");
    }
}

/// Rows of HPL on nodes of one, two and three ranks, with each of its broadcasts.
#[test]
fn hpl_passes_panels_from_node_to_node() {
    let awkward = Input { n: 517, block: 48, ..Input::default() };
    let mut problems = vec![(1, 1, 2), (1, 1, 2)];
    if Mpi::selected() == Mpi::Open {
        problems = vec![(1, 1, 4), (1, 2, 4), (2, 1, 4), (2, 2, 4), (2, 3, 3), (1, 1, 3)];
    }
    for (broadcast, (rows, ranks_per_node, columns)) in problems.into_iter().enumerate() {
        let input = Input { rows, columns, broadcast, depth: broadcast % 4, ..awkward };
        let (folder, ranks) =
            (common::hpcc::folder(&format!("hpcc-nodes-{broadcast}"), &input), rows * columns);
        let stderr = common::hpcc::run(program(), &folder, ranks, |launch| {
            launch.per_node(ranks_per_node).env("HCUBE_HPCC", "ra,hpl")
        });
        common::hpcc::passed(&folder, ranks);
        common::hpcc::announcement(&stderr, "HPL broadcast");
        assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
    }
}
