//! The time of a computation on a grid, predicted by the BSP model, and the choice of the grid.
//!
//! Idea: a superstep takes the time of the rank with the most blocks, the time of what a rank sends or
//! receives, and the latency. The formulas of the thesis (Krusche 2005) hold for a square grid and strings of
//! equal length; [`seconds`] sums supersteps, for any grid. For a square grid and strings of equal length its
//! work is the same as in equation 5.2. For the words that a rank sends the thesis takes their mean over the
//! supersteps, and [`seconds`] the largest number of each. [`thesis`] and [`supersteps`] give the cost of BSP
//! programs, whose time [`hcube_bsp::cost`] predicts: the formulas of the thesis, and the exact numbers of
//! [`crate::supersteps`].
//!
//! Assumptions: all ranks work at one rate for blocks of any size, except that each row of a block takes as
//! long as `ROW_ENTRIES` further columns and each block as long as `BLOCK_ROWS` further rows: to read the
//! row's symbol, and to fill the pipeline of a kernel. [`thesis`] knows no such overheads.
//!
//! Source: Krusche 2005, §5.1 and §5.2, equations 5.2, 5.3 and 5.5.

use crate::grid::{Block, Grid};
use crate::layout::{COLUMNS, Layout, TEXT};
use crate::stored::Piece;
use hcube_bsp::cost as bsp;
use hcube_core::machine::{Parameters, Placement, log2};
use std::collections::BTreeMap;

/// Columns that take as long as what a row of a block takes besides.
const ROW_ENTRIES: f64 = 200.0;
/// Rows that take as long as what a block takes besides.
const BLOCK_ROWS: f64 = 64.0;

/// Bits of a word of communication, as in the figures of BSP.
const WORD_BITS: f64 = 64.0;

/// The largest alpha that is considered, as in the thesis' experiments.
pub const MAX_ALPHA: usize = 5;

/// The figures of a machine in the BSP model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Seconds per entry of the matrix (f, f').
    pub entry: f64,
    /// Seconds per word of 64 bits that a rank sends or receives (g).
    pub gap: f64,
    /// Seconds per superstep (l).
    pub latency: f64,
}

impl Machine {
    /// From the figures of a machine file. A superstep ends when neighbours have their messages.
    pub fn new(parameters: &Parameters, placement: &Placement, entry: f64) -> Self {
        let link = if placement.nodes() > 1 { parameters.network } else { parameters.node };
        let sharing = if placement.nodes() > 1 { placement.max_on_node() } else { 1 };
        let latency = if placement.ranks > 1 { link.latency } else { 0.0 };
        Self { entry, gap: link.transfer(8.0) * sharing as f64, latency }
    }

    /// The same where supersteps end with a barrier.
    pub fn with_barriers(self, ranks: usize) -> Self {
        Self { latency: self.latency * f64::from(1 + log2(ranks)), ..self }
    }

    /// The same for BSP programs, whose gap is constant.
    pub fn of_programs(self) -> bsp::Machine {
        let gap = bsp::Gap { infinite: self.gap, half: 0.0, overhead: 0.0 };
        bsp::Machine { operation: self.entry, gap, latency: self.latency, empty: self.latency }
    }
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// Length of the string that gives columns.
    pub columns: usize,
    /// Length of the string that gives rows.
    pub rows: usize,
    /// Bits that travel per row: of a symbol and of an entry at the boundary. An entry takes 1 bit, and in
    /// the thesis' standard algorithm 32.
    pub bits: usize,
}

/// Entries that take as long as a block of a width and a height.
pub fn block_entries(width: f64, height: f64) -> f64 {
    (width + ROW_ENTRIES) * (height + BLOCK_ROWS)
}

/// Predicted seconds on a grid.
pub fn seconds(problem: &Problem, grid: &Grid, machine: &Machine) -> f64 {
    let width = problem.columns.div_ceil(grid.block_columns()) as f64;
    let height = problem.rows.div_ceil(grid.block_rows) as f64;
    let blocks: usize = (0..grid.supersteps()).map(|superstep| grid.max_blocks(superstep)).sum();
    let block = block_entries(width, height) * machine.entry;
    let words = if grid.ranks > 1 { height * problem.bits as f64 / WORD_BITS } else { 0.0 };
    blocks as f64 * (block + words * machine.gap) + grid.supersteps() as f64 * machine.latency
}

/// The grid with the shortest prediction.
pub fn choose(problem: &Problem, ranks: usize, machine: &Machine) -> Grid {
    let factors = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
    let grids = (1..=MAX_ALPHA).flat_map(|alpha| {
        let rows = factors.into_iter().map(move |factor| if ranks == 1 { 1 } else { factor * ranks });
        rows.map(move |block_rows| Grid { ranks, alpha, block_rows })
    });
    let time = |grid: &Grid| seconds(problem, grid, machine);
    grids.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(Grid { ranks, alpha: 1, block_rows: ranks })
}

