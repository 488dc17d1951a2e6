//! Both halves of an exchange by node leaders: the votes and the blocks are passed on, and the blocks that
//! have arrived are copied to their places.

use super::routes::VOTE_BYTES;
use super::{LENGTH_BYTES, Messages, Part, Pieces, Reader, Round, Route, Routes, Writer, assemble, parts_of};
use crate::copies::copy_own;
use crate::node::{Node, partners, tell_addresses, wait};
use crate::task::Task;
use crate::vote::{Property, Vote};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::WORDS;
use hcube_core::node::pace::Pace;
use hcube_core::progress::wait::Patience;

/// The ranks' knowledge of each other, and the pieces that have arrived.
#[derive(Debug)]
pub struct Received {
    /// The sum of the votes of all ranks.
    pub sum: Vote,
    /// See [`Round::number`].
    pub number: Option<usize>,
    /// Longer blocks do not take this way, although their first pieces may have arrived.
    pub longest: usize,
    /// The messages of the only rank of a node.
    alone: Vec<u8>,
}

/// Bytes of the table in the second notice of a leader: the length that each receiver of each route expects.
fn table_bytes(routes: &Routes, leader: usize) -> usize {
    LENGTH_BYTES * routes.led_by(leader).map(|route| routes.receivers(route).len()).sum::<usize>()
}

/// Where the message of a route starts in what its leader has received, for all routes that it leads.
fn places(routes: &Routes, leader: usize) -> impl Iterator<Item = (usize, &Route)> {
    routes.led_by(leader).scan(0, move |end, route| {
        let start = *end;
        *end += VOTE_BYTES + routes.message_bytes(route);
        Some((start, route))
    })
}

/// Messages of a leader, as long as they may be, and as this rank sends them: `bytes` for each route.
fn messages<'r>(routes: &'r Routes, own: usize, bytes: impl Fn(usize, &Route) -> usize) -> Messages<'r> {
    let led: Vec<&Route> = routes.led_by(own).collect();
    let received = |route: &&Route| VOTE_BYTES + routes.message_bytes(route);
    let sent = |(number, route): (usize, &&Route)| VOTE_BYTES + bytes(number, route);
    Messages {
        received: led.iter().map(received).collect(),
        sent: led.iter().enumerate().map(sent).collect(),
        led,
    }
}

/// Adds the votes of the other nodes from the messages of a leader.
fn add_votes(sum: &mut Vote, messages: &[u8], routes: &Routes, leader: usize) {
    for (start, _) in places(routes, leader).filter(|(_, route)| Routes::is_first(route)) {
        let mut words = [0; Vote::WORDS];
        for (word, bytes) in words.iter_mut().zip(messages[start..].chunks_exact(size_of::<u64>())) {
            *word = u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
        }
        sum.add(&Vote::from_words(words));
    }
}

/// The votes of a node at the start of a message; the rest of it.
fn put_votes<'m>(message: &'m mut [u8], near: &Vote) -> &'m mut [u8] {
    let (votes, rest) = message.split_at_mut(VOTE_BYTES);
    for (bytes, word) in votes.chunks_exact_mut(size_of::<u64>()).zip(near.words()) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    rest
}

