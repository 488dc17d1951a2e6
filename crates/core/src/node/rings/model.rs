//! What rings promise, in all interleavings.
//!
//! Every record is received once, whole, and in the order of its sender; a record that does not fit is
//! refused, and fits once the receiver has taken enough; what is sent by a rank that ends is received up to
//! the last complete record; a sender that finds all its records taken sees what was done with them.
//!
//! The rings have 64 bytes, of which a record takes 16 or 24. They begin at a position just below the end of
//! 32 bits, which makes records skip the end of a ring, or end with the word before it.

use super::{LINE_PAIR, Rings};
use crate::atomic::model::{End, Extent, Model, Scene};
use crate::atomic::{self, Ordering};

/// Bytes of the payloads, in turn.
const LENGTHS: [usize; 5] = [8, 8, 8, 0, 8];
/// A position at which a record of 24 bytes skips what is left of the ring.
const BEFORE_END: u64 = (1 << 32) - 24;

/// The rings of some ranks, all of whose ends are at a position.
fn rings(scene: &mut Scene, ranks: usize, bytes: usize, at: u64) -> Vec<Rings> {
    let stride = LINE_PAIR + bytes;
    let memory = scene.memory(ranks * ranks * stride).as_ptr();
    let start = |receiver, sender| memory.wrapping_add((receiver * ranks + sender) * stride);
    let all = (0..ranks).map(|own| {
        let mut rings = Rings::on(own, ranks, bytes, start);
        for ring in rings.outgoing.iter_mut().chain(&mut rings.incoming) {
            (ring.at, ring.taken) = (at, at);
            ring.taken_word().store(at, Ordering::Relaxed);
        }
        rings
    });
    all.collect()
}

/// Sends a record; whether there was room.
fn send(rings: &mut Rings, to: usize, number: usize, kind: u8) -> bool {
    let tag = number as u64 + 1;
    match LENGTHS[number % LENGTHS.len()] {
        0 => rings.send(to, kind, tag, [], [&[], &[]]),
        _ => rings.send(to, kind, tag, [!tag], [&[], &[]]),
    }
}

/// The record with this number has come whole.
fn check(number: usize, tag: u64, payload: &[u8]) {
    assert_eq!((tag, payload.len()), (number as u64 + 1, LENGTHS[number % LENGTHS.len()]));
    assert!(payload.is_empty() || payload == (!tag).to_ne_bytes(), "the payload of {number}");
}

/// What a rank still has to do.
struct Work {
    rings: Rings,
    to: usize,
    sent: usize,
    to_send: usize,
    received: Vec<usize>,
    to_receive: usize,
}

impl Work {
    fn new(rings: Rings, to: usize, to_send: usize, to_receive: usize) -> Self {
        let received = vec![0; rings.incoming.len()];
        Self { rings, to, sent: 0, to_send, received, to_receive }
    }

    fn sends(&mut self) -> bool {
        let sends = self.sent < self.to_send && send(&mut self.rings, self.to, self.sent, 3);
        self.sent += usize::from(sends);
        sends
    }

    fn receives(&mut self) -> bool {
        let received = &mut self.received;
        let read = |head: super::Head, payload: &[u8]| {
            check(received[head.from], head.tag, payload);
            assert_eq!((head.kind, head.length), (3, payload.len()));
            received[head.from] += 1;
        };
        self.rings.receive(read).is_some()
    }

    /// Whether this rank has published how far it is, so that a poll without result has no effect.
    fn has_said(&self) -> bool {
        self.rings.incoming.iter().all(|ring| ring.taken == ring.at)
    }

    /// Sends and receives everything, or what has come from a rank that ends.
    fn run(&mut self, end: Option<&End>) {
        while self.sent < self.to_send || self.received.iter().sum::<usize>() < self.to_receive {
            let (has_ended, has_said) = (end.is_some_and(End::has_happened), self.has_said());
            let works = self.sends() | (self.to_receive > 0 && self.receives());
            if !works && has_ended {
                return;
            }
            if !works && has_said {
                atomic::yield_now();
            }
        }
    }
}

/// Rank 0 receives what the others send.
fn to_one(scene: &mut Scene, ranks: usize, records: usize, at: u64) {
    for (own, rings) in rings(scene, ranks, 64, at).into_iter().enumerate() {
        let (to_send, to_receive) = if own == 0 { (0, (ranks - 1) * records) } else { (records, 0) };
        scene.participant(move || Work::new(rings, 0, to_send, to_receive).run(None));
    }
}

