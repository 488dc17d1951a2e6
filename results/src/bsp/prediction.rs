//! Results of `hcube bsp predict` and `hcube bsp run`: predicted times of bulk-synchronous programs beside
//! measured, simulated and published ones.

pub mod figure;

use crate::measured::distinct;
use crate::noise;
use crate::numbers::{self, significant};
use crate::table::{SPEED_UP, Table, bytes, cell, ratio};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A figure by each of the models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByModel {
    /// Constant g.
    pub constant: f64,
    /// g(h).
    pub words: f64,
    /// g(h, h*).
    pub messages: f64,
}

impl ByModel {
    /// Names, in the order of [`Self::all`].
    pub const NAMES: [&str; 3] = ["constant g", "g(h)", "g(h,h*)"];

    pub fn all(self) -> [f64; 3] {
        [self.constant, self.words, self.messages]
    }

    /// From figures in the order of [`Self::all`].
    pub fn of([constant, words, messages]: [f64; 3]) -> Self {
        Self { constant, words, messages }
    }

    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Self::of(self.all().map(change))
    }
}

/// A program with a size on a number of processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// matmul or llcs, with its variant.
    pub program: String,
    pub processes: usize,
    /// Rows of a matrix, or symbols of a string.
    pub size: usize,
    /// Blocks per side of a matrix, or alpha.
    pub parameter: usize,
    /// Nanoseconds of an operation, from which the prediction follows.
    pub operation_ns: f64,
    /// Predicted seconds.
    pub seconds: ByModel,
    /// Predicted efficiency in per cent: the time of all operations by the time of all processes.
    pub efficiency_percent: ByModel,
    /// Whether a superstep or a message is outside of what the machine's figures were measured for.
    #[serde(default)]
    pub beyond_range: bool,
    /// Measured seconds of each repetition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<f64>,
    /// Operations whose result was wrong; nothing where not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<u64>,
    /// By SimGrid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated_seconds: Option<f64>,
    /// Printed efficiency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_percent: Option<f64>,
    /// A competitor in the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
}

/// Another program for the same problem, measured in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    pub name: String,
    /// Of each repetition.
    pub seconds: Vec<f64>,
    /// What a call adds to the memory of a process at its peak; nothing where the kernel does not say it.
    pub added_bytes: Option<u64>,
    /// The same of the program that is predicted.
    pub own_added_bytes: Option<u64>,
    /// Results of the competitor that were wrong.
    pub errors: u64,
}

impl Row {
    /// Seconds of all operations on one process.
    fn serial_seconds(&self) -> f64 {
        self.efficiency_percent.constant / 100.0 * self.seconds.constant * self.processes as f64
    }

    /// What the row is about, with the name of the parameter; a star where the machine's figures do not
    /// reach.
    fn first_cells(&self, parameter: &str) -> Vec<(String, String)> {
        let star = if self.beyond_range { "*" } else { "" };
        let cells = [
            ("program", self.program.clone()),
            ("processes", self.processes.to_string()),
            ("size", self.size.to_string()),
            (parameter, format!("{}{star}", self.parameter)),
            ("f ns", significant(self.operation_ns)),
        ];
        cells.map(|(heading, cell)| (heading.to_owned(), cell)).into()
    }

    /// Predicted times by each model, beside another figure of each.
    fn by_model(&self, other: &str, figures: ByModel, written: fn(f64) -> String) -> Vec<(String, String)> {
        let all = ByModel::NAMES.into_iter().zip(self.seconds.all()).zip(figures.all());
        let cells = all.flat_map(|((name, seconds), figure)| {
            [(name.to_owned(), numbers::time(seconds)), (other.to_owned(), written(figure))]
        });
        cells.collect()
    }

    /// The median of the measured seconds.
    pub fn measured_seconds(&self) -> Option<f64> {
        (!self.measured.is_empty()).then(|| numbers::median(&self.measured))
    }

    /// The efficiency in per cent of a time.
    fn efficiency(&self, seconds: f64) -> f64 {
        100.0 * self.serial_seconds() / (seconds * self.processes as f64)
    }

    /// Relative errors of the predicted times in per cent.
    pub fn errors_percent(&self) -> Option<ByModel> {
        let measured = self.measured_seconds()?;
        Some(self.seconds.map(|predicted| 100.0 * (predicted / measured - 1.0)))
    }
}

/// All rows for a machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Its title.
    pub machine: String,
    /// What the parameter is called.
    pub parameter: String,
    pub rows: Vec<Row>,
    #[serde(default)]
    pub notes: Vec<String>,
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

fn percent(value: f64) -> String {
    format!("{value:.1}%")
}

impl Results {
    fn has(&self, what: impl Fn(&Row) -> bool) -> bool {
        self.rows.iter().any(what)
    }

    /// A line for each row: measured times and errors of predictions, or predicted efficiencies beside
    /// others.
    fn rows(&self) -> Table {
        if self.has(|row| !row.measured.is_empty()) { self.measured_rows() } else { self.predicted_rows() }
    }

