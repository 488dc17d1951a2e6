//! The general exchange in place: send and receive blocks with separate counts and displacements in one
//! buffer.

use super::nodes::SINGLE_COPY;
use hcube_alltoall::general::exchange_general;
use hcube_alltoall::{ExchangeState, Options, Path, Report, Task, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::{Error, Result};
use std::ops::Range;

/// Padding between blocks, to detect writes there.
const GAP: u8 = 0xa5;

fn mixed(words: [usize; 4]) -> usize {
    words.iter().fold(0x9e37_79b9_7f4a_7c15_usize, |state, word| {
        let state = (state ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^ state >> 29
    })
}

/// The data that is exchanged; the same on all ranks.
#[derive(Clone, Copy)]
struct Shape<'s> {
    seed: usize,
    /// Whether receive blocks lie where send blocks are.
    shared: bool,
    size: &'s (dyn Fn(usize, usize) -> usize + Sync),
}

/// The buffer of a rank.
struct Buffer {
    memory: Vec<u8>,
    sends: Vec<Range<usize>>,
    receives: Vec<Range<usize>>,
}

impl Buffer {
    fn new(shape: &Shape<'_>, own: usize, ranks: usize) -> Self {
        let layout = |kind: usize, start: usize, size: &dyn Fn(usize) -> usize| {
            let mut order: Vec<usize> = (0..ranks).collect();
            order.sort_by_key(|&rank| mixed([shape.seed, kind, own, rank]));
            let (mut places, mut at) = (vec![0..0; ranks], start);
            for rank in order {
                places[rank] = at..at + size(rank);
                at += size(rank) + mixed([shape.seed, own, kind, rank]) % 4 * 3;
            }
            (places, at)
        };
        let (sends, end) = layout(0, 5, &|to| (shape.size)(own, to));
        let start = if shape.shared { mixed([shape.seed, own, 2, 2]) % 20 } else { end };
        let (receives, last) = layout(1, start, &|from| (shape.size)(from, own));
        let mut memory = vec![GAP; end.max(last) + 7];
        for (to, place) in sends.iter().enumerate() {
            fill(&mut memory[place.clone()], shape.seed, own, to);
        }
        Self { memory, sends, receives }
    }

    fn blocks(&self, start: *mut u8, ranges: &[Range<usize>]) -> Blocks<'_> {
        let block = |range: &Range<usize>| {
            // SAFETY: inside the memory of this buffer, whose start the caller passes.
            Block::contiguous(unsafe { Region::new(start.wrapping_add(range.start), range.len()) })
        };
        Blocks::listed(ranges.iter().map(block).collect())
    }

    fn exchange(
        &mut self,
        comm: &ThreadComm,
        state: &mut ExchangeState,
        extra: &mut Scratch,
    ) -> Result<Report> {
        let start = self.memory.as_mut_ptr();
        let task = Task::between(self.blocks(start, &self.sends), self.blocks(start, &self.receives));
        exchange_general(comm, state, extra, Ok(task))
    }

    /// Whether everything has arrived, and nothing was written outside of the blocks.
    fn has_arrived(&self, seed: usize, own: usize) -> bool {
        let arrived = self.receives.iter().enumerate().all(|(from, place)| {
            let mut expected = vec![0; place.len()];
            fill(&mut expected, seed, from, own);
            self.memory[place.clone()] == expected
        });
        let is_used = |at: usize| self.sends.iter().chain(&self.receives).any(|place| place.contains(&at));
        arrived && (0..self.memory.len()).all(|at| is_used(at) || self.memory[at] == GAP)
    }
}

fn fill(block: &mut [u8], seed: usize, from: usize, to: usize) {
    for (at, byte) in block.iter_mut().enumerate() {
        *byte = mixed([seed, from, to, at]) as u8;
    }
}

