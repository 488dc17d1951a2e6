//! Lengths of longest common subsequences.
//!
//! The simulated computation and the predicted one have the same grid, which is chosen here by the cost model
//! with the figures of the machine's file. The strings are random. The simulator computes every entry of the
//! matrix, so that a simulation takes the time of the whole computation on one core.
//!
//! Long strings: the second one is `scale` times shorter in the simulation, on a machine with `scale` times
//! less bandwidth where an entry takes `scale` times as long. Blocks, supersteps and messages are as many,
//! and each takes the time that it has for the whole strings, except that messages consist of whole words.

use super::columns::{Layout, both, deviation, percent, printed, shown};
use super::place::Place;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_core::machine::Placement;
use hcube_lcs::cost::{self, MAX_ALPHA, Machine, Problem};
use hcube_lcs::grid::Grid;
use hcube_lcs::packed::Packing;
use hcube_results::machine;
use hcube_results::numbers::{significant, time};
use hcube_results::plot::Evidence::{Predicted, Simulated};
use hcube_tool::machine::parameters;
use serde::{Deserialize, Serialize};

/// Different symbols of the strings: the four nucleotides.
pub const SYMBOLS: usize = 4;
/// Nanoseconds of an entry where the file of a machine does not say it: between the times with words and with
/// vectors.
const DEFAULT_ENTRY_NS: f64 = 0.02;
/// The longest strings of the thesis' predictions, and longer ones.
const LENGTHS: [usize; 3] = [1 << 16, 1 << 18, 1_000_000];
/// Symbols of the longest strings. A core computes the 10^14 entries in 6 minutes with AVX-512, and without
/// it in half an hour: a simulation has [`SCALE_LARGE`] times fewer.
const LARGE: usize = 10_000_000;
const SCALE_LARGE: usize = 8;
/// Ranks up to which the grids of the thesis are simulated: on more ranks they have millions of messages, and
/// tens of millions with barriers.
const MAX_RANKS_OF_THESIS: usize = 64;
/// Symbols of a string up to which they are: each computes all entries.
const MAX_LENGTH_OF_THESIS: usize = 1 << 18;

/// How a grid came about, and how its supersteps end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The grid with the shortest prediction; a superstep ends for a rank when it has the messages for the
    /// next.
    #[default]
    Chosen,
    /// As many block rows as block columns, and no barriers.
    Square,
    /// As many block rows as block columns; each block of a rank on a diagonal is a superstep that ends with
    /// a barrier.
    Thesis,
}

impl Variant {
    /// In printed tables.
    fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Square => "square",
            Self::Thesis => "thesis",
        }
    }

    /// In words: how supersteps end on a grid that is not the chosen one.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Square => "without barriers",
            Self::Thesis => "with barriers",
        }
    }
}

/// A computation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Subsequence {
    #[serde(flatten)]
    pub site: Site,
    /// Of each of the two strings.
    pub length: usize,
    /// The second string is shorter in the simulation by this factor.
    #[serde(default)]
    pub scale: usize,
    #[serde(default)]
    pub symbols: usize,
    pub variant: Variant,
    /// Block columns of each rank.
    pub alpha: usize,
    pub block_rows: usize,
    /// By the cost model.
    pub predicted_seconds: f64,
    /// Simulated.
    pub seconds: f64,
    /// The time of all entries, divided by the time of all ranks.
    pub predicted_efficiency: f64,
    pub efficiency: f64,
    /// The length of the longest common subsequence of the simulated strings.
    #[serde(default)]
    pub subsequence: u64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Seconds of all entries on one rank.
    #[serde(skip)]
    serial_seconds: f64,
}

/// Nanoseconds of an entry of the matrix on a machine.
pub fn entry_ns(machine: &machine::Machine) -> f64 {
    Some(machine.costs.entry_ns).filter(|&cost| cost > 0.0).unwrap_or(DEFAULT_ENTRY_NS)
}

