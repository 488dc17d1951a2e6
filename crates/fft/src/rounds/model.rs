//! What the rounds of a transform promise, in all interleavings.
//!
//! All ranks transform, with the places of all, or all return an error: a rank its own, the others the error
//! of the first rank that has one in this transform, not in another. Between the waits each rank reads what
//! the others have written before the last of them, and overwrites what they have read before it.

use super::{Places, Rounds};
use hcube_core::atomic::{
    self,
    model::{Extent, Model, Rank, Scene},
};
use hcube_core::error::Error;
use hcube_core::node::counted_memory::CountedMemory;
use hcube_core::progress::wait::Patience;

/// The error of a rank in a transform.
fn error(transform: usize) -> Error {
    if transform.is_multiple_of(2) { Error::Buffer("a".into()) } else { Error::Usage("a".into()) }
}

/// Transforms one after the other. The bits of the choice tell which ranks have an error in which of them.
/// Bytes stand for what one rank writes for another: columns, and rows.
fn transforms(scene: &mut Scene, ranks: usize, count: usize) {
    let refusing = scene.choose(1 << (ranks * count));
    let refuses = move |transform: usize, rank: usize| refusing >> (ranks * transform + rank) & 1 == 1;
    for memory in CountedMemory::of_model(scene, ranks, 2 * ranks * ranks) {
        scene.participant(move || {
            let (own, mut rounds) = (memory.own_number(), Rounds::new(memory, Patience::new(true, false)));
            for transform in 0..count {
                one(&rounds, transform, (own, ranks), &refuses);
                rounds.end();
            }
        });
    }
}

fn one(
    rounds: &Rounds,
    transform: usize,
    (own, ranks): (usize, usize),
    refuses: &dyn Fn(usize, usize) -> bool,
) {
    let place = |part: usize, from: usize, to: usize| {
        let offset = (part * ranks + from) * ranks + to;
        rounds.memory().place(offset..offset + 1).cast_const()
    };
    let all = || 0..ranks;
    let places = |rank: usize| Places { input: Some((transform + rank) % 2), output: None };
    if refuses(transform, own) {
        rounds.tell(Err(&error(transform)));
        rounds.wait(&Rank, 1);
        return;
    }
    // Columns for the others; the ranks that have an error write nothing.
    all().for_each(|to| atomic::written(place(0, own, to)));
    rounds.tell(Ok(places(own)));
    rounds.wait(&Rank, 1);
    match (all().find(|&rank| refuses(transform, rank)), rounds.all_places()) {
        (None, found) => assert_eq!(found, Ok(all().map(places).collect())),
        (Some(first), found) => {
            let found = found.map_err(|error| match error {
                Error::Remote { rank, code, .. } => (rank, code),
                other => panic!("{other}"),
            });
            assert_eq!(found, Err((first, error(transform).code())));
            return;
        }
    }
    // A rank transforms its columns in their place.
    all().for_each(|from| atomic::written(place(0, from, own)));
    rounds.wait(&Rank, 2);
    // It reads a row from all columns, and writes what is in the part of each rank.
    all().for_each(|from| all().for_each(|to| atomic::read(place(0, from, to))));
    all().for_each(|to| atomic::written(place(1, own, to)));
    rounds.wait(&Rank, 3);
    all().for_each(|from| atomic::read(place(1, from, own)));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("fft::rounds", "transforms of two ranks", |scene| transforms(scene, 2, 2))
        .with(Extent::Preemptions(3)),
    Model::new("fft::rounds", "a transform of three ranks", |scene| transforms(scene, 3, 1))
        .with(Extent::Preemptions(2)),
    Model::new("fft::rounds", "transforms of three ranks", |scene| transforms(scene, 3, 2))
        .with(Extent::Preemptions(1))
        .long(),
];
