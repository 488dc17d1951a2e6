//! Bad input and faults of the all-to-all exchange: nothing written, no rank left waiting, no wrong
//! data, nothing left behind.

use crate::common;
use crate::common::{Launch, Outcome, by_mpi};
use std::process::Command;

const PATHS: [&str; 4] = ["auto", "single-copy", "shared", "message"];

fn few(openmpi: usize) -> usize {
    by_mpi(openmpi, 2)
}

/// Open MPI itself uses single copy, and does not check whether it is permitted or whether pids are valid.
fn without_mpis_single_copy(launch: Launch) -> Launch {
    launch.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("UCX_TLS", "self,posix,sysv")
}

/// Whether a line has these words, and not as a part of others.
fn has_words(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(at, _)| {
        let apart = |neighbour: Option<char>| neighbour.is_none_or(|letter| !letter.is_alphanumeric());
        apart(line[..at].chars().next_back()) && apart(line[at + words.len()..].chars().next())
    })
}

/// Checks a line `expect|<rank>|<function>|<words>|...` of the client against what the ranks wrote.
fn check_message(expectation: &str, stderr: &str) {
    let mut parts = expectation.split('|').skip(1);
    let mut part = || parts.next().expect("rank and function");
    let start = format!("hcube: rank {}: {}:", part(), part());
    let words: Vec<&str> = parts.collect();
    let found = stderr
        .lines()
        .filter_map(|line| line.strip_prefix(&start))
        .any(|rest| words.iter().all(|word| has_words(rest, word)));
    assert!(found, "no line '{start}' with {words:?} in\n{stderr}");
}

/// Every bad input of tests/c/alltoall_errors.c on each path.
#[test]
fn bad_input_is_refused_on_all_ranks() {
    let by_path = PATHS.map(|path| vec![("HCUBE_PATH", path)]);
    let by_leaders = vec![("HCUBE_ALLTOALL", "node-leaders"), ("HCUBE_RANKS_PER_NODE", "2")];
    for environment in by_path.into_iter().chain([by_leaders]) {
        for ranks in 1..=few(4) {
            let launch = Launch::client("alltoall_errors", ranks);
            let launch = launch.envs(&environment);
            let outcome = launch.whole_lines().limit(60).run();
            let stderr = outcome.stderr.clone();
            let text = outcome.success();
            let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
            let refusals: u32 = last.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
            // Fewer would mean that parts were left out: with one rank there is nothing that differs.
            let least = match ranks {
                1 => 24,
                2 => 35,
                _ => 43,
            };
            assert!(refusals >= least, "{refusals} refusals on {ranks} ranks");
            let expectations: Vec<&str> = text.lines().filter(|line| line.starts_with("expect|")).collect();
            // At least what is wrong with one rank's own arguments.
            assert!(expectations.len() >= 20, "{text}");
            for expectation in expectations {
                check_message(expectation, &stderr);
            }
        }
    }
}

/// With the default error handler the job ends and says why.
#[test]
fn the_default_error_handler_ends_the_job() {
    for ranks in 1..=few(3) {
        let outcome = Launch::client("alltoall_errors", ranks).arg("fatal").whole_lines().limit(60).run();
        assert!(!outcome.status.success() && !outcome.stdout.contains("came back"), "{outcome:?}");
        check_message("expect|0|MPI_Alltoallv|-3", &outcome.stderr);
        assert!(outcome.left.is_empty(), "processes left: {outcome:?}");
    }
}

/// A rank that dies ends the job; the others do not spin on.
#[test]
fn a_killed_rank_ends_the_job() {
    let before = common::named_shared_memory();
    for path in PATHS {
        let launch = Launch::client("alltoall_faults", few(3)).arg("killed").env("HCUBE_PATH", path);
        let outcome = launch.limit(60).run();
        assert!(outcome.stdout.contains("ready"), "the exchange has not begun: {outcome:?}");
        assert!(!outcome.status.success() && !outcome.stdout.contains("ok killed"), "{outcome:?}");
        assert!(outcome.left.is_empty(), "processes left: {outcome:?}");
    }
    common::assert_no_shared_memory_left(&before);
}

