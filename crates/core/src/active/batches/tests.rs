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
            assert!(batches.under_way <= WINDOW as usize, "{} batches under way", batches.under_way);
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
