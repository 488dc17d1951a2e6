//! HPL in HPCC: panels, pivots and row swaps.

use super::{COLUMNS, common};
use common::hpcc::{Input, program};
use common::{Launch, Mpi};

/// Behind the last column all panels have the same root.
#[test]
fn matrices_of_fewer_columns_than_hpl_looks_ahead_are_solved() {
    let ranks = if Mpi::selected() == Mpi::Open { 8 } else { 2 };
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
            launch.env("HCUBE_RANKS_PER_NODE", &ranks_per_node.to_string()).env("HCUBE_HPCC", "ra,hpl")
        });
        common::hpcc::passed(&folder, ranks);
        common::hpcc::announcement(&stderr, "HPL broadcast");
        assert!(!stderr.contains("HPL broadcast not active"), "{stderr}");
    }
}

/// Pivots and row swaps on grids with several process rows, with HPL's swaps and forms of L1 and U in turn.
#[test]
fn process_columns_are_served_in_all_forms() {
    let grids: &[(usize, usize)] =
        if Mpi::selected() == Mpi::Open { &[(2, 1), (3, 1), (2, 2), (3, 2), (2, 4)] } else { &[(2, 1)] };
    for (index, &(rows, columns)) in grids.iter().enumerate() {
        for form in [index % 4, (index + 3) % 4] {
            let (block, depth) = if (form + columns) % 2 == 0 { (33, 1) } else { (48, 0) };
            let plain = [form % 2 == 1, form / 2 == 1];
            let swap = (form + rows) % 3;
            let input = Input { n: 517, rows, columns, block, depth, swap, plain, ..Input::default() };
            let folder = common::hpcc::folder(&format!("hpcc-columns-{rows}x{columns}-{form}"), &input);
            let change = |launch: Launch| launch.env("HCUBE_HPCC", "hpl");
            let stderr = common::hpcc::run(program(), &folder, rows * columns, change);
            common::hpcc::passed(&folder, rows * columns);
            let line = common::hpcc::announcement(&stderr, COLUMNS);
            assert!(line.contains(&format!("{rows} x {columns} ranks")), "{line}");
            assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
        }
    }
}

/// Rows and columns decide separately which of them hcube serves.
#[test]
fn process_columns_on_several_nodes_run_the_code_of_hpcc() {
    if Mpi::selected() != Mpi::Open {
        return;
    }
    for (rows, columns, limit, served) in [(2, 2, "1", false), (3, 2, "2", false), (2, 3, "2", true)] {
        let input = Input { n: 517, rows, columns, block: 48, depth: 1, ..Input::default() };
        let folder = common::hpcc::folder(&format!("hpcc-column-nodes-{rows}x{columns}"), &input);
        let change = |launch: Launch| launch.env("HCUBE_HPCC", "hpl").env("HCUBE_RANKS_PER_NODE", limit);
        let stderr = common::hpcc::run(program(), &folder, rows * columns, change);
        common::hpcc::passed(&folder, rows * columns);
        assert_eq!(common::hpcc::announces(&stderr, COLUMNS), served, "{stderr}");
        let reason = format!("{COLUMNS} not active, HPCC's own code runs: process column ");
        assert_eq!(stderr.contains(&reason), !served, "{stderr}");
    }
}