/// Runs a part of tests/c/alltoall_faults.c on each path.
fn on_all_paths(part: &str, counts: &[usize]) {
    on_paths(&PATHS, part, counts);
}

fn on_paths(paths: &[&str], part: &str, counts: &[usize]) {
    for path in paths {
        for &ranks in counts {
            let launch = Launch::client("alltoall_faults", ranks).arg(part).env("HCUBE_PATH", path);
            let text = launch.limit(60).run().success();
            assert!(text.contains(&format!("ok {part}")), "{text}");
        }
    }
}

/// Messages of the program make progress while a rank is inside hcube.
#[test]
fn messages_of_others_make_progress() {
    on_all_paths("progress", by_mpi(&[2, 4][..], &[2]));
}

/// Nobody touches the buffer of a rank that has returned.
#[test]
fn leaving_early() {
    on_all_paths("leaving", by_mpi(&[2, 4][..], &[2]));
}

/// A rank reports errors that it can detect itself without waiting, if no messages are needed for the
/// decision.
#[test]
fn a_bad_argument_is_reported_before_the_others_call() {
    on_paths(&PATHS[..3], "alone", by_mpi(&[2, 3, 4][..], &[2]));
}

fn forbidden(ranks: usize, whom: &str, when: &str, path: &str) -> Outcome {
    let launch = Launch::client("alltoall_faults", ranks).args(["forbidden", whom, when]);
    without_mpis_single_copy(launch).env("HCUBE_PATH", path).limit(60).run()
}

/// A kernel that refuses single copy from the beginning, to all ranks or to some: another path is used.
#[test]
fn single_copy_forbidden_before() {
    for whom in ["all", "some"] {
        for ranks in [2, few(3)] {
            let text = forbidden(ranks, whom, "before", "auto").success();
            assert!(text.contains("ok forbidden"), "{text}");
        }
    }
}

/// Single copy that worked and is then taken away: right data by another path.
#[test]
fn single_copy_forbidden_after() {
    for whom in ["all", "some"] {
        for ranks in [2, few(3)] {
            let text = forbidden(ranks, whom, "after", "single-copy").success();
            assert!(text.contains("ok forbidden"), "{text}");
        }
    }
}

/// A request for single copy where it is forbidden returns an error, and earlier settings stay.
#[test]
fn single_copy_asked_for_and_forbidden() {
    let launch = without_mpis_single_copy(Launch::client("alltoall_faults", 2).arg("refused"));
    let text = launch.limit(60).run().success();
    assert!(text.contains("ok refused"), "{text}");
}

/// Each rank in a separate PID namespace: every pid is 1, and none is valid outside.
#[test]
fn pids_that_lie() {
    let wrapper = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    let permitted = Command::new("unshare").args(wrapper).arg("true").output();
    if !permitted.as_ref().is_ok_and(|output| output.status.success()) {
        common::skip("pid-namespaces", &format!("unshare fails: {permitted:?}"));
        return;
    }
    let client = common::client("alltoall", common::Language::C11);
    for path in ["auto", "message"] {
        for ranks in [2, few(3)] {
            let launch =
                Launch::new("unshare", ranks).args(wrapper).arg(&client).args(["700", "40", "20000"]);
            // The shared memory of the libraries does not survive this, except MPICH's System V segments.
            let launch = launch.env("OMPI_MCA_btl", "self,tcp").env("UCX_TLS", "self,sysv");
            let launch = launch.env("HCUBE_PATH", path).env("HCUBE_TEST_NOT_SHARED", "1");
            let text = launch.limit(60).run().success();
            assert!(text.contains("ok 40 cases"), "{text}");
        }
    }
}
