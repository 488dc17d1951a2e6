//! Machines, versions and files of the figures.

use super::model;
use super::sources::{Inputs, SOURCES, Source};
use super::table::{NONE, Table};
use askama::Template;
use hcube_results::machine::{Link, Machine, Topology};
use hcube_results::numbers;
use hcube_results::plot::Evidence::{self, Measured, Simulated};

fn joined(factors: &[usize]) -> String {
    factors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
}

fn topology(machine: &Machine) -> String {
    match &machine.topology {
        None => "not described".to_owned(),
        Some(tree @ Topology::FatTree { down }) => {
            format!("{} in a fat tree of {}", tree.nodes(), joined(down))
        }
        Some(grid @ Topology::Grid { nodes, wrapped, link_gb_s }) => {
            let kind = match wrapped.iter().filter(|wrapped| **wrapped).count() {
                0 => "mesh".to_owned(),
                all if all == wrapped.len() => "torus".to_owned(),
                some => format!("mesh, torus in {some} of {} dimensions", wrapped.len()),
            };
            let links = link_gb_s.map_or(String::new(), |links| format!(", {links} GB/s between neighbours"));
            format!("{} in a grid of {}, {kind}{links}", grid.nodes(), joined(nodes))
        }
    }
}

fn link(link: &Link) -> String {
    let hop = if link.hop_latency_us > 0.0 {
        format!(" + {} µs per link", link.hop_latency_us)
    } else {
        String::new()
    };
    format!("{} µs{hop}, {} GB/s", link.latency_us, link.bandwidth_gb_s)
}

/// Cost of messages between nodes, if known.
fn network(machine: &Machine) -> String {
    if machine.network_assumed {
        "not measured; assumed equal to that inside a node".to_owned()
    } else {
        link(&machine.network)
    }
}

/// The simulated machines and the calibrated one, with their sources.
#[derive(Debug, Template)]
#[template(path = "machines.html")]
pub struct Machines<'a> {
    machines: Vec<(&'a Machine, Option<Evidence>)>,
}

impl<'a> Machines<'a> {
    pub fn new(inputs: &'a Inputs) -> Self {
        let simulated = inputs.simulated.iter().flat_map(|simulated| &simulated.machines);
        // A file without a fit may hold figures of any source.
        let fitted = inputs.calibration.iter().map(|one| (one, one.fit.as_ref().map(|_| Measured)));
        Self { machines: simulated.map(|machine| (machine, Some(Simulated))).chain(fitted).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.machines.is_empty()
    }

    fn topology(&self, machine: &Machine) -> String {
        topology(machine)
    }

    fn network(&self, machine: &Machine) -> String {
        network(machine)
    }

    fn link(&self, link: &Link) -> String {
        self::link(link)
    }

    fn warning(&self, machine: &Machine) -> Option<String> {
        model::warning(machine)
    }
}

/// Versions, where the files name them, and the files.
#[derive(Debug, Template)]
#[template(path = "environment.html")]
pub struct Environment {
    table: Table,
    files: Vec<(Option<String>, &'static Source)>,
    failures: Vec<String>,
}

impl Environment {
    pub fn new(inputs: &Inputs) -> Self {
        let paths = inputs.paths.iter().map(|path| path.as_ref().map(|path| path.display().to_string()));
        let failures = inputs.simulated.iter().flat_map(|simulated| &simulated.failures);
        Self {
            table: versions(inputs),
            files: paths.zip(&SOURCES).collect(),
            // Further lines tell what each rank did.
            failures: failures.map(|text| text.lines().next().unwrap_or_default().to_owned()).collect(),
        }
    }
}

/// Programs and libraries of the measurements.
fn versions(inputs: &Inputs) -> Table {
    let mut table = Table::new(
        "What was run, and with what",
        [
            ("part", None),
            ("hcube", Some(Measured)),
            ("MPI library", Some(Measured)),
            ("shape", Some(Measured)),
        ],
    );
    let none = || NONE.to_owned();
    if let Some(hpcc) = &inputs.run {
        let words = hpcc.runs.iter().map(|run| run.log2_table).max();
        let shape = words.map_or_else(none, |log2| format!("table of 2^{log2} words"));
        table.row(["HPCC 1.5.0".to_owned(), none(), hpcc.mpi.clone(), shape]);
    }
    if let Some(bench) = &inputs.gups {
        for section in bench.sections.values().take(1) {
            let shape = format!(
                "{} cores, {} node(s), table of 2^{} words ({})",
                bench.cores,
                section.nodes,
                section.log2_table,
                numbers::bytes(8.0 * f64::from(section.log2_table).exp2())
            );
            let mpi =
                format!("{} ({})", section.mpi.split_whitespace().collect::<Vec<_>>().join(" "), bench.mpi);
            table.row(["RandomAccess".to_owned(), section.hcube.clone(), mpi, shape]);
        }
    }
    let runs = inputs.alltoall.iter().flat_map(|results| &results.runs);
    let mut shapes: Vec<(String, String)> = runs
        .filter(|run| run.place.cores > 0)
        .map(|run| (run.place.mpi.clone(), format!("{} cores, {} node(s)", run.place.cores, run.place.nodes)))
        .collect();
    shapes.dedup();
    for (mpi, shape) in shapes {
        table.row(["all-to-all".to_owned(), none(), mpi, shape]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_in_words() {
        let words = |name: &str| topology(&Machine::find(name).expect("comes with hcube"));
        assert_eq!(
            words("red-storm"),
            "10368 in a grid of 27 × 16 × 24, mesh, torus in 1 of 3 dimensions, 3.8 GB/s between neighbours"
        );
        assert_eq!(words("juropa"), "2304 in a fat tree of 24 × 96");
        assert_eq!(words("juqueen"), "28672 in a grid of 16 × 16 × 14 × 4 × 2, torus");
    }
}
