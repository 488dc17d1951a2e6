//! What `hcube bench random-access` prints and writes.

use super::arguments::Case;
use super::setup::{Competitor, RandomAccess, Row};
use super::updates::Measured;
use crate::session;
use hcube_random_access::Options;
use hcube_results::noise::Spread;
use hcube_results::numbers::{self, percent, significant};
use hcube_results::runs::Report;
use hcube_results::table::{Table, cell};
use serde::Serialize;
use std::fmt::Write;

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
    /// What was left out, and why.
    notes: Vec<String>,
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
            mode: case.options.mode.name(),
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

    /// The columns of the table: a heading and the cell of this line. Dimensions and optimisations only where
    /// a line has others than the default.
    fn columns(&self, dimensions: bool, optimisations: bool) -> Vec<(&'static str, String)> {
        let timed = self.generate + self.route + self.wait + self.update > 0.0;
        // A single rank does not measure the time of its parts.
        let share = |share: f64| cell(timed.then(|| percent(share)));
        let mut columns = vec![
            ("stream", self.stream.to_owned()),
            ("Q", self.look_ahead.to_string()),
            ("mode", self.mode.to_owned()),
        ];
        if dimensions {
            let none = self.dimensions == 0;
            columns.push(("d", if none { "log2".to_owned() } else { self.dimensions.to_string() }));
        }
        if optimisations {
            columns.push(("optimisations", self.optimisations.clone()));
        }
        columns.extend([
            ("GUP/s", significant(self.gups)),
            ("spread", percent(self.spread)),
            ("errors", cell(self.errors)),
            ("generate", share(self.generate)),
            ("route", share(self.route)),
            ("wait", share(self.wait)),
            ("update", share(self.update)),
            ("messages/rank", format!("{:.0}", self.messages)),
            ("bytes/rank", numbers::bytes(self.message_bytes)),
            ("excess", self.excess.to_string()),
        ]);
        columns.extend(self.of_local_bound.map(|share| ("of bound", percent(share))));
        columns
    }
}

/// What stands above the table, behind the name.
pub fn about(of: &RandomAccess) -> String {
    let words = of.arguments.table_size;
    let bytes = numbers::bytes(8.0 * (words as f64).exp2());
    let (huge, possible) = of.bench.huge;
    let mut text = format!(
        "{}\ntable: 2^{words} words ({bytes}), {} updates, {huge} of {possible} possible huge pages\n",
        session::shape(&of.bench.node_sizes),
        of.arguments.total_updates(),
    );
    for (number, description) in of.descriptions.iter().enumerate() {
        if !of.descriptions[..number].contains(description) {
            let _ = writeln!(text, "route: {description}");
        }
    }
    text.push('\n');
    text
}

impl Results {
    pub fn new(of: &RandomAccess, rows: Vec<Row>, notes: Vec<String>) -> Self {
        let local_bound = rows.iter().find(|row| matches!(row.competitor, Competitor::LocalBound(_)));
        let local_bound = local_bound.map(|row| {
            let rates = rates(&row.measured);
            let (gups, spread) = (numbers::median(&rates), numbers::spread(&rates));
            Bound { gups, spread, gups_measured: rates, log2_private_table: of.bench.private_log2() }
        });
        let bound = local_bound.as_ref().map(|bound| bound.gups);
        let line = |row: &Row| match row.competitor {
            Competitor::LocalBound(_) => None,
            Competitor::Case(case) => {
                let (case, description) = (&of.cases[case], &of.descriptions[case]);
                Some(Line::new(case, description, &row.measured, of.bench.ranks(), bound))
            }
        };
        Self {
            hcube: env!("CARGO_PKG_VERSION"),
            mpi: hcube_core::mpi::handle::library_version(),
            ranks: of.bench.ranks(),
            nodes: of.bench.node_sizes.len(),
            log2_table: of.arguments.table_size,
            updates: of.arguments.total_updates(),
            huge_pages: of.bench.huge.0,
            huge_pages_possible: of.bench.huge.1,
            repeat: of.arguments.common.repeat,
            lines: rows.iter().filter_map(line).collect(),
            local_bound,
            notes,
        }
    }

    fn rows(&self) -> Table {
        let usual = Options::default();
        let dimensions = self.lines.iter().any(|line| line.dimensions != usual.dimensions);
        let optimisations = self.lines.iter().any(|line| line.optimisations != usual.optimisations.to_list());
        Table::of(self.lines.iter().map(|line| line.columns(dimensions, optimisations)))
    }
}

impl Report for Results {
    fn tables(&self) -> Vec<Table> {
        vec![self.rows()]
    }

    fn below(&self) -> String {
        let mut text = String::new();
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
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text + if self.lines.iter().all(|line| line.strict) {
            "strict look-ahead: values that a rank has generated and that are not yet applied never exceed Q\n"
        } else {
            "RELAXED look-ahead, outside the benchmark's rules: a rank has up to 3 Q values that are not yet applied\n"
        }
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.lines.iter().map(|line| line.errors).collect()
    }

    fn spreads(&self) -> Vec<Spread> {
        let name = |line: &Line| format!("{}, Q {}, {}", line.stream, line.look_ahead, line.mode);
        let lines = self.lines.iter().map(|line| (name(line), line.spread));
        lines.chain(self.local_bound.as_ref().map(|bound| ("local bound".to_owned(), bound.spread))).collect()
    }
}
