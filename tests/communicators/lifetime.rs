//! State attached to communicators: its lifetime and memory.

use crate::common;
use crate::common::{Launch, Mpi, by_mpi};

fn few_ranks() -> std::ops::RangeInclusive<usize> {
    1..=by_mpi(4, 2)
}

#[test]
fn state_lives_and_goes_with_its_communicator() {
    for ranks in few_ranks() {
        let text = Launch::client("communicators", ranks).run().success();
        for part in ["ok several", "ok life", "ok other options", "ok communicators"] {
            assert!(text.lines().any(|line| line == part), "no '{part}' in\n{text}");
        }
    }
}

/// Message mode needs no shared memory, so all of its state is MPI's.
#[test]
fn state_of_message_mode_lives_and_goes_too() {
    let text = Launch::client("communicators", 2).env("HCUBE_MODE", "message").run().success();
    assert!(text.contains("ok communicators"), "{text}");
}

/// Alone on one rank the two threads meet most often; on two ranks they also wait for others.
#[test]
fn threads_with_communicators_of_their_own() {
    for ranks in 1..=2 {
        let text = Launch::client("communicators", ranks).arg("threads").run().success();
        if text.contains("skipped threads") {
            common::skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
        } else {
            assert!(text.contains("ok threads"), "{text}");
        }
        assert!(text.contains("ok communicators"), "{text}");
    }
}

/// hcube does not change the program's error handlers, so an error that one thread raises while another one
/// is inside hcube arrives at the program's handler.
#[test]
fn errors_of_other_threads_arrive() {
    for ranks in 1..=2 {
        let text = Launch::client("errors_of_threads", ranks).run().success();
        if text.contains("skipped threads") {
            common::skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
        } else {
            assert!(text.contains("ok errors"), "{text}");
        }
    }
}

/// Messages of the program make progress while a rank is inside hcube.
#[test]
fn messages_of_others_make_progress() {
    for ranks in [2, 4] {
        if Mpi::selected() == Mpi::Mpich && ranks > 2 {
            continue; // MPICH never yields: more ranks than cores take minutes
        }
        for mode in ["auto", "message"] {
            let text = Launch::client("progress", ranks).env("HCUBE_MODE", mode).run().success();
            assert!(text.contains("ok progress"), "{text}");
        }
    }
}

/// Memory in addition to the table: at most 256 KiB, and 64 bytes per rank of the node.
#[test]
fn memory_beside_the_table_is_bounded() {
    for &ranks in by_mpi(&[1, 2, 4, 8][..], &[1, 2]) {
        for mode in ["auto", "message"] {
            let text = Launch::client("memory", ranks).alone().env("HCUBE_MODE", mode).run().success();
            let value = |name: &str| -> i64 {
                let word =
                    text.split_whitespace().find_map(|word| word.strip_prefix(name)).expect("a figure");
                word.parse().expect("bytes")
            };
            let bound = (256 << 10) + 64 * ranks as i64;
            // The first run makes what is kept; later ones take what they free again.
            // MPICH takes more cells for messages, hundreds of KiB, the more are outstanding.
            let first = if Mpi::selected() == Mpi::Mpich && mode == "message" { "second=" } else { "first=" };
            for figure in [first, "second=", "reported="] {
                assert!(
                    value(figure) <= bound,
                    "{ranks} ranks, {mode}: {figure} more than {bound} bytes in {text}"
                );
            }
            assert!(value("reported=") > 0, "{text}");
        }
    }
}
