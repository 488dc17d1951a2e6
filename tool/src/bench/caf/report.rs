//! What `hcube bench caf` prints and writes.

use super::arguments::Arguments;
use super::measure::{Caf, Line};
use crate::bench::frame;
use crate::output;
use crate::session::{self, Failure};
use hcube_results::caf::{Results, Run, figure};
use hcube_results::table::Table;

/// One variant of an operation.
pub fn run(of: &Caf, line: &Line, seconds: &[f64]) -> Run {
    let variant = &of.variants[line.variant];
    let measured_us = seconds.iter().map(|seconds| 1e6 * seconds).collect();
    let ranks = of.node_sizes.iter().sum();
    let described = line.task.described(of.mpi.clone(), ranks, of.ranks_per_node);
    Run {
        nodes: of.node_sizes.len(),
        cores: hcube_core::node::processor::cores(),
        library: variant.file.clone(),
        batch: line.batch,
        errors: line.errors,
        ..Run::new(described, variant.name, measured_us)
    }
}

/// The lines above the table.
pub fn heading(of: &Caf) -> String {
    let files: Vec<&str> =
        of.variants.iter().map(|one| one.file.as_str()).filter(|file| !file.is_empty()).collect();
    let nodes = match of.ranks_per_node {
        0 => String::new(),
        count => format!("; hcube takes each {count} rank(s) for a node"),
    };
    format!(
        "hcube {} caf: {}{nodes}\n{}; medians of {} alternating measurements\n\n",
        env!("CARGO_PKG_VERSION"),
        session::shape(&of.node_sizes),
        files.join(", "),
        of.arguments.common.repeat,
    )
}

impl frame::Results for Results {
    fn tables(&self) -> Vec<Table> {
        self.tables()
    }

    fn below(&self) -> String {
        self.below()
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.runs.iter().map(|run| run.errors).collect()
    }
}

/// Whether the plot that was asked for can be written.
pub fn check_plot(arguments: &Arguments) -> hcube_core::Result<()> {
    arguments.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path, &output::PLOT))
}

/// Writes the plot where it was asked for.
pub fn draw(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    let Some(path) = &arguments.plot else { return Ok(()) };
    let sheet =
        figure::sheet(&results.runs).ok_or("--plot: nothing was measured: there is nothing to draw")?;
    output::write("--plot", path, &output::PLOT, &sheet.svg())
}