/// Writes the table from what every rank of the node has written for the routes of the leader; without blocks
/// nobody reads it.
fn put_table(table: &mut [u8], parts: &[Vec<Part<'_>>], routes: &Routes, own: usize) {
    let mut writer = Writer { bytes: table, end: 0 };
    for (number, route) in routes.led_by(own).enumerate() {
        for receiver in routes.receivers(route) {
            writer.length(parts.get(receiver).map_or(0, |of_rank| of_rank[number].expected));
        }
    }
}

/// Passes on the votes of this node, whose sum is `near`, and the pieces of a round, after the first notices
/// of all ranks of the node have been read. Nothing is written to the blocks of the task.
///
/// # Errors
/// Of MPI; other ranks are waiting then, so the job must end.
pub fn pass_on<C: Comm>(
    comm: &C,
    node: Option<&mut Node>,
    scratch: &mut Scratch,
    round: Round<'_>,
    near: &Vote,
    task: Option<&Task<'_>>,
    patience: Patience,
) -> Result<Received> {
    let routes = round.routes;
    let ranks_here = node.as_ref().map_or(1, |node| node.ranks.len());
    let complete = near.count(Property::Led) == ranks_here;
    let led = task.filter(|_| complete).map(|task| round.pieces(task));
    let Some(node) = node else {
        return pass_on_alone(comm, scratch, round, near, led, patience);
    };
    let Node { ranks, board, pace, .. } = node;
    let own = board.own();
    let piece = |number: usize| match &led {
        Some(pieces) if number != own => pieces.bytes_to(ranks[number]),
        _ => 0,
    };
    let sent: Vec<usize> = {
        let parts: Vec<_> = (0..ranks.len())
            .filter(|_| complete)
            .map(|number| parts_of(board.bytes(number), routes, own))
            .collect();
        let led = routes.led_by(own).enumerate();
        led.map(|(number, _)| parts.iter().map(|of_rank| of_rank[number].blocks.0.len()).sum()).collect()
    };
    let messages = messages(routes, own, |number, _| sent[number]);
    let memory = scratch.take(messages.bytes_sent()).expect("routes are chosen so that messages fit");
    let sent = scratch.bytes(&memory);
    let inside: usize = (0..ranks.len()).map(piece).sum();
    let table = table_bytes(routes, own);
    let length = table + messages.bytes_received();
    let mut outcome = Ok(());
    board.post_reading([0; WORDS], length + inside, |draft, notices| {
        if let Some(task) = task {
            // For single copy, if another algorithm makes the exchange.
            tell_addresses(draft.details, ranks, task);
        }
        let (received, near_blocks) = draft.payload.split_at_mut(length);
        let mut all: Vec<_> = (0..ranks.len())
            .filter(|_| complete)
            .map(|number| parts_of(notices.bytes(number), routes, own))
            .collect();
        let (table, received) = received.split_at_mut(table);
        put_table(table, &all, routes, own);
        let fill = |number: usize, message: &mut [u8]| {
            assemble(put_votes(message, near), all.iter_mut().map(|of_rank| &mut of_rank[number]));
        };
        let mut writer = Writer { bytes: near_blocks, end: 0 };
        draft.bounds[0] = length as u32;
        outcome = messages.exchange(comm, patience, [received, sent], fill, || {
            for (number, &rank) in ranks.iter().enumerate() {
                if let (Some(pieces), true) = (&led, number != own) {
                    writer.piece(pieces, rank, pace);
                }
                draft.bounds[number + 1] = (length + writer.end) as u32;
            }
            comm.charge(COPY.of(inside));
        });
        comm.settle();
    });
    scratch.give(memory);
    outcome?;
    let mut sum = *near;
    for leader in (0..ranks.len()).filter(|&leader| routes.led_by(leader).next().is_some()) {
        wait(comm, patience, || board.has_posted(leader), &mut || Ok(()))?;
        let messages = &board.all_bytes(leader)[table_bytes(routes, leader)..];
        add_votes(&mut sum, messages, routes, leader);
    }
    Ok(Received { sum, number: round.number, longest: routes.limit(), alone: Vec::new() })
}

/// As [`pass_on`], for the only rank of a node.
fn pass_on_alone<C: Comm>(
    comm: &C,
    scratch: &mut Scratch,
    round: Round<'_>,
    near: &Vote,
    led: Option<Pieces<'_, '_>>,
    patience: Patience,
) -> Result<Received> {
    let routes = round.routes;
    let bytes = |_, route: &Route| match &led {
        Some(pieces) => routes.targets(route).map(|rank| pieces.bytes_to(rank)).sum(),
        None => 0,
    };
    let messages = messages(routes, 0, bytes);
    let mut received = vec![0; messages.bytes_received()];
    let memory = scratch.take(messages.bytes_sent()).expect("routes are chosen so that messages fit");
    let fill = |number: usize, message: &mut [u8]| {
        let mut writer = Writer { bytes: put_votes(message, near), end: 0 };
        let targets = routes.targets(messages.led[number]);
        if let Some(pieces) = &led {
            targets.for_each(|target| writer.piece(pieces, target, &mut Pace::default()));
        }
    };
    let buffers = [&mut *received, scratch.bytes(&memory)];
    messages.exchange(comm, patience, buffers, fill, || ())?;
    scratch.give(memory);
    let mut sum = *near;
    add_votes(&mut sum, &received, routes, 0);
    Ok(Received { sum, number: round.number, longest: routes.limit(), alone: received })
}

/// Copies the pieces of a round, which have all been sent, after the votes have shown that counts match.
pub fn unpack_all<C: Comm>(
    comm: &C,
    node: Option<&mut Node>,
    scratch: &mut Scratch,
    routes: &Routes,
    received: Received,
    task: &Task<'_>,
    patience: Patience,
) -> Result<()> {
    let (round, is_first) = (Round { routes, number: received.number }, received.number == Some(0));
    let (pieces, longest) = (&round.pieces(task), received.longest);
    let Some(node) = node else {
        if is_first {
            copy_own(comm, task, scratch, false);
        }
        for (start, route) in places(routes, 0) {
            unpack(comm, &received.alone[start + VOTE_BYTES..], routes, route, (pieces, longest));
        }
        return Ok(());
    };
    let Node { ranks, board, chunk, .. } = node;
    let own = board.own();
    if is_first {
        copy_own(comm, task, chunk, false);
    }
    for leader in (0..ranks.len()).filter(|&leader| routes.led_by(leader).next().is_some()) {
        let (table, messages) = board.all_bytes(leader).split_at(table_bytes(routes, leader));
        let mut lengths = Reader(table);
        for (start, route) in places(routes, leader) {
            let mut first = start + VOTE_BYTES;
            for receiver in routes.receivers(route) {
                let length = lengths.length();
                if receiver == own {
                    unpack(comm, &messages[first..][..length], routes, route, (pieces, longest));
                }
                first += length;
            }
        }
    }
    for (partner, rank) in partners(ranks, own) {
        wait(comm, patience, || board.has_posted(partner), &mut || Ok(()))?;
        let bytes = board.bytes(partner);
        comm.charge(COPY.of(bytes.len()));
        pieces.unpack(rank, bytes, longest);
    }
    Ok(())
}

/// Copies the pieces for this rank from a node.
fn unpack<C: Comm>(
    comm: &C,
    bytes: &[u8],
    routes: &Routes,
    route: &Route,
    (pieces, longest): (&Pieces<'_, '_>, usize),
) {
    let mut reader = Reader(bytes);
    for source in routes.sources(route) {
        let bytes = reader.take(pieces.bytes_from(source));
        pieces.unpack(source, bytes, longest);
        comm.charge(COPY.of(bytes.len()));
    }
}
