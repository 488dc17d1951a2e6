//! Votes that are sent with the blocks: for exchanges in which all ranks know the sizes of all blocks.
//!
//! Idea: if all blocks have the same size, known to every rank (`MPI_Alltoall`), leaders need not wait for
//! the votes of other nodes. They send the votes of their node and the blocks in one message, and post both
//! in their second notices. A rank that has read these notices knows the votes of all ranks; only then it
//! writes to its receive blocks. A node with a rank whose arguments are invalid sends only votes. To detect
//! counts that do not match, nothing depends on the size that a rank has passed before the votes are known:
//! receives are large enough for the largest blocks, and shorter blocks are at the start of the message.
//! Blocks inside the node are posted again, because the first notices must not be read after the second ones.
//!
//! Restrictions: as for node leaders; all ranks know in advance that all of them use this method.
//! Cost: as node leaders, without the all-reduce of the votes; one further copy per byte inside the node.
//! Source: our own.

use super::routes::VOTE_BYTES;
use super::{Messages, Reader, Route, Routes, Writer, assemble, parts_of, unpack};
use crate::copies::copy_own;
use crate::node::{Node, partners, wait};
use crate::task::Task;
use crate::vote::{Property, Vote};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::WORDS;
use hcube_core::node::pace::Pace;
use hcube_core::progress::wait::Patience;

/// The ranks' knowledge of each other, and the blocks that have arrived.
#[derive(Debug)]
pub struct Received {
    /// The sum of the votes of all ranks.
    pub sum: Vote,
    /// The messages of the only rank of a node.
    alone: Vec<u8>,
}

/// Routes, and the largest block that any rank can have; both are the same on all ranks.
#[derive(Debug, Clone, Copy)]
pub struct BoundedRoutes<'r> {
    pub routes: &'r Routes,
    /// In bytes.
    pub limit: usize,
}

/// Where the message of a route starts in what its leader has received, for all routes that it leads.
fn places(
    BoundedRoutes { routes, limit }: BoundedRoutes<'_>,
    leader: usize,
) -> impl Iterator<Item = (usize, &Route)> {
    routes.led_by(leader).scan(0, move |end, route| {
        let start = *end;
        *end += VOTE_BYTES + routes.message_bytes(route, limit);
        Some((start, route))
    })
}

/// Messages of a leader, as long as they may be, and as this rank sends them: `bytes` for each route.
fn messages<'r>(
    BoundedRoutes { routes, limit }: BoundedRoutes<'r>,
    own: usize,
    bytes: impl Fn(usize, &Route) -> usize,
) -> Messages<'r> {
    let led: Vec<&Route> = routes.led_by(own).collect();
    let received = |route: &&Route| vec![VOTE_BYTES + routes.message_bytes(route, limit)];
    let sent = |(number, route): (usize, &&Route)| VOTE_BYTES + bytes(number, route);
    Messages {
        received: led.iter().map(received).collect(),
        sent: led.iter().enumerate().map(sent).collect(),
        led,
    }
}

