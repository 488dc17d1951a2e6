//! tests/c/bsp/life.c: the parts of a program before, in and after the SPMD part, and the processes that
//! execute them.

use crate::common::Outcome;
use crate::common::bsp::{Dialect, launch, program};
use crate::common::guest::ranks;
use crate::common::{Language, Launch};

/// Runs a program: its mode, and for some a number of processes.
fn run(line: &str, ranks: usize) -> Outcome {
    launch("bsp/life", ranks).args(line.split(' ')).whole_lines().run()
}

/// Which places were reached by how many processes, with the number that they have said.
fn check(line: &str, ranks: usize, places: &[(&str, usize, usize)]) {
    let text = run(line, ranks).success();
    let mut found: Vec<&str> = text.lines().collect();
    found.sort_unstable();
    let lines = places.iter().flat_map(|(place, said, times)| vec![format!("{place} {said}"); *times]);
    let mut expected: Vec<String> = lines.collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{line} on {ranks} processes");
}

#[test]
fn the_spmd_part_is_main() {
    for all in [1, ranks(5)] {
        let everywhere = [("before", all, all), ("inside", all, all), ("after", all, all)];
        check("main", all, &everywhere);
        check("fewer 100", all, &everywhere);
        check("finalize", all, &everywhere);
    }
}

#[test]
fn process_0_runs_what_comes_before_and_after() {
    for all in [1, ranks(5)] {
        check("init", all, &[("before", all, 1), ("inside", all, all), ("after", all, 1)]);
    }
    let all = ranks(5);
    let used = all - 1;
    check(
        &format!("init-fewer {used}"),
        all,
        &[("before", all, 1), ("inside", used, used), ("after", used, 1)],
    );
}

/// Each process passes data of its own main to the SPMD part.
#[test]
fn the_spmd_part_has_an_argument() {
    for dialect in [Dialect::Classic, Dialect::Multicore, Dialect::Compatible] {
        for all in [1, ranks(5)] {
            let program = program("bsp/life", Language::C11, dialect);
            let text = Launch::new(program, all).limit(60).arg("data").whole_lines().run().success();
            let mut found: Vec<&str> = text.lines().collect();
            found.sort_unstable();
            let inside = format!("inside {all}");
            let mut expected = vec![inside.as_str(); all];
            let after = format!("after {all}");
            expected.insert(0, &after);
            assert_eq!(found, expected, "{dialect:?}");
        }
    }
}

/// The others are waiting in `bsp_begin`.
#[test]
fn process_0_may_end_without_an_spmd_part() {
    for all in [1, ranks(5)] {
        check("init-leave", all, &[("before", all, 1)]);
    }
}

/// Processes that the SPMD part does not use end without a word.
#[test]
fn fewer_processes_than_were_started() {
    let all = ranks(5);
    for used in 1..all {
        let places = [("before", all, all), ("inside", used, used), ("after", used, used)];
        check(&format!("fewer {used}"), all, &places);
    }
}

#[test]
fn a_program_that_uses_mpi_itself() {
    for all in [1, ranks(5)] {
        check("mpi", all, &[("after", all, all)]);
    }
    check(&format!("mpi-fewer {}", ranks(4) - 1), ranks(4), &[("after", ranks(4) - 1, ranks(4) - 1)]);
}

/// A child neither ends the job nor finalises MPI.
#[test]
fn children_of_the_program() {
    check("fork", 2, &[("after", 2, 2)]);
}

/// The text is printed as printf makes it, and all processes end.
#[test]
fn abort_prints_and_ends_the_job() {
    let dialects = [Dialect::Classic, Dialect::Multicore, Dialect::Standard];
    for (mode, all) in [("abort", ranks(4)), ("abort", 1), ("abort-list", ranks(4))] {
        for dialect in dialects {
            if mode == "abort-list" && dialect == Dialect::Standard {
                continue;
            }
            let launch = Launch::new(program("bsp/life", Language::C11, dialect), all).limit(60);
            let outcome = launch.arg(mode).whole_lines().run();
            let process = usize::from(all > 1);
            let text = format!("process {process} of {all} says text 4.5");
            let found = outcome.stderr.lines().filter(|line| *line == text).count();
            assert_eq!(found, 1, "{mode} {dialect:?}: {outcome:?}");
            assert!(!outcome.status.success() && outcome.left.is_empty(), "{mode} {dialect:?}: {outcome:?}");
            assert!(!outcome.stderr.contains("hcube"), "{mode} {dialect:?}: {outcome:?}");
        }
    }
    let outcome = run("abort-long", 1);
    assert!(outcome.stderr.lines().any(|line| line.len() == 8000 && line.ends_with("007")), "{outcome:?}");
    let outcome = run("abort-before", 2);
    assert!(outcome.stderr.lines().any(|line| line == "early: text 42"), "{outcome:?}");
    assert!(!outcome.status.success() && outcome.left.is_empty(), "{outcome:?}");
}
