//! The contents of an input: ranks on nodes, options, and exchanges one after the other.

use super::buffer::Form;
use hcube_alltoall::{Options, Path, Schedule};

/// Most ranks, exchanges and bytes of all blocks of an exchange.
const MAX_RANKS: usize = 9;
const MAX_EXCHANGES: usize = 5;
const MAX_BYTES: usize = 1 << 21;

/// Kinds of sizes up to the limit, and those with which node leaders still make an exchange with large
/// blocks.
const KINDS: usize = 9;
const SMALL_KINDS: usize = 5;

/// Numbers from the bytes of an input, 0 where it has ended.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn below(&mut self, end: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(first) % end
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == one_in - 1
    }
}

/// The size of a block; the limit of node leaders is known when the state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Bytes(usize),
    /// The limit, and this number of bytes more.
    Limit(isize),
    /// A multiple of the limit, and this number of bytes more.
    Large(usize, usize),
}

impl Size {
    pub fn bytes(self, limit: usize) -> usize {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Limit(more) => limit.saturating_add_signed(more),
            Self::Large(times, more) => (1 + times) * limit + 1 + more,
        }
    }

    /// One of the first of the kinds: the last of [`KINDS`] is as large as it may be.
    fn draw(bytes: &mut Bytes<'_>, kinds: usize) -> Self {
        match bytes.below(kinds) {
            0 | 1 => Self::Bytes(0),
            2..5 => Self::Bytes(1 + bytes.below(60)),
            5 | 6 => Self::Bytes(bytes.below(1 << 8) * 5),
            _ => Self::Limit(bytes.below(3) as isize - 2),
        }
    }

    fn draw_large(bytes: &mut Bytes<'_>) -> Self {
        if bytes.is(2) { Self::Limit(1) } else { Self::Large(bytes.below(3), bytes.below(1 << 8)) }
    }
}

/// The defect of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A rank passes another size for the block to or from a rank, in place for both.
    Count {
        rank: usize,
        other: usize,
        sends: bool,
        is: Size,
    },
    /// A rank refuses its arguments.
    Refused {
        rank: usize,
    },
    /// A rank has a datatype that hcube does not support, or memory that it cannot reach.
    Unsupported {
        rank: usize,
    },
    Unreachable {
        rank: usize,
    },
    /// A rank passes the other value of in place.
    InPlace {
        rank: usize,
    },
}

/// An exchange of all ranks.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// As `MPI_Alltoall`: all blocks have one size.
    pub is_equal: bool,
    pub in_place: bool,
    /// Bytes from each rank for each, row by row.
    pub sizes: Vec<Size>,
    /// The form of the send and the receive buffer of each rank.
    pub forms: Vec<[Form; 2]>,
    pub fault: Fault,
    /// Ranks may expect more than they are sent.
    pub tolerant: bool,
    /// The caller records times, which other algorithms are compared by.
    pub timed: bool,
    /// A reason to forward the exchange.
    pub reason: Option<&'static str>,
    /// Ranks that begin later, a bit for each.
    pub late: u16,
}

/// All of it.
#[derive(Debug, Clone)]
pub struct Job {
    /// Node of every rank.
    pub nodes: Vec<u32>,
    pub options: Options,
    pub exchanges: Vec<Exchange>,
}

impl Job {
    /// What an input means; any bytes mean something.
    pub fn draw(data: &[u8]) -> Self {
        let mut bytes = Bytes(data);
        let ranks = MAX_RANKS - bytes.below(MAX_RANKS - 1);
        let nodes = nodes(&mut bytes, ranks);
        let schedule = bytes.one_of(&[
            Schedule::NodeLeaders,
            Schedule::Auto,
            Schedule::NodeLeaders,
            Schedule::Auto,
            Schedule::HierarchicalSets,
        ]);
        let path = bytes.one_of(&[Path::Auto, Path::Auto, Path::Auto, Path::Shared, Path::Message]);
        let memory = bytes.one_of(&[1 << 14, 0, 3000, 1 << 17, 1 << 20]);
        let one_node = nodes.iter().all(|&node| node == nodes[0]);
        let ranks_per_node = if one_node || bytes.is(8) { 1 + bytes.below(4) } else { 0 };
        let options = Options { schedule, path, memory, ranks_per_node };
        let exchanges = (0..=bytes.below(MAX_EXCHANGES)).map(|_| Exchange::draw(&mut bytes, ranks)).collect();
        Self { nodes, options, exchanges }
    }
}

