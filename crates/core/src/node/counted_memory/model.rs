//! What [`CountedMemory::meet`] promises, in all interleavings.
//!
//! A rank that has met the others reads what each of them has written before, and none of them overwrites it
//! before all have met again; nobody waits for ever once all have come.

use super::CountedMemory;
use crate::atomic::{
    self,
    model::{Extent, Model, Rank, Scene},
};
use crate::progress::wait::Patience;

/// In each round every rank writes a byte, meets the others, reads all bytes, and meets them again.
fn rounds(scene: &mut Scene, ranks: usize, rounds: u8) {
    for memory in CountedMemory::of_model(scene, ranks, ranks) {
        scene.participant(move || {
            let (own, mut meetings) = (memory.own_number(), 0);
            let mut meet = || {
                meetings += 1;
                memory.meet(meetings, Patience::new(true, false), &Rank);
            };
            for round in 0..rounds {
                let part = |rank: usize| memory.region(rank..rank + 1);
                atomic::written(part(own).address());
                part(own).write(&[10 * round + own as u8]);
                meet();
                for rank in 0..ranks {
                    let mut found = [0];
                    atomic::read(part(rank).address());
                    part(rank).read(&mut found);
                    assert_eq!(found, [10 * round + rank as u8]);
                }
                meet();
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::counted_memory", "two ranks meet", |scene| rounds(scene, 2, 2))
        .with(Extent::Preemptions(4)),
    Model::new("node::counted_memory", "three ranks meet", |scene| rounds(scene, 3, 2))
        .with(Extent::Preemptions(3)),
];
