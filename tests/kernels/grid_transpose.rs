//! hcube_grid_transpose_* from C: tests/c/grid_transpose.c in shared memory and with messages.

use crate::common::{Launch, by_mpi};

#[test]
fn transpositions_on_grids_are_those_of_the_definition() {
    for &ranks in by_mpi(&[1, 2, 3, 4, 6, 8][..], &[1, 2]) {
        // Four shapes with three factors.
        let grids = 12 * (1..=ranks).filter(|rows| ranks % rows == 0).count();
        let all = 3 * grids + 12;
        for (path, per_node) in [("auto", "0"), ("message", "0"), ("auto", "1"), ("auto", "3")] {
            let text = Launch::client("grid_transpose", ranks)
                .env("HCUBE_PATH", path)
                .env("HCUBE_RANKS_PER_NODE", per_node)
                .limit(120)
                .run()
                .success();
            let shares = |ranks: usize| match (path, per_node) {
                _ if ranks == 1 => true,
                ("message", _) => false,
                (_, "3") => ranks <= 3,
                (_, per_node) => per_node == "0",
            };
            // In the memory, in another order of ranks, elsewhere, and on a part of the ranks.
            let mut shared = if shares(ranks) { 2 * grids } else { 0 };
            shared += if ranks == 1 { grids } else { 0 };
            // The memory of several nodes serves none of them, but one rank needs none.
            shared += if ranks <= 2 || shares(ranks) { 12 } else { 0 };
            assert!(text.contains(&format!("ok {all} {shared}")), "{ranks}, {path}, {per_node}: {text}");
        }
    }
}