/// Equations 5.3 and 5.5: the cost for two strings of a length on a square grid, whose diagonals take alpha
/// supersteps each. The bit-parallel algorithm (5.5) has an extra superstep, which sums up.
pub fn thesis(
    length: usize,
    bits_per_row: usize,
    ranks: usize,
    alpha: usize,
    extra_supersteps: usize,
) -> bsp::Cost {
    let (p, alpha, side) = (ranks as f64, alpha as f64, length.div_ceil(alpha * ranks) as f64);
    let words = side * bits_per_row as f64 / WORD_BITS;
    bsp::Cost {
        operations: (p * alpha * (alpha + 1.0) - alpha) * side * side,
        // One message in each.
        exchanges: vec![bsp::Exchange { count: alpha * (alpha * p - 1.0), words, message: words }],
        supersteps: (2.0 * alpha * p - 1.0) * alpha + extra_supersteps as f64,
    }
}

/// Seconds by equation 5.3, and by 5.5 without its extra superstep.
pub fn thesis_seconds(length: usize, bits: usize, ranks: usize, alpha: usize, machine: &Machine) -> f64 {
    thesis(length, bits, ranks, alpha, 0).seconds(bsp::Model::Constant, &machine.of_programs())
}

/// The cost of the program in [`crate::supersteps`] for two strings whose parts are equal on all ranks. A
/// superstep that reads from other ranks counts twice, since it has two barriers, although it has one where
/// all reads are direct copies.
pub fn supersteps(problem: &Problem, ranks: usize, alpha: usize) -> bsp::Cost {
    let (lengths, bits) = ([problem.columns, problem.rows], problem.bits.saturating_sub(1));
    let layout = Layout::of_equal_parts(lengths, bits, ranks, alpha);
    let first = first_load(&layout);
    let (mut operations, mut loads, mut reading) = (0.0, vec![first], usize::from(first.words > 0));
    for diagonal in 0..layout.grid.supersteps() {
        for number in 0..alpha {
            let (entries, mut load) = blocks(&layout, diagonal, number);
            operations += entries;
            if number + 1 == alpha {
                let text = load_of(remote_text(&layout, diagonal + 1));
                reading += usize::from(text.words > 0);
                load = load.max(text);
            }
            loads.push(load);
        }
    }
    if let Some(last) = loads.last_mut() {
        // Each rank puts the growth over its columns into the memory of all others.
        *last = Load { words: ranks - 1, messages: ranks - 1 };
    }
    // Memory is registered in a superstep of its own.
    let supersteps = (1 + loads.len() + reading) as f64;
    bsp::Cost { operations, exchanges: exchanges(loads), supersteps }
}

/// Words that a rank sends or receives in a superstep, and their messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Load {
    words: usize,
    messages: usize,
}

impl Load {
    fn add(&mut self, words: usize) {
        self.words += words;
        self.messages += 1;
    }
}

fn load_of(pieces: impl Iterator<Item = Piece>) -> Load {
    let mut load = Load::default();
    pieces.for_each(|piece| load.add(piece.words.len()));
    load
}

/// The text of a block of the first column, as far as rank 0 reads it from others.
fn remote_text(layout: &Layout, y: usize) -> impl Iterator<Item = Piece> {
    let rows = if y < layout.grid.block_rows { layout.rows(y) } else { 0..0 };
    let pieces: Vec<Piece> = layout.strings[TEXT].pieces(&rows).collect();
    pieces.into_iter().filter(|piece| piece.from != 0)
}

/// The superstep in which all ranks read the symbols of their columns, and rank 0 the first text.
fn first_load(layout: &Layout) -> Load {
    let grid = layout.grid;
    let mut sent = vec![Load::default(); grid.ranks];
    let mut received = sent.clone();
    let columns = (0..grid.block_columns()).flat_map(|x| {
        let pieces: Vec<Piece> = layout.strings[COLUMNS].pieces(&layout.columns(x)).collect();
        pieces.into_iter().map(move |piece| (grid.owner(x), piece))
    });
    let reads = columns.chain(remote_text(layout, 0).map(|piece| (0, piece)));
    for (to, piece) in reads.filter(|(to, piece)| *to != piece.from) {
        sent[piece.from].add(piece.words.len());
        received[to].add(piece.words.len());
    }
    sent.into_iter().chain(received).max().unwrap_or_default()
}

