//! Errors that a program causes and handles.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, later_ones_are_served, ranks};
use crate::common::{Mpi, only_with};

/// Errors of `errors early`, one of each kind.
const EARLY_ERRORS: u64 = 3;

/// A rank with invalid arguments learns of that immediately, though no other rank calls.
#[test]
fn a_lone_error_is_returned() {
    let guest = Guest::new("errors alone", ranks(4));
    let stock = guest.stock();
    later_ones_are_served(&guest.same_as(&stock, DEFAULT).1);
    guest.same_as(&stock, ALWAYS);
}

/// Until hcube serves exchanges of a communicator such an error counts for nothing, and exchanges on it go
/// on: in the first two calls by default, and in the first one where hcube serves all.
#[test]
fn exchanges_go_on_after_early_errors() {
    for before in [0, 1] {
        let guest = Guest::new(&format!("errors early {before}"), ranks(4));
        let stock = guest.stock();
        later_ones_are_served(&guest.same_as(&stock, DEFAULT).1);
        if before == 0 {
            let (_, statistics) = guest.same_as(&stock, ALWAYS);
            assert!(statistics.served() > 0, "{statistics:?}");
            // The MPI library reports the errors, and gets no other call.
            assert_eq!(statistics.calls_by("library"), EARLY_ERRORS, "{statistics:?}");
        }
    }
}

/// A rank that errs again before the other ranks make an exchange learns of each error, and all ranks can
/// end.
#[test]
fn errors_in_a_row_return() {
    let guest = Guest::new("errors twice", ranks(4));
    let stock = guest.stock();
    later_ones_are_served(&guest.same_as(&stock, DEFAULT).1);
    guest.same_as(&stock, ALWAYS);
}

/// All ranks call, and one of them with wrong arguments: no rank is left waiting.
#[test]
fn an_error_of_one_rank_reaches_all() {
    for variables in [DEFAULT, ALWAYS] {
        let (run, _) = Guest::new("errors together", ranks(4)).success(variables);
        assert_eq!(run.text, "ok together\n");
    }
}

/// One rank reports counts that do not match.
#[test]
fn a_mismatch_prints_one_line() {
    for variables in [DEFAULT, ALWAYS] {
        let (outcome, _) = Guest::new("errors mismatch", ranks(4)).preloaded(variables);
        let said = |line: &&str| line.contains("hcube:") && line.contains("counts do not match");
        assert_eq!(outcome.stderr.lines().filter(said).count(), 1, "{}", outcome.stderr);
        assert!(outcome.success().ends_with("ok mismatch\n"));
    }
}

/// Operations that a program has abandoned stay incomplete: statistics are collected without progress of its
/// requests.
#[test]
fn abandoned_requests_make_no_progress() {
    if only_with(Mpi::Mpich, "Open MPI's own MPI_Finalize lets requests make progress") {
        assert!(Guest::new("abandoned", 2).env("UCX_LOG_LEVEL", "error").check());
    }
}