impl Row for Subsequence {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("lcs", None)
    }

    fn text(&self) -> String {
        let Self { length, scale, symbols, alpha, block_rows, .. } = self;
        let rows = length / scale;
        let barriers = u8::from(self.variant == Variant::Thesis);
        format!(
            "length={length},rows={rows},symbols={symbols},alpha={alpha},block_rows={block_rows},barriers={barriers}"
        )
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.subsequence = record.count("subsequence")?;
        self.efficiency = self.serial_seconds / (self.site.ranks as f64 * self.seconds);
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("ranks", self.site.ranks as f64),
            ("length", self.length as f64),
            ("alpha", self.alpha as f64),
            ("block_rows", self.block_rows as f64),
            ("predicted_seconds", self.predicted_seconds),
            ("seconds", self.seconds),
            ("predicted_efficiency", self.predicted_efficiency),
            ("efficiency", self.efficiency),
        ]
    }

    fn scale(&self) -> usize {
        self.scale
    }

    /// The strings, their symbols and bits in block columns, and both strings on the rank that computes the
    /// length without a grid.
    fn bytes_per_rank(&self) -> u64 {
        (16 * self.length).div_ceil(self.site.ranks) as u64
    }
}

/// What the cost model has as input.
pub fn problem(length: usize) -> Problem {
    Problem { columns: length, rows: length, bits: 1 + Packing::new(SYMBOLS).bits() }
}

/// Predicted seconds.
fn predicted(length: usize, variant: Variant, grid: &Grid, machine: &Machine) -> f64 {
    let problem = problem(length);
    match variant {
        Variant::Thesis => {
            let machine = machine.with_barriers(grid.ranks);
            cost::thesis_seconds(length, problem.bits, grid.ranks, grid.alpha, &machine)
        }
        Variant::Chosen | Variant::Square => cost::seconds(&problem, grid, machine),
    }
}

/// The simulations of a place: one for each number of ranks and length, whose cases share a reference.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch<Subsequence>> {
    let lengths = LENGTHS.into_iter().chain(full.then_some(LARGE));
    place.variants(lengths, |length, ranks| cases(place, ranks, length))
}

/// How many times shorter the second string is in the simulation.
fn scale(length: usize) -> usize {
    if length == LARGE { SCALE_LARGE } else { 1 }
}

fn cases(place: &Place<'_>, ranks: usize, length: usize) -> Vec<Subsequence> {
    let site = place.site(ranks);
    let placement = Placement { ranks, ranks_per_node: place.ranks_per_node };
    let entry = 1e-9 * entry_ns(&place.machine);
    let machine = Machine::new(&parameters(&place.machine), &placement, entry);
    let serial_seconds = entry * (length as f64).powi(2);
    let case = |variant, grid: Grid| {
        let predicted_seconds = predicted(length, variant, &grid, &machine);
        Subsequence {
            site: site.clone(),
            length,
            scale: scale(length),
            symbols: SYMBOLS,
            variant,
            alpha: grid.alpha,
            block_rows: grid.block_rows,
            predicted_seconds,
            predicted_efficiency: serial_seconds / (ranks as f64 * predicted_seconds),
            serial_seconds,
            ..Subsequence::default()
        }
    };
    let chosen = case(Variant::Chosen, cost::choose(&problem(length), ranks, &machine));
    if length > MAX_LENGTH_OF_THESIS || ranks > MAX_RANKS_OF_THESIS {
        return vec![chosen];
    }
    let squares = (1..=MAX_ALPHA).flat_map(|alpha| {
        let grid = Grid { ranks, alpha, block_rows: alpha * ranks };
        [Variant::Square, Variant::Thesis].map(|variant| case(variant, grid))
    });
    [chosen].into_iter().chain(squares).collect()
}

