//! Programs with the preload library against the same without it: results of scripts/bench.sh, tables.

pub mod plot;

use crate::measured::distinct;
use crate::noise::{self, Spread};
use crate::numbers;
use crate::table::{SPEED_UP, Table, cell, ratio};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The variant without hcube.
pub const STOCK: &str = "stock";

/// What values count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "B")]
    Bytes,
}

impl Unit {
    /// The inverse of its name in files.
    pub fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "s" => Ok(Self::Seconds),
            "B" => Ok(Self::Bytes),
            other => Err(format!("unit = '{other}': expected s or B")),
        }
    }

    /// What is compared: times by a speed-up, memory by its share.
    fn heading(self) -> &'static str {
        match self {
            Self::Seconds => SPEED_UP,
            Self::Bytes => "of reference",
        }
    }

    fn bound_heading(self) -> &'static str {
        match self {
            Self::Seconds => "at least",
            Self::Bytes => "at most",
        }
    }

    /// A share of the reference as what is compared.
    fn compared(self, share: Option<f64>) -> String {
        ratio(match self {
            Self::Seconds => share.map(f64::recip),
            Self::Bytes => share,
        })
    }

    fn written(self, value: f64) -> String {
        match self {
            Self::Seconds => numbers::time(value),
            Self::Bytes => numbers::bytes(value.max(0.0)),
        }
    }
}

/// All values of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Values {
    pub median: f64,
    /// (largest - smallest) / median.
    pub spread: f64,
    pub all: Vec<f64>,
}

impl Values {
    pub fn new(all: Vec<f64>) -> Self {
        Self { median: numbers::median(&all), spread: numbers::spread(&all), all }
    }
}

/// One case by two variants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub benchmark: String,
    pub case: String,
    pub ranks: usize,
    pub unit: Unit,
    /// The variant that is compared, as `preload`, and that with which it is compared, as [`STOCK`].
    pub variant: String,
    pub against: String,
    pub reference: Values,
    pub measured: Values,
    /// Largest share of the reference that is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Whether the program's results were the same; nothing where they were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_results: Option<bool>,
}

impl Row {
    /// The measured value as a share of the reference: below 1, hcube is better. Nothing where the reference
    /// is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.reference.median > 0.0).then(|| self.measured.median / self.reference.median)
    }

    pub fn speed_up(&self) -> Option<f64> {
        self.ratio().filter(|&ratio| ratio > 0.0).map(f64::recip)
    }

    /// Whether it is beyond its bound.
    fn exceeds(&self) -> bool {
        self.ratio().zip(self.bound).is_some_and(|(ratio, bound)| ratio > bound)
    }

    /// The speed-up, or the share of the reference.
    fn compared(&self) -> String {
        match self.unit {
            Unit::Seconds => noise::speed_up(self.speed_up(), [self.reference.spread, self.measured.spread]),
            Unit::Bytes => ratio(self.ratio()),
        }
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let verdict = self.bound.map(|_| if self.exceeds() { "exceeded" } else { "kept" }.to_owned());
        let results = self.same_results.map(|same| if same { "identical" } else { "DIFFERENT" }.to_owned());
        vec![
            ("case", self.case.clone()),
            ("ranks", self.ranks.to_string()),
            ("compared", format!("{} / {}", self.variant, self.against)),
            ("reference", self.unit.written(self.reference.median)),
            ("spread", numbers::percent(self.reference.spread)),
            ("measured", self.unit.written(self.measured.median)),
            ("spread", numbers::percent(self.measured.spread)),
            (self.unit.heading(), self.compared()),
            (self.unit.bound_heading(), self.unit.compared(self.bound)),
            ("", verdict.unwrap_or_default()),
            ("results", cell(results)),
        ]
    }
}

/// What is written as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub mpi: String,
    /// Cores of the machine.
    pub cores: usize,
    pub rows: Vec<Row>,
    /// What was left out, and why.
    #[serde(default)]
    pub skipped: Vec<String>,
}

impl Results {
    /// Whether a program has had other results.
    pub fn is_wrong(&self) -> bool {
        self.rows.iter().any(|row| row.same_results == Some(false))
    }

