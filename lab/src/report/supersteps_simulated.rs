//! Supersteps of BSP programs on simulated machines.

use super::inputs::{Inputs, Source, Superstep};
use super::section::Section;
use super::shared::machine_title;
use super::table::{Table, cell};
use hcube_results::numbers::time;
use hcube_results::plot::Evidence::Simulated;
use hcube_results::plot::{Axis, Chart, Scale, Series, looks, plain};

/// What a line of a chart has in common.
type Setting<'a> = (&'a str, &'a str);

fn all(inputs: &Inputs) -> Vec<&Superstep> {
    inputs.simulated.iter().flat_map(|simulated| &simulated.bsp).collect()
}

/// hcube's, and by functions of MPI.
fn name_of(by: &str) -> &str {
    if by == "hcube" { "hcube" } else { "MPI library" }
}

/// Times over the number of processes, without data and with the most puts.
pub fn supersteps(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "bsp-machines",
        "Supersteps on large machines",
        "Time of a superstep by the number of processes, on models of machines: without data, and with 8-byte puts of \
         each process to random processes. The MPI library is SimGrid's: MPI_Barrier without data, otherwise \
         MPI_Alltoall of the numbers of bytes and a message to each process for which there is data. Shared memory \
         inside a node takes no time in simulations except for copies and for pauses of waiting processes.",
    );
    let all = all(inputs);
    section.chart(chart(inputs, &all, 0, Some("bsp-empty-simulated")));
    if let Some(most) = all.iter().map(|row| row.puts).max().filter(|&puts| puts > 0) {
        section.chart(chart(inputs, &all, most, Some("bsp-puts-simulated")));
    }
    section.table(table(inputs, &all));
    section.lacks(all.is_empty(), "supersteps on large machines, simulated", Source::Simulate);
    section
}

fn chart(inputs: &Inputs, all: &[&Superstep], puts: usize, file: Option<&'static str>) -> Chart {
    let shown: Vec<&&Superstep> = all.iter().filter(|row| row.puts == puts).collect();
    let mut settings: Vec<Setting<'_>> = Vec::new();
    for row in &shown {
        let setting = (row.machine.as_str(), row.by.as_str());
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    let series = settings.iter().enumerate().map(|(number, &(machine, by))| {
        let own = shown.iter().filter(|row| (row.machine.as_str(), row.by.as_str()) == (machine, by));
        let mut points: Vec<_> = own.map(|row| (row.ranks as f64, 1e6 * row.seconds)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = format!("{}, {}", name_of(by), machine_title(inputs, machine));
        Series::new(name, Simulated, looks::numbered(number), points)
    });
    let title = match puts {
        0 => "Superstep without data".to_owned(),
        puts => format!("Superstep with {puts} puts of each process"),
    };
    Chart {
        title,
        x: Axis::new("processes", Scale::Log2, plain),
        y: Axis::new("µs, lower is better", Scale::Log10, plain),
        series: series.collect(),
        reference: None,
        file,
    }
}

fn table(inputs: &Inputs, all: &[&Superstep]) -> Table {
    let mut table = Table::new(
        "Supersteps by the number of processes",
        [
            ("machine", None),
            ("processes", None),
            ("per node", None),
            ("puts", None),
            ("bytes", None),
            ("hcube", Some(Simulated)),
            ("MPI library", Some(Simulated)),
            ("speed-up", Some(Simulated)),
        ],
    );
    for row in all.iter().filter(|row| row.by == "hcube") {
        let load =
            |one: &Superstep| (one.machine.clone(), one.ranks, one.ranks_per_node, one.puts, one.bytes);
        let other = all.iter().find(|other| other.by != "hcube" && load(other) == load(row));
        table.row([
            machine_title(inputs, &row.machine).to_owned(),
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.puts.to_string(),
            row.bytes.to_string(),
            time(row.seconds),
            cell(other, |other| time(other.seconds)),
            cell(other, |other| format!("×{:.2}", other.seconds / row.seconds)),
        ]);
    }
    table
}
