//! Notices of any length, with contents that are a function of their round.

use super::*;
use crate::comm::threads;

/// The bytes that a rank posts for another.
fn byte(round: usize, from: usize, to: usize, position: usize) -> u8 {
    (round * 89 + from * 31 + to * 7 + position * 3 + position / 256) as u8
}

/// How a rank divides its bytes: unevenly, the last gets the rest, some may get none.
fn lengths(round: usize, ranks: usize, bytes: usize) -> Vec<usize> {
    let mut left = bytes;
    let share = |to: usize| {
        let most = if to + 1 == ranks { left } else { left.min(bytes * ((to + round) % 3) / ranks) };
        left -= most;
        most
    };
    (0..ranks).map(share).collect()
}

/// A round of notices whose contents follow from its number. Errors are returned and not asserted: a rank
/// that stops would leave the others waiting for it.
struct Round {
    number: usize,
    ranks: usize,
    bytes: usize,
}

impl Round {
    /// Ranks have different lengths in the same round, so that one is short and one is not.
    fn bytes(&self, rank: usize) -> usize {
        if (rank + self.number).is_multiple_of(2) { self.bytes } else { 3 * self.number }
    }

    fn word(&self, rank: usize, word: usize) -> u64 {
        (self.number * 1000 + rank * 10 + word) as u64
    }

    fn post(&self, board: &mut Board) -> Vec<String> {
        let (own, round, bytes, mut wrong) = (board.own(), self.number, self.bytes(board.own()), Vec::new());
        board.post([self.word(own, 0), self.word(own, 1)], bytes, |draft| {
            if draft.bounds.iter().any(|&bound| bound != 0) {
                wrong.push(format!("bounds of two rounds before round {round}"));
            }
            if (draft.bounds.len(), draft.payload.len()) != (self.ranks + 1, bytes) {
                wrong.push(format!("room of round {round}"));
            }
            let mut end = 0;
            for (to, length) in lengths(round, self.ranks, bytes).into_iter().enumerate() {
                let part = &mut draft.payload[end..end + length];
                let content = |(at, place): (usize, &mut u8)| *place = byte(round, own, to, at);
                part.iter_mut().enumerate().for_each(content);
                end += length;
                draft.bounds[to + 1] = end as u32;
                draft.details[DETAILS + to] = self.word(own, 100 + to);
            }
            (0..DETAILS).for_each(|number| draft.details[number] = self.word(own, 50 + number));
        });
        wrong
    }

    /// Reads the notice of a rank that has posted it.
    fn read(&self, board: &mut Board, from: usize) -> Vec<String> {
        let (own, round) = (board.own(), self.number);
        let length = lengths(round, self.ranks, self.bytes(from))[own];
        let content: Vec<u8> = (0..length).map(|at| byte(round, from, own, at)).collect();
        let checks = [
            ("number", board.has_posted(from)),
            ("words", board.words(from) == [self.word(from, 0), self.word(from, 1)]),
            ("bytes", board.bytes(from) == content),
            ("address", board.address(from) == self.word(from, 100 + own)),
            ("detail", board.detail(from, DETAILS - 1) == self.word(from, 50 + DETAILS - 1)),
        ];
        let wrong = checks.into_iter().filter(|&(_, right)| !right);
        wrong.map(|(what, _)| format!("{what} of round {round}: {from} to {own}, {length} bytes")).collect()
    }
}

/// Payloads of different lengths in a row, more than there are slots, each read by all ranks.
fn payloads(nodes: Vec<u32>, capacity: usize, expected: usize) {
    // The room for a short payload is 24 bytes on 2 and 3 ranks, 32 on one.
    let all = [0, 24, 25, expected, 1, 0, expected - 1, 7, 23, expected, 32, 33, 257, 24, 0];
    let wrong = threads::run_on_nodes(nodes.clone(), |comm| {
        let same = |&rank: &usize| nodes[rank] == nodes[comm.rank()];
        let ranks: Vec<usize> = (0..nodes.len()).filter(same).collect();
        let mut board = Board::create(comm, &ranks, capacity).expect("shared memory");
        let (own, count, patience) = (board.own(), ranks.len(), Patience::new(true, false));
        assert_eq!((ranks[own], board.ranks(), board.capacity()), (comm.rank(), count, expected));
        let mut wrong = Vec::new();
        for (number, &bytes) in all.iter().enumerate() {
            let round = Round { number, ranks: count, bytes: bytes.min(expected) };
            wrong.extend(round.post(&mut board));
            for from in 0..count {
                board.wait_for(from, patience, comm);
                wrong.extend(round.read(&mut board, from));
            }
            let (before, complete) = (board.finished(own), bytes % 2 == 0);
            board.finish(complete);
            if (before, board.finished(own)) != (None, Some(complete)) {
                wrong.push(format!("the end of round {number}"));
            }
        }
        wrong
    });
    assert_eq!(wrong.concat(), Vec::<String>::new(), "nodes {nodes:?}, capacity {capacity}");
}

