//! The time of a computation on a grid, predicted by the BSP model, and the choice of the grid.
//!
//! Idea: a superstep takes the time of the rank with the most blocks, that of what a rank sends or receives, and the latency.
//! The thesis' formulas hold for a square grid and strings of equal length; [`seconds`] sums supersteps, for any grid. There
//! its work is that of equation 5.2. For the words that a rank sends the thesis takes their mean over the supersteps, and
//! [`seconds`] the largest number of each.
//!
//! Assumptions: all ranks work at one rate, whatever the size of a block is, except that each row of a block takes as long as
//! `ROW_ENTRIES` further columns and each block as long as `BLOCK_ROWS` further rows: to read the row's symbol, and to fill
//! the pipeline of a kernel.
//!
//! Source: Krusche 2005, §5.1 and §5.2, equations 5.2, 5.3 and 5.5.

use crate::grid::Grid;
use hcube_core::machine::{Parameters, Placement, log2};

/// Columns that take as long as what a row of a block takes besides.
const ROW_ENTRIES: f64 = 200.0;
/// Rows that take as long as what a block takes besides.
const BLOCK_ROWS: f64 = 64.0;

/// Bits of a word of communication, as in the figures of BSP.
const WORD_BITS: f64 = 64.0;

/// The largest alpha that is considered: that of the thesis' experiments.
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
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// Length of the string that gives columns.
    pub columns: usize,
    /// Length of the string that gives rows.
    pub rows: usize,
    /// Bits that travel per row: of a symbol and of an entry at the boundary. The latter is 1, in the thesis' standard
    /// algorithm 32.
    pub bits: usize,
}

/// Predicted seconds on a grid.
pub fn seconds(problem: &Problem, grid: &Grid, machine: &Machine) -> f64 {
    let width = problem.columns.div_ceil(grid.block_columns()) as f64;
    let height = problem.rows.div_ceil(grid.block_rows) as f64;
    let blocks: usize = (0..grid.supersteps()).map(|superstep| grid.max_blocks(superstep)).sum();
    let block = (width + ROW_ENTRIES) * (height + BLOCK_ROWS) * machine.entry;
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

/// Equation 5.3, and 5.5 but for the last superstep, which sums up: seconds for two strings of a length on a square grid, whose
/// diagonals take alpha supersteps each.
pub fn thesis_seconds(length: usize, bits: usize, ranks: usize, alpha: usize, machine: &Machine) -> f64 {
    let (p, alpha, side) = (ranks as f64, alpha as f64, length.div_ceil(alpha * ranks) as f64);
    machine.entry * (p * alpha * (alpha + 1.0) - alpha) * side * side
        + machine.gap * bits as f64 / WORD_BITS * alpha * (alpha * p - 1.0) * side
        + machine.latency * (2.0 * alpha * p - 1.0) * alpha
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
