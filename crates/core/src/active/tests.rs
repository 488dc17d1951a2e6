use super::*;
use crate::comm::threads::{self, ThreadComm};
use crate::node::heap;
use crate::progress::wait::Patience;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ranks, a number of them per node, each with its messages.
fn with_messages<T: Send>(
    ranks: usize,
    per_node: usize,
    work: impl Fn(&ThreadComm, &mut Messages<ThreadComm>) -> T + Sync,
) -> Vec<T> {
    let finished = AtomicUsize::new(0);
    threads::run(ranks, per_node, |comm| {
        let topology = Topology::from_node_numbers(&comm.node_numbers().expect("no MPI"), None);
        let position = topology.position(comm.rank());
        let node = topology.node_of(position);
        let mates: Vec<usize> = topology.positions(node..node + 1).map(|at| topology.rank(at)).collect();
        let mut heap = Heap::share(comm, &mates, heap::part(mates.len(), 64)).expect("shared memory");
        let mut messages = Messages::share(comm, &topology, &mut heap).expect("memory");
        let result = work(comm, &mut messages);
        // Other ranks receive acknowledgements of this rank as long as it polls.
        let (mut wait, mut is_delivered) = (Patience::new(true, false).wait(), false);
        while finished.load(Ordering::Relaxed) < ranks {
            assert!(messages.receive(comm).expect("no MPI").is_none(), "a message that nobody expects");
            if messages.is_delivered() && !is_delivered {
                is_delivered = true;
                finished.fetch_add(1, Ordering::Relaxed);
            }
            wait.pause(comm);
        }
        result
    })
}

/// Receives messages until `done` returns true.
fn until(
    comm: &ThreadComm,
    messages: &mut Messages<ThreadComm>,
    mut done: impl FnMut(&mut Messages<ThreadComm>, Option<Message>) -> bool,
) {
    let mut wait = Patience::new(true, false).wait();
    loop {
        let message = messages.receive(comm).expect("no MPI");
        let found = message.is_some();
        if done(messages, message) {
            return;
        }
        if !found {
            wait.pause(comm);
        }
    }
}

const PLACES: [(usize, usize); 6] = [(1, 1), (2, 2), (2, 1), (3, 2), (5, 2), (6, 3)];

fn byte(from: usize, to: usize, number: u64) -> u8 {
    (from * 31 + to * 17 + number as usize * 7) as u8
}

/// Messages of all lengths arrive once, whole, and in the order of each sender.
#[test]
fn messages_of_all_lengths_arrive_in_order() {
    const LENGTHS: [usize; 9] = [0, 1, 8, 47, 48, 49, 1024, 1025, 5000];
    for (ranks, per_node) in PLACES {
        with_messages(ranks, per_node, |comm, messages| {
            let all = 300;
            for number in 0..all {
                for to in 0..ranks {
                    let payload =
                        vec![byte(comm.rank(), to, number); LENGTHS[number as usize % LENGTHS.len()]];
                    let (first, second) = payload.split_at(payload.len() / 2);
                    messages.send(to, (number % 100) as u8, number, [first, second]);
                }
            }
            let mut received = vec![0; ranks];
            until(comm, messages, |_, message| {
                if let Some(Message { from, kind, tag, payload }) = message {
                    let number = received[from];
                    received[from] += 1;
                    assert_eq!((u64::from(kind), tag), (number % 100, number), "from {from}");
                    assert_eq!(payload.len(), LENGTHS[number as usize % LENGTHS.len()]);
                    let expected = byte(from, comm.rank(), number);
                    assert!(payload.iter().all(|&byte| byte == expected), "{number} from {from}");
                }
                received.iter().all(|&number| number == all)
            });
        });
    }
}

#[test]
fn long_messages_are_joined() {
    for (ranks, per_node) in [(2, 2), (2, 1)] {
        with_messages(ranks, per_node, |comm, messages| {
            let length = 3 * (1 << 20) + 5;
            let payload: Vec<u8> = (0..length).map(|at| (at % 253) as u8).collect();
            let to = (comm.rank() + 1) % ranks;
            messages.send(to, 5, 6, [&payload[..100], &payload[100..]]);
            messages.send(to, 7, 8, [&[], &[9]]);
            assert!(!messages.is_delivered());
            let mut kinds = Vec::new();
            until(comm, messages, |_, message| {
                if let Some(message) = message {
                    kinds.push(message.kind);
                    let expected = if message.kind == 5 { &payload[..] } else { &[9] };
                    assert!(*message.payload == *expected);
                }
                kinds.len() == 2
            });
            assert_eq!(kinds, [5, 7]);
        });
    }
}

/// The outstanding messages to a receiver that does not poll are bounded, and handlers may send messages.
#[test]
fn senders_see_when_there_is_no_room_and_answers_never_wait() {
    for (ranks, per_node) in PLACES {
        with_messages(ranks, per_node, |comm, messages| {
            let (to, all) = ((comm.rank() + 1) % ranks, 3000_u64);
            let (mut sent, mut asked, mut answered) = (0, 0, 0);
            let fill = |messages: &mut Messages<ThreadComm>, sent: &mut u64| {
                while *sent < all && messages.has_room(to) {
                    messages.send(to, 1, *sent, [&[0; 300], &[]]);
                    *sent += 1;
                }
            };
            // Before anybody receives: a rank of the same node may take messages as fast as they are written.
            fill(messages, &mut sent);
            let was_full = sent < all;
            comm.barrier().expect("no MPI");
            until(comm, messages, |messages, message| {
                if let Some(Message { from, kind, tag, .. }) = message {
                    match kind {
                        1 => {
                            asked += 1;
                            messages.send(from, 2, tag + 1, [&[0; 300], &[]]);
                        }
                        _ => {
                            answered += 1;
                            assert_eq!(tag, answered);
                        }
                    }
                }
                fill(messages, &mut sent);
                asked == all && answered == all
            });
            assert!(was_full, "{ranks} ranks, {per_node} per node: there was always room");
        });
    }
}

#[test]
fn payloads_are_read_as_words() {
    for length in [0, 3, 8, 20, 48, 49, 100] {
        let bytes: Vec<u8> = (0..length).collect();
        let payload = Payload::copied(&bytes);
        assert_eq!(*payload, *bytes);
        let [first, second] = payload.words::<2>();
        let word = |at: usize| {
            bytes.get(at..at + 8).map_or(0, |word| u64::from_ne_bytes(word.try_into().expect("8")))
        };
        assert_eq!([first, second], [word(0), word(8)]);
    }
}
