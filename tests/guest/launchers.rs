//! Launchers that do not tell whether all processes have the preload library, launchers of another MPI
//! library, and no launcher.

use crate::common::guest::program;
use crate::common::preload::{library, preload_variable};
use crate::common::{self, Language, Launch, Mpi, Outcome, only_with, skip};
use std::ffi::OsString;
use std::process::{Command, Output};

/// Exchanges to which the last rank comes late, where the processes cannot publish what they have.
fn late(seconds: u32) -> Outcome {
    let program = program("late", Language::C11);
    let script = format!(
        "unset PMIX_VERSION; LD_PRELOAD={} HCUBE_STATS=1 exec {} {seconds}",
        library().display(),
        program.display()
    );
    // On a machine with two cores, ranks that wait for 10 s leave them to other tests.
    Launch::new("sh", 3).args(["-c", &script]).whole_lines().limit(60).run()
}

/// Ranks that wait for another one print the possible reason, and continue when it arrives.
#[test]
fn a_rank_that_waits_says_so() {
    if !only_with(Mpi::Open, "MPICH's process manager always answers") {
        return;
    }
    for (seconds, lines) in [(0, 0), (13, 1)] {
        let outcome = late(seconds);
        let waiting = outcome.stderr.matches("hcube: rank 0 has waited 10 s for other ranks").count();
        assert_eq!(waiting, lines, "{seconds} s: {}", outcome.stderr);
        assert!(outcome.stderr.contains("shared"), "hcube has made no exchange: {}", outcome.stderr);
        assert_eq!(outcome.success(), "ok late\n");
    }
}

/// Open MPI 4 fails now and then where two processes without a launcher create the same session directory at
/// once: each has a directory of its own.
const IN_ITS_OWN_DIRECTORY: &str = "TMPDIR=$(mktemp -d) exec \"$@\"";

/// The launcher of the other kind of MPI library, which starts two processes.
fn other_launcher() -> Option<Vec<&'static str>> {
    let command = match Mpi::selected() {
        Mpi::Open => vec!["mpirun.mpich", "-np", "2"],
        Mpi::Mpich => vec!["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", "2"],
    };
    let found = Command::new(command[0]).arg("--version").output().is_ok();
    if !found {
        skip("other-launcher", &format!("no {}", command[0]));
    }
    found.then(|| [&command[..], &["sh", "-c", IN_ITS_OWN_DIRECTORY, "sh"]].concat())
}

/// Runs a program by a command, as it is or under the preload library with these variables.
fn run(command: &[&str], preload: Option<&[&str]>, status: i32) -> Output {
    let mut words: Vec<OsString> = ["timeout", "60"].iter().chain(command).map(OsString::from).collect();
    words.push("env".into());
    if let Some(variables) = preload {
        words.push(preload_variable());
        words.extend(variables.iter().map(OsString::from));
    }
    words.push(program("alone", Language::C11).into());
    let mut run = Command::new(&words[0]);
    run.args(&words[1..]).arg(status.to_string());
    // In containers there is often no other user than root.
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        run.env(name, "1");
    }
    common::session::run(&mut run)
}

/// The output of a run, and its exit status. The launcher prints additional lines on standard error.
fn observed(output: &Output) -> (String, Option<i32>) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

/// Lines of hcube on standard error.
fn lines_of_hcube(output: &Output) -> Vec<String> {
    let errors = String::from_utf8_lossy(&output.stderr);
    errors.lines().filter(|line| line.contains("hcube")).map(str::to_owned).collect()
}

/// A command runs as without hcube, and prints the given number of lines, with this text in each; with
/// statistics, each job prints its own.
fn runs_as_without_hcube(command: &[&str], jobs: usize, warnings: usize, text: &str) {
    let stock = observed(&run(command, None, 0));
    assert_eq!(stock, ("0 of 1\n".repeat(jobs), Some(0)), "{command:?}");
    let preloaded = run(command, Some(&[]), 0);
    assert_eq!(observed(&preloaded), stock, "{command:?}: {preloaded:?}");
    let lines = lines_of_hcube(&preloaded);
    assert!(
        lines.len() == warnings && lines.iter().all(|line| line.contains(text)),
        "{command:?}: {lines:?}"
    );
    for asked in ["HCUBE_ALLTOALL=linear-shift", "HCUBE_PATH=single-copy"] {
        let with_statistics = run(command, Some(&["HCUBE_STATS=1", asked]), 0);
        assert_eq!(observed(&with_statistics), stock, "{command:?}: {with_statistics:?}");
        let tables = lines_of_hcube(&with_statistics);
        let tables = tables.iter().filter(|line| line.ends_with(", 1 rank")).count();
        assert_eq!(tables, jobs, "{command:?}: {with_statistics:?}");
    }
    let [failed, same] = [None, Some(&[][..])].map(|preload| run(command, preload, 7).status.code());
    assert_eq!((failed, same), (Some(7), Some(7)), "{command:?}");
}

/// Each process is a separate job.
#[test]
fn a_launcher_of_another_library() {
    if let Some(command) = other_launcher() {
        runs_as_without_hcube(
            &command,
            2,
            1,
            "the launcher has started 2 processes, but each of them is a job",
        );
    }
}

#[test]
fn no_launcher() {
    runs_as_without_hcube(&[], 1, 0, "");
    let two = format!("({IN_ITS_OWN_DIRECTORY}) & first=$!; ({IN_ITS_OWN_DIRECTORY}); wait $first");
    runs_as_without_hcube(&["sh", "-c", &two, "sh"], 2, 0, "");
}
