//! What the notices of a transposition promise, in all interleavings.
//!
//! Every rank finds the notices of this transposition, reads the parts of A as their programs have written
//! them before it, and a program that has come back changes its part when nobody reads it any more. A rank
//! that has an error goes through the same meetings.

use super::{Notice, Notices, SLOT};
use hcube_core::atomic::{
    self,
    model::{Extent, Model, Rank, Scene},
};
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::progress::wait::Patience;

/// Transpositions one after the other, of ranks whose parts of A are bytes.
fn transpositions(scene: &mut Scene, ranks: usize, count: u64) {
    let refusing = scene.choose(ranks + 1);
    let parts = scene.memory(ranks).as_ptr();
    for memory in CountedMemory::of_model(scene, ranks, SLOT * ranks) {
        scene.participant(move || {
            let (own, mut notices) = (memory.own_number(), Notices::on(memory, Patience::new(true, false)));
            for round in 0..count {
                let notice = |rank: usize| Notice {
                    offset: 10 * round + rank as u64,
                    stride: round,
                    code: u64::from(rank == refusing),
                };
                atomic::written(parts.wrapping_add(own));
                let found = notices.exchange(&Rank, notice(own));
                assert_eq!(found, (0..ranks).map(notice).collect::<Vec<_>>());
                if refusing == ranks {
                    (0..ranks).for_each(|rank| atomic::read(parts.wrapping_add(rank)));
                }
                notices.finish(&Rank);
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("transpose::notices", "transpositions of two ranks", |scene| transpositions(scene, 2, 2))
        .with(Extent::Preemptions(3)),
    Model::new("transpose::notices", "transpositions of three ranks", |scene| transpositions(scene, 3, 2))
        .with(Extent::Preemptions(2)),
];
