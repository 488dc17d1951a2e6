//! Where hcube cannot serve a kernel, HPCC's own code runs, and one line says so.

use super::common;
use common::hpcc::{Input, program};
use common::{Language, Launch, client};
use std::path::Path;

/// HPCC on two ranks of a row, started by a program that refuses something; its error output.
fn refused(name: &str, whom: &str, change: impl FnOnce(Launch) -> Launch) -> String {
    let folder = common::hpcc::folder(name, &Input { columns: 2, ..Input::default() });
    let starter = client("refuse_shared_memory", Language::C11);
    let stderr = common::hpcc::run(&starter, &folder, 2, |launch| change(launch.arg(whom).arg(program())));
    // HPCC's own RandomAccess may lose some updates, as its rules permit.
    assert_eq!(common::hpcc::result(&folder, "Success"), "1");
    let rate = |name: &str| common::hpcc::result(&folder, name).parse::<f64>().expect("a number");
    assert!(rate("StarSTREAM_Triad") > 0.0 && rate("MPIRandomAccess_GUPs") > 0.0, "{stderr}");
    stderr
}

/// The line of a kernel that hcube does not serve.
fn one_line(stderr: &str, title: &str, reason: &str) {
    let begin = format!("HPCC {title} not active, HPCC's own code runs: ");
    let lines: Vec<&str> = stderr.lines().filter(|line| line.contains(&begin)).collect();
    assert!(lines.len() == 1 && lines[0].contains(reason), "{title}, {reason}:\n{stderr}");
    assert!(!common::hpcc::announces(stderr, title), "{stderr}");
}

/// One of two ranks gets no vectors.
#[test]
fn stream_without_memory_is_hpccs_own() {
    let stderr = refused("hpcc-no-pages", "pages-of-last", |launch| launch.env("HCUBE_HPCC", "ra,stream"));
    one_line(&stderr, "STREAM", "a rank has no memory for 3 vectors of ");
    common::hpcc::announcement(&stderr, "RandomAccess update");
}

/// A mode that needs shared memory, where a rank has none.
#[test]
fn random_access_without_shared_memory_is_hpccs_own_in_a_mode_that_needs_it() {
    let stderr = refused("hpcc-no-segment", "last", |launch| {
        launch.env("HCUBE_HPCC", "ra,stream").env("HCUBE_MODE", "node")
    });
    one_line(&stderr, "RandomAccess update", "shared memory");
    common::hpcc::announcement(&stderr, "STREAM");
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
        one_line(&stderr, title, "HCUBE_RANKS_PER_NODE");
    }
}