    fn measured_rows(&self) -> Table {
        Table::of(self.rows.iter().filter_map(|row| {
            let (seconds, errors) = (row.measured_seconds()?, row.errors_percent()?);
            let mut cells = row.first_cells(&self.parameter);
            cells.push(("measured".to_owned(), numbers::time(seconds)));
            cells.push(("spread".to_owned(), numbers::percent(numbers::spread(&row.measured))));
            cells.push(("efficiency".to_owned(), percent(row.efficiency(seconds))));
            cells.extend(row.by_model("error", errors, |error| format!("{error:+.1}%")));
            Some(cells)
        }))
    }

    fn predicted_rows(&self) -> Table {
        let published = self.has(|row| row.published_percent.is_some());
        let simulated = self.has(|row| row.simulated_seconds.is_some());
        Table::of(self.rows.iter().map(|row| {
            let mut cells = row.first_cells(&self.parameter);
            cells.extend(row.by_model("efficiency", row.efficiency_percent, percent));
            let simulation = row.simulated_seconds.map(|seconds| row.efficiency(seconds));
            let others =
                [(simulated, "simulated", simulation), (published, "published", row.published_percent)];
            for (_, heading, value) in others.into_iter().filter(|other| other.0) {
                cells.push((heading.to_owned(), cell(value.map(percent))));
            }
            cells
        }))
    }

    /// The rows of each program, number of processes and parameter.
    fn groups(&self) -> Vec<Vec<&Row>> {
        let key = |row: &Row| (row.program.clone(), row.processes, row.parameter);
        let keys = distinct(self.rows.iter().map(key));
        keys.into_iter().map(|own| self.rows.iter().filter(|row| key(row) == own).collect()).collect()
    }

    /// Mean relative errors over all sizes, as in tables D.1 to G.3 of Krusche 2005.
    fn errors(&self) -> Table {
        let [constant, words, messages] = ByModel::NAMES;
        let headings = ["program", "processes", &self.parameter, "sizes", constant, words, messages];
        let mut table = Table::new(headings);
        for rows in self.groups() {
            let errors: Vec<ByModel> = rows.iter().filter_map(|row| row.errors_percent()).collect();
            let Some(first) = rows.first().filter(|_| !errors.is_empty()) else { continue };
            let Row { program, processes, parameter, .. } = first;
            let numbers = [*processes, *parameter, errors.len()].map(|number| number.to_string());
            let means = [0, 1, 2].map(|model| mean(errors.iter().map(|error| error.all()[model].abs())));
            table.row([program.clone()].into_iter().chain(numbers).chain(means.map(percent)));
        }
        table
    }

    /// Mean of the differences to what was published, in points of efficiency, for each number of processes
    /// and for all.
    fn differences(&self) -> Table {
        let [constant, words, messages] = ByModel::NAMES;
        let mut table = Table::new(["program", "processes", "rows", constant, words, messages]);
        let published = || self.rows.iter().filter(|row| row.published_percent.is_some());
        let mut groups: Vec<(String, Vec<&Row>)> = distinct(published().map(|row| row.processes))
            .into_iter()
            .map(|processes| {
                (processes.to_string(), published().filter(|row| row.processes == processes).collect())
            })
            .collect();
        if groups.len() > 1 {
            groups.push(("all".to_owned(), published().collect()));
        }
        for (processes, rows) in groups {
            let difference = |row: &&Row, model: usize| {
                (row.efficiency_percent.all()[model] - row.published_percent.unwrap_or_default()).abs()
            };
            let means = [0, 1, 2].map(|model| mean(rows.iter().map(|row| difference(row, model))));
            let program = rows.first().map_or_else(String::new, |row| row.program.clone());
            let named = [program, processes, rows.len().to_string()];
            table.row(named.into_iter().chain(means.map(|mean| format!("{mean:.2}"))));
        }
        table
    }

    /// Programs beside their competitors.
    fn competitors(&self) -> Table {
        Table::of(self.rows.iter().filter_map(|row| {
            let (beside, seconds) = (row.beside.as_ref()?, row.measured_seconds()?);
            let (other, own) = (beside.added_bytes, beside.own_added_bytes);
            let share = own.zip(other.filter(|&other| other > 0));
            let median = numbers::median(&beside.seconds);
            let spreads = [&beside.seconds, &row.measured].map(|seconds| numbers::spread(seconds));
            Some(vec![
                ("program", row.program.clone()),
                ("processes", row.processes.to_string()),
                ("size", row.size.to_string()),
                (self.parameter.as_str(), row.parameter.to_string()),
                ("measured", numbers::time(seconds)),
                ("over", beside.name.clone()),
                ("time", numbers::time(median)),
                ("spread", numbers::percent(spreads[0])),
                (SPEED_UP, noise::speed_up(Some(median / seconds), spreads)),
                ("added memory", bytes(own)),
                ("of the other", bytes(other)),
                ("share", ratio(share.map(|(own, other)| own as f64 / other as f64))),
            ])
        }))
    }

