//! Figures of merit of the official HPCC: stock, with hcube, and the speed-up of hcube over stock.
//!
//! A run of each variant, one directly after the other, is a pair. The speed-up is the median over the pairs,
//! at least [`MIN_PAIRS`]. Figures that hcube does not replace are the control: their largest movement, up or
//! down, is what the machine itself has moved within a pair, and a speed-up that is no larger is no gain.

pub mod control;
pub mod figure;
pub mod hpl;
mod merit;

pub use merit::{Compared, MERITS, MIN_PAIRS, Merit};

use crate::noise::Spread;
use crate::numbers::{median, percent, significant, spread};
use crate::table::{SPEED_UP, Table, cell, ratio};
use control::Finding;

/// The cells of its row, of which the first two name it.
fn cells(one: &Compared, merit: &Merit, all: &[Compared]) -> Vec<(&'static str, String)> {
    let value = |values: &[f64]| cell((!values.is_empty()).then(|| significant(median(values))));
    let pairs = one.pairs();
    let end = |end: fn(f64, f64) -> f64| ratio(pairs.iter().copied().reduce(end));
    vec![
        ("ranks", one.ranks.to_string()),
        ("benchmark", merit.title.to_owned()),
        ("unit", merit.unit.to_owned()),
        ("stock", value(&one.stock)),
        ("hcube", value(&one.hcube)),
        ("spread", cell(widest(&one.stock, &one.hcube).map(percent))),
        ("pairs", pairs.len().to_string()),
        (SPEED_UP, ratio(one.speed_up())),
        ("lowest", end(f64::min)),
        ("highest", end(f64::max)),
        ("finding", Finding::of(one, all).text().to_owned()),
    ]
}

/// The larger spread of both, where one has several values.
fn widest(stock: &[f64], hcube: &[f64]) -> Option<f64> {
    let of = |values: &[f64]| if values.len() > 1 { Some(spread(values)) } else { None };
    of(stock).into_iter().chain(of(hcube)).reduce(f64::max)
}

/// The larger spread of each figure.
pub fn spreads(all: &[Compared]) -> Vec<Spread> {
    let spread = |one: &Compared| -> Option<Spread> {
        Some((format!("{}, {} ranks", one.merit()?.title, one.ranks), widest(&one.stock, &one.hcube)?))
    };
    all.iter().filter_map(spread).collect()
}

/// The rows of the table: title and text of each cell.
pub fn rows(all: &[Compared]) -> Vec<Vec<(&'static str, String)>> {
    all.iter().filter_map(|one| Some(cells(one, one.merit()?, all))).collect()
}

/// The table.
pub fn text(all: &[Compared]) -> String {
    Table::of(rows(all)).render()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Figures on two ranks.
    pub fn compared() -> Vec<Compared> {
        let one = |key: &str, stock: &[f64], hcube: &[f64]| Compared {
            key: key.to_owned(),
            ranks: 2,
            stock: stock.to_vec(),
            hcube: hcube.to_vec(),
        };
        vec![
            one("HPL_Tflops", &[50.0, 52.0, 51.0], &[60.0, 65.0, 61.2]),
            one("StarDGEMM_Gflops", &[72.0, 80.0, 72.0], &[72.0, 76.0, 79.2]),
            one("MPIFFT_Gflops", &[], &[4.0]),
            one("PTRANS_GBs", &[1.0, 1.0], &[4.0, 4.0]),
        ]
    }

    #[test]
    fn values_have_the_unit_of_the_table() {
        assert_eq!((MERITS[0].value(0.05), MERITS[1].value(3.0)), (Some(50.0), Some(3.0)));
        assert_eq!([-1.0, 0.0, f64::NAN].map(|measured| MERITS[1].value(measured)), [None; 3]);
    }

    #[test]
    fn the_table_has_medians_over_pairs_and_no_speed_up_of_two() {
        let text = text(&compared());
        let row = |title: &str| {
            let line = text.lines().find(|line| line.contains(title)).expect("a row");
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row("HPL"), "2 HPL GFLOP/s 51.00 61.20 8% 3 1.20 1.20 1.25 faster");
        assert_eq!(row("DGEMM"), "2 StarDGEMM GFLOP/s 72.00 76.00 11% 3 1.00 0.95 1.10 not replaced");
        assert_eq!(row("MPIFFT"), "2 MPIFFT GFLOP/s - 4.000 - 0 - - - too few pairs");
        assert_eq!(row("PTRANS"), "2 PTRANS GB/s 1.000 4.000 0% 2 - 4.00 4.00 too few pairs");
    }
}
