//! What `hcube gups` prints.

use super::arguments::{Arguments, Case, mode_name};
use super::bench::{Bench, Measured};
use crate::numbers::{self, percent, significant};
use crate::session;
use crate::table::Table;
use hcube_random_access::Options;
use serde::Serialize;
use std::fmt::Write;

/// Headings of columns that are shown only where they say something.
const DIMENSIONS: &str = "d";
const OPTIMISATIONS: &str = "optimisations";

/// The results as they are written in JSON.
#[derive(Debug, Serialize)]
pub struct Results {
    hcube: &'static str,
    mpi: String,
    ranks: usize,
    nodes: usize,
    log2_table: u32,
    updates: u64,
    huge_pages: u64,
    huge_pages_possible: u64,
    repeat: u32,
    lines: Vec<Line>,
    local_bound: Option<Bound>,
}

/// One line of the table. Messages and bytes are the mean of a rank, shares are of the time of all
/// ranks; values of the median measurement where not said otherwise.
#[derive(Debug, Serialize)]
struct Line {
    stream: &'static str,
    look_ahead: usize,
    mode: &'static str,
    dimensions: usize,
    optimisations: String,
    strict: bool,
    ranks_per_node: usize,
    description: String,
    gups: f64,
    gups_measured: Vec<f64>,
    spread: f64,
    errors: Option<u64>,
    generate: f64,
    route: f64,
    wait: f64,
    update: f64,
    messages: f64,
    message_bytes: f64,
    shared_bytes: f64,
    excess: u64,
    most_held: u64,
    open_bound: u64,
    memory: u64,
    of_local_bound: Option<f64>,
}

/// The bound without communication.
#[derive(Debug, Serialize)]
struct Bound {
    gups: f64,
    gups_measured: Vec<f64>,
    spread: f64,
    log2_private_table: u32,
}

fn rates(measured: &[Measured]) -> Vec<f64> {
    measured.iter().map(Measured::gups).collect()
}

/// The measurement that is nearest to the median.
fn typical(measured: &[Measured]) -> &Measured {
    let median = numbers::median(&rates(measured));
    let distance = |one: &&Measured| (one.gups() - median).abs();
    measured.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("at least one measurement")
}

impl Line {
    fn new(case: &Case, description: &str, measured: &[Measured], ranks: usize, bound: Option<f64>) -> Self {
        let (rates, typical) = (rates(measured), typical(measured));
        let totals = &typical.totals;
        let share = |time: f64| if totals.total > 0.0 { time / totals.total } else { 0.0 };
        let mean = |sum: u64| sum as f64 / ranks as f64;
        let gups = numbers::median(&rates);
        Self {
            stream: case.stream.name(),
            look_ahead: case.options.look_ahead,
            mode: mode_name(case.options.mode),
            dimensions: case.options.dimensions,
            optimisations: case.options.optimisations.to_list(),
            strict: !case.options.relaxed,
            ranks_per_node: case.options.ranks_per_node,
            description: description.to_owned(),
            gups,
            spread: numbers::spread(&rates),
            gups_measured: rates,
            errors: measured.iter().filter_map(|one| one.errors).max(),
            generate: share(totals.generate),
            route: share(totals.route),
            wait: share(totals.wait),
            update: share(totals.update),
            messages: mean(totals.messages),
            message_bytes: mean(totals.message_bytes),
            shared_bytes: mean(totals.shared_bytes),
            excess: totals.excess,
            most_held: totals.most_held,
            open_bound: totals.open_bound,
            memory: totals.memory,
            of_local_bound: bound.filter(|&bound| bound > 0.0).map(|bound| gups / bound),
        }
    }

    /// The columns of the table: a heading and the cell of this line.
    fn columns(&self) -> Vec<(&'static str, String)> {
        let timed = self.generate + self.route + self.wait + self.update > 0.0;
        // One rank alone does not take the time of its parts.
        let share = |share: f64| if timed { percent(share) } else { "-".to_owned() };
        let dimensions = if self.dimensions == 0 { "log2".to_owned() } else { self.dimensions.to_string() };
        let mut columns = vec![
            ("stream", self.stream.to_owned()),
            ("Q", self.look_ahead.to_string()),
            ("mode", self.mode.to_owned()),
            (DIMENSIONS, dimensions),
            (OPTIMISATIONS, self.optimisations.clone()),
            ("GUP/s", significant(self.gups)),
            ("spread", percent(self.spread)),
            ("errors", self.errors.map_or("-".to_owned(), |errors| errors.to_string())),
            ("generate", share(self.generate)),
            ("route", share(self.route)),
            ("wait", share(self.wait)),
            ("update", share(self.update)),
            ("messages/rank", format!("{:.0}", self.messages)),
            ("bytes/rank", numbers::bytes(self.message_bytes)),
            ("excess", self.excess.to_string()),
        ];
        if let Some(share) = self.of_local_bound {
            columns.push(("of bound", percent(share)));
        }
        columns
    }
}

