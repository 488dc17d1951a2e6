//! What `hcube bench gemm` prints and writes.

use super::arguments::{Arguments, Variant};
use super::measure::{Gemm, Line};
use crate::bench::frame;
use crate::output;
use crate::session::{self, Failure};
use hcube_results::gemm::{Results, Run, figure};
use hcube_results::table::Table;

/// One variant of the problem under way.
pub fn run(of: &Gemm, line: &Line, seconds: &[f64]) -> Run {
    let problem = of.problem();
    let measured_ms = seconds.iter().map(|seconds| 1e3 * seconds).collect();
    let described = problem.described(of.mpi.clone(), of.grid.place);
    Run {
        nodes: of.node_sizes.len(),
        cores: hcube_core::node::processor::cores(),
        threads: of.threads,
        scalapack: of.grid.file().to_owned(),
        panel: (line.variant == Variant::Raised).then_some(of.arguments.panel.into()),
        batch: of.batch,
        errors: line.errors,
        ..Run::new(described, line.variant.name(), measured_ms, problem.flops())
    }
}

/// The lines above the table.
pub fn heading(of: &Gemm) -> String {
    let [rows, columns] = of.grid.place.sides;
    let threads = match of.threads {
        Some(1) => "1 thread of the BLAS in each rank".to_owned(),
        Some(threads) => format!("{threads} threads of the BLAS in each rank"),
        None => "threads of the BLAS as it chooses".to_owned(),
    };
    format!(
        "hcube {} gemm: {}\ngrid {rows}x{columns}, {threads}, {}; medians of {} alternating measurements\n\n",
        env!("CARGO_PKG_VERSION"),
        session::shape(&of.node_sizes),
        of.grid.file(),
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
    let sheet = figure::sheet(&results.runs)
        .ok_or("--plot: hcube was not measured beside any other variant: there is nothing to draw")?;
    output::write("--plot", path, &output::PLOT, &sheet.svg())
}
