//! What active messages between the ranks of a node promise, in all interleavings.
//!
//! Every message arrives once, whole, and after all earlier ones of its sender: if its ring was full and it
//! was kept, if it was cut into pieces, if a handler has sent it, and if the receiver takes short messages in
//! place. Nobody waits for ever who polls. Of a rank that dies while it sends, the first messages arrive.

use super::{Message, Messages};
use crate::atomic::{
    self,
    model::{Extent, Model, Scene},
};
use crate::comm::model::Member;
use crate::node::{heap::Heap, rings};
use crate::plan::topology::Topology;

pub use super::batches::model::MODELS as BATCHES;

/// The kind of all messages but answers, whose kind is the next one.
pub(super) const KIND: u8 = 7;
/// The kind of messages for which no receipts are expected.
pub(super) const WITHOUT_RECEIPT: u8 = KIND + 2;
/// Longest records, one more than a ring has room for.
const FILLING: &[usize] = &[rings::MAX_BYTES; 4];
/// Two more than two rings have room for.
const TWICE_FILLING: &[usize] = &[rings::MAX_BYTES; 8];
/// Short messages, one more than a ring has room for.
const SHORT: &[usize] = &[8; 6];
/// A message of three pieces between short ones.
const CUT: &[usize] = &[8, 2 * rings::MAX_BYTES + 1, 0];

/// The bytes of a message.
pub(super) fn payload(from: usize, number: u64, length: usize) -> Vec<u8> {
    (0..length).map(|at| (100 * from + 20 * number as usize + at) as u8).collect()
}

/// How many messages have arrived from each rank, all of which send messages of these lengths.
pub(super) struct Received {
    counts: Vec<u64>,
    lengths: &'static [usize],
}

impl Received {
    pub(super) fn new(ranks: usize, lengths: &'static [usize]) -> Self {
        Self { counts: vec![0; ranks], lengths }
    }

    pub(super) fn all(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(super) fn take(&mut self, message: &Message) {
        assert!([KIND, WITHOUT_RECEIPT].contains(&message.kind), "{message:?}");
        self.check(message.from, message.tag, &message.payload);
    }

    fn check(&mut self, from: usize, tag: u64, bytes: &[u8]) {
        let next = &mut self.counts[from];
        let length = *self.lengths.get(*next as usize).expect("no more messages than were sent");
        assert_eq!((tag, bytes), (*next, &*payload(from, *next, length)), "of rank {from}");
        *next += 1;
    }
}

/// The ranks of a node.
fn ranks(scene: &mut Scene, ranks: usize) -> Vec<Messages<Member>> {
    let topology = Topology::from_node_numbers(&vec![0; ranks], None);
    let heaps = Heap::of_model(scene, ranks, (2 * ranks * rings::ring_bytes(ranks)).next_multiple_of(4096));
    let share = |(rank, mut heap)| Messages::share(&comm(rank, ranks), &topology, &mut heap);
    heaps.into_iter().enumerate().map(|one| share(one).expect("room")).collect()
}

fn pair(scene: &mut Scene) -> [Messages<Member>; 2] {
    let mut all = ranks(scene, 2).into_iter();
    [(); 2].map(|()| all.next().expect("two ranks"))
}

fn comm(rank: usize, size: usize) -> Member {
    Member::of_set_up(rank, size)
}

/// A poll that waits where it has found nothing.
fn poll(messages: &mut Messages<Member>) -> Option<Message> {
    let message = messages.receive(&comm(0, 0)).expect("no MPI");
    if message.is_none() {
        atomic::yield_now();
    }
    message
}

fn send_all(messages: &mut Messages<Member>, (from, to): (usize, usize), lengths: &[usize]) {
    for (number, &length) in (0..).zip(lengths) {
        let bytes = payload(from, number, length);
        let (first, second) = bytes.split_at(length / 3);
        messages.send(to, KIND, number, [first, second]);
    }
}

/// Each rank sends messages of these lengths to some ranks without waiting, and receives what is for it.
fn exchange(scene: &mut Scene, receivers: &'static [&'static [usize]], lengths: &'static [usize]) {
    let all = receivers.len();
    for (rank, mut messages) in ranks(scene, all).into_iter().enumerate() {
        let senders = receivers.iter().filter(|receivers| receivers.contains(&rank)).count();
        scene.participant(move || {
            receivers[rank].iter().for_each(|&to| send_all(&mut messages, (rank, to), lengths));
            let mut received = Received::new(all, lengths);
            while received.all() < (senders * lengths.len()) as u64 || !messages.is_sent() {
                if let Some(message) = poll(&mut messages) {
                    received.take(&message);
                }
            }
        });
    }
}