#[test]
fn payloads_of_any_length_arrive() {
    for ranks in 1..=5 {
        // Asked for and created: whole pairs of lines, and no less than a short payload.
        for (capacity, expected) in [(0, 256), (300, 384), (4096, 4096), (70_000, 70_016)] {
            payloads(vec![0; ranks], capacity, expected);
        }
    }
}

#[test]
fn every_node_has_a_board_of_its_own() {
    payloads(vec![0, 1, 0, 1, 1, 2], 1000, 1024);
}

/// Every rank passes on what the next one has posted for it.
#[test]
fn notices_are_read_while_the_next_ones_are_written() {
    let ranks = 3;
    threads::run(ranks, ranks, |comm| {
        let mut board = Board::create(comm, &[0, 1, 2], 256).expect("shared memory");
        let next = |rank: usize| (rank + 1) % ranks;
        for round in 0..20 {
            let byte = |from: usize, to: usize| (round * 16 + from * 4 + to) as u8;
            board.post([0; WORDS], ranks, |draft| {
                for to in 0..ranks {
                    draft.payload[to] = byte(comm.rank(), to);
                    draft.bounds[to + 1] = to as u32 + 1;
                }
            });
            board.see_all(Patience::new(true, false), comm);
            board.post_reading([0; WORDS], 1, |draft, notices| {
                draft.bounds[1..].fill(1);
                draft.payload.copy_from_slice(notices.bytes(next(comm.rank())));
            });
            board.see_all(Patience::new(true, false), comm);
            for rank in 0..ranks {
                assert_eq!(board.all_bytes(rank), [byte(next(rank), rank)], "round {round}");
            }
        }
    });
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn no_round_is_posted_before_the_last_one_was_seen() {
    threads::run(2, 2, |comm| {
        let mut board = Board::create(comm, &[0, 1], 256).expect("shared memory");
        board.post([0; WORDS], 0, |_| ());
        board.post([0; WORDS], 0, |_| ());
    });
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn no_notice_is_read_before_it_was_seen() {
    threads::run(2, 2, |comm| {
        let mut board = Board::create(comm, &[0, 1], 256).expect("shared memory");
        board.post([0; WORDS], 0, |_| ());
        board.bytes(1 - board.own()).len()
    });
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn more_than_the_capacity_is_refused() {
    threads::run(1, 1, |comm| {
        Board::create(comm, &[0], 256).expect("shared memory").post([0; WORDS], 257, |_| ());
    });
}

/// A board of two ranks on which the first one has refused two rounds, the second of them ahead.
fn refused_twice<C: Comm>(comm: &C) -> Board {
    let mut board = Board::create(comm, &[0, 1], 256).expect("shared memory");
    if board.own() == 0 {
        (0..2).for_each(|_| board.refuse([0; WORDS], (0, b"no"), Patience::new(true, false), comm));
    }
    // The second refusal comes before the notice of the other rank.
    comm.barrier().expect("both are here");
    board
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn no_notice_is_posted_before_refused_rounds_were_gone_through() {
    threads::run(2, 2, |comm| {
        let mut board = refused_twice(comm);
        if board.own() == 0 {
            board.wait_for(1, Patience::new(true, false), comm);
        }
        board.post([0; WORDS], 0, |_| ());
    });
}

#[test]
#[should_panic(expected = "a rank panicked")]
fn no_notice_is_read_between_refused_rounds() {
    threads::run(2, 2, |comm| {
        let mut board = refused_twice(comm);
        if board.own() == 1 {
            board.post([0; WORDS], 0, |_| ());
            return 0;
        }
        board.wait_for(1, Patience::new(true, false), comm);
        board.bytes(1).len()
    });
}