    /// The tables and what their columns mean.
    pub fn text(&self) -> String {
        let (mut text, mut has_marks) = (String::new(), false);
        let part = |row: &Row| (row.benchmark.clone(), row.variant.clone(), row.unit);
        // In the order of measurement.
        for own in distinct(self.rows.iter().map(part)) {
            let of_part = |row: &&Row| part(row) == own;
            let rows: Vec<&Row> = self.rows.iter().filter(of_part).collect();
            let table = Table::of(rows.iter().map(|row| row.columns()));
            let (benchmark, variant, unit) = &own;
            let _ = writeln!(text, "{benchmark}, {variant}:\n{}{}\n", table.render(), summary(*unit, &rows));
            has_marks |= table.has_marks();
        }
        for reason in &self.skipped {
            let _ = writeln!(text, "skipped: {reason}");
        }
        text.push_str(
            "speed-up: of measured over reference, above 1 the preload library is faster; of reference: share of its memory\n\
             spread: (largest - smallest) / median\n",
        );
        let spread = |row: &Row| -> [Spread; 2] {
            let of = |variant: &str, values: &Values| {
                (format!("{}, {} ranks, {variant}", row.case, row.ranks), values.spread)
            };
            [of(&row.against, &row.reference), of(&row.variant, &row.measured)]
        };
        let timed = self.rows.iter().filter(|row| row.unit == Unit::Seconds);
        let noise = noise::sentence(&timed.flat_map(spread).collect::<Vec<_>>());
        text + if has_marks { noise::LEGEND } else { "" } + &noise
    }
}

/// The worst and the mean of what is compared in the rows that have a bound, or in all if none has, and how
/// many are beyond it.
fn summary(unit: Unit, rows: &[&Row]) -> String {
    let bounded: Vec<&Row> = rows.iter().copied().filter(|row| row.bound.is_some()).collect();
    let rows = if bounded.is_empty() { rows } else { &bounded };
    let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratio()).collect();
    let worst = rows.iter().max_by(|a, b| a.ratio().unwrap_or(0.0).total_cmp(&b.ratio().unwrap_or(0.0)));
    let (Some(worst), Some(mean)) = (worst, numbers::geometric_mean(&ratios)) else { return String::new() };
    let end = match unit {
        Unit::Seconds => "lowest speed-up",
        Unit::Bytes => "largest share",
    };
    let mut text = format!(
        "{end} {}: {}, {} ranks; geometric mean {}",
        unit.compared(worst.ratio()),
        worst.case,
        worst.ranks,
        unit.compared(Some(mean))
    );
    if !bounded.is_empty() {
        let exceeded = bounded.iter().filter(|row| row.exceeds()).count();
        let _ = write!(text, "; {exceeded} of {} exceed their bound", bounded.len());
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn row(case: &str, ranks: usize, stock: f64, preload: f64, bound: Option<f64>) -> Row {
        Row {
            benchmark: "programs".to_owned(),
            case: case.to_owned(),
            ranks,
            unit: Unit::Seconds,
            variant: "preload".to_owned(),
            against: STOCK.to_owned(),
            reference: Values::new(vec![stock, 1.5 * stock, stock]),
            measured: Values::new(vec![preload]),
            bound,
            same_results: Some(true),
        }
    }

    pub fn results(rows: Vec<Row>) -> Results {
        Results { mpi: "openmpi".to_owned(), cores: 2, rows, skipped: vec!["pw.x: not installed".to_owned()] }
    }

    #[test]
    fn bounds_are_compared_with_ratios() {
        let results = results(vec![row("a", 2, 2.0, 4.0, Some(2.0)), row("b", 2, 2.0, 5.0, Some(2.0))]);
        let text = results.text();
        let line = |case: &str| text.lines().find(|line| line.starts_with(case)).expect("a row").to_owned();
        assert!(line("a ").contains(" 0.50 ") && line("a ").contains("kept"), "{text}");
        assert!(line("b ").contains(" 0.40 ") && line("b ").contains("exceeded"), "{text}");
        assert!(
            text.contains("lowest speed-up 0.40: b, 2 ranks") && text.contains("1 of 2 exceed"),
            "{text}"
        );
        assert!(text.contains("skipped: pw.x"), "{text}");
    }

    #[test]
    fn other_results_are_wrong() {
        let mut results = results(vec![row("a", 2, 2.0, 1.0, None)]);
        assert!(!results.is_wrong() && results.text().contains("identical"));
        assert_eq!(results.rows[0].speed_up(), Some(2.0));
        results.rows[0].same_results = Some(false);
        assert!(results.is_wrong() && results.text().contains("DIFFERENT"));
    }

    #[test]
    fn what_costs_nothing_has_no_ratio() {
        let free = row("a", 2, 0.0, 1.0, Some(2.0));
        assert!(free.ratio().is_none() && free.speed_up().is_none() && !free.exceeds());
    }

    #[test]
    fn json_has_the_declared_form() {
        let value = serde_json::to_value(results(vec![row("a", 2, 2.0, 1.0, None)])).expect("valid");
        let first = &value["rows"][0];
        assert_eq!((first["unit"].as_str(), first["reference"]["median"].as_f64()), (Some("s"), Some(2.0)));
        assert_eq!((first["same_results"].as_bool(), first.get("bound")), (Some(true), None));
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.rows[0].measured.all, [1.0]);
    }
}
