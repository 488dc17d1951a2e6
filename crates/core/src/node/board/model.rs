//! What a notice board promises, in all interleavings.
//!
//! A rank that has seen the notice of another one reads what that one has posted in this round, never what it
//! posted earlier or posts later, also while it writes its next notice; no rank waits for ever once all have
//! posted; a rank that sees that another one has finished a round may use what that one has written for it;
//! nothing is read of the notice of a rank that ends before it has posted it.

use super::{Board, Draft, Patience, WORDS};
use crate::atomic;
use crate::atomic::model::{Extent, Model, Rank, Scene};

fn patience() -> Patience {
    Patience::new(true, false)
}

/// The words of a notice, and the tag of a refusal.
fn words(round: usize, rank: usize) -> [u64; WORDS] {
    [round as u64, rank as u64]
}

/// What a rank posts for another one.
fn bytes(round: usize, from: usize, to: usize) -> [u8; 8] {
    (100 * round + 10 * from + to).to_ne_bytes()
}

fn write(draft: Draft<'_>, round: usize, from: usize) {
    for (to, part) in draft.payload.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&bytes(round, from, to));
        draft.bounds[to + 1] = 8 * (to as u32 + 1);
    }
}

fn post(board: &mut Board, round: usize) {
    let own = board.own();
    board.post(words(round, own), 8 * board.ranks(), |draft| write(draft, round, own));
}

/// Posts a notice, and reads the notices of the round before while it is written.
fn post_reading(board: &mut Board, round: usize) {
    let (own, ranks) = (board.own(), board.ranks());
    board.post_reading(words(round, own), 8 * ranks, |draft, notices| {
        write(draft, round, own);
        (0..ranks).for_each(|from| assert_eq!(notices.bytes(from), bytes(round - 1, from, own)));
    });
}

/// The text of a refusal.
fn text(round: usize, own: usize) -> [u8; 8] {
    bytes(round, own, 9)
}

fn refuse(board: &mut Board, round: usize) {
    let own = board.own();
    let [tag, _] = words(round, own);
    board.refuse(words(round, own), (tag, &text(round, own)), patience(), &Rank);
}

fn check_notice(board: &Board, round: usize, from: usize) {
    assert!(!board.is_refused_ahead(from));
    assert_eq!(board.words(from), words(round, from));
    assert_eq!(board.bytes(from), bytes(round, from, board.own()));
}

/// `has_text`: the rank has posted in one of the two rounds before, so that this is not the second refusal
/// ahead in a row.
fn check_refusal(board: &Board, round: usize, from: usize, has_text: bool) {
    let (tag, said) = board.refusal(from);
    assert_eq!(tag, round as u64);
    match said {
        Some(said) => assert_eq!(said, text(round, from)),
        None => assert!(!has_text, "the text of a refusal is missing"),
    }
}

/// What ranks do in each round, a letter each: `-` posts and reads all others, `+` as well, and reads the
/// notices of the round before while it posts, `.` posts and reads nothing, `R` refuses. What stands before a
/// `|` has happened before the model begins, one rank after the other.
pub(in crate::node) fn rounds(scene: &mut Scene, ranks: &'static [&'static str]) {
    for (mut board, text) in Board::of_model(scene, ranks.len(), 0).into_iter().zip(ranks) {
        let (before, all) =
            (text.find('|').unwrap_or(0), text.bytes().filter(|&letter| letter != b'|').count());
        (1..=before).for_each(|round| take_part(&mut board, ranks, round));
        scene.participant(move || {
            (before + 1..=all).for_each(|round| take_part(&mut board, ranks, round));
            board.see_all(patience(), &Rank);
        });
    }
}

/// The part of a rank in a round; see [`rounds`].
fn take_part(board: &mut Board, ranks: &[&str], round: usize) {
    let letter =
        |rank: usize, round: usize| ranks[rank].bytes().filter(|&letter| letter != b'|').nth(round - 1);
    let own = letter(board.own(), round);
    if own == Some(b'R') {
        return refuse(board, round);
    }
    board.see_all(patience(), &Rank);
    if own == Some(b'+') {
        post_reading(board, round)
    } else {
        post(board, round)
    }
    for from in (0..ranks.len()).filter(|_| own != Some(b'.')) {
        board.wait_for(from, patience(), &Rank);
        let refuses = |round: usize| letter(from, round) == Some(b'R');
        if refuses(round) {
            check_refusal(board, round, from, round < 3 || !refuses(round - 1) || !refuses(round - 2));
        } else {
            check_notice(board, round, from);
        }
    }
}

/// Each rank writes memory that the others read when it has finished, and overwrite in the next round.
fn finished(scene: &mut Scene, rounds: usize) {
    let memory = scene.memory(8).as_ptr().expose_provenance();
    let place = move || std::ptr::with_exposed_provenance::<u8>(memory);
    for mut board in Board::of_model(scene, 2, 0) {
        scene.participant(move || {
            let other = 1 - board.own();
            for round in 1..=rounds {
                post(&mut board, round);
                board.see_all(patience(), &Rank);
                let complete = |rank: usize| (round + rank).is_multiple_of(2);
                let writes = complete(board.own());
                if writes {
                    atomic::written(place());
                }
                board.finish(writes);
                while board.finished(other).is_none() {
                    atomic::yield_now();
                }
                assert_eq!(board.finished(other), Some(complete(other)));
                atomic::read(place());
            }
        });
    }
}

/// A rank is killed; the other reads its notices as long as there are some.
fn rank_ends(scene: &mut Scene) {
    let step = scene.choose(10);
    let [mut ends, mut stays]: [Board; 2] = Board::of_model(scene, 2, 0).try_into().expect("two");
    let rounds = 1..=3;
    let all = rounds.clone();
    let end = scene.participant_that_ends(step, move || {
        for round in rounds {
            post(&mut ends, round);
            ends.wait_for(1, patience(), &Rank);
        }
    });
    scene.participant(move || {
        for round in all {
            post(&mut stays, round);
            loop {
                let has_ended = end.has_happened();
                if stays.has_posted(0) {
                    break;
                } else if has_ended {
                    return;
                }
                atomic::yield_now();
            }
            check_notice(&stays, round, 0);
        }
    });
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::board", "rounds of two ranks", |scene| rounds(scene, &["---", "---"])),
    Model::new("node::board", "a rank reads late", |scene| rounds(scene, &["..-", "---"])),
    Model::new("node::board", "a notice is read while the next is written", |scene| {
        rounds(scene, &["-++", "-+-"]);
    }),
    Model::new("node::board", "rounds of three ranks", |scene| rounds(scene, &["---", "---", "---"]))
        .with(Extent::Preemptions(4)),
    Model::new("node::board", "rounds are finished", |scene| finished(scene, 2)).with(Extent::Preemptions(5)),
    Model::new("node::board", "a rank is killed", rank_ends),
    Model::new("node::board", "many rounds of four ranks", |scene| {
        rounds(scene, &["-+--++--+--+", "-+..++--+--+", "-+.-+---+--.", "-++-+--++--."]);
    })
    .with(Extent::Random(100)),
];