/// Two ranks send to each other, and receive while there is no room.
fn to_each_other(scene: &mut Scene, records: usize) {
    for (own, rings) in rings(scene, 2, 64, BEFORE_END).into_iter().enumerate() {
        scene.participant(move || Work::new(rings, 1 - own, records, records).run(None));
    }
}

/// The sender is killed; the receiver takes what it has sent.
fn sender_ends(scene: &mut Scene) {
    let step = scene.choose(16);
    let [to, from]: [Rings; 2] = rings(scene, 2, 64, BEFORE_END).try_into().expect("two");
    let end = scene.participant_that_ends(step, move || Work::new(from, 0, 3, 0).run(None));
    scene.participant(move || Work::new(to, 0, 0, 3).run(Some(&end)));
}

/// The sender waits until all is taken, and then sees what the receiver has done with it.
fn until_taken(scene: &mut Scene) {
    let memory = scene.memory(8).as_ptr().expose_provenance();
    let place = move || std::ptr::with_exposed_provenance::<u8>(memory);
    // In rings of this length a record is not published at once.
    let [mut to, from]: [Rings; 2] = rings(scene, 2, 128, BEFORE_END).try_into().expect("two");
    scene.participant(move || {
        let mut work = Work::new(from, 0, 2, 0);
        work.run(None);
        while !work.rings.is_taken(0) {
            atomic::yield_now();
        }
        atomic::read(place());
    });
    scene.participant(move || {
        let mut received = 0;
        while received < 2 || to.incoming[1].taken != to.incoming[1].at {
            let has_said = to.incoming[1].taken == to.incoming[1].at;
            let number = to.receive(|head, payload| {
                check(received, head.tag, payload);
                atomic::written(place());
            });
            received += usize::from(number.is_some());
            if number.is_none() && has_said {
                atomic::yield_now();
            }
        }
    });
}

/// The sender asks whether a ring has room; a record that it then sends is not refused.
fn with_room(scene: &mut Scene) {
    let [to, mut from]: [Rings; 2] = rings(scene, 2, 64, BEFORE_END).try_into().expect("two");
    scene.participant(move || {
        for number in 0..3 {
            while !from.has_room(0) {
                atomic::yield_now();
            }
            assert!(send(&mut from, 0, number, 3), "no room for {number}");
        }
    });
    scene.participant(move || Work::new(to, 0, 0, 3).run(None));
}

/// The receiver takes records of one kind, at most two at a time, until one of another kind has come.
fn of_a_kind(scene: &mut Scene) {
    let [mut to, mut from]: [Rings; 2] = rings(scene, 2, 64, BEFORE_END).try_into().expect("two");
    scene.participant(move || {
        for number in 0..4 {
            while !send(&mut from, 0, number, if number == 2 { 2 } else { 1 }) {
                atomic::yield_now();
            }
        }
    });
    scene.participant(move || {
        let mut number = 0;
        while number < 4 {
            let kind = if number == 2 { 2 } else { 1 };
            let taken = to.receive_all(kind, 2, |from, tag, payload| {
                assert_eq!(from, 1);
                check(number, tag, payload);
                number += 1;
            });
            assert!(taken <= 2);
            // In rings of this length every record is published at once.
            if taken == 0 {
                atomic::yield_now();
            }
        }
        assert_eq!(to.receive_all(1, 2, |_, _, _| ()), 0);
    });
}

/// Records that begin at each place of a ring.
fn from_each_place(scene: &mut Scene) {
    let words = scene.choose(8) as u64;
    to_one(scene, 2, 2, BEFORE_END + 8 * words);
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::rings", "two records from each place", from_each_place),
    Model::new("node::rings", "three records, which fill a ring", |scene| to_one(scene, 2, 3, BEFORE_END)),
    Model::new("node::rings", "five records, around a ring", |scene| to_one(scene, 2, 5, BEFORE_END))
        .with(Extent::Preemptions(3)),
    Model::new("node::rings", "two senders", |scene| to_one(scene, 3, 2, BEFORE_END))
        .with(Extent::Preemptions(3)),
    Model::new("node::rings", "two ranks send to each other", |scene| to_each_other(scene, 2))
        .with(Extent::Preemptions(3)),
    Model::new("node::rings", "a sender is killed", sender_ends),
    Model::new("node::rings", "until all is taken", until_taken),
    Model::new("node::rings", "sent where there is room", with_room),
    Model::new("node::rings", "records of a kind", of_a_kind).with(Extent::Preemptions(5)),
    Model::new("node::rings", "many records of three ranks", |scene| to_one(scene, 3, 12, BEFORE_END))
        .with(Extent::Random(100)),
];