fn check((ranks, per_node): (usize, usize), path: Path, extra: usize, shapes: &[Shape<'_>]) -> Vec<UsedPath> {
    let paths = threads::run(ranks, per_node, |comm| {
        let options = Options { path, ..Options::default() };
        let mut state = ExchangeState::new(comm, &options).expect("a state");
        let mut room = Scratch::new(extra).expect("memory");
        let used = shapes.iter().map(|shape| {
            let mut buffer = Buffer::new(shape, comm.rank(), ranks);
            let report = buffer.exchange(comm, &mut state, &mut room).expect("an exchange");
            let arrived = buffer.has_arrived(shape.seed, comm.rank());
            assert!(arrived, "{ranks} ranks, {per_node} per node, {extra} bytes, seed {}", shape.seed);
            report.path
        });
        used.collect::<Vec<_>>()
    });
    paths.into_iter().flatten().collect()
}

#[test]
fn all_bytes_arrive_with_bounded_memory() {
    let sizes: [&(dyn Fn(usize, usize) -> usize + Sync); 6] = [
        &|_, _| 0,
        &|_, _| 40,
        &|from, to| mixed([from, to, 1, 1]) % 3000,
        &|from, to| [9000, 0, 1, 777][(from * 3 + to) % 4],
        // Only to the next rank, and to oneself.
        &|from, to| if to == from + 1 { 20_000 } else { usize::from(from == to) * 5000 },
        &|from, to| if from == 0 || to == 0 { 6000 + from } else { 3 },
    ];
    for ranks in 1..=9 {
        for extra in [1, 500, 4096, 64 << 10] {
            let shapes: Vec<Shape<'_>> = (0..2 * sizes.len())
                .map(|seed| Shape { seed, shared: seed % 5 != 4, size: sizes[seed % sizes.len()] })
                .collect();
            for path in [Path::Auto, Path::Shared] {
                check((ranks, [1, 2, ranks][extra % 3]), path, extra, &shapes);
            }
        }
    }
}

/// Single copy where ranks have it, else messages; what the extra memory holds takes the paths of exchanges
/// between two buffers.
#[test]
fn the_path_is_that_of_the_situation() {
    let small = [Shape { seed: 1, shared: true, size: &|from, to| from + to }];
    let large = [Shape { seed: 1, shared: true, size: &|_, _| 30_000 }];
    let [direct, partly] = match *SINGLE_COPY {
        true => [UsedPath::SingleCopy, UsedPath::Mixed],
        false => [UsedPath::Message; 2],
    };
    for (shape, per_node, path, used) in [
        (&small, 3, Path::Auto, UsedPath::Shared),
        (&large, 3, Path::Auto, direct),
        (&large, 3, Path::Shared, UsedPath::Message),
        (&large, 1, Path::Auto, UsedPath::Message),
    ] {
        let paths = check((3, per_node), path, 64 << 10, shape);
        assert!(paths.iter().all(|&path| path == used), "{paths:?}");
    }
    // The third rank is alone on its node.
    let paths = check((3, 2), Path::Auto, 64 << 10, &large);
    assert_eq!(paths, [partly, partly, UsedPath::Message]);
}

#[test]
fn a_refusal_on_one_rank_is_an_error_on_all() {
    for large in [false, true] {
        let results = threads::run(3, 3, |comm| {
            let mut state = ExchangeState::new(comm, &Options::default()).expect("a state");
            let mut extra = Scratch::new(if large { 64 } else { 64 << 10 }).expect("memory");
            let shape = Shape { seed: 3, shared: true, size: &|_, _| 500 };
            let mut messages = Vec::new();
            for case in 0..3 {
                let mut buffer = Buffer::new(&shape, comm.rank(), 3);
                let before = buffer.memory.clone();
                let start = buffer.memory.as_mut_ptr();
                if comm.rank() == 1 {
                    match case {
                        0 => buffer.sends[2].end -= 1,
                        1 => buffer.receives[0] = buffer.receives[1].clone(),
                        _ => {}
                    }
                }
                let task = Task::between(
                    buffer.blocks(start, &buffer.sends),
                    buffer.blocks(start, &buffer.receives),
                );
                let own = Error::Count("recvcounts[2] = -1: expected 0 or more".into());
                let task = if case == 2 && comm.rank() == 1 { Err(own) } else { Ok(task) };
                let refused = exchange_general(comm, &mut state, &mut extra, task).expect_err("a refusal");
                assert_eq!(buffer.memory, before, "something was written");
                messages.push(refused.to_string());
            }
            let mut buffer = Buffer::new(&shape, comm.rank(), 3);
            buffer.exchange(comm, &mut state, &mut extra).expect("the next exchange");
            assert!(buffer.has_arrived(3, comm.rank()));
            messages
        });
        for messages in results {
            assert!(
                messages[0].contains("rank 1 sends 499 bytes to rank 2, which expects 500"),
                "{messages:?}"
            );
            assert!(messages[1].contains("the receive blocks of ranks 0 and 1 overlap"), "{messages:?}");
            assert!(messages[2].contains("recvcounts[2] = -1"), "{messages:?}");
        }
    }
}
