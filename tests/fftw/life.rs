//! Plans during the life of a process (tests/c/fftw_life.c): new arrays, many plans, repeated initialisation
//! of FFTW, threads, leaks, memory; registration by a call (tests/c/fftw_register.c).

use crate::clients::{
    Line, Linked, Precision, alone, always, counts, is_preloaded, linked_client, only_preloaded, precisions,
};

fn life(precision: Precision, ranks: usize, arguments: &[&str]) -> Line {
    Line::of(always("fftw_life", precision, ranks).args(arguments))
}

fn all_are_hcubes(line: &Line) {
    assert!(line.count("plans") > 0 && line.count("hcube") == line.count("plans"), "{line:?}");
}

#[test]
fn plans_stay_and_take_other_arrays() {
    for &precision in precisions() {
        for &ranks in counts(&[1, 2, 3], &[2]) {
            all_are_hcubes(&life(precision, ranks, &["arrays"]));
        }
    }
}

#[test]
fn fftw_starts_again() {
    for &precision in precisions() {
        for &ranks in counts(&[1, 2, 5], &[2]) {
            all_are_hcubes(&life(precision, ranks, &["restart"]));
            // The patched FFTW has no threads.
            if is_preloaded() {
                all_are_hcubes(&life(precision, ranks, &["restart", "threads"]));
            }
        }
    }
}

#[test]
fn threads_with_plans_of_their_own() {
    for path in ["auto", "shared", "message"] {
        for &ranks in counts(&[1, 2, 3], &[2]) {
            let launch = always("fftw_life", Precision::Double, ranks).env("HCUBE_PATH", path);
            let text = launch.arg("concurrent").run().success();
            if text.contains("skipped concurrent") {
                crate::common::skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
            } else {
                all_are_hcubes(&Line::in_text(&text));
            }
        }
    }
}

/// Resident memory, open files and mappings stay as they are.
#[test]
fn nothing_remains_of_plans() {
    let alone = |ranks| always("fftw_life", Precision::Double, ranks).alone();
    for &ranks in counts(&[1, 2, 3], &[2]) {
        all_are_hcubes(&Line::of(alone(ranks).args(["cycles", "2000"])));
    }
    all_are_hcubes(&Line::of(alone(2).env("HCUBE_PATH", "message").args(["cycles", "1000"])));
    // Here each plan has its own communicator.
    for &ranks in counts(&[1, 3], &[2]) {
        all_are_hcubes(&Line::of(alone(ranks).args(["cycles", "1000", "multiple"])));
    }
}

/// What the first execution takes once: hcube's exchange and FFTW's buffers for local transpositions.
const FIRST: i64 = 256 << 10;
/// Tolerance for counting in pages and for buffers of FFTW and MPI.
const ROOM: i64 = 64 << 10;

/// An in-place transposition takes no block more, as FFTW's own does: 8 MiB here.
#[test]
fn memory_beside_the_data_is_bounded() {
    let cases: [(&[(&str, &str)], i64); 4] = [
        (&[], 1 << 20),
        (&[("HCUBE_MEMORY", "64k")], 64 << 10),
        (&[("HCUBE_MEMORY", "0")], 0),
        (&[("HCUBE_PATH", "shared")], 1 << 20),
    ];
    for (variables, limit) in cases {
        for layout in [None, Some("in"), Some("both")] {
            let launch = always("fftw_life", Precision::Double, 2).envs(variables);
            let line = Line::of(launch.alone().args(["memory", "2048"]).args(layout));
            all_are_hcubes(&line);
            let [first, steady] = ["first", "steady"].map(|name| line.count(name));
            assert!(
                steady <= limit + ROOM && first <= limit + ROOM + FIRST,
                "{variables:?}, {layout:?}: {line:?}"
            );
        }
    }
}

#[test]
fn fftw_alone_takes_a_block() {
    let launch = always("fftw_life", Precision::Double, 2).env("HCUBE_FFTW", "never");
    let line = Line::of(launch.args(["memory", "2048", "both"]));
    assert!(
        line.count("hcube") == 0 && line.count("steady") > 7 << 20,
        "the measurement sees nothing: {line:?}"
    );
}

/// Programs that call `hcube_fftw_register`, linked with the library or with archives.
#[test]
fn registration_by_a_call() {
    if !only_preloaded("the patched FFTW has the solver already") {
        return;
    }
    for &precision in precisions() {
        for (linked, mode) in [(Linked::Shared, None), (Linked::Static, Some("alone"))] {
            let program = linked_client("fftw_register", precision, linked);
            for ranks in [1, 2, 3] {
                let launch = alone(&program, ranks).env("HCUBE_FFTW", "always").args(mode);
                let text = launch.run().success();
                assert_eq!(text.trim(), "ok register", "{precision:?}, {linked:?}, {ranks} ranks");
            }
            let outcome = alone(&program, 2).env("HCUBE_FFTW", "never").env("HCUBE_VERBOSE", "1").run();
            let told = outcome.stderr.lines().filter(|line| line.starts_with("hcube: FFTW: ")).count();
            assert!(told == 1 && outcome.stdout.starts_with("refused "), "{outcome:?}");
            outcome.success();
        }
    }
}
