//! Fortran programs with coarrays, compiled by gfortran for libhcube_caf.so: every kind of statement compared
//! with the Fortran standard, on one node and on several, termination of programs, and errors.
//!
//! The programs are in tests/gfortran. A program that has passed prints this on image 1; `error stop` names
//! the failed check.

use crate::common;
use crate::common::Outcome;
use crate::common::by_mpi;
use crate::common::gfortran::{has_compiler, launch, program_with_mpi};
use crate::common::preload::has_fortran;
use std::fs;

/// Numbers of images, and how many of them count as one node.
const PLACES: [(usize, usize); 8] = [(1, 1), (2, 2), (2, 1), (3, 3), (3, 1), (4, 2), (8, 8), (8, 3)];

/// Runs a program in all these places; every run has to pass.
fn passes(name: &str, places: &[(usize, usize)]) {
    for &(images, per_node) in places {
        let Some(run) = launch(name, images) else { return };
        let text = run.per_node(per_node).run().success();
        assert_eq!(text, format!("{name}: passed\n"), "{images} images, {per_node} per node");
    }
}

/// Every kind of statement; each program says in its first line which it has.
#[test]
fn statements_do_what_fortran_requires() {
    for name in [
        "hello",
        "sections",
        "kinds",
        "components",
        "objects",
        "pointers",
        "moved",
        "synchronisation",
        "collectives",
        "reductions",
        "random",
        "teams",
        "nested",
        "stopped",
    ] {
        passes(name, &PLACES);
    }
    passes("contention", &[(1, 1), (2, 1), (3, 3), (4, 2), (8, 8)]);
}

#[test]
fn images_go_on_after_one_has_failed() {
    passes("failed", &[(3, 3), (3, 1), (4, 2), (8, 8)]);
    passes("failed_pairs", &[(3, 3), (4, 1), (8, 1), (8, 3)]);
}

/// In each case, the last image fails while the others are in another statement.
#[test]
fn each_statement_returns_that_an_image_has_failed() {
    for case in 1..=13 {
        for (images, per_node) in if case % 2 == 0 { [(3, 3), (4, 2)] } else { [(4, 4), (3, 1)] } {
            let Some(run) = launch("survivors", images) else { return };
            let text = run.per_node(per_node).arg(case.to_string()).run().success();
            assert_eq!(text, "survivors: passed\n", "case {case}: {images} images, {per_node} per node");
        }
    }
}

/// A case of a program with 2 images. They write past the launcher, which may lose what is written just
/// before an abort.
fn run_case(program: &str, case: usize, per_node: usize) -> Option<Outcome> {
    Some(launch(program, 2)?.arg(case.to_string()).per_node(per_node).whole_lines().run())
}

/// That a case ends all images with these texts.
fn refused(program: &str, case: usize, per_node: usize, texts: &[&str]) {
    let Some(outcome) = run_case(program, case, per_node) else { return };
    let Outcome { status, stdout, stderr, .. } = outcome;
    let name = format!("{program}, case {case}, {per_node} per node");
    assert_eq!(status.code(), Some(1), "{name}: {stderr}");
    assert!(texts.iter().all(|text| stderr.contains(text)), "{name}: {texts:?} expected: {stderr}");
    assert!(!stdout.contains("survived"), "{name}: {stdout}");
}

#[test]
fn stop_codes_are_exit_codes() {
    for (case, code, text) in [
        (0, 0, ""),
        (1, 3, "STOP 3\n"),
        (2, 0, "STOP a text\n"),
        (3, 4, "ERROR STOP 4\n"),
        (4, 1, "ERROR STOP a reason\n"),
    ] {
        let Some(outcome) = run_case("ends", case, 0) else { return };
        let Outcome { status, stdout, stderr, .. } = outcome;
        assert_eq!(status.code(), Some(code), "case {case}: {stderr}");
        assert!(stderr.contains(text), "case {case}: {stderr}");
        // Also where another image ends the job.
        assert!(stdout.contains("output of image 1\n"), "case {case}: {stdout}");
    }
    let Some(Outcome { status, stderr, .. }) = run_case("ends", 5, 0) else { return };
    assert_eq!((status.code(), stderr.contains("STOP")), (Some(5), false), "{stderr}");
}

