//! Threads that use MPI at the same time.

use crate::common::guest::{ALWAYS, Guest, all_are_served, ranks};
use crate::common::skip;

fn with_threads(line: &str) {
    if !Guest::new(line, 2).check() {
        skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
    }
}

/// The exchanges of two threads on two communicators do not wait for each other: neither the first ones,
/// which prepare, nor the later ones.
#[test]
fn exchanges_of_two_threads_are_independent() {
    with_threads("threads apart");
}

/// An error handler that a thread has set is there until it sets another one.
#[test]
fn error_handlers_are_never_exchanged() {
    // More on Open MPI, where fewer of them showed it; the threads of MPICH are slow.
    with_threads(&format!("threads handlers {}", 50 * (ranks(4) - 1)));
}

/// Between nodes the communicators of both threads have one for messages, and no message of one arrives on
/// the other.
#[test]
fn messages_of_two_threads_are_kept_apart() {
    for line in ["threads apart", "threads together 60"] {
        let guest = Guest::new(line, 2).env("HCUBE_RANKS_PER_NODE", "1");
        let stock = guest.stock();
        if stock.skipped() {
            return skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
        }
        all_are_served(&guest.same_as(&stock, ALWAYS).1);
    }
}