/// Ranks on nodes: node by node, cyclically, anywhere, or each on a node of its own, as where they share no
/// memory.
fn nodes(bytes: &mut Bytes<'_>, ranks: usize) -> Vec<u32> {
    let number = |node: usize| node as u32;
    match bytes.below(6) {
        0 => {
            let each = 1 + bytes.below(4);
            (0..ranks).map(|rank| number(rank / each)).collect()
        }
        1 => {
            let count = 2 + bytes.below(3);
            (0..ranks).map(|rank| number(rank % count)).collect()
        }
        2 => {
            // The ranks of node 0 share no memory.
            let apart = 1 + bytes.below(ranks);
            (0..ranks).map(|rank| number(if rank < apart { 10 + rank } else { (rank - apart) % 2 })).collect()
        }
        3 => vec![7; ranks],
        _ => {
            let count = 2 + bytes.below(3);
            (0..ranks).map(|_| number(bytes.below(count))).collect()
        }
    }
}

impl Exchange {
    fn draw(bytes: &mut Bytes<'_>, ranks: usize) -> Self {
        let (is_equal, in_place) = (bytes.is(3), bytes.is(3));
        let kinds = if bytes.is(3) { KINDS } else { SMALL_KINDS };
        let mut sizes = if is_equal {
            let size = if bytes.is(6) { Size::draw_large(bytes) } else { Size::draw(bytes, KINDS) };
            vec![size; ranks * ranks]
        } else {
            (0..ranks * ranks).map(|_| Size::draw(bytes, kinds)).collect::<Vec<_>>()
        };
        if !is_equal {
            for _ in 0..bytes.below(4) {
                let pair = bytes.below(ranks) * ranks + bytes.below(ranks);
                sizes[pair] = Size::draw_large(bytes);
            }
        }
        if in_place {
            // What a rank sends is as large as what it receives.
            for (from, to) in (0..ranks).flat_map(|from| (0..from).map(move |to| (from, to))) {
                sizes[from * ranks + to] = sizes[to * ranks + from];
            }
        }
        let form = |bytes: &mut Bytes<'_>| {
            let forms = if is_equal { &Form::ALL[..] } else { &Form::ALL[1..] };
            bytes.one_of(forms)
        };
        let forms = (0..ranks).map(|_| [form(bytes), form(bytes)]).collect();
        let fault = Fault::draw(bytes, ranks, in_place);
        let [tolerant, timed] = [bytes.is(4), bytes.is(4)];
        let reason = bytes.is(12).then_some("on purpose");
        let late = (bytes.below(1 << 8) & bytes.below(1 << 8)) as u16;
        Self { is_equal, in_place, sizes, forms, fault, tolerant, timed, reason, late }
    }

    /// Bytes from one rank for another where nothing is wrong.
    pub fn bytes(&self, limit: usize, from: usize, to: usize) -> usize {
        self.sizes[from * self.forms.len() + to].bytes(limit)
    }

    /// Whether all blocks together are small enough for a quick run.
    pub fn is_quick(&self, limit: usize) -> bool {
        self.sizes.iter().map(|size| size.bytes(limit)).sum::<usize>() <= MAX_BYTES
    }
}

impl Fault {
    fn draw(bytes: &mut Bytes<'_>, ranks: usize, in_place: bool) -> Self {
        let kind = bytes.below(12);
        let rank = bytes.below(ranks);
        match kind {
            7 | 8 => {
                // In place a rank's block for itself cannot differ.
                let other = if in_place { rank + 1 + bytes.below(ranks - 1) } else { bytes.below(ranks) };
                let is = if bytes.is(4) { Size::draw_large(bytes) } else { Size::draw(bytes, KINDS) };
                Self::Count { rank, other: other % ranks, sends: bytes.is(2), is }
            }
            9 => Self::Refused { rank },
            10 if bytes.is(2) => Self::Unreachable { rank },
            10 => Self::Unsupported { rank },
            11 => Self::InPlace { rank },
            _ => Self::None,
        }
    }
}
