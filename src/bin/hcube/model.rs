//! `hcube model`: what RandomAccess and the exchange in place would take on a machine that a file
//! describes, by the cost model of the library. Never starts MPI.

mod arguments;
mod predict;
mod published;
mod report;

pub use arguments::Arguments;

use crate::machine::{Fit, Link, Machine};
use crate::session::{self, Failure};
use hcube::model;
use predict::Results;
use std::process::ExitCode;

/// Predicts, prints, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    match predict(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => session::report_failure(&failure),
    }
}

fn predict(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check().map_err(|error| error.to_string())?;
    let machine = arguments.machine()?;
    let ranks = arguments.ranks(&machine)?;
    if let Some(warning) = arguments.warning(&machine) {
        eprintln!("hcube model: warning: {warning}");
    }
    let results = Results::new(arguments, &machine, &ranks);
    if arguments.json.tables() {
        print!("{}", report::text(&results, arguments.compares()));
    }
    arguments.json.write(&results)
}

/// How well the figures agree with what they were fitted to.
pub fn fit_line(fit: &Fit) -> String {
    let Fit { largest_error_percent, mean_error_percent, samples } = fit;
    format!(
        "error of the fit: largest {largest_error_percent:.1} %, mean {mean_error_percent:.1} % over {samples} measurements"
    )
}

/// The machine's figures in the units of the library.
pub fn parameters(machine: &Machine) -> model::Parameters {
    let link =
        |link: &Link| model::Link { latency: 1e-6 * link.latency_us, bandwidth: 1e9 * link.bandwidth_gb_s };
    model::Parameters {
        network: link(&machine.network),
        node: link(&machine.node),
        generate: 1e-9 * machine.costs.generate_ns,
        update: 1e-9 * machine.costs.update_ns,
        divide: 1e-9 * machine.costs.divide_ns,
        copy: 1e-9 * machine.costs.copy_ns,
    }
}
