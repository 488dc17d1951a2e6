//! hcube_matmul from C: tests/c/matmul.c.

use crate::common::{Launch, by_mpi};

/// Numbers of blocks for the sizes 0, 1, 2, 7, 16, 33 and 90.
const BLOCKS: usize = 2 + 2 + 3 + 7 + 7 + 7 + 7;

#[test]
fn products_are_those_of_the_definition_and_bad_input_is_refused() {
    for &ranks in by_mpi(&[1, 2, 3, 4, 5, 8][..], &[1, 2]) {
        for single_copy in ["64", "0"] {
            let launch = Launch::client("matmul", ranks).env("HCUBE_BSP_SINGLE_COPY", single_copy);
            let text = launch.limit(60).run().success();
            let refusals = if ranks == 1 { 16 } else { 20 };
            // Two distributions, each product on two communicators.
            assert_eq!(text.trim(), format!("ok {} {refusals}", 4 * BLOCKS));
        }
    }
}

/// As on several nodes.
#[test]
fn products_between_nodes() {
    for &ranks in by_mpi(&[3, 8][..], &[2]) {
        let text = Launch::client("matmul", ranks).env("HCUBE_RANKS_PER_NODE", "2").limit(60).run().success();
        assert!(text.starts_with("ok "), "{text}");
    }
}

#[test]
fn temporary_memory_is_three_blocks() {
    for &ranks in by_mpi(&[2, 3, 4, 8][..], &[2]) {
        // On three ranks no column of blocks remains, which would need a third block.
        let temporary = if ranks == 3 { 2 } else { 3 };
        let launch =
            Launch::client("matmul", ranks).alone().args(["limit", "1200", "3", &temporary.to_string()]);
        let text = launch.limit(120).run().success();
        let numbers: Vec<usize> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [block, grown] = numbers[..] else { panic!("{text}") };
        assert!(grown <= temporary * block + block / 2, "{ranks} ranks: {text}");
        assert!(grown > block, "{ranks} ranks: {text}");
    }
}
