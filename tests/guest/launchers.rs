//! Launchers that do not say whether all processes have the preload library.

use crate::common::guest::program;
use crate::common::preload::library;
use crate::common::{Language, Launch, Mpi, Outcome, only_with};

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

/// Ranks that wait for another one say why that may be, and go on when it comes.
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
