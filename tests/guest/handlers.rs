//! Error handlers that do not return, and callbacks and identifiers of communicators.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, LIBRARY, all_are_served, later_ones_are_served, ranks};
use crate::common::{Language, Mpi, only_with};

fn leaves_by(language: Language) {
    for kind in ["intra", "inter"] {
        let guest = Guest::of(language, &format!("leave {kind}"), ranks(4));
        let stock = guest.stock();
        later_ones_are_served(&guest.same_as(&stock, DEFAULT).1);
        let (_, statistics) = guest.same_as(&stock, ALWAYS);
        // On an intercommunicator, the MPI library makes the exchanges and finds the errors.
        if kind == "intra" {
            all_are_served(&statistics);
        }
        assert!(statistics.served() > 0, "{statistics:?}");
    }
}

#[test]
fn a_handler_may_leave_by_longjmp() {
    leaves_by(Language::C11);
}

#[test]
fn a_handler_may_throw() {
    leaves_by(Language::Cxx17);
}

/// The program's own calls are the only ones that copy attributes and delete them.
#[test]
fn callbacks_of_attributes_are_the_programs() {
    assert!(Guest::new("attributes counted", ranks(4)).check());
}

/// A callback that refuses copies on one rank concerns no exchange.
#[test]
fn an_attribute_that_refuses_copies() {
    assert!(Guest::new("attributes refused", ranks(4)).check());
}

/// Communicators that the program creates follow each other.
#[test]
fn no_communicator_is_taken() {
    if only_with(Mpi::Open, "MPICH's handles do not follow each other") {
        let guest = Guest::new("attributes handles", 2);
        assert!(guest.check());
        // With this, all exchanges are forwarded, and no set-up takes place.
        let stock = guest.stock();
        let (_, statistics) = guest.same_as(&stock, LIBRARY);
        assert_eq!(statistics.served(), 0, "{statistics:?}");
        guest.same_without_statistics(&stock, LIBRARY);
    }
}

/// As many communicators as the MPI library has.
#[test]
fn all_communicators_can_be_used() {
    if only_with(Mpi::Mpich, "Open MPI has 65532 communicators: too slow") {
        assert!(Guest::new("attributes all", 2).check());
    }
}
