//! tests/c/pblas_errors.c: invalid arguments, which ScaLAPACK itself reports, with and without hcube.

use crate::common::scalapack::{WithHcube, client, stock};
use crate::common::{Outcome, by_mpi};

/// What ScaLAPACK and the program have said. The launcher's own lines have process numbers.
fn said(outcome: &Outcome) -> Vec<String> {
    let text = format!("{}\n{}", outcome.stdout, outcome.stderr);
    let is_said = |line: &&str| ["PBLAS ERROR", "from {", "PB_Cabort"].iter().any(|text| line.contains(text));
    let mut lines: Vec<String> = text.lines().filter(is_said).map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// Every kind of error, in a program whose own PB_Cabort comes back.
#[test]
fn all_errors_are_reported_as_by_scalapack() {
    let Some(program) = client("pblas_errors", "-own", &["-DOWN_ABORT"]) else { return };
    // MPICH's launcher mixes the lines of ranks.
    let ranks = by_mpi(2, 1);
    let alone = stock(&program, ranks).whole_lines().run();
    let run = WithHcube::preloaded("errors", &program, ranks).with(|launch| launch.whole_lines());
    let (outcome, statistics) = run.run();
    let (expected, found) = (said(&alone), said(&outcome));
    let reports = found.iter().filter(|line| line.contains("PB_Cabort")).count();
    assert!(reports > 150 * ranks, "{reports} reports: {outcome:?}");
    for (one, other) in expected.iter().zip(&found) {
        assert_eq!(one, other, "without hcube and with it");
    }
    assert_eq!(expected.len(), found.len());
    alone.success();
    outcome.success();
    let statistics = statistics.expect("statistics");
    // Calls for a context without a grid on this process are forwarded to ScaLAPACK for another reason.
    let left = statistics.left("arguments that are not valid") + statistics.left("not in the grid");
    assert_eq!(left, reports as u64, "{statistics:?}");
    assert_eq!(statistics.all_left(), left, "{statistics:?}");
}

/// Without a PB_Cabort of the program the job ends, with the code that it ends with without hcube.
#[test]
fn errors_end_the_job() {
    let Some(program) = client("pblas_errors", "", &[]) else { return };
    for case in ["transa=88", "A.DTYPE=501", "C.LLD=1", "k=-1"] {
        let alone = stock(&program, 2).arg(case).whole_lines().run();
        let run = WithHcube::preloaded("aborts", &program, 2).with(|launch| launch.arg(case).whole_lines());
        let (outcome, _) = run.run();
        assert_eq!(alone.status.code(), outcome.status.code(), "{case}: {alone:?} {outcome:?}");
        assert!(!outcome.status.success() && outcome.left.is_empty(), "{case}: {outcome:?}");
        // A rank may be ended before it has said what is wrong.
        let (expected, found) = (said(&alone), said(&outcome));
        assert!(!found.is_empty(), "{case}: {outcome:?}");
        let kinds = |lines: &[String]| {
            let mut kinds: Vec<String> =
                lines.iter().filter(|line| line.contains("PBLAS ERROR")).cloned().collect();
            kinds.dedup();
            kinds
        };
        assert_eq!(kinds(&expected), kinds(&found), "{case}");
    }
}

/// The other ranks have begun, and must not wait for the one that has not.
#[test]
fn a_leading_dimension_that_is_wrong_on_one_rank_ends_the_job() {
    let Some(program) = client("pblas_errors", "", &[]) else { return };
    for case in ["C.LLD=1@1", "A.LLD=0@0"] {
        let run = WithHcube::preloaded("leading", &program, 2);
        let (outcome, _) = run.with(|launch| launch.arg(case).whole_lines()).run();
        assert!(!outcome.status.success() && outcome.left.is_empty(), "{case}: {outcome:?}");
        assert!(outcome.stderr.contains("[LLD_]"), "{case}: {outcome:?}");
    }
}
