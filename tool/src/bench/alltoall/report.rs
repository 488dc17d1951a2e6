//! What `hcube bench alltoall` prints and writes.

use super::arguments::Memory;
use super::measure::{Alltoall, Line, Measured};
use crate::bench::frame;
use crate::session;
use hcube_results::alltoall::{Results, Run};
use hcube_results::numbers;
use hcube_results::table::Table;

/// One case at one size.
pub fn run(of: &Alltoall, line: &Line, measured: &Measured) -> Run {
    let Line { case, bytes, errors, .. } = line;
    let options = case.algorithm.is_ours().then(|| case.options(*bytes, of.ranks()));
    let measured_us: Vec<f64> = measured.seconds.iter().map(|seconds| 1e6 * seconds).collect();
    Run {
        mpi: session::library(),
        ranks: of.ranks(),
        nodes: of.node_sizes.len(),
        cores: hcube_core::node::processor::cores(),
        bytes_per_rank: *bytes,
        algorithm: case.algorithm.name().to_owned(),
        memory: options.map(|options| options.memory),
        everything: options.is_some() && case.memory == Memory::Everything,
        path: options.map(|options| options.path.name().to_owned()),
        uniform: of.arguments.uniform,
        seed: of.arguments.seed,
        median_us: numbers::median(&measured_us),
        spread: numbers::spread(&measured_us),
        measured_us,
        batch: measured.batch,
        extra_bytes: measured.added.map(|added| added.peak),
        held_bytes: measured.added.map(|added| added.held),
        errors: *errors,
        speedup_in_place: None,
        speedup_out_of_place: None,
    }
}

/// The lines above the table.
pub fn heading(of: &Alltoall) -> String {
    let (counts, function) = match of.arguments.uniform {
        true => ("equal counts".to_owned(), "MPI_Alltoall"),
        false => (format!("random counts per pair (seed {})", of.arguments.seed), "MPI_Alltoallv"),
    };
    format!(
        "hcube {} alltoall: {}\n64-bit integers, {counts}, {function}; medians of {} alternating measurements\n\n",
        env!("CARGO_PKG_VERSION"),
        session::shape(&of.node_sizes),
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
        let exchanges = self.runs.iter().map(|run| run.errors);
        exchanges.chain(self.kinds.iter().map(|run| run.errors)).collect()
    }
}
