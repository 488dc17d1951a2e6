//! BSP programs on simulated machines, beside predicted and published efficiencies.

use super::section::Section;
use super::shared::distinct;
use super::simulated::{points, rows, table};
use super::sources::{Inputs, SIMULATE};
use crate::simulate::bsp_programs::{BspProgram, LAYOUT};
use hcube_results::plot::Evidence::{Predicted, Published, Simulated};
use hcube_results::plot::{Axis, Chart, Evidence, Format, Scale, Series, looks};
use hcube_results::published::bsp::{self as published, KRUSCHE};

/// The number of processes in charts; of a machine with fewer, its most.
const PROCESSES: usize = 16;
/// Of both charts.
const FILE: &str = "bsp-programs-simulated";

/// Efficiencies over the blocks of matrices and over alpha.
pub fn programs(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "bsp-programs-machines",
        "BSP programs on simulated machines",
        "Parallel efficiency of the programs of Krusche 2005 on models of its machines: the time of all operations, divided \
         by the total time of all processes. The cost model has the gaps and latencies that were measured there with the Oxford BSP \
         Toolset; the simulated program is hcube's, on a network that was derived from the same figures. Other machines \
         have no such figures: the cost model derives them from their links.",
    );
    let all = rows(inputs, |all| &all.bsp_programs);
    let of = |name: &str| all.iter().copied().filter(|one| one.row.program == name).collect::<Vec<_>>();
    let products = of(published::Program::MatmulCustomized.name());
    let subsequences = of(published::Program::LlcsStandard.name());
    section.chart(chart("Matrix product", "blocks per side", &products));
    section.chart(chart("Longest common subsequence", "block columns of a process (alpha)", &subsequences));
    section.table(table(inputs, "Times and efficiencies of BSP programs", &LAYOUT, &all, 1));
    section.lacks(all.is_empty(), "BSP programs, simulated", SIMULATE);
    section
}

/// The name of a machine of the thesis.
fn short(machine: &str) -> &str {
    published::MACHINES.into_iter().find(|known| machine.starts_with(known)).unwrap_or(machine)
}

/// The runs of each machine with published figures, on the number of processes that is shown.
fn chart(title: &str, parameter: &str, all: &[&BspProgram]) -> Chart {
    let of_thesis: Vec<&&BspProgram> = all.iter().filter(|one| one.row.published_percent.is_some()).collect();
    let machines = distinct(of_thesis.iter().map(|one| one.site.machine.as_str()));
    let lines = machines.iter().enumerate().flat_map(|(number, &machine)| {
        let own = || of_thesis.iter().filter(move |one| one.site.machine == machine);
        let at_most = own().map(|one| one.row.processes).filter(|&processes| processes <= PROCESSES);
        let processes = at_most.max().unwrap_or_default();
        let shown: Vec<&BspProgram> =
            own().filter(|one| one.row.processes == processes).map(|one| **one).collect();
        lines(number, &format!("{}, {processes} processes", short(machine)), &shown)
    });
    let size = of_thesis.first().map_or(0, |one| one.row.size);
    Chart::new(
        format!("{title}, size {size}"),
        Axis::new(parameter, Scale::Linear, Format::Plain),
        Axis::new("efficiency in %, higher is better", Scale::Linear, Format::Plain),
        lines.collect(),
    )
    .named(Some(FILE))
}

/// Predicted, published and simulated efficiencies with the same colour and marker.
fn lines(number: usize, name: &str, shown: &[&BspProgram]) -> [Series; 3] {
    let line = |name: String, evidence: Evidence, y: fn(&BspProgram) -> Option<f64>| {
        let own = shown.iter().copied().filter(|one| y(one).is_some());
        let points = points(own, |one| (one.row.parameter as f64, y(one).unwrap_or_default()));
        Series::new(name, evidence, looks::numbered(number), points)
    };
    [
        line(format!("{name}, cost model"), Predicted, |one| Some(one.row.efficiency_percent.constant)),
        line(format!("{name}, {KRUSCHE}"), Published, |one| one.row.published_percent),
        line(name.to_owned(), Simulated, |one| Some(one.simulated_percent)),
    ]
}
