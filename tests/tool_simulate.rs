//! `hcube simulate` as users start it: small sizes on every machine, the same bytes twice, refusals, and a
//! driver that hangs. Needs SimGrid and target/smpi, which scripts/test.sh builds.

mod common;

use common::Mpi;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The folder with platform and drivers, as scripts/simulate.sh builds them.
fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut script = Command::new(common::root().join("scripts/simulate.sh"));
        common::output(script.env("HCUBE_BUILD_ONLY", "1").env_remove("LD_LIBRARY_PATH"));
        common::root().join("target/simulate")
    })
}

fn tool(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hcube"));
    command.arg("simulate").args(arguments);
    command.output().expect("the tool starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of the test's own, with what scripts/simulate.sh has built.
fn copy_of_root(name: &str) -> PathBuf {
    let folder = common::build().join("clients/simulate").join(name);
    fs::create_dir_all(&folder).expect("the target directory is writable");
    for file in ["platform.so", "random_access", "alltoall"] {
        fs::copy(root().join(file), folder.join(file)).expect("built");
    }
    folder
}

#[test]
fn small_sizes_on_every_machine_are_right_and_the_same_twice() {
    if Mpi::selected() != Mpi::Open {
        return; // once is enough: SimGrid is neither of the two
    }
    let folder = copy_of_root("small");
    for machine in ["red-storm", "juropa", "juqueen"] {
        let [first, second] = [1, 2].map(|_| {
            let folder = folder.to_str().expect("UTF-8");
            let output = tool(&[
                "--root",
                folder,
                "--machine",
                machine,
                "--ranks",
                "1 2 3 5 8",
                "--ranks-per-node",
                "2",
                "--sections",
                "ranks,schedules",
                "--json",
            ]);
            assert!(output.status.success(), "{machine}: {}", text(&output.stderr));
            text(&output.stdout)
        });
        assert_eq!(first, second, "{machine}");
        for sizes in ["\"ranks\": 5", "\"ranks\": 8", "\"algorithm\": \"library-out-of-place\""] {
            assert!(first.contains(sizes), "{sizes} expected:\n{first}");
        }
        assert!(
            !first.lines().any(|line| line.contains("\"errors\"") && !line.contains("\"errors\": 0")),
            "{first}"
        );
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let missing = std::env::temp_dir().join("hcube-no-such-folder");
    let missing = missing.to_str().expect("UTF-8");
    for (arguments, message) in [
        (vec!["--machine", "red-strom"], "red-strom"),
        (vec!["--sections", "ranks", "--ranks", "20000"], "red-storm has 10368"),
        (vec!["--sections", "ranks", "--root", missing], "is missing (scripts/simulate.sh builds it)"),
    ] {
        let output = tool(&arguments);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(message), "{arguments:?}: {errors}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hcube"));
    let output =
        command.args(["simulate", "--sections", "ranks"]).env("PATH", "/nowhere").output().expect("starts");
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("libsimgrid-dev"));
}

#[test]
fn a_deadlock_is_told_with_ranks_and_calls() {
    if Mpi::selected() != Mpi::Open {
        return;
    }
    let folder = copy_of_root("deadlock");
    let mut compiler = Command::new("smpicc");
    compiler.args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]);
    common::output(
        compiler.arg(common::root().join("tests/c/deadlock.c")).arg("-o").arg(folder.join("alltoall")),
    );
    let folder = folder.to_str().expect("UTF-8");
    let output = tool(&["--root", folder, "--sections", "memory", "--machine", "juropa", "--ranks", "4"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    for expected in
        ["on 4 ranks is in a deadlock", "2 rank(s) in MPI_Recv: 0, 1", "2 rank(s) in MPI_Barrier: 2, 3"]
    {
        assert!(errors.contains(expected), "{expected} expected:\n{errors}");
    }
}
