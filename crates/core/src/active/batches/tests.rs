use super::*;
use crate::comm::threads::{self, ThreadComm};
use crate::progress::wait::Patience;

const TAG: i32 = tags::ACTIVE.tag(0);

/// Two ranks of different nodes; both poll for messages until their work has a result and all messages were
/// received.
fn with_batches<T: Send>(
    work: impl Fn(&ThreadComm, &mut Batches<ThreadComm>, Option<Message>) -> Option<T> + Sync,
) -> Vec<T> {
    let finished = std::sync::atomic::AtomicUsize::new(0);
    threads::run(2, 1, |comm| {
        let (mut batches, mut wait) = (Batches::default(), Patience::new(true, false).wait());
        let (mut result, mut has_finished) = (None, false);
        while finished.load(std::sync::atomic::Ordering::Relaxed) < 2 {
            let message = batches.receive(comm).expect("no MPI");
            assert!(result.is_none() || message.is_none(), "a message that nobody expects");
            result = result.or_else(|| work(comm, &mut batches, message));
            if result.is_some() && batches.is_delivered() && !has_finished {
                has_finished = true;
                finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
            wait.pause(comm);
        }
        result.expect("it has finished")
    })
}

/// Many messages at a time: they are sent in batches of limited length, a few of them at a time, in order.
#[test]
fn batches_are_bounded_in_length_and_number() {
    const LENGTHS: [usize; 6] = [0, 100, 40_000, BATCH_BYTES, PIECE_BYTES + 1, 1_500_000];
    let all = 60;
    let (sent, received) = (std::cell::Cell::new(false), std::cell::Cell::new(0));
    let state = std::sync::Mutex::new((sent, received));
    let most = with_batches(|comm, batches, message| {
        let state = state.lock().expect("no panic");
        if comm.rank() == 0 {
            if !state.0.replace(true) {
                for number in 0..all {
                    let bytes = vec![number as u8; LENGTHS[number % LENGTHS.len()]];
                    let (head, body) = bytes.split_at(bytes.len() / 3);
                    batches.send(1, 7, number as u64, head, &body);
                }
            }
            assert!(batches.under_way <= MAX_EXPECTED as usize, "{} batches under way", batches.under_way);
            return (batches.waiting == 0).then_some(0);
        }
        if let Some((_, length)) = comm.arrived(TAG).expect("no MPI") {
            assert!(length <= START + HEAD + PIECE_BYTES, "a batch of {length} bytes");
        }
        if let Some(message) = message {
            let number = state.1.replace(state.1.get() + 1);
            assert_eq!((message.kind, message.tag), (7, number as u64));
            assert_eq!(message.payload.len(), LENGTHS[number % LENGTHS.len()]);
            assert!(message.payload.iter().all(|&byte| byte == number as u8), "message {number}");
        }
        (state.1.get() == all).then_some(state.1.get())
    });
    assert_eq!(most, [0, all]);
}

/// Received messages are acknowledged although the receiver does not poll again.
#[test]
fn the_last_message_of_a_batch_is_acknowledged_without_another_look() {
    threads::run(2, 1, |comm| {
        let mut batches = Batches::default();
        let look = |batches: &mut Batches<ThreadComm>| batches.receive(comm).expect("no MPI");
        if comm.rank() == 0 {
            batches.send(1, 1, 5, &[], &&[][..]);
            batches.send(1, 1, 6, &[], &&[1][..]);
            batches.flush(comm).expect("no MPI");
            comm.barrier().expect("no MPI");
            comm.barrier().expect("no MPI");
            assert!(look(&mut batches).is_none() && batches.is_delivered());
        } else {
            comm.barrier().expect("no MPI");
            let tags = [(); 2].map(|()| look(&mut batches).map(|message| message.tag));
            assert_eq!(tags, [Some(5), Some(6)]);
            batches.flush_awaited(comm).expect("no MPI");
            comm.barrier().expect("no MPI");
        }
    });
}

/// Messages without receipts cause no batches in the other direction until half a window has arrived; the
/// receipt for a later message is also one for them.
#[test]
fn messages_without_receipts_are_acknowledged_together() {
    const QUIET: u8 = 3;
    threads::run(2, 1, |comm| {
        let mut batches = Batches::default();
        batches.expect_no_receipts(QUIET);
        let barrier = || comm.barrier().expect("no MPI");
        // The kinds of batches of one message each, and how many answers they cause.
        let rounds: [(&[u8], usize); 3] =
            [(&[QUIET, QUIET], 0), (&[QUIET, 1], 1), (&[QUIET; MAX_OWED as usize], 1)];
        for (kinds, answers) in rounds {
            if comm.rank() == 0 {
                for &kind in kinds {
                    batches.send(1, kind, 0, &[], &&[][..]);
                    batches.flush(comm).expect("no MPI");
                    assert_eq!(batches.is_delivered(), kind == QUIET);
                }
                barrier();
                barrier();
                let mut arrived = 0;
                while batches.take_batch(comm).expect("no MPI") {
                    arrived += 1;
                }
                assert_eq!((arrived, batches.is_delivered()), (answers, true), "{kinds:?}");
            } else {
                barrier();
                for &kind in kinds {
                    let message = batches.receive(comm).expect("no MPI");
                    assert_eq!(message.map(|message| message.kind), Some(kind));
                    batches.flush_awaited(comm).expect("no MPI");
                }
                assert!(batches.receive(comm).expect("no MPI").is_none());
                barrier();
            }
            barrier();
        }
    });
}

/// A message that its receiver waits for is sent when the window is open again; others may then remain.
#[test]
fn awaited_messages_have_been_sent_before_others() {
    threads::run(2, 1, |comm| {
        let mut batches = Batches::default();
        let barrier = || comm.barrier().expect("no MPI");
        if comm.rank() == 1 {
            barrier();
            for number in 0..MAX_EXPECTED {
                let message = batches.receive(comm).expect("no MPI");
                assert_eq!(message.map(|message| message.tag), Some(u64::from(number)));
                batches.flush_awaited(comm).expect("no MPI");
            }
            return barrier();
        }
        let window = u64::from(MAX_EXPECTED);
        let send = |batches: &mut Batches<ThreadComm>, numbers: std::ops::Range<u64>| {
            numbers.for_each(|number| batches.send(1, 7, number, &[], &&[0; BATCH_BYTES][..]));
            batches.flush(comm).expect("no MPI");
        };
        send(&mut batches, 0..window);
        batches.hurry_to(1);
        assert!(batches.has_sent_awaited() && batches.waiting == 0);
        send(&mut batches, window..window + 1);
        assert!(batches.has_sent_awaited() && batches.waiting > 0);
        send(&mut batches, window + 1..window + 2);
        batches.hurry_to(1);
        send(&mut batches, window + 2..3 * window);
        assert!(!batches.has_sent_awaited());
        barrier();
        while !batches.has_sent_awaited() {
            assert!(batches.receive(comm).expect("no MPI").is_none());
        }
        assert!(batches.waiting > 0);
        barrier();
    });
}

#[test]
fn receipts_are_counted_also_where_numbers_wrap_around() {
    let mut peer = Peer { sent: u32::MAX - 1, acknowledged: u32::MAX - 1, ..Peer::default() };
    [true, false, true, true].into_iter().for_each(|expects| peer.note_sent(expects));
    assert_eq!((peer.outstanding(), peer.sent), (4, 2));
    assert_eq!(peer.note_acknowledged(u32::MAX - 1), 0);
    assert_eq!((peer.note_acknowledged(1), peer.outstanding()), (2, 1));
    (0..WINDOW - 1).for_each(|_| peer.note_sent(true));
    assert!(!peer.window_is_open());
    assert_eq!((peer.note_acknowledged(1 + WINDOW), peer.outstanding(), peer.expected), (WINDOW, 0, 0));
}

#[test]
fn the_window_is_smaller_for_batches_that_expect_receipts() {
    let after = |batches: u32, expects| {
        let mut peer = Peer::default();
        (0..batches).for_each(|_| peer.note_sent(expects));
        peer.window_is_open()
    };
    for (expects, window) in [(true, MAX_EXPECTED), (false, WINDOW)] {
        assert_eq!((after(window - 1, expects), after(window, expects)), (true, false), "{expects}");
    }
}
