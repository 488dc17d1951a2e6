//! What mailboxes promise, in all interleavings.
//!
//! Every rank reads every piece of every other one, once and in order, whole, and with the mark of the last
//! one where it is the last; no piece is overwritten before all others have acknowledged it; a rank writes
//! ahead of the others as far as there are slots, and nobody waits for ever while all read and acknowledge.

use super::{Layout, Mailbox, Shape};
use crate::atomic;
use crate::atomic::model::{End, Extent, Model, Scene};
use crate::node::slots::Slots;

/// Pieces of each rank.
#[derive(Debug, Clone, Copy)]
struct Case {
    ranks: usize,
    slots: usize,
    pieces: u64,
    /// Pieces that are acknowledged together.
    together: u64,
    /// Ranks that write.
    writers: usize,
}

fn mailboxes(scene: &mut Scene, Case { ranks, slots, .. }: Case) -> Vec<Mailbox> {
    let shape = Shape { ranks, slots, capacity: ranks };
    let (layout, of_slots) = Layout::new(shape).expect("small");
    let slots = Slots::of_model(scene, ranks, of_slots);
    slots.into_iter().map(|slots| Mailbox::on(slots, shape, layout)).collect()
}

/// The word of a piece for a rank.
fn word(piece: u64, writer: usize, reader: usize) -> u64 {
    100 * piece + 10 * writer as u64 + reader as u64
}

/// Writes the next piece, if a slot is free.
fn writes(mailbox: &mut Mailbox, case: Case) -> bool {
    let (own, piece) = (mailbox.own(), mailbox.written() + 1);
    if own >= case.writers || piece > case.pieces || !mailbox.is_free() {
        return false;
    }
    mailbox.write(piece == case.pieces, |words, bounds| {
        for (reader, place) in words.iter_mut().enumerate() {
            *place = word(piece, own, reader);
        }
        bounds.iter_mut().enumerate().for_each(|(reader, bound)| *bound = reader as u32);
    });
    true
}

/// Reads the next piece of a rank, if it is there.
fn reads(mailbox: &mut Mailbox, case: Case, writer: usize) -> bool {
    let (own, piece) = (mailbox.own(), mailbox.read[writer] + 1);
    let Some(found) = mailbox.next(writer) else { return false };
    assert_eq!((found.words, found.last), (&[word(piece, writer, own)][..], piece == case.pieces));
    assert_eq!(mailbox.take(writer), piece);
    if piece.is_multiple_of(case.together) || piece == case.pieces {
        mailbox.acknowledge(writer, piece);
    }
    true
}

/// Writes and reads everything, or what has come from a rank that ends.
fn run(mailbox: &mut Mailbox, case: Case, end: Option<&End>) {
    let own = mailbox.own();
    let to_write = if own < case.writers { case.pieces } else { 0 };
    let others: Vec<usize> = (0..case.writers).filter(|&writer| writer != own).collect();
    while mailbox.read_by_all() < to_write || others.iter().any(|&writer| mailbox.read[writer] < case.pieces)
    {
        let has_ended = end.is_some_and(End::has_happened);
        let mut works = writes(mailbox, case);
        for &writer in &others {
            works |= reads(mailbox, case, writer);
        }
        if !works && has_ended {
            return;
        }
        if !works {
            atomic::yield_now();
        }
    }
}

fn all(scene: &mut Scene, case: Case) {
    for mut mailbox in mailboxes(scene, case) {
        scene.participant(move || run(&mut mailbox, case, None));
    }
}

/// Two ranks, of which the first one writes, and may be killed.
fn writer_ends(scene: &mut Scene) {
    let case = Case { ranks: 2, slots: 2, pieces: 3, together: 1, writers: 1 };
    let step = scene.choose(12);
    let [mut writer, mut reader]: [Mailbox; 2] = mailboxes(scene, case).try_into().expect("two");
    let end = scene.participant_that_ends(step, move || run(&mut writer, case, None));
    scene.participant(move || run(&mut reader, case, Some(&end)));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::mailbox", "four pieces through one slot", |scene| {
        all(scene, Case { ranks: 2, slots: 1, pieces: 4, together: 1, writers: 1 });
    })
    .with(Extent::Preemptions(6)),
    Model::new("node::mailbox", "five pieces through two slots", |scene| {
        all(scene, Case { ranks: 2, slots: 2, pieces: 5, together: 1, writers: 1 });
    })
    .with(Extent::Preemptions(3)),
    Model::new("node::mailbox", "pieces acknowledged two at a time", |scene| {
        all(scene, Case { ranks: 2, slots: 2, pieces: 5, together: 2, writers: 1 });
    })
    .with(Extent::Preemptions(5)),
    Model::new("node::mailbox", "both ranks write", |scene| {
        all(scene, Case { ranks: 2, slots: 1, pieces: 2, together: 1, writers: 2 });
    })
    .with(Extent::Preemptions(2)),
    Model::new("node::mailbox", "two ranks read", |scene| {
        all(scene, Case { ranks: 3, slots: 1, pieces: 2, together: 1, writers: 1 });
    })
    .with(Extent::Preemptions(3)),
    Model::new("node::mailbox", "a writer is killed", writer_ends).with(Extent::Preemptions(3)),
    Model::new("node::mailbox", "many pieces of three ranks", |scene| {
        all(scene, Case { ranks: 3, slots: 2, pieces: 10, together: 1, writers: 3 });
    })
    .with(Extent::Random(100)),
];
