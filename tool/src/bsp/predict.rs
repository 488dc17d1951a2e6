//! `hcube bsp predict`: the time of a program by the figures of a machine, beside what was published for it.
//! Never starts MPI.

use super::program::{Case, Costs, ProgramArguments};
use crate::bench::drawn;
use crate::choices::number;
use crate::list::{List, NONE, numbers};
use crate::machine;
use crate::output::JsonOption;
use crate::session::{self, Failure};
use hcube_results::bsp::prediction::{Results, Row};
use hcube_results::machine::Machine;
use hcube_results::published::bsp as published;
use std::path::PathBuf;
use std::process::ExitCode;

/// Predicts the time of a bulk-synchronous program on a machine
///
/// The time follows from the operations, the words and the supersteps of the program, with constant g, g(h)
/// and g(h,h*). The machines of the thesis (Krusche 2005) come with hcube: skua, argus and aracari, each with
/// -oxtool, -pub or -mpi. For those, published efficiencies stand beside the predicted ones; 'hcube bsp
/// published' compares all of them.
///
/// Examples:
///   hcube bsp predict matmul --processes 2,4 --sizes 1000,2000
///   hcube bsp predict llcs --machine aracari-oxtool --plot aracari.svg
///   hcube bsp predict matmul --machine skua-pub --costs printed
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Numbers of processes [default: all that the machine file has]
    #[arg(long, value_name = "COUNT[,COUNT...]", default_value = NONE, hide_default_value = true, value_parser = numbers(number::<u32>(1..=u32::MAX)))]
    processes: List<u32>,
    /// Whose costs are used
    #[arg(long, default_value = "corrected")]
    costs: Costs,
    /// Draw predictions into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
}

/// Predicts, prints, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| predict(arguments))
}

fn predict(arguments: &Arguments) -> Result<(), Failure> {
    let checked = arguments.json.check().and_then(|()| drawn::check(arguments.plot.as_deref()));
    checked.map_err(|error| error.to_string())?;
    let results = results(arguments)?;
    arguments.json.write(&results)?;
    let undrawn = "nothing was predicted: there is nothing to draw";
    drawn::draw(arguments.plot.as_deref(), || results.sheet(), undrawn)?;
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    Ok(())
}

/// What is predicted; warns where the machine was measured badly.
///
/// # Errors
/// Where the machine file has no figures for it, or the sizes do not fit.
pub fn results(arguments: &Arguments) -> Result<Results, Failure> {
    let file = machine::find_bsp(arguments.program.machine.as_deref())?;
    let processes: Vec<usize> = match &arguments.processes[..] {
        [] => file.bsp.iter().flat_map(|bsp| &bsp.processes).map(|one| one.processes).collect(),
        chosen => chosen.iter().map(|&count| count as usize).collect(),
    };
    let mut results = Results {
        machine: file.title.clone(),
        parameter: arguments.program.parameter().to_owned(),
        ..Results::default()
    };
    for processes in processes {
        if let Some(warning) = machine::supersteps(&file, processes)?.noise_warning() {
            eprintln!("hcube bsp predict: warning: {warning}");
        }
        results.rows.extend(rows(&arguments.program, &file, processes, arguments.costs)?);
    }
    Ok(results)
}

/// Blocks per side, of which the thesis has the number in the whole cube, or alpha.
pub fn parameter_of(published: &published::Row) -> usize {
    use published::Program::{MatmulCustomized, MatmulStatic};
    if matches!(published.program, MatmulCustomized | MatmulStatic) {
        (published.parameter as f64).cbrt().round() as usize
    } else {
        published.parameter
    }
}

/// The rows for a number of processes, with published efficiencies where they are for the sizes of the
/// thesis.
///
/// # Errors
/// Where the machine file has no figures for it, or the sizes do not fit.
pub fn rows(
    program: &ProgramArguments,
    file: &Machine,
    processes: usize,
    costs: Costs,
) -> Result<Vec<Row>, Failure> {
    let operation_ns = program.operation_ns(file, processes, costs)?;
    let reference_ns = program.operation_ns(file, processes, Costs::Printed)?;
    let all = published::rows();
    let row = |case: Case| {
        let mut row = program.predict(file, &case, costs, operation_ns)?;
        // The efficiencies of the thesis refer to the rates as it has printed them.
        if program.operation_ns.is_none() {
            row.efficiency_percent =
                row.efficiency_percent.map(|percent| percent * reference_ns / operation_ns);
        }
        if program.operation_ns.is_none() && case.size == program.published().size() {
            row.published_percent = all
                .iter()
                .find(|one| {
                    (one.program, one.processes, parameter_of(one))
                        == (program.published(), processes, case.parameter)
                        && one.machine_file() == file.name
                })
                .and_then(|one| one.efficiency_percent);
        }
        Ok(row)
    };
    program.cases(processes)?.into_iter().map(row).collect()
}
