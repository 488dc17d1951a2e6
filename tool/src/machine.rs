//! The machine file: `hcube probe` measures its parts, and all commands that predict read it.

pub mod bsp;

use crate::output;
use crate::session::Failure;
use hcube_core::machine::{self, Parameters};
use hcube_results::json;
use hcube_results::machine::bsp::Processes;
use hcube_results::machine::{Link, Machine};
use std::path::Path;

/// The file that a probe writes and a prediction reads by default.
pub const DEFAULT_FILE: &str = "calibration.json";
/// The name of machines that were measured.
pub const CALIBRATED: &str = "calibrated";

/// The machine that was named, or else the file in the working directory, if there is one.
pub fn named(name: Option<&str>) -> Option<&str> {
    name.or_else(|| Path::new(DEFAULT_FILE).exists().then_some(DEFAULT_FILE))
}

/// As [`named`]; a failure names the probe that writes the file, and what may be named instead.
fn required<'a>(name: Option<&'a str>, probe: &str, others: &str) -> Result<&'a str, Failure> {
    named(name).ok_or_else(|| {
        format!(
            "--machine is missing, and the working directory has no {DEFAULT_FILE}: expected a file, which \
             'mpirun -np 4 hcube {probe}' writes, or {others}"
        )
    })
}

/// The machine that was named, or the one that was measured here.
///
/// # Errors
/// Says how to measure a machine where no file exists.
pub fn find(name: Option<&str>) -> Result<Machine, Failure> {
    let others = format!("one of {}", Machine::names().collect::<Vec<_>>().join(", "));
    Machine::find(required(name, &format!("probe {DEFAULT_FILE}"), &others)?)
}

/// As [`find`], for predictions of supersteps.
///
/// # Errors
/// Also where the machine has no figures of supersteps.
pub fn find_bsp(name: Option<&str>) -> Result<Machine, Failure> {
    let name = required(name, "bsp probe", "the name of a published machine such as aracari-oxtool")?;
    let machine = Machine::find(name)?;
    if machine.bsp.is_none() {
        return Err(no_figures(name));
    }
    // Messages name the file that was given.
    let name = if machine.name == CALIBRATED { name.to_owned() } else { machine.name.clone() };
    Ok(Machine { name, ..machine })
}

/// What a file without figures of supersteps is told.
pub fn no_figures(name: &str) -> Failure {
    format!("machine {name}: no figures of BSP: 'mpirun -np 4 hcube bsp probe FILE' measures this machine")
}

/// The figures of supersteps of a number of processes.
///
/// # Errors
/// Says how to measure the figures where the machine has none.
pub fn supersteps(machine: &Machine, processes: usize) -> Result<&Processes, Failure> {
    let bsp = machine.bsp.as_ref().ok_or_else(|| no_figures(&machine.name))?;
    bsp.for_processes(processes).map_err(|problem| format!("machine {}: {problem}", machine.name))
}

/// The figures in the units of the library.
pub fn parameters(machine: &Machine) -> Parameters {
    let link =
        |link: &Link| machine::Link { latency: 1e-6 * link.latency_us, bandwidth: 1e9 * link.bandwidth_gb_s };
    Parameters {
        network: link(&machine.network),
        node: link(&machine.node),
        generate: 1e-9 * machine.costs.generate_ns,
        update: 1e-9 * machine.costs.update_ns,
        divide: 1e-9 * machine.costs.divide_ns,
        copy: 1e-9 * machine.costs.copy_ns,
    }
}

/// The machine that a file to be written describes so far, if it exists.
pub fn former(path: &Path) -> Result<Option<Machine>, Failure> {
    if path.exists() { Machine::find(&path.display().to_string()).map(Some) } else { Ok(None) }
}

/// Writes the file that an option names.
pub fn write(option: &str, path: &Path, machine: &Machine) -> Result<(), Failure> {
    let text = json::text(machine).map_err(|error| format!("JSON: {error}"))?;
    output::write(option, path, &output::MACHINE, &(text + "\n"))
}
