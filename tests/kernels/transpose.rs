//! hcube_transpose from C: tests/c/transpose.c on every path.

use crate::common::{Launch, by_mpi};

#[test]
fn every_element_arrives_and_bad_input_is_refused() {
    for &ranks in by_mpi(&[1, 2, 3, 5, 8][..], &[1, 2]) {
        for (path, memory, per_node, used_path) in [
            ("auto", "1M", "0", "shared"),
            // Blocks are transposed only in shared memory.
            ("single-copy", "1M", "0", "shared"),
            ("shared", "0", "0", "shared"),
            ("message", "64k", "0", "message"),
            ("auto", "1M", "1", "message"),
            ("auto", "0", "2", if ranks > 2 { "node+message" } else { "shared" }),
        ] {
            let text = Launch::client("transpose", ranks)
                .env("HCUBE_PATH", path)
                .env("HCUBE_MEMORY", memory)
                .env("HCUBE_RANKS_PER_NODE", per_node)
                .limit(120)
                .run()
                .success();
            let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
            let words: Vec<&str> = last.split(' ').collect();
            let number = |index: usize| words[index].parse::<usize>().expect("a number");
            // On each of two communicators 88 out of place, and in place at least the squares stored alike.
            assert!(number(0) > 2 * (88 + 24), "{text}");
            assert_eq!(number(1), if ranks == 1 { 14 } else { 15 }, "{text}");
            let used_path = if ranks == 1 { "alone" } else { used_path };
            assert_eq!(words[2], used_path, "{ranks} ranks, {path}, {memory}, {per_node}");
        }
    }
}