#[test]
fn errors_name_image_statement_and_index() {
    for (case, text) in [
        (10, "get: image index 99: expected 1 to 2"),
        (11, "put: image index 0: expected 1 to 2"),
        (12, "get: element 4000000, counted from 1: expected 1 to 4, the elements of the coarray"),
        (13, "is named twice"),
        (14, "get: the component is not allocated"),
        (15, "get: dimension 1: index 9: expected 1 to 3"),
        (16, "get: the coarray is not allocated"),
        (17, "sync images: image index 99: expected 1 to 2"),
    ] {
        refused("ends", case, 0, &["hcube: image ", text]);
    }
}

/// What tests/gfortran/refusals.f90 is refused for, by its cases from 1 on.
const REFUSALS: [&str; 33] = [
    "get: image index -1: expected 1 to 2",
    "get: elements 0 to 1, counted from 1: expected 1 to 4",
    "put: elements 3 to 6, counted from 1: expected 1 to 4",
    "get: elements (2, 5) to (3, 5): expected (2, -1) to (3, 4), the elements of the coarray",
    "get: elements 1 to 9, counted from 1: expected 1 to 4",
    "get: 3 elements are assigned to 4",
    "put: 3 elements are assigned to 4",
    "compile a vector subscript inside an expression",
    "get: the component is not allocated, or a pointer that is not associated",
    "get: bytes 16000188 to 16000192: expected 0 to 208",
    "get: the component is not allocated",
    "put: dimension 1: index 3: expected 1 to 2",
    "unlock: the lock is not locked",
    "unlock: the lock is locked by another image",
    "lock: the lock is locked by this image",
    "lock: element 4, counted from 1: expected 1 to 3",
    "event post: element 3, counted from 1: expected 1 to 2",
    "event post: image index 7: expected 1 to 2",
    "event wait: element 3, counted from 1: expected 1 to 2",
    "event wait: image 1 has stopped",
    "co_sum: image index 9: expected 1 to 2",
    "co_broadcast: image index 0: expected 1 to 2",
    "co_broadcast: bytes differs between ranks, from 4 to 8",
    "co_reduce: a derived type of 8 bytes: expected a function by reference",
    "atomic operation: bytes from 8 on: expected a variable in the 8 bytes of the coarray",
    "atomic_ref: image index 5: expected 1 to 2",
    "change team: the team variable has no value",
    "sync team: the team variable has no value",
    "form team: team number -3: expected 0 or more",
    "get: image index 2: expected 1 to 1, the images of team",
    "its image has no part of the coarray, which belongs to team",
    "sync images: image index -1: expected 1 to 2",
    "image_status: image index 77: expected 1 to 2",
];

#[test]
fn wrong_arguments_end_all_images() {
    for (number, text) in REFUSALS.iter().enumerate() {
        // Every second one on two nodes.
        refused("refusals", number + 1, 1 + number % 2, &[text]);
    }
}

/// Programs that gfortran 15 has compiled call another function first.
#[test]
fn another_interface_is_refused() {
    let Some(run) = launch("accessors", 1) else { return };
    let Outcome { status, stderr, .. } = run.whole_lines().run();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("expected gfortran 12 to 14"), "{stderr}");
}

/// How each place in tests/gfortran/places.f90 is left: the last argument, the exit code, and what is
/// printed.
const ENDS: [(&str, i32, &str); 6] = [
    ("get", 1, "hcube: image 1: get: image index 99: expected 1 to "),
    ("put", 1, "hcube: image 1: put: image index 99: expected 1 to "),
    ("sync", 1, "hcube: image 1: sync images: image index 99: expected 1 to "),
    ("stop", 3, "STOP 3\n"),
    ("error", 4, "ERROR STOP 4\n"),
    ("text", 1, "ERROR STOP a reason\n"),
];

/// The first place where all images come.
const FIRST_OF_ALL: usize = 40;

