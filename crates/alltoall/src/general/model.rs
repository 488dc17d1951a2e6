//! What the general exchange in place promises, in all interleavings.
//!
//! Every byte arrives at its place, and no byte is overwritten before it was sent: neither in the buffer, nor
//! in the extra memory, nor by what another rank writes itself. All ranks end, also with a byte of extra
//! memory each, with messages that wait for their receiver, and where the kernel refuses to write.

use super::direct::Direct;
use super::ledger::Ledger;
use super::{move_parts, places};
use crate::state::model::{Buffer, LINE, nodes, sent};
use crate::task::Task;
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::atomic::{read, written};
use hcube_core::comm::Comm;
use hcube_core::comm::model::{Copied, connect};
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::single_copy::model::refuse;
use hcube_core::progress::wait::Patience;

/// Lines that each rank sends to each.
type Lines = &'static [&'static [usize]];

/// How bytes move between ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Messages(Copied),
    Written,
    /// The kernel refuses to write to the buffer of the last rank.
    Refused,
}

/// Blocks of some lines in a buffer, one after the other.
fn blocks(buffer: Buffer, lines: impl Iterator<Item = usize>) -> Vec<Region<'static>> {
    let ends = lines.scan(0, |end, lines| {
        let begin = *end;
        *end += lines * LINE;
        Some(begin..*end)
    });
    ends.map(|range| buffer.region().part(range)).collect()
}

/// Its rank writes a value into each line of a block.
fn fill(block: Region<'_>, value: u8) {
    for line in (0..block.len()).step_by(LINE) {
        let line = block.part(line..line + LINE);
        written(line.address());
        line.write(&[value; LINE]);
    }
}

/// Its rank reads a block.
fn check(block: Region<'_>, value: u8) {
    for line in (0..block.len()).step_by(LINE) {
        let (line, mut found) = (block.part(line..line + LINE), [0; LINE]);
        read(line.address());
        line.read(&mut found);
        assert_eq!(found, [value; LINE]);
    }
}

/// Exchanges in one buffer for each rank: send blocks in the order of the ranks, receive blocks the other way
/// round, so that each lies where another one is still to be sent.
fn exchanges(scene: &mut Scene, lines: Lines, extra: usize, way: Way, rounds: usize) {
    let ranks = lines.len();
    let size = |rank: usize| {
        let received: usize = lines.iter().map(|of_rank| of_rank[rank]).sum();
        received.max(lines[rank].iter().sum())
    };
    let most = (0..ranks).map(size).max().unwrap_or_default();
    let buffers = Buffer::all(scene, ranks, most * LINE);
    let is_here = !matches!(way, Way::Messages(_));
    let copied = if let Way::Messages(copied) = way { copied } else { Copied::Late };
    connect(scene, &vec![0; ranks], copied);
    refuse((way == Way::Refused).then(|| (buffers[ranks - 1].block(0).cast_const(), true)));
    let nodes = nodes(scene, ranks, is_here);
    for (comm, node) in Member::all(scene, ranks).into_iter().zip(nodes) {
        let own = comm.rank();
        let sends = blocks(buffers[own], lines[own].iter().copied());
        let mut receives = blocks(buffers[own], (0..ranks).rev().map(|from| lines[from][own]));
        receives.reverse();
        scene.participant(move || {
            let listed = |all: &[Region<'static>]| {
                Blocks::listed(all.iter().map(|&region| Block::contiguous(region)).collect())
            };
            let mut memory = Scratch::new(extra).expect("memory");
            for round in 0..rounds {
                sends.iter().enumerate().for_each(|(to, &block)| fill(block, sent(round, own, to)));
                let task = Task::between(listed(&sends), listed(&receives));
                let places = [true, false].map(|sent| places(&comm, &task, sent).expect("contiguous"));
                let [from, to] = places;
                let ledger = Ledger::new(from, to, memory.size()).expect("apart");
                let direct = Direct::new(is_here.then_some(&node), ranks, false);
                let done = move_parts(&comm, &task, ledger, &mut memory, direct, Patience::new(true, false));
                let writes = way == Way::Written && lines[own].iter().sum::<usize>() > lines[own][own];
                assert!(!writes || done.written > 0, "{done:?}");
                receives.iter().enumerate().for_each(|(from, &block)| check(block, sent(round, from, own)));
                comm.barrier().expect("a barrier");
            }
        });
    }
}

const EVEN: Lines = &[&[1, 1], &[1, 1]];
const UNEVEN: Lines = &[&[0, 2], &[1, 1]];
const THREE: Lines = &[&[0, 1, 1], &[1, 0, 1], &[1, 1, 0]];

/// Extra memory of which a piece is a line, so that whole lines are written.
const MUCH: usize = 4 * LINE;

const EARLY: Way = Way::Messages(Copied::Early);
const LATE: Way = Way::Messages(Copied::Late);

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::general", "messages that are copied early", |scene| {
        exchanges(scene, EVEN, LINE, EARLY, 2);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "blocks of different lengths of two ranks", |scene| {
        exchanges(scene, UNEVEN, LINE, LATE, 1);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "messages of three ranks", |scene| {
        exchanges(scene, THREE, LINE, LATE, 1);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "little extra memory", |scene| exchanges(scene, EVEN, 16, LATE, 1))
        .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "two ranks write to each other", |scene| {
        exchanges(scene, EVEN, MUCH, Way::Written, 2);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "three ranks write to each other", |scene| {
        exchanges(scene, THREE, MUCH, Way::Written, 1);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "a rank may not write", |scene| {
        exchanges(scene, EVEN, MUCH, Way::Refused, 1);
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::general", "many exchanges of three ranks", |scene| {
        exchanges(scene, THREE, LINE, LATE, 3);
    })
    .with(Extent::Random(50)),
];
