//! Pivots and row swaps in process columns through the C interface.

use hcube_testing as common;

use common::{Launch, Mpi};

#[test]
fn ranks_of_a_node_find_pivots_and_swap_rows() {
    // MPICH never yields: more ranks than cores take minutes.
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in counts {
        let text = Launch::client("column", ranks).limit(60).run().success();
        assert_eq!(text.trim(), format!("ok {ranks}"));
    }
}

#[test]
fn columns_on_several_nodes_are_refused_on_all_ranks() {
    let launch = Launch::client("column", 2).arg("refused").env("HCUBE_RANKS_PER_NODE", "1");
    assert_eq!(launch.limit(60).run().success().trim(), "ok 2");
}