/// Runs a place, which ends the program and does not hang. Earlier output is written.
fn leaves(place: usize, images: usize, per_node: usize, (how, code, text): (&str, i32, &str)) {
    let name = format!("place {place}, {how}, {images} images, {per_node} per node");
    let file = common::folder("gfortran").join(format!("place-{place}-{how}-{images}"));
    drop(fs::remove_file(&file));
    let Some(run) = launch("places", images) else { return };
    let run = run.arg(place.to_string()).arg(&file).arg(how).limit(45).per_node(per_node);
    let Outcome { status, stdout, stderr, .. } = run.whole_lines().run();
    assert_eq!(status.code(), Some(code), "{name}: {stderr}");
    if place >= FIRST_OF_ALL {
        // The first image that comes there ends the others.
        let text = text.trim_start_matches("hcube: image 1: ");
        assert!(stderr.contains(text) && !stdout.contains("survived"), "{name}: {stdout}{stderr}");
        return;
    }
    assert!(stderr.contains(text), "{name}: {stderr}");
    assert!(stdout.contains("a line before\n") && !stdout.contains("survived 1"), "{name}: {stdout}");
    let written = fs::read_to_string(&file).expect("the program has written it");
    assert!(written.starts_with("a line of the file\n"), "{name}: {written}");
}

/// References to an image that does not exist, `stop` and `error stop` inside of I/O statements, defined I/O,
/// finalizers, critical constructs, handlers of signals and functions of reductions, and where a lock is
/// held.
#[test]
fn no_place_of_an_error_hangs() {
    for place in (1..=24).chain(30..=34) {
        // All places with 2 images, and some with 1 and 3; ends in turn.
        for images in (1..=3).filter(|&images| images == 2 || place >= 30 || (place + images) % 3 == 0) {
            let end = if place >= 30 { 0 } else { (place + 2 * images) % ENDS.len() };
            leaves(place, images, 1 + (place + images) % images, ENDS[end]);
        }
    }
    for images in [2, 3] {
        leaves(40, images, images, ENDS[0]);
        leaves(41, images, 1, ENDS[4]);
        leaves(42, images, images, ENDS[4]);
    }
}

/// An image that fails inside of an I/O statement serves the others.
#[test]
fn an_image_fails_inside_of_an_io_statement() {
    let file = common::folder("gfortran").join("place-fails");
    let Some(run) = launch("places", 2) else { return };
    let run = run.args(["1".into(), file.into_os_string(), "fail".into()]);
    let Outcome { status, stderr, .. } = run.whole_lines().run();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("hcube: image 2: sync all: image 1 has failed"), "{stderr}");
}

/// On one node, on several, and with a progress thread. Not with MPICH, whose `MPI_Finalize` stops locking
/// before it deletes attributes, by which hcube ends its thread: a thread that is inside of MPI then keeps a
/// lock, and MPICH aborts (doc/coarrays.md, Progress).
#[test]
fn programs_finalise_mpi_themselves() {
    if !has_compiler() || !has_fortran() {
        return;
    }
    let thread = by_mpi("100", "0");
    let program = program_with_mpi("finalised");
    let reads = "called after MPI_Finalize, which has ended the coarray runtime\n";
    for (case, code, text) in [
        (0, 0, ""),
        (1, 0, ""),
        (2, 3, "STOP 3\n"),
        (3, 4, "ERROR STOP 4\n"),
        (4, 1, "ERROR STOP a reason\n"),
        (6, 0, ""),
        (7, 0, ""),
        (8, 1, &format!("get: {reads}")),
        (9, 1, &format!("sync all: {reads}")),
        (10, 1, &format!("allocate: {reads}")),
    ] {
        for (images, per_node, progress) in
            [(1, 1, "0"), (2, 2, "0"), (2, 1, thread), (3, 1, "0"), (3, 3, thread)]
        {
            let name = format!("case {case}, {images} images, {per_node} per node, progress {progress}");
            let run = common::Launch::new(&program, images).arg(case.to_string()).limit(60);
            let run = run.per_node(per_node).env("HCUBE_CAF_PROGRESS", progress);
            let Outcome { status, stdout, stderr, .. } = run.whole_lines().run();
            assert_eq!(status.code(), Some(code), "{name}: {stderr}");
            assert!(stderr.contains(text), "{name}: {stderr}");
            // Where one exit code is not 0, the launcher may end the others.
            let passed = stdout.matches("passed\n").count();
            match (case, code) {
                (8.., _) => assert_eq!(passed, 0, "{name}: {stdout}"),
                (6, _) => assert_eq!(passed, images - 1, "{name}: {stdout}"),
                (_, 0) => assert_eq!(passed, images, "{name}: {stdout}"),
                _ => assert!(passed > 0, "{name}: {stdout}"),
            }
        }
    }
}
