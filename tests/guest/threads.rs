//! Threads that use MPI at the same time.

use crate::common::guest::{Guest, ranks};
use crate::common::skip;

fn with_threads(line: &str) {
    if !Guest::new(line, 2).check() {
        skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
    }
}

/// The exchanges of two threads on two communicators do not wait for each other: neither the first ones, which prepare,
/// nor the later ones.
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