/// Adds the votes of the other nodes from the messages of a leader.
fn add_votes(sum: &mut Vote, messages: &[u8], bounded: BoundedRoutes<'_>, leader: usize) {
    for (start, _) in places(bounded, leader).filter(|(_, route)| Routes::is_first(route)) {
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

/// Forwards the votes of this node, whose sum is `near`, and the blocks, after the first notices of all ranks
/// of the node have been read. Nothing is written to the blocks of the task.
///
/// # Errors
/// Of MPI; other ranks are waiting then, so the job must end.
pub fn pass_on<C: Comm>(
    comm: &C,
    node: Option<&mut Node>,
    scratch: &mut Scratch,
    bounded: BoundedRoutes<'_>,
    near: &Vote,
    task: Option<&Task<'_>>,
    patience: Patience,
) -> Result<Received> {
    let ranks_here = node.as_ref().map_or(1, |node| node.ranks.len());
    let complete = near.count(Property::Led) == ranks_here;
    let task = task.filter(|_| complete);
    let Some(node) = node else {
        return pass_on_alone(comm, scratch, bounded, near, task, patience);
    };
    let Node { ranks, board, pace, .. } = node;
    let (own, routes) = (board.own(), bounded.routes);
    let block = |number: usize| match task {
        Some(task) if number != own => task.outgoing(ranks[number]).bytes(),
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
    let messages = messages(bounded, own, |number, _| sent[number]);
    let memory = scratch.take(messages.bytes_sent()).expect("routes are chosen so that messages fit");
    let sent = scratch.bytes(&memory);
    let inside: usize = (0..ranks.len()).map(block).sum();
    let length = messages.bytes_received();
    let mut outcome = Ok(());
    board.post_reading([0; WORDS], length + inside, |draft, notices| {
        let (received, near_blocks) = draft.payload.split_at_mut(length);
        let mut all: Vec<_> = (0..ranks.len())
            .filter(|_| complete)
            .map(|number| parts_of(notices.bytes(number), routes, own))
            .collect();
        let fill = |number: usize, message: &mut [u8]| {
            assemble(put_votes(message, near), all.iter_mut().map(|of_rank| &mut of_rank[number]));
        };
        let mut writer = Writer { bytes: near_blocks, end: 0 };
        draft.bounds[0] = length as u32;
        outcome = messages.exchange(comm, patience, [received, sent], fill, || {
            for (number, &rank) in ranks.iter().enumerate() {
                if let (Some(task), true) = (task, number != own) {
                    writer.block(&task.outgoing(rank), pace);
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
        add_votes(&mut sum, board.all_bytes(leader), bounded, leader);
    }
    Ok(Received { sum, alone: Vec::new() })
}

/// As [`pass_on`], for the only rank of a node.
fn pass_on_alone<C: Comm>(
    comm: &C,
    scratch: &mut Scratch,
    bounded: BoundedRoutes<'_>,
    near: &Vote,
    task: Option<&Task<'_>>,
    patience: Patience,
) -> Result<Received> {
    let routes = bounded.routes;
    let bytes = |_, route: &Route| match task {
        Some(task) => routes.targets(route).map(|rank| task.outgoing(rank).bytes()).sum(),
        None => 0,
    };
    let messages = messages(bounded, 0, bytes);
    let mut received = vec![0; messages.bytes_received()];
    let memory = scratch.take(messages.bytes_sent()).expect("routes are chosen so that messages fit");
    let fill = |number: usize, message: &mut [u8]| {
        let mut writer = Writer { bytes: put_votes(message, near), end: 0 };
        let targets = routes.targets(messages.led[number]);
        if let Some(task) = task {
            targets.for_each(|target| writer.block(&task.outgoing(target), &mut Pace::default()));
        }
    };
    let buffers = [&mut *received, scratch.bytes(&memory)];
    messages.exchange(comm, patience, buffers, fill, || ())?;
    scratch.give(memory);
    let mut sum = *near;
    add_votes(&mut sum, &received, bounded, 0);
    Ok(Received { sum, alone: received })
}

/// Copies the blocks for this rank, after the votes have shown that all ranks have blocks of the same size.
pub fn unpack_all<C: Comm>(
    comm: &C,
    node: Option<&mut Node>,
    scratch: &mut Scratch,
    bounded: BoundedRoutes<'_>,
    received: Received,
    task: &Task<'_>,
    patience: Patience,
) -> Result<()> {
    let routes = bounded.routes;
    let from = |messages: &[u8], leader, own| {
        for (start, route) in
            places(bounded, leader).filter(|(_, route)| routes.receivers(route).contains(&own))
        {
            let (before, sources) = (own - routes.receivers(route).start, routes.sources(route));
            let first = sources.map(|source| task.incoming(source).bytes()).sum::<usize>() * before;
            unpack(comm, &mut Reader(&messages[start + VOTE_BYTES + first..]), routes, route, task);
        }
    };
    let Some(node) = node else {
        copy_own(comm, task, scratch, false);
        from(&received.alone, 0, 0);
        return Ok(());
    };
    let Node { ranks, board, chunk, .. } = node;
    let own = board.own();
    copy_own(comm, task, chunk, false);
    for leader in (0..ranks.len()).filter(|&leader| routes.led_by(leader).next().is_some()) {
        from(board.all_bytes(leader), leader, own);
    }
    for (partner, rank) in partners(ranks, own) {
        wait(comm, patience, || board.has_posted(partner), &mut || Ok(()))?;
        let bytes = board.bytes(partner);
        comm.charge(COPY.of(bytes.len()));
        task.incoming(rank).unpack(0, bytes);
    }
    Ok(())
}
