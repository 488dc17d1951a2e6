//! Environment variables of coarray programs: the progress thread, polls for shipped functions, and values
//! that differ between images.

use crate::common::{Language, Launch, by_mpi, client};

fn images() -> usize {
    by_mpi(3, 2)
}

/// Every function of the header, with a progress thread in each image, and with a poll for shipped functions
/// after each one that is shipped.
#[test]
fn programs_work_with_a_progress_thread_and_with_many_looks() {
    for (name, value) in [("HCUBE_CAF_PROGRESS", "50"), ("HCUBE_CAF_LOOK", "1")] {
        for (nodes, paths) in [("0", "node"), ("1", "node messages")] {
            let launch = Launch::client("caf", images()).arg("own").env("HCUBE_RANKS_PER_NODE", nodes);
            let text = launch.env(name, value).limit(60).run().success();
            assert_eq!(text.trim(), format!("ok {} {paths}", images()), "{name}, nodes {nodes}");
        }
    }
}

#[test]
fn a_progress_thread_runs_functions_while_its_image_computes() {
    for nodes in ["0", "1"] {
        let launch = Launch::client("caf_progress", 2).env("HCUBE_RANKS_PER_NODE", nodes);
        let text = launch.env("HCUBE_CAF_PROGRESS", "50").limit(100).run().success();
        assert_eq!(text.trim(), "ok 2", "nodes {nodes}");
    }
}

/// The output of hcube_caf_init on each image, if the first one has another value of a variable; in order.
fn with_another_value(name: &str, value: &str, owns_mpi: bool) -> Vec<String> {
    let script =
        format!("case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in 0) export {name}={value};; esac; exec \"$@\"");
    let launch = Launch::new("sh", images()).args(["-c", &script, "sh"]);
    let launch = launch.arg(client("caf_variables", Language::C11)).whole_lines();
    let outcome = if owns_mpi { launch.arg("own") } else { launch }.limit(60).run();
    let mut lines: Vec<String> = outcome.stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), images(), "{name}={value}: {outcome:?}");
    lines.sort();
    lines
}

/// The first image reports why its value is refused, the others return an error; no image is left waiting.
#[test]
fn variables_that_differ_are_refused_on_all_images() {
    // MPI is initialised by the program, for one thread: this image can have no progress thread.
    for (rank, line) in with_another_value("HCUBE_CAF_PROGRESS", "100", false).iter().enumerate() {
        assert!(line.starts_with(&format!("{rank}: 1 ")), "{line}");
        assert!(line.contains("expected MPI_THREAD_MULTIPLE"), "{line}");
        assert_eq!(line.contains("rank 0"), rank > 0, "{line}");
    }
    for (name, value) in [("HCUBE_CAF_PROGRESS", "100"), ("HCUBE_CAF_LOOK", "7")] {
        let field = name.rsplit('_').next().expect("a name").to_lowercase();
        for line in with_another_value(name, value, true) {
            assert!(line.contains(&format!("options.{field} differs")), "{line}");
        }
    }
    for line in with_another_value("HCUBE_CAF_LOOK", "0", false) {
        assert!(line.contains("HCUBE_CAF_LOOK"), "{line}");
    }
}
