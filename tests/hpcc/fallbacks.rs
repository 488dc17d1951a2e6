//! If hcube cannot serve a kernel, HPCC's own code runs, and one line says so.

use super::common;
use common::hpcc::{Input, program};
use common::{Language, client};
use std::path::Path;

/// The line of a kernel that hcube does not serve.
fn one_line(stderr: &str, title: &str, reason: &str) {
    let begin = format!("HPCC {title} not active, HPCC's own code runs: ");
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains(&begin)).collect();
    assert!(lines.len() == 1 && lines[0].contains(reason), "{title}, {reason}:\n{stderr}");
}

/// One of two ranks gets no vectors.
#[test]
fn stream_without_memory_is_hpccs_own() {
    let folder = common::hpcc::folder("hpcc-no-pages", &Input { columns: 2, ..Input::default() });
    let starter = client("refuse_shared_memory", Language::C11);
    let stderr = common::hpcc::run(&starter, &folder, 2, |launch| {
        launch.arg("pages-of-last").arg(program()).env("HCUBE_HPCC", "ra,stream")
    });
    common::hpcc::passed(&folder, 2);
    one_line(&stderr, "STREAM", "a rank has no memory for 3 vectors of ");
    assert!(!common::hpcc::announces(&stderr, "STREAM"), "{stderr}");
    common::hpcc::announcement(&stderr, "RandomAccess update");
}

/// Variables that differ between the ranks.
#[test]
fn ranks_that_do_not_agree_leave_kernels_to_hpcc() {
    let folder = common::hpcc::folder("hpcc-differ", &Input { columns: 2, ..Input::default() });
    let script =
        "case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in 1) export HCUBE_RANKS_PER_NODE=1;; esac; exec \"$@\"";
    let stderr = common::hpcc::run(Path::new("sh"), &folder, 2, |launch| {
        launch.args(["-c", script, "sh"]).arg(program())
    });
    assert_eq!(common::hpcc::result(&folder, "Success"), "1");
    for title in ["RandomAccess update", "FFT", "HPL broadcast", "PTRANS"] {
        one_line(&stderr, title, "options.ranks_per_node differs between ranks, from 0 to 1");
    }
    // What has one rank does not care.
    common::hpcc::announcement(&stderr, "STREAM");
    common::hpcc::announcement(&stderr, "FFT");
}
