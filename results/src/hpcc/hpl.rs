//! HPL on process grids: the best of its broadcasts in stock HPCC beside hcube's.

use super::merit::MIN_PAIRS;
use crate::numbers::{median, percent, significant};
use crate::table::{Table, cell, ratio};
use serde::{Deserialize, Serialize};

/// HPL's broadcasts, by their numbers in its input file.
pub const TOPOLOGIES: [&str; 6] =
    ["1-ring", "1-ring modified", "2-ring", "2-ring modified", "long", "long modified"];

/// Rates of stock HPCC with one of HPL's broadcasts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Broadcast {
    /// Its number.
    pub number: usize,
    /// GFLOP/s, a run each.
    pub gflops: Vec<f64>,
}

/// HPL on a process grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    pub rows: usize,
    pub columns: usize,
    pub n: u32,
    /// Columns of a block.
    pub block: u32,
    /// Panels looked ahead.
    pub depth: u32,
    /// Stock HPCC, for each broadcast.
    pub stock: Vec<Broadcast>,
    /// GFLOP/s with hcube, with all values of the broadcast in the input file, which it does not use within a
    /// node.
    pub hcube: Vec<f64>,
}

impl Grid {
    /// The broadcast of stock HPCC with the highest median.
    pub fn best(&self) -> Option<&Broadcast> {
        let measured = self.stock.iter().filter(|one| !one.gflops.is_empty());
        measured.max_by(|a, b| median(&a.gflops).total_cmp(&median(&b.gflops)))
    }

    /// The median with hcube over the median of the best broadcast, where there are enough solutions of both.
    pub fn speed_up(&self) -> Option<f64> {
        let best = self.best()?;
        let enough = self.hcube.len().min(best.gflops.len()) >= MIN_PAIRS;
        enough.then(|| median(&self.hcube) / median(&best.gflops))
    }

    fn cells(&self) -> Vec<(&'static str, String)> {
        let best = self.best();
        let stock = best.map_or(&[][..], |best| &best.gflops);
        let value = |values: &[f64]| cell((!values.is_empty()).then(|| significant(median(values))));
        vec![
            ("grid", format!("{}x{}", self.rows, self.columns)),
            ("N", self.n.to_string()),
            ("NB", self.block.to_string()),
            ("depth", self.depth.to_string()),
            ("best broadcast", cell(best.and_then(|best| TOPOLOGIES.get(best.number)))),
            ("stock GFLOP/s", value(stock)),
            ("hcube GFLOP/s", value(&self.hcube)),
            ("speed-up", ratio(self.speed_up())),
            ("spread", cell(super::widest(stock, &self.hcube).map(percent))),
            ("solutions", solutions(stock.len(), self.hcube.len())),
        ]
    }
}

/// Numbers of solutions of stock HPCC and with hcube.
fn solutions(stock: usize, hcube: usize) -> String {
    if stock == hcube { stock.to_string() } else { format!("{stock}/{hcube}") }
}

/// The table.
pub fn text(all: &[Grid]) -> String {
    Table::of(all.iter().map(Grid::cells)).render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(stock: &[(usize, &[f64])], hcube: &[f64]) -> Grid {
        let broadcast = |&(number, gflops): &(usize, &[f64])| Broadcast { number, gflops: gflops.to_vec() };
        let stock = stock.iter().map(broadcast).collect();
        Grid { rows: 2, columns: 4, n: 6000, block: 80, depth: 1, stock, hcube: hcube.to_vec() }
    }

    #[test]
    fn the_best_broadcast_has_the_highest_median() {
        let one =
            grid(&[(0, &[9.0, 50.0, 10.0]), (3, &[20.0, 19.0, 21.0]), (4, &[])], &[25.0, 30.0, 27.5, 27.5]);
        assert_eq!((one.best().map(|best| best.number), one.speed_up()), (Some(3), Some(27.5 / 20.0)));
        assert_eq!(grid(&[], &[1.0; 3]).speed_up(), None);
        assert_eq!(grid(&[(1, &[1.0; 3])], &[2.0; 2]).speed_up(), None);
    }

    #[test]
    fn a_row_for_each_grid() {
        let all = [grid(&[(3, &[20.0, 19.0, 21.0])], &[30.0; 4]), grid(&[], &[1.0])];
        let text = text(&all);
        let last = |line: usize, words: usize| {
            let all: Vec<&str> = text.lines().rev().nth(line).expect("a row").split_whitespace().collect();
            all[all.len() - words..].iter().map(|&word| word.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(last(1, 7), ["2-ring", "modified", "20.00", "30.00", "1.50", "10%", "3/4"]);
        assert_eq!(last(0, 6), ["-", "-", "1.000", "-", "-", "0/1"]);
    }
}
