//! What a notice board promises, in all interleavings.
//!
//! A rank that has seen the notice of another one reads what that one has posted in this round, never what it
//! posted earlier or posts later; no rank waits for ever once all have posted.

use super::{Board, Patience, WORDS};
use crate::atomic::model::{Extent, Model, Rank, Scene};

fn patience() -> Patience {
    Patience::new(true, false)
}

/// The words of a notice.
fn words(round: u64, rank: usize) -> [u64; WORDS] {
    [round, rank as u64]
}

fn post(board: &mut Board, round: u64) {
    let own = board.own();
    board.post(words(round, own), 8, |draft| {
        draft.payload.copy_from_slice(&(100 * round + own as u64).to_ne_bytes());
        draft.bounds[1..].fill(8);
    });
}

fn check(board: &Board, round: u64, from: usize) {
    assert_eq!(board.words(from), words(round, from));
    assert_eq!(board.all_bytes(from), (100 * round + from as u64).to_ne_bytes());
}

/// Every rank posts and reads all others, in more rounds than there are slots.
fn rounds(scene: &mut Scene, ranks: usize, rounds: u64) {
    for mut board in Board::of_model(scene, ranks, 0) {
        scene.participant(move || {
            for round in 1..=rounds {
                post(&mut board, round);
                for from in 0..ranks {
                    board.wait_for(from, patience(), &Rank);
                    check(&board, round, from);
                }
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::board", "rounds of two ranks", |scene| rounds(scene, 2, 3)),
    Model::new("node::board", "rounds of three ranks", |scene| rounds(scene, 3, 3))
        .with(Extent::Preemptions(4)),
    Model::new("node::board", "many rounds of four ranks", |scene| rounds(scene, 4, 12))
        .with(Extent::Random(100)),
];
