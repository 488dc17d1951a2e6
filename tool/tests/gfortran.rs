//! `hcube bench gfortran` as users start it.

use hcube_testing as common;

use common::gfortran::{has_compiler, library};
use common::{Mpi, TOOL, runs};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

/// The benchmark, by which libhcube_caf.so of the build under test is measured.
fn bench(options: &[&str]) -> Command {
    let mut command = Command::new(TOOL.as_str());
    command.args(["bench", "gfortran", "--no-progress", "--repeat", "1", "--limit", "120", "--caf"]);
    command.arg(library()).args(options);
    command
}

fn refused(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.code() == Some(2) && stdout.is_empty(), "{status}: {text}");
    text
}

/// The operations of a variant.
fn of(runs: &[Value], variant: &str) -> Vec<String> {
    let own = runs.iter().filter(|run| run["variant"].as_str() == Some(variant));
    own.map(|run| run["operation"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn programs_are_compiled_measured_verified_and_compared() {
    if !has_compiler() {
        return;
    }
    let path = file("gfortran.json");
    let operations = "get,put-vector,sync-all,halo-faces,transpose-get";
    let options = ["--images", "2", "--sizes", "8,4k", "--operations", operations];
    let output = common::output(bench(&options).arg(common::json_to(&path)));
    assert!(output.contains("verified: 0 errors") && output.contains("speed-up"), "{output}");
    let runs = runs(&path);
    let expected = ["get", "get", "put-vector", "sync-all", "halo-faces", "transpose-get"];
    assert_eq!(of(&runs, "hcube"), expected, "{output}");
    assert_eq!(of(&runs, "mpi"), ["halo", "transpose"], "{output}");
    // What is not measured is said: all of OpenCoarrays, or what it aborts in.
    let others = of(&runs, "opencoarrays");
    for name in expected {
        let is_left_out = output.contains(&format!("{name} left out of opencoarrays"))
            || output.contains("opencoarrays left out: ");
        assert_ne!(others.iter().any(|other| other == name), is_left_out, "{name}: {output}");
    }
    let mut checks = Vec::new();
    for run in &runs {
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        // Between images of one node no packets are counted.
        let used = &run["usage"];
        assert!(used["switches"].is_f64() && used["sent_packets"].is_null(), "{run}");
        assert_eq!((run["ranks"].as_u64(), run["errors"].as_u64()), (Some(2), Some(0)), "{run}");
        let operation = run["operation"].as_str().expect("a name");
        let is_compared =
            run["variant"] != "mpi" && (operation == "halo-faces" || operation == "transpose-get");
        assert_ne!(run["over_mpi"].is_null(), is_compared, "{run}");
        if operation.starts_with("transpose") {
            checks.push(run["check"].as_i64().expect("a number"));
        }
    }
    assert!(
        checks.len() >= 2 && checks[0] != 0 && checks.iter().all(|check| *check == checks[0]),
        "{checks:?}"
    );
}

/// An MPI library without Fortran: its functions are called in C, with the same results.
#[test]
fn programs_with_mpi_call_it_in_c_where_it_has_no_fortran() {
    if !has_compiler() {
        return;
    }
    let path = file("gfortran-mpi-in-c.json");
    let compiler = format!("mpicc.{}", Mpi::selected().name());
    let options = ["--images", "2", "--operations", "jacobi,transpose-put", "--mpi-compiler", &compiler];
    let output = common::output(bench(&options).arg(common::json_to(&path)));
    assert!(output.contains("verified: 0 errors"), "{output}");
    assert!(output.contains("opencoarrays left out: none for mpicc"), "{output}");
    let runs = runs(&path);
    assert_eq!(of(&runs, "mpi"), ["jacobi", "transpose"], "{output}");
    let check = |variant: &str| -> Vec<i64> {
        let own = runs.iter().filter(|run| run["variant"] == variant);
        own.map(|run| run["check"].as_i64().expect("a number")).collect()
    };
    assert!(check("mpi") == check("hcube") && !check("mpi").contains(&0), "{runs:?}");
}

#[test]
fn every_operation_works_with_one_image_and_with_several() {
    if !has_compiler() {
        return;
    }
    let path = file("gfortran-all.json");
    let options = ["--images", "1,3", "--sizes", "8", "--no-opencoarrays", "--no-mpi"];
    let output = common::output(bench(&options).arg(common::json_to(&path)));
    assert!(output.contains("verified: 0 errors") && !output.contains("opencoarrays"), "{output}");
    assert!(output.contains("event-round-trip left out of 1 image(s): it needs two"), "{output}");
    assert!(output.contains("transpose-put left out of 3 image(s): 1024 columns"), "{output}");
    // co_sum has three sizes.
    let found = of(&runs(&path), "hcube").len();
    assert_eq!(found, 2 * (21 + 2 + 6) - 1 - 2, "{output}");
}

#[test]
fn images_on_several_nodes_exchange_messages() {
    if !has_compiler() {
        return;
    }
    let path = file("gfortran-nodes.json");
    let operations = "get,put-row,get-component,atomic-add,halo-get-elements";
    let options = ["--images", "2", "--sizes", "8,256k", "--ranks-per-node", "1", "--no-opencoarrays"];
    let mut command = bench(&options);
    let output = common::output(command.args(["--operations", operations]).arg(common::json_to(&path)));
    assert!(output.contains("verified: 0 errors") && output.contains("2 (1/node)"), "{output}");
    let runs = runs(&path);
    assert!(runs.iter().all(|run| run["ranks_per_node"].as_u64() == Some(1)), "{runs:?}");
    assert_eq!(of(&runs, "hcube").len(), 6);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    if !has_compiler() {
        return;
    }
    for (options, words) in [
        (&["--caf", "/nowhere/lib.so"][..], &["--caf = /nowhere/lib.so", "libhcube_caf.so"][..]),
        (&["--opencoarrays", "/nowhere/lib.so"], &["--opencoarrays = /nowhere/lib.so"]),
        (&["--mpi-compiler", "no-such-compiler"], &["none of no-such-compiler", "--mpi-compiler"]),
        (&["--compiler", "no-such-compiler"], &["--compiler = no-such-compiler", "gfortran 12 to 14"]),
        (&["--launcher", "no-such-launcher -x"], &["--launcher = no-such-launcher -x"]),
        (&["--folder", "/proc/none"], &["--folder = /proc/none"]),
        (&["--json=/proc/none/results"], &["--json", "/proc/none"]),
    ] {
        let mut command = Command::new(TOOL.as_str());
        let text = refused(command.args(["bench", "gfortran", "--no-progress"]).args(options));
        assert!(words.iter().all(|word| text.contains(word)), "{options:?}: {text}");
    }
    let mut below = bench(&[]);
    let text = refused(below.env("PMI_RANK", "0"));
    assert!(text.contains("without mpirun"), "{text}");
}

#[test]
fn hcube_that_fails_ends_the_benchmark() {
    if !has_compiler() {
        return;
    }
    let options = ["--images", "2", "--operations", "sync-all", "--no-opencoarrays", "--launcher"];
    let Output { status, stdout, stderr } = bench(&options).arg("false").output().expect("it starts");
    let [printed, text] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.code() == Some(2) && text.contains("hcube with 2 image(s): exit status: 1"), "{text}");
    // What is measured was said before, but no figure.
    assert!(printed.contains("hcube") && !printed.contains("sync-all"), "{printed}");
}