    /// The tables and the lines below them.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n{}", self.machine, self.rows().render());
        if self.has(|row| row.beside.is_some()) {
            let _ = write!(text, "\nbeside another program:\n{}", self.competitors().render());
        }
        if self.has(|row| !row.measured.is_empty()) {
            let _ = write!(text, "\nmean relative error of predicted times:\n{}", self.errors().render());
        }
        if self.has(|row| row.published_percent.is_some()) {
            let _ = write!(
                text,
                "\nmean difference to the published efficiency, in points:\n{}",
                self.differences().render()
            );
        }
        if self.has(|row| row.beyond_range) {
            text.push_str("\n* beyond the supersteps or messages that the figures were measured for\n");
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        match self.wrong() {
            Some(0) => text.push_str("\nverified: 0 errors\n"),
            Some(errors) => {
                let _ = writeln!(text, "\nVERIFICATION FAILED: {errors} errors");
            }
            None if self.has(|row| !row.measured.is_empty()) => text.push_str("\nnot verified\n"),
            None => {}
        }
        text
    }

    /// Results that were wrong; nothing where none was verified.
    pub fn wrong(&self) -> Option<u64> {
        let beside = |row: &Row| row.beside.as_ref().map_or(0, |beside| beside.errors);
        let errors = |row: &Row| row.errors.map(|errors| errors + beside(row));
        let verified: Vec<u64> = self.rows.iter().filter_map(errors).collect();
        (!verified.is_empty()).then(|| verified.iter().sum())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row of 2 processes whose efficiency is 80, 75 and 70 per cent.
    pub fn row(size: usize, parameter: usize) -> Row {
        let efficiency_percent = ByModel::of([80.0, 75.0, 70.0]);
        Row {
            program: "matmul customized".to_owned(),
            processes: 2,
            size,
            parameter,
            operation_ns: 0.1,
            seconds: efficiency_percent.map(|efficiency| 100.0 / efficiency),
            efficiency_percent,
            beyond_range: false,
            measured: Vec::new(),
            errors: None,
            simulated_seconds: None,
            published_percent: None,
            beside: None,
        }
    }

    pub fn results(rows: Vec<Row>) -> Results {
        Results { machine: "a machine".to_owned(), parameter: "blocks".to_owned(), rows, notes: Vec::new() }
    }

    #[test]
    fn errors_are_those_of_the_median() {
        let mut one = row(100, 2);
        one.measured = vec![1.25, 9.0, 1.0];
        let errors = one.errors_percent().expect("measured");
        assert!(
            (errors.constant - 0.0).abs() < 1e-9 && (errors.messages - 14.2857).abs() < 1e-3,
            "{errors:?}"
        );
        let mut other = row(200, 2);
        other.measured = vec![2.5];
        let text = results(vec![one, other]).text();
        // 0 and 50 %, 6.7 and 46.7 %, 14.3 and 42.9 %.
        let line = "matmul customized 2 2 2 25.0% 26.7% 28.6%";
        assert!(text.lines().any(|shown| shown.split_whitespace().eq(line.split(' '))), "{text}");
        assert!(!text.contains("published"));
    }

    #[test]
    fn published_efficiencies_have_differences() {
        let mut all: Vec<Row> = (2..4).map(|blocks| row(2000, blocks)).collect();
        all[0].published_percent = Some(78.0);
        all[1].published_percent = Some(81.0);
        all[1].beyond_range = true;
        all[1].simulated_seconds = Some(1.0);
        let text = results(all).text();
        let line = "matmul customized 2 2 1.50 4.50 9.50";
        assert!(text.lines().any(|shown| shown.split_whitespace().eq(line.split(' '))), "{text}");
        assert!(text.contains("3*") && text.contains("* beyond the supersteps") && text.contains("100.0%"));
        assert!(!text.contains("relative error"));
    }

    #[test]
    fn competitors_have_a_speed_up_and_a_share_of_memory() {
        let mut one = row(100, 2);
        one.measured = vec![1.0, 1.0];
        one.errors = Some(0);
        one.beside = Some(Beside {
            name: "pdgemm".to_owned(),
            seconds: vec![2.0, 2.0],
            added_bytes: Some(4 << 20),
            own_added_bytes: Some(1 << 20),
            errors: 3,
        });
        let all = results(vec![one]);
        let text = all.text();
        assert!(text.contains("beside another program") && text.contains("pdgemm"), "{text}");
        assert!(text.contains("2.00") && text.contains("1.0 MiB") && text.contains("0.25"), "{text}");
        assert_eq!(all.wrong(), Some(3));
    }

    #[test]
    fn json_is_read_again() {
        let mut one = row(100, 2);
        one.measured = vec![1.0];
        one.errors = Some(0);
        let all = results(vec![one]);
        let json = serde_json::to_string(&all).expect("valid");
        assert!(!json.contains("published"));
        assert_eq!(serde_json::from_str::<Results>(&json).expect("what was written"), all);
        assert_eq!((all.wrong(), results(vec![row(1, 1)]).wrong()), (Some(0), None));
    }
}
