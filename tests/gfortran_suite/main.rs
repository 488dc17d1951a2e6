//! OpenCoarrays' own tests, compiled for libhcube_caf.so instead of OpenCoarrays' library.
//!
//! The programs come from the source that scripts/setup.sh downloads; no file of them is kept here. With Open
//! MPI each image is a separate node, so that data is sent in messages; with MPICH all images share one node.

mod programs;
mod suite;

use hcube_testing::gfortran::{has_compiler, library};
use hcube_testing::{Launch, Mpi, Outcome};
use programs::{
    COLLECTIVES, FAILED_IMAGES, INTEGRATION, NOT_RUN, Program, REGISTRATION, REGRESSIONS, SYNCHRONISATION,
    TEAMS, TRANSFERS,
};
use suite::{Suite, suite};

/// The suite, and whether it can be compiled.
fn ready() -> Option<&'static Suite> {
    let suite = suite().filter(|_| has_compiler());
    if suite.is_some() {
        library();
    }
    suite
}

/// The error of a run of a program, if any.
fn fault(of: &Program, outcome: &Outcome) -> Option<String> {
    let Outcome { status, stdout, stderr, left, .. } = outcome;
    let mut lines = stdout.lines().map(str::trim);
    let has_passed = lines.any(|line| line.starts_with(of.passed)) && !stdout.contains("Test failed");
    let is_well = status.success() && left.is_empty() && !stderr.contains("hcube: ");
    (!has_passed || !is_well).then(|| {
        format!(
            "{} {:?} on {} images: {status}, processes left: {left:?}\n{stdout}\n{stderr}",
            of.name, of.arguments, of.images
        )
    })
}

/// Runs programs; each has to pass.
fn pass(programs: &[&[Program]]) {
    let Some(suite) = ready() else { return };
    let mut faults = Vec::new();
    for of in programs.iter().copied().flatten() {
        let mut launch = Launch::new(suite.program(of), of.images).args(of.arguments).limit(60);
        if Mpi::selected() == Mpi::Open {
            launch = launch.env("HCUBE_RANKS_PER_NODE", "1");
        }
        faults.extend(fault(of, &launch.run()));
    }
    assert!(faults.is_empty(), "{} programs:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn collectives() {
    pass(COLLECTIVES);
}

#[test]
fn synchronisation() {
    pass(SYNCHRONISATION);
}

#[test]
fn registration() {
    pass(REGISTRATION);
}

#[test]
fn transfers() {
    pass(TRANSFERS);
}

#[test]
fn teams() {
    pass(TEAMS);
}

#[test]
fn failed_images() {
    pass(FAILED_IMAGES);
}

#[test]
fn regressions() {
    pass(REGRESSIONS);
}

#[test]
fn integration() {
    pass(INTEGRATION);
}

/// No program of the suite is left out without a reason.
#[test]
fn all_programs_are_known() {
    let Some(suite) = suite() else { return };
    let all = [
        COLLECTIVES,
        SYNCHRONISATION,
        REGISTRATION,
        TRANSFERS,
        TEAMS,
        FAILED_IMAGES,
        REGRESSIONS,
        INTEGRATION,
    ];
    let run: Vec<&str> =
        all.into_iter().flatten().copied().flatten().flat_map(|of| of.sources).copied().collect();
    let files = suite.files(&["unit", "regression", "integration"]);
    for file in &files {
        let is_left_out = NOT_RUN.iter().any(|(path, _)| file.starts_with(path));
        assert!(is_left_out != run.contains(&file.as_str()), "{file}: run, or left out for a reason");
    }
    for path in run {
        assert!(files.iter().any(|file| file == path), "{path}: not in the suite");
    }
    for (path, reason) in NOT_RUN {
        assert!(files.iter().any(|file| file.starts_with(path)), "{path} ({reason}): not in the suite");
    }
}
