//! What the lists of records of a node promise, in all interleavings.
//!
//! After a barrier a rank finds the notice and the lists that each rank has published in this round, with all
//! records in their order, never older or newer ones. The records stay what they are until the reader enters
//! the first barrier of the next turn, however far the writers are ahead. Memory that others access directly
//! is accessed only when its rank has finished the turn. No rank waits for ever once all have come.

use super::{Layout, NOTICE_WORDS, PAGE, Patience, RecordLists, Segment};
use crate::atomic;
use crate::atomic::model::{Extent, Model, Rank, Scene};
use std::ptr::NonNull;

/// Records of a list: more than its first chunk has room for.
const RECORDS: u64 = 2;

fn lists(scene: &mut Scene, ranks: usize) -> Vec<RecordLists> {
    let layout = Layout { ranks, lists: ranks, reserve: PAGE };
    let place = scene.memory(layout.length());
    let of_rank = |own| RecordLists::new(Segment::of_model(place, layout.length()), layout, own);
    (0..ranks).map(of_rank).collect()
}

fn meet(lists: &mut RecordLists, notice: u64) {
    let notice = std::array::from_fn(|word| notice + word as u64);
    lists.meet(&Rank, Patience::new(true, false), || {}, notice);
}

/// The value of a record.
fn value(turn: u64, from: usize, to: usize, number: u64) -> u64 {
    1000 * turn + 100 * from as u64 + 10 * to as u64 + number
}

/// Leaves records for all other ranks.
fn leave(lists: &mut RecordLists, turn: u64) {
    let own = lists.own_number();
    for to in (0..lists.ranks()).filter(|&to| to != own) {
        for number in 0..RECORDS {
            let value = value(turn, own, to, number);
            lists.record(to, value, number as u32, 8).expect("memory").write(&value.to_ne_bytes());
        }
    }
}

/// Reads a list that was located in a turn.
fn check(lists: &RecordLists, turn: u64, from: usize, list: super::List) {
    let own = lists.own_number();
    // SAFETY: the caller reads it before it meets the others in the turn after that.
    let records = unsafe { lists.records(list) };
    let mut number = 0;
    for record in records {
        let mut bytes = [0; 8];
        record.payload.read(&mut bytes);
        let value = value(turn, from, own, number);
        assert_eq!(
            (record.value, u64::from(record.label), u64::from_ne_bytes(bytes)),
            (value, number, value)
        );
        number += 1;
    }
    assert_eq!(number, RECORDS, "records from {from} in turn {turn}");
}

/// Each rank leaves records in each turn, and reads the records of the others while it writes in the next
/// one.
fn turns(scene: &mut Scene, ranks: usize, turns: u64) {
    for mut lists in lists(scene, ranks) {
        scene.participant(move || {
            let own = lists.own_number();
            let others = (0..ranks).filter(|&from| from != own);
            let mut before = Vec::new();
            for turn in 0..turns {
                leave(&mut lists, turn);
                for (from, list) in std::mem::take(&mut before) {
                    check(&lists, turn - 1, from, list);
                }
                meet(&mut lists, value(turn, own, 0, 0));
                for from in others.clone() {
                    let first = value(turn, from, 0, 0);
                    let expected: [u64; NOTICE_WORDS] = std::array::from_fn(|word| first + word as u64);
                    assert_eq!(lists.notice(from), expected);
                    assert!(lists.list(from, from).is_empty());
                    before.push((from, lists.list(from, own)));
                }
                lists.turn();
            }
        });
    }
}

/// Several barriers in a turn: lists that were published once are empty in the next rounds.
fn rounds(scene: &mut Scene, ranks: usize, rounds: u64) {
    for mut lists in lists(scene, ranks) {
        scene.participant(move || {
            let own = lists.own_number();
            let others = (0..ranks).filter(|&from| from != own);
            leave(&mut lists, 0);
            meet(&mut lists, 0);
            let found: Vec<_> = others.clone().map(|from| (from, lists.list(from, own))).collect();
            for _ in 1..rounds {
                meet(&mut lists, 0);
                others.clone().for_each(|from| assert!(lists.list(from, own).is_empty()));
            }
            found.into_iter().for_each(|(from, list)| check(&lists, 0, from, list));
        });
    }
}

/// Rank 0 writes its memory after each turn, and the others read it when rank 0 has finished the turn.
fn direct(scene: &mut Scene, ranks: usize, turns: u64) {
    let memory: NonNull<u8> = scene.memory(1);
    for mut lists in lists(scene, ranks) {
        scene.participant(move || {
            for _ in 0..turns {
                meet(&mut lists, 0);
                lists.turn();
                if lists.own_number() == 0 {
                    atomic::written(memory.as_ptr());
                    lists.finish();
                } else {
                    lists.wait_for(0, &Rank, Patience::new(true, false));
                    atomic::read(memory.as_ptr());
                }
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::lists", "turns of two ranks", |scene| turns(scene, 2, 3)).with(Extent::Preemptions(3)),
    Model::new("node::lists", "turns of three ranks", |scene| turns(scene, 3, 3))
        .with(Extent::Preemptions(2)),
    Model::new("node::lists", "several rounds of two ranks in a turn", |scene| rounds(scene, 2, 3))
        .with(Extent::Preemptions(3)),
    Model::new("node::lists", "memory that is read when a turn is finished", |scene| direct(scene, 2, 2))
        .with(Extent::Preemptions(3)),
    Model::new("node::lists", "many turns of four ranks", |scene| turns(scene, 4, 12))
        .with(Extent::Random(100)),
    Model::new("node::lists", "two turns of two ranks, all executions", |scene| turns(scene, 2, 2)).long(),
    Model::new("node::lists", "turns of three ranks, more executions", |scene| turns(scene, 3, 3))
        .with(Extent::Preemptions(3))
        .long(),
];