/// The prediction beside each simulated efficiency.
pub const LAYOUT: Layout<Subsequence> = Layout {
    title: "Longest common subsequences",
    columns: &[
        both(["ranks", "ranks"], None, |line| line.row.site.ranks.to_string()),
        both(["per node", "per node"], None, |line| line.row.site.ranks_per_node.to_string()),
        printed("length", |line| significant(line.row.length as f64)),
        shown("length", None, |line| line.row.length.to_string()),
        printed("grid", |line| line.row.variant.name().to_owned()),
        shown("grid", None, |line| line.row.variant.in_words().to_owned()),
        both(["alpha", "alpha"], None, |line| line.row.alpha.to_string()),
        both(["block rows", "block rows"], None, |line| line.row.block_rows.to_string()),
        both(["time", "time"], Some(Simulated), |line| time(line.row.seconds)),
        both(["predicted", "time"], Some(Predicted), |line| time(line.row.predicted_seconds)),
        printed("deviation", |line| deviation(line.row.seconds, line.row.predicted_seconds)),
        both(["efficiency", "efficiency"], Some(Simulated), |line| percent(100.0 * line.row.efficiency)),
        both(["predicted", "efficiency"], Some(Predicted), |line| {
            percent(100.0 * line.row.predicted_efficiency)
        }),
        printed("LLCS", |line| line.row.subsequence.to_string()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};

#[cfg(test)]
mod tests {
    use super::super::arguments::Section;
    use super::super::row::take;
    use super::*;
    use crate::records;

    fn rows(ranks: &[usize], full: bool) -> Vec<Subsequence> {
        let machine = machine::Machine::find("juropa").expect("valid");
        let place = Place { section: Section::Lcs, machine, ranks, ranks_per_node: 8 };
        batches(&place, full).into_iter().flat_map(|batch| batch.cases).collect()
    }

    #[test]
    fn the_longest_strings_are_simulated_on_request_and_only_on_the_chosen_grid() {
        assert!(rows(&[64, 1024], false).iter().all(|row| row.length < LARGE));
        let all = rows(&[64, 1024], true);
        let large: Vec<_> = all.iter().filter(|row| row.length == LARGE).collect();
        assert_eq!(large.len(), 2);
        for row in large {
            assert!(row.variant == Variant::Chosen && row.scale == SCALE_LARGE, "{row:?}");
        }
    }

    #[test]
    fn every_alpha_of_the_thesis_has_a_row_and_the_chosen_grid_the_shortest_prediction() {
        let all = rows(&[64], false);
        let lengths = LENGTHS.into_iter().filter(|&length| length <= MAX_LENGTH_OF_THESIS);
        assert_eq!(all.len(), LENGTHS.len() + lengths.clone().count() * 2 * MAX_ALPHA);
        for length in lengths {
            let of = |variant| all.iter().filter(move |row| (row.length, row.variant) == (length, variant));
            let chosen = of(Variant::Chosen).next().expect("a row");
            assert!(of(Variant::Square).map(|row| row.alpha).eq(1..=MAX_ALPHA));
            assert!(of(Variant::Square).all(|row| row.predicted_seconds >= chosen.predicted_seconds));
            assert!(of(Variant::Thesis).all(|row| row.block_rows == row.alpha * row.site.ranks));
            assert!(chosen.predicted_efficiency < 1.0, "{chosen:?}");
        }
        assert_eq!(rows(&[1024], false).len(), LENGTHS.len());
    }
    fn row(variant: Variant) -> Subsequence {
        Subsequence {
            site: Site { ranks: 64, ..Site::default() },
            length: 65536,
            scale: 1,
            symbols: 4,
            variant,
            alpha: 2,
            block_rows: 128,
            predicted_seconds: 0.5,
            predicted_efficiency: 0.75,
            serial_seconds: 24.0,
            ..Subsequence::default()
        }
    }

    #[test]
    fn the_driver_reads_the_grid() {
        let text = "length=65536,rows=65536,symbols=4,alpha=2,block_rows=128,barriers=";
        assert_eq!(row(Variant::Square).text(), format!("{text}0"));
        let long = Subsequence { scale: 8, ..row(Variant::Thesis) };
        assert_eq!(long.text(), format!("{text}1").replace("rows=65536", "rows=8192"));
    }

    #[test]
    fn simulated_figures_have_the_predicted_ones_beside_them() {
        let mut row = row(Variant::Square);
        let text =
            format!("case\t{}\nranks\t64\nseconds\t0.625\nsubsequence\t42000\nerrors\t0\n\n", row.text());
        take(&mut row, &records::parse(&text).expect("records")[0], true).expect("figures");
        assert_eq!((row.efficiency, row.subsequence), (0.6, 42000));
        let text = LAYOUT.render(&[&row]);
        let line: Vec<&str> = text.lines().nth(1).expect("a row").split_whitespace().collect();
        for figure in ["+25.0%", "60.0%", "75.0%", "42000", "square"] {
            assert!(line.contains(&figure), "{figure} expected: {text}");
        }
    }
}