/// A sender that waits for room never keeps a message, and one that waits for delivery does not for ever.
fn room(scene: &mut Scene) {
    let [mut sender, mut receiver] = pair(scene);
    scene.participant(move || {
        for number in 0..SHORT.len() {
            while !sender.has_room(1) {
                assert!(poll(&mut sender).is_none());
            }
            sender.send_words(1, KIND, number as u64, [], &payload(0, number as u64, 8));
            assert_eq!(sender.kept, 0, "kept where there was room");
        }
        while !sender.is_delivered() {
            assert!(poll(&mut sender).is_none());
        }
    });
    scene.participant(move || {
        let mut received = Received::new(2, SHORT);
        while received.all() < SHORT.len() as u64 {
            poll(&mut receiver).inspect(|message| received.take(message));
        }
        // As every rank that waits for something.
        assert!(receiver.receive(&comm(1, 2)).expect("no MPI").is_none());
    });
}

/// Takes a question: answers it, and polls for the next one before the handler returns.
fn answer(messages: &mut Messages<Member>, received: &mut Received, question: &Message) {
    received.take(question);
    messages.send(question.from, KIND + 1, question.tag, [&question.payload, &[]]);
    let next = messages.receive(&comm(1, 2)).expect("no MPI");
    if let Some(next) = next {
        answer(messages, received, &next);
    }
}

/// A rank that polls from within a handler, which answers while both rings are full.
fn questions(scene: &mut Scene) {
    let [mut asking, mut answering] = pair(scene);
    scene.participant(move || {
        send_all(&mut asking, (0, 1), FILLING);
        for number in 0..FILLING.len() as u64 {
            let answer = std::iter::repeat_with(|| poll(&mut asking)).find_map(|answer| answer);
            let answer = answer.expect("it repeats");
            assert_eq!((answer.kind, answer.tag), (KIND + 1, number));
            assert_eq!(*answer.payload, payload(0, number, rings::MAX_BYTES));
        }
    });
    scene.participant(move || {
        let mut received = Received::new(2, FILLING);
        while received.all() < FILLING.len() as u64 || !answering.is_sent() {
            if let Some(question) = poll(&mut answering) {
                answer(&mut answering, &mut received, &question);
            }
        }
    });
}

/// A receiver that takes short messages in place: not before the pieces of an earlier one.
fn short(scene: &mut Scene) {
    let [mut sender, mut receiver] = pair(scene);
    scene.participant(move || {
        send_all(&mut sender, (0, 1), CUT);
        while !sender.is_sent() {
            assert!(poll(&mut sender).is_none());
        }
    });
    scene.participant(move || {
        let mut received = Received::new(2, CUT);
        while received.all() < CUT.len() as u64 {
            let taken =
                receiver.receive_short(KIND, usize::MAX, |from, tag, bytes| received.check(from, tag, bytes));
            if taken == 0 {
                poll(&mut receiver).inspect(|message| received.take(message));
            }
        }
    });
}

/// A sender that dies at some step: its receiver finds its first messages, whole, and no other.
fn death(scene: &mut Scene) {
    let step = scene.choose(16);
    let [mut sender, mut receiver] = pair(scene);
    let end = scene.participant_that_ends(step, move || {
        send_all(&mut sender, (0, 1), FILLING);
        while !sender.is_sent() {
            assert!(poll(&mut sender).is_none());
        }
    });
    scene.participant(move || {
        let mut received = Received::new(2, FILLING);
        while received.all() < FILLING.len() as u64 {
            let is_dead = end.has_happened();
            match receiver.receive(&comm(1, 2)).expect("no MPI") {
                Some(message) => received.take(&message),
                None if is_dead => break,
                None => atomic::yield_now(),
            }
        }
    });
}

const PROTOCOL: &str = "active";

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new(PROTOCOL, "more than a ring holds", |scene| exchange(scene, &[&[1], &[]], FILLING))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "more than a ring holds, both ways", |scene| {
        exchange(scene, &[&[1], &[0]], FILLING);
    })
    .with(Extent::Preemptions(1)),
    Model::new(PROTOCOL, "far more than a ring holds, both ways", |scene| {
        exchange(scene, &[&[1], &[0]], TWICE_FILLING);
    })
    .with(Extent::Preemptions(2))
    .long(),
    Model::new(PROTOCOL, "pieces among short messages", |scene| exchange(scene, &[&[1], &[]], CUT))
        .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "pieces of two senders", |scene| exchange(scene, &[&[], &[0], &[0]], CUT))
        .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "pieces around three ranks", |scene| exchange(scene, &[&[1], &[2], &[0]], CUT))
        .with(Extent::Random(200)),
    Model::new(PROTOCOL, "senders that wait for room", room).with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "answers of a handler that polls", questions).with(Extent::Preemptions(1)),
    Model::new(PROTOCOL, "short messages taken in place", short).with(Extent::Preemptions(1)),
    Model::new(PROTOCOL, "a sender dies", death).with(Extent::Preemptions(2)),
];
