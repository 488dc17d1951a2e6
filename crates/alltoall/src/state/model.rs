//! The ranks of a model: their states, and their buffers.

use super::ExchangeState;
use crate::node::Node;
use crate::options::{Options, Path};
use crate::task::Task;
use hcube_core::atomic::model::{Member, Scene};
use hcube_core::atomic::{read, written};
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::Board;
use hcube_core::node::single_copy::Process;
use std::ffi::c_int;
use std::ptr::NonNull;

/// Bytes of a line: accesses to buffers are noted at the beginnings of lines.
pub const LINE: usize = 64;

/// The ranks of a node, with the processes for single copy if there is any.
pub fn nodes(scene: &mut Scene, ranks: usize, single_copy: bool) -> Vec<Node> {
    node_of(scene, (0..ranks).collect(), 0, single_copy)
}

/// The same for some ranks of all, with this number of bytes in a notice.
pub fn node_of(scene: &mut Scene, ranks: Vec<usize>, capacity: usize, single_copy: bool) -> Vec<Node> {
    let count = ranks.len();
    let processes = single_copy.then(|| vec![Process::of_model(); count]);
    let node = |board| Node {
        ranks: ranks.clone(),
        board,
        processes: processes.clone(),
        refusals: 0,
        // A line at a time.
        chunk: Scratch::new(LINE).expect("memory"),
        pace: Default::default(),
    };
    Board::of_model(scene, count, capacity).into_iter().map(node).collect()
}

/// The states of all ranks of a communicator on one node.
pub fn states(scene: &mut Scene, ranks: usize, path: Path) -> Vec<(Member, ExchangeState)> {
    let single_copy = path != Path::Shared;
    let nodes = nodes(scene, ranks, single_copy);
    let options = Options { path, ..Options::default() };
    let state = |(comm, node): (Member, Node)| {
        let mut state = ExchangeState::without_node(&comm, &options, 0).expect("memory");
        (state.situation.shared, state.situation.single_copy) = (true, single_copy);
        (state.node, state.cache) = (Some(node), usize::MAX);
        (comm, state)
    };
    Member::all(scene, ranks).into_iter().zip(nodes).map(state).collect()
}

/// A buffer in memory of the scene: a block for each rank.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    place: NonNull<u8>,
    ranks: usize,
    bytes: usize,
}

impl Buffer {
    /// Buffers of some ranks, with blocks of this size: whole lines.
    pub fn all(scene: &mut Scene, ranks: usize, bytes: usize) -> Vec<Self> {
        assert!(bytes.is_multiple_of(LINE));
        let place = scene.memory(ranks * ranks * bytes);
        // SAFETY: inside this memory.
        let place = |rank: usize| unsafe { place.add(rank * ranks * bytes) };
        (0..ranks).map(|rank| Self { place: place(rank), ranks, bytes }).collect()
    }

    /// All of it.
    pub fn region(self) -> Region<'static> {
        // SAFETY: memory of the scene, which is never freed.
        unsafe { Region::new(self.place.as_ptr(), self.ranks * self.bytes) }
    }

    /// Where a block begins.
    pub fn block(self, rank: usize) -> *mut u8 {
        self.place.as_ptr().wrapping_add(rank * self.bytes)
    }

    /// The blocks of this buffer for an exchange.
    fn blocks(self) -> Blocks<'static> {
        // SAFETY: memory of the scene, which is never freed.
        unsafe { Blocks::even(self.place.as_ptr(), self.bytes, self.ranks) }.expect("small")
    }

    /// Blocks of these sizes, at these places.
    pub fn counted<'a>(self, counts: &'a [c_int], places: &'a [c_int]) -> Blocks<'a> {
        // SAFETY: memory of the scene, which is never freed.
        unsafe { Blocks::counted(self.place.as_ptr(), counts, places, 1) }.expect("valid counts")
    }

    /// The exchange from this buffer to another one.
    pub fn to(self, receive: Self) -> Task<'static> {
        Task::between(self.blocks(), receive.blocks())
    }

    /// The exchange in place.
    pub fn in_place(self) -> Task<'static> {
        Task::in_place(self.blocks())
    }

    /// The lines of all blocks: the rank of each, and its number in the block.
    fn lines(self) -> impl Iterator<Item = (usize, u8, *mut u8)> {
        let lines =
            (0..self.ranks).flat_map(move |rank| (0..self.bytes / LINE).map(move |line| (rank, line)));
        lines.map(move |(rank, line)| (rank, line as u8, self.block(rank).wrapping_add(line * LINE)))
    }

    /// Its rank writes a value into each block, and the number of the line into each line.
    pub fn fill(self, value: impl Fn(usize) -> u8) {
        for (rank, line, place) in self.lines() {
            written(place);
            // SAFETY: a line of this buffer.
            unsafe { place.write_bytes(value(rank) + line, LINE) };
        }
    }

    /// Its rank reads what it has filled or received.
    pub fn check(self, value: impl Fn(usize) -> u8) {
        for (rank, line, place) in self.lines() {
            read(place);
            // SAFETY: a line of this buffer.
            let bytes = unsafe { std::slice::from_raw_parts(place, LINE) };
            assert_eq!(bytes, [value(rank) + line; LINE], "the block of rank {rank}, line {line}");
        }
    }
}

/// What a rank sends to another one in a round.
pub fn sent(round: usize, from: usize, to: usize) -> u8 {
    (1 + 64 * round + 16 * from + 4 * to) as u8
}
