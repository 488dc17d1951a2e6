//! Figures of merit of the official HPCC: stock, with hcube, and the ratio of both.

pub mod figure;
pub mod hpl;

use crate::numbers::{median, percent, significant, spread};
use crate::table::Table;
use serde::{Deserialize, Serialize};

/// A figure of HPCC's summary.
#[derive(Debug, PartialEq, Eq)]
pub struct Merit {
    /// The name in HPCC's result file.
    pub key: &'static str,
    /// The benchmark, in tables and pictures.
    pub title: &'static str,
    pub unit: &'static str,
    /// Whether hcube replaces what is measured; the others show how far the machine itself varies.
    pub replaced: bool,
    /// From HPCC's unit to this one.
    factor: u32,
}

const fn replaced(key: &'static str, title: &'static str, unit: &'static str) -> Merit {
    Merit { key, title, unit, replaced: true, factor: 1 }
}

const fn kept(key: &'static str, title: &'static str, unit: &'static str) -> Merit {
    Merit { replaced: false, ..replaced(key, title, unit) }
}

/// In the order of tables and pictures: the global benchmarks first.
pub const MERITS: [Merit; 10] = [
    Merit { factor: 1000, ..replaced("HPL_Tflops", "HPL", "GFLOP/s") },
    replaced("MPIFFT_Gflops", "MPIFFT", "GFLOP/s"),
    replaced("MPIRandomAccess_GUPs", "MPIRandomAccess", "GUP/s"),
    replaced("MPIRandomAccess_LCG_GUPs", "MPIRandomAccess LCG", "GUP/s"),
    replaced("PTRANS_GBs", "PTRANS", "GB/s"),
    replaced("StarSTREAM_Triad", "StarSTREAM triad", "GB/s"),
    replaced("SingleSTREAM_Triad", "SingleSTREAM triad", "GB/s"),
    replaced("StarFFT_Gflops", "StarFFT", "GFLOP/s"),
    replaced("SingleFFT_Gflops", "SingleFFT", "GFLOP/s"),
    kept("StarDGEMM_Gflops", "StarDGEMM", "GFLOP/s"),
];

impl Merit {
    /// The value, from that of HPCC's result file; `None` where HPCC has not measured it.
    pub fn value(&self, measured: f64) -> Option<f64> {
        Some(measured * f64::from(self.factor)).filter(|value| value.is_finite() && *value > 0.0)
    }
}

/// A figure of merit on a number of ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The name in HPCC's result file.
    pub key: String,
    pub ranks: usize,
    /// Values of stock HPCC, a run each.
    pub stock: Vec<f64>,
    /// Values with hcube, a run each.
    pub hcube: Vec<f64>,
}

impl Compared {
    /// What it measures; `None` for a name that is unknown here.
    pub fn merit(&self) -> Option<&'static Merit> {
        MERITS.iter().find(|merit| merit.key == self.key)
    }

    /// Whether hcube replaces what is measured. HPL on one rank has no other rank to broadcast to.
    pub fn is_replaced(&self) -> bool {
        self.merit().is_some_and(|merit| merit.replaced && (merit.title != "HPL" || self.ranks > 1))
    }

    /// The median with hcube over that of stock HPCC, where both have run.
    pub fn ratio(&self) -> Option<f64> {
        let stock = median(&self.stock);
        (stock > 0.0 && !self.hcube.is_empty()).then(|| median(&self.hcube) / stock)
    }

    fn cells(&self, merit: &Merit) -> Vec<(&'static str, String)> {
        let value = |values: &[f64]| {
            if values.is_empty() { "-".to_owned() } else { significant(median(values)) }
        };
        vec![
            ("ranks", self.ranks.to_string()),
            ("benchmark", merit.title.to_owned()),
            ("unit", merit.unit.to_owned()),
            ("stock", value(&self.stock)),
            ("hcube", value(&self.hcube)),
            ("ratio", self.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))),
            ("spread", widest(&self.stock, &self.hcube).map_or("-".to_owned(), percent)),
            ("runs", runs(self.stock.len(), self.hcube.len())),
            ("replaced", if self.is_replaced() { "yes" } else { "no" }.to_owned()),
        ]
    }
}

/// The larger spread of both, where one has several values.
fn widest(stock: &[f64], hcube: &[f64]) -> Option<f64> {
    let of = |values: &[f64]| if values.len() > 1 { Some(spread(values)) } else { None };
    of(stock).into_iter().chain(of(hcube)).reduce(f64::max)
}

/// Numbers of values of stock HPCC and with hcube.
fn runs(stock: usize, hcube: usize) -> String {
    if stock == hcube { stock.to_string() } else { format!("{stock}/{hcube}") }
}

/// The table.
pub fn text(all: &[Compared]) -> String {
    Table::of(all.iter().filter_map(|one| Some(one.cells(one.merit()?)))).render()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Two figures on two ranks.
    pub fn compared() -> Vec<Compared> {
        let one = |key: &str, stock: &[f64], hcube: &[f64]| Compared {
            key: key.to_owned(),
            ranks: 2,
            stock: stock.to_vec(),
            hcube: hcube.to_vec(),
        };
        vec![
            one("HPL_Tflops", &[50.0, 52.0, 51.0], &[60.0, 61.0, 62.0]),
            one("StarDGEMM_Gflops", &[72.0], &[72.0]),
            one("MPIFFT_Gflops", &[], &[4.0]),
        ]
    }

    #[test]
    fn values_have_the_unit_of_the_table() {
        assert_eq!((MERITS[0].value(0.05), MERITS[1].value(3.0)), (Some(50.0), Some(3.0)));
        assert_eq!([-1.0, 0.0, f64::NAN].map(|measured| MERITS[1].value(measured)), [None; 3]);
    }

    #[test]
    fn the_table_has_medians_and_ratios() {
        let text = text(&compared());
        let row = |title: &str| {
            let line = text.lines().find(|line| line.contains(title)).expect("a row");
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(row("HPL"), ["2", "HPL", "GFLOP/s", "51.00", "61.00", "1.20", "4%", "3", "yes"]);
        assert_eq!(row("DGEMM"), ["2", "StarDGEMM", "GFLOP/s", "72.00", "72.00", "1.00", "-", "1", "no"]);
        assert_eq!(row("MPIFFT"), ["2", "MPIFFT", "GFLOP/s", "-", "4.000", "-", "-", "0/1", "yes"]);
    }
}
