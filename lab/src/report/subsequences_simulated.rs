//! Longest common subsequences on simulated machines, beside the predictions of the cost model.

use super::inputs::{Inputs, Source, Subsequence};
use super::section::Section;
use super::shared::{distinct, machine_title};
use super::table::Table;
use hcube_results::numbers::time;
use hcube_results::plot::Evidence::{Predicted, Simulated};
use hcube_results::plot::{Axis, Chart, Scale, Series, looks, plain};

fn all(inputs: &Inputs) -> &[Subsequence] {
    inputs.simulated.as_ref().map_or(&[], |simulated| &simulated.lcs)
}

/// How supersteps of a grid that is not the chosen one end.
fn variant(name: &str) -> &str {
    match name {
        "square" => "without barriers",
        "thesis" => "with barriers",
        other => other,
    }
}

/// Efficiencies over the length and over alpha.
pub fn subsequences(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "lcs-machines",
        "Longest common subsequences on large machines",
        "Parallel efficiency for two random strings of equal length with 4 symbols, on models of machines: the time of all \
         entries of the matrix, divided by that of all ranks. The simulated computation and the predicted one have the same \
         grid of blocks. The grids of Krusche 2005 have alpha block columns per rank and as many block rows as block \
         columns; with barriers each block of a rank on a diagonal is a superstep.",
    );
    let all = all(inputs);
    section.chart(by_length(inputs, all));
    section.chart(by_alpha(inputs, all));
    section.table(table(inputs, all));
    section.lacks(
        all.is_empty(),
        "longest common subsequences on large machines, simulated",
        Source::Simulate,
    );
    section
}

/// A simulated line and the predicted one of the same look.
fn pair(number: usize, name: &str, rows: &[&Subsequence], x: fn(&Subsequence) -> f64) -> [Series; 2] {
    let points = |y: fn(&Subsequence) -> f64| {
        let mut points: Vec<_> = rows.iter().map(|row| (x(row), 100.0 * y(row))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let look = looks::numbered(number);
    [
        Series::new(format!("{name}, cost model"), Predicted, look, points(|row| row.predicted_efficiency)),
        Series::new(name, Simulated, look, points(|row| row.efficiency)),
    ]
}

fn chart(title: String, x: Axis, series: Vec<Series>, file: &'static str) -> Chart {
    let y = Axis::new("efficiency in %, higher is better", Scale::Linear, plain);
    Chart { title, x, y, series, reference: None, file: Some(file) }
}

/// On the chosen grids.
fn by_length(inputs: &Inputs, all: &[Subsequence]) -> Chart {
    let chosen: Vec<&Subsequence> = all.iter().filter(|row| row.variant == "chosen").collect();
    let settings = distinct(chosen.iter().map(|row| (row.machine.as_str(), row.ranks)));
    let lines = settings.iter().enumerate().flat_map(|(number, &(machine, ranks))| {
        let own = chosen.iter().filter(|row| (row.machine.as_str(), row.ranks) == (machine, ranks));
        let name = format!("{ranks} ranks, {}", machine_title(inputs, machine));
        pair(number, &name, &own.copied().collect::<Vec<_>>(), |row| row.length as f64 / 1e3)
    });
    chart(
        "Longest common subsequence, chosen grid".to_owned(),
        Axis::new("thousand symbols of each string", Scale::Log10, plain),
        lines.collect(),
        "lcs-simulated",
    )
}

/// On the grids of the thesis, for the longest strings that have several, on the fewest ranks.
fn by_alpha(inputs: &Inputs, all: &[Subsequence]) -> Chart {
    let grids = all.iter().filter(|row| row.variant != "chosen");
    let several: Vec<&Subsequence> = grids.clone().filter(|row| row.alpha > 1).collect();
    let length = several.iter().map(|row| row.length).max().unwrap_or(0);
    let ranks = several.iter().filter(|row| row.length == length).map(|row| row.ranks).min().unwrap_or(0);
    let shown: Vec<&Subsequence> = grids.filter(|row| (row.length, row.ranks) == (length, ranks)).collect();
    let settings = distinct(shown.iter().map(|row| (row.machine.as_str(), row.variant.as_str())));
    let lines = settings.iter().enumerate().flat_map(|(number, &(machine, by))| {
        let own = shown.iter().filter(|row| (row.machine.as_str(), row.variant.as_str()) == (machine, by));
        let name = format!("{}, {}", variant(by), machine_title(inputs, machine));
        pair(number, &name, &own.copied().collect::<Vec<_>>(), |row| row.alpha as f64)
    });
    chart(
        format!("Longest common subsequence of {length} symbols on {ranks} ranks"),
        Axis::new("block columns of a rank (alpha)", Scale::Linear, plain),
        lines.collect(),
        "lcs-alpha-simulated",
    )
}

fn table(inputs: &Inputs, all: &[Subsequence]) -> Table {
    let mut table = Table::new(
        "Times and efficiencies of longest common subsequences",
        [
            ("machine", None),
            ("ranks", None),
            ("per node", None),
            ("length", None),
            ("grid", None),
            ("alpha", None),
            ("block rows", None),
            ("time", Some(Simulated)),
            ("time", Some(Predicted)),
            ("efficiency", Some(Simulated)),
            ("efficiency", Some(Predicted)),
        ],
    );
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for row in all {
        table.row([
            machine_title(inputs, &row.machine).to_owned(),
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.length.to_string(),
            variant(&row.variant).to_owned(),
            row.alpha.to_string(),
            row.block_rows.to_string(),
            time(row.seconds),
            time(row.predicted_seconds),
            percent(row.efficiency),
            percent(row.predicted_efficiency),
        ]);
    }
    table
}
