//! hcube_gemm from C: tests/c/gemm.c with all options.

use crate::common::{Launch, by_mpi};

#[test]
fn every_element_is_right_and_bad_arguments_are_refused() {
    for &ranks in by_mpi(&[1, 2, 3, 4, 6][..], &[1, 2]) {
        for (variables, used_path) in [
            (&[][..], "shared-panels"),
            (&[("HCUBE_GEMM_MEMORY", "4k")][..], "shared-panels"),
            (
                &[("HCUBE_GEMM_BLOCK", "5"), ("HCUBE_RANKS_PER_NODE", "2")][..],
                if ranks > 2 { "summa" } else { "shared-panels" },
            ),
            (&[("HCUBE_GEMM", "summa"), ("HCUBE_RANKS_PER_NODE", "1")][..], "summa"),
        ] {
            let text = Launch::client("gemm", ranks).limit(120).envs(variables).run().success();
            let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
            let words: Vec<&str> = last.split(' ').collect();
            let number = |index: usize| words[index].parse::<usize>().expect("a number");
            let grids = (1..=ranks).filter(|rows| ranks % rows == 0).count();
            assert_eq!(number(0), 54 * grids + 1, "{text}");
            assert_eq!(number(1), 2 * 36 + if ranks > 1 { 3 } else { 0 }, "{text}");
            let used_path = if ranks == 1 { "local" } else { used_path };
            assert_eq!(words[2], used_path, "{ranks} ranks, {variables:?}");
        }
    }
}