/// The largest number of entries that a rank computes in a superstep, as [`seconds`] counts them, and the
/// longest message.
fn blocks(layout: &Layout, diagonal: usize, number: usize) -> (f64, Load) {
    let (grid, mut entries, mut load) = (&layout.grid, 0.0_f64, Load::default());
    for Block { x, y } in (0..grid.ranks).filter_map(|rank| layout.block(rank, diagonal, number)) {
        let (width, height) = (layout.columns(x).len(), layout.rows(y).len());
        if width > 0 {
            entries = entries.max(block_entries(width as f64, height as f64));
        }
        if grid.ranks > 1 && x + 1 < grid.block_columns() {
            load = load.max(Load { words: layout.message_words(height), messages: 1 });
        }
    }
    (entries, load)
}

/// Supersteps of the same load are one exchange.
fn exchanges(loads: Vec<Load>) -> Vec<bsp::Exchange> {
    let mut counts = BTreeMap::new();
    for load in loads.into_iter().filter(|load| load.words > 0) {
        *counts.entry(load).or_insert(0.0) += 1.0;
    }
    let exchange = |(Load { words, messages }, count)| bsp::Exchange {
        count,
        words: words as f64,
        message: words as f64 / messages as f64,
    };
    counts.into_iter().map(exchange).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::machine::EXAMPLE;

    const ONLY_WORK: Machine = Machine { entry: 1.0, gap: 0.0, latency: 0.0 };

    /// Equation 5.2, where p divides the grid.
    #[test]
    fn work_is_that_of_the_thesis() {
        for ranks in 1..=130 {
            for alpha in 1..=MAX_ALPHA {
                let grid = Grid { ranks, alpha, block_rows: alpha * ranks };
                let blocks: usize = (0..grid.supersteps()).map(|superstep| grid.max_blocks(superstep)).sum();
                let side = 64.0;
                let thesis = thesis_seconds(64 * alpha * ranks, 9, ranks, alpha, &ONLY_WORK);
                assert_eq!(blocks as f64 * side * side, thesis, "{grid:?}");
            }
        }
    }

    #[test]
    fn terms_of_the_thesis() {
        let terms = |machine: &Machine| thesis_seconds(8000, 4, 8, 2, machine);
        assert_eq!(terms(&ONLY_WORK), 46.0 * 500.0 * 500.0);
        assert_eq!(terms(&Machine { entry: 0.0, gap: 1.0, latency: 0.0 }), 2.0 * 15.0 * 500.0 / 16.0);
        assert_eq!(terms(&Machine { entry: 0.0, gap: 0.0, latency: 1.0 }), 62.0);
    }

    /// Blocks of equal size: the thesis' number of them, and its supersteps and those that read or register.
    #[test]
    fn supersteps_are_those_of_the_thesis() {
        for ranks in 1..=40 {
            for alpha in 1..=MAX_ALPHA {
                let (side, blocks) = (128, alpha * ranks);
                let problem = Problem { columns: side * blocks, rows: side * blocks, bits: 3 };
                let (cost, thesis) =
                    (supersteps(&problem, ranks, alpha), thesis(side * blocks, 3, ranks, alpha, 1));
                let entries = block_entries(side as f64, side as f64) / (side * side) as f64;
                assert_eq!(cost.operations, thesis.operations * entries, "{ranks} ranks, alpha {alpha}");
                // Where alpha is 1, all have their columns; the first rank has the text of alpha block rows.
                let reading = if ranks > 1 { usize::from(alpha > 1) + blocks - alpha } else { 0 };
                assert_eq!(cost.supersteps, thesis.supersteps + 1.0 + reading as f64);
                let message = cost.exchanges.iter().find(|exchange| exchange.words == 6.0);
                assert_eq!(message.is_some(), blocks > 1 && ranks > 1, "{cost:?}");
                assert!(cost.words() >= if ranks > 1 { thesis.words() } else { 0.0 }, "{cost:?} {thesis:?}");
            }
        }
    }

    #[test]
    fn grids_are_finer_on_faster_networks_and_for_longer_strings() {
        let problem = |length| Problem { columns: length, rows: length, bits: 9 };
        for ranks in 2..=130 {
            let placement = Placement { ranks, ranks_per_node: 1 };
            let machine = Machine::new(&EXAMPLE, &placement, 1e-11);
            let slow = Machine { latency: 1e-2, ..machine };
            let [long, short] = [10_000_000, 50_000].map(|length| choose(&problem(length), ranks, &machine));
            assert!(long.supersteps() >= short.supersteps(), "{long:?} {short:?}");
            assert!(long.supersteps() >= choose(&problem(10_000_000), ranks, &slow).supersteps());
            assert_eq!(long.ranks, ranks);
            let ideal = 1e14 * machine.entry / ranks as f64;
            let efficiency = ideal / seconds(&problem(10_000_000), &long, &machine);
            assert!(efficiency > 0.8 && efficiency <= 1.0, "{ranks} ranks: {efficiency} with {long:?}");
        }
        assert_eq!(choose(&problem(1000), 1, &ONLY_WORK), Grid { ranks: 1, alpha: 1, block_rows: 1 });
    }
}