/// The lines above the table.
pub fn heading(arguments: &Arguments, bench: &Bench, descriptions: &[String]) -> String {
    let words = arguments.table_size;
    let bytes = numbers::bytes(8.0 * (words as f64).exp2());
    let (huge, possible) = bench.huge;
    let mut text = format!(
        "hcube {} gups: {}\n\
         table: 2^{words} words ({bytes}), {} updates, {huge} of {possible} possible huge pages\n",
        env!("CARGO_PKG_VERSION"),
        session::shape(&bench.node_sizes),
        arguments.total_updates(),
    );
    let mut said: Vec<&String> = Vec::new();
    for description in descriptions {
        if !said.contains(&description) {
            said.push(description);
            let _ = writeln!(text, "path: {description}");
        }
    }
    text.push('\n');
    text
}

impl Results {
    /// From all measurements.
    pub fn new(
        arguments: &Arguments,
        bench: &Bench,
        cases: &[Case],
        descriptions: &[String],
        lines: &[Vec<Measured>],
        bound: &[Measured],
    ) -> Self {
        let local_bound = (!bound.is_empty()).then(|| {
            let rates = rates(bound);
            let (gups, spread) = (numbers::median(&rates), numbers::spread(&rates));
            Bound { gups, spread, gups_measured: rates, log2_private_table: bench.private_log2() }
        });
        let bound = local_bound.as_ref().map(|bound| bound.gups);
        let line = |((case, description), measured): ((&Case, &String), &Vec<Measured>)| {
            Line::new(case, description, measured, bench.ranks(), bound)
        };
        Self {
            hcube: env!("CARGO_PKG_VERSION"),
            mpi: hcube_core::mpi::handle::library_version(),
            ranks: bench.ranks(),
            nodes: bench.node_sizes.len(),
            log2_table: arguments.table_size,
            updates: arguments.total_updates(),
            huge_pages: bench.huge.0,
            huge_pages_possible: bench.huge.1,
            repeat: arguments.repeat,
            lines: cases.iter().zip(descriptions).zip(lines).map(line).collect(),
            local_bound,
        }
    }

    /// The table. Choices that are the same on all lines and the default are left out.
    fn table(&self) -> Table {
        let rows: Vec<_> = self.lines.iter().map(Line::columns).collect();
        let usual = Options::default();
        let dimensions = self.lines.iter().any(|line| line.dimensions != usual.dimensions);
        let optimisations = self.lines.iter().any(|line| line.optimisations != usual.optimisations.to_list());
        let shown = |heading: &str| {
            (heading != DIMENSIONS || dimensions) && (heading != OPTIMISATIONS || optimisations)
        };
        let shown_of = |row: &[(&'static str, String)]| -> Vec<(&'static str, String)> {
            row.iter().filter(|(heading, _)| shown(heading)).cloned().collect()
        };
        let mut table = Table::new(
            rows.first().map(|row| shown_of(row)).unwrap_or_default().into_iter().map(|cell| cell.0),
        );
        for row in &rows {
            table.row(shown_of(row).into_iter().map(|cell| cell.1));
        }
        table
    }

    /// The table and the lines below it.
    pub fn text(&self) -> String {
        let mut text = self.table().render();
        if let Some(bound) = &self.local_bound {
            let _ = writeln!(
                text,
                "\nlocal bound: {} GUP/s (spread {}): {} rank(s) at once, private tables of 2^{} words, no communication",
                significant(bound.gups),
                percent(bound.spread),
                self.ranks,
                bound.log2_private_table,
            );
        }
        let rule = if self.lines.iter().all(|line| line.strict) {
            "strict look-ahead: what a rank has generated and what is not yet applied never exceeds Q"
        } else {
            "RELAXED look-ahead, outside the benchmark's rules: up to 3 Q values of a rank are open"
        };
        let _ = writeln!(text, "{rule}");
        let wrong = self.lines.iter().filter(|line| line.errors.is_some_and(|errors| errors > 0)).count();
        match (wrong, self.lines.iter().all(|line| line.errors.is_none())) {
            (0, true) => text.push_str("not verified\n"),
            (0, false) => text.push_str("verified: 0 errors\n"),
            (wrong, _) => {
                let _ = writeln!(text, "VERIFICATION FAILED in {wrong} line(s)");
            }
        }
        text
    }
}
