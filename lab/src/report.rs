//! `hcube-lab report`: one page with all results and the evidence of every figure.

mod beside;
mod bsp_programs_simulated;
mod checks;
mod coarrays;
mod coarrays_simulated;
mod exchange_kinds;
mod exchanges;
mod groups;
mod headline;
mod kernels;
mod kernels_simulated;
mod machines;
mod model;
mod nodes;
mod page;
mod products;
mod programs;
mod rates;
mod section;
mod shared;
mod simulated;
mod sources;
mod subsequences;
mod subsequences_simulated;
mod supersteps;
mod supersteps_simulated;
mod sweeps;
mod table;
mod transforms;
mod variants;

use hcube_results::json;
use hcube_results::plot::Sheet;
use hcube_tool::output::{self, ForceOption, Kind};
use hcube_tool::session::{self, Verdict};
use section::Section;
use sources::{Inputs, Named, Refusal};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Makes one HTML page of all results (not under mpirun)
///
/// Charts and tables of measured, simulated, published and predicted figures. The page is self-contained. It
/// is made from the files that exist, and names missing ones with the command that makes them.
///
/// Example:
///   hcube-lab report --output report.html
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    #[command(flatten)]
    named: Named,
    /// File of the page
    #[arg(long, value_name = "FILE", default_value = "target/report/index.html")]
    output: PathBuf,
    /// Also write the main plots as SVG files to DIRECTORY
    #[arg(long, value_name = "DIRECTORY")]
    plots: Option<PathBuf>,
    /// Also write the plots to those files of DIRECTORY that are records of plots (doc/results), from which
    /// hcube-lab manual --pages draws them
    #[arg(long, value_name = "DIRECTORY", requires_all = ["machine", "date"])]
    records: Option<PathBuf>,
    /// Machine and libraries of the measurements, for the plots
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    machine: String,
    /// Date of the measurements, for the plots
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    date: String,
    #[command(flatten)]
    pub force: ForceOption,
}

/// The record of a plot that an earlier call has written.
const RECORD: Kind = Kind { name: "the record of a plot", holds: |bytes| record(bytes).is_some() };

fn record(bytes: &[u8]) -> Option<Sheet> {
    serde_json::from_slice(bytes).ok()
}

fn read_record(path: &Path) -> Option<Sheet> {
    record(&fs::read(path).ok()?)
}

/// A page that an earlier call has written.
const PAGE: Kind = Kind {
    name: "a report of hcube",
    holds: |bytes| String::from_utf8_lossy(bytes).contains("<title>hcube: report</title>"),
};

/// Reads, draws, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    let inputs = match Inputs::read(&arguments.named) {
        Ok(inputs) => inputs,
        Err(Refusal::Missing(message)) => return session::report_failure(&message),
        Err(Refusal::Broken(message)) => {
            eprintln!("hcube: {message}");
            return Verdict::Wrong.into();
        }
    };
    match write(arguments, &inputs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => session::report_failure(&failure),
    }
}

fn write(arguments: &Arguments, inputs: &Inputs) -> Result<(), String> {
    let sections = page::sections(inputs);
    output::write("--output", &arguments.output, &PAGE, &page::Page::new(inputs, &sections).to_string())?;
    println!("{}", arguments.output.display());
    for (name, mut sheet) in sections.iter().flat_map(Section::files) {
        let measured = sheet.is_measured();
        if measured {
            (sheet.machine, sheet.date) = (arguments.machine.clone(), arguments.date.clone());
        }
        if let Some(folder) = &arguments.plots {
            let path = folder.join(format!("{name}.svg"));
            output::write("--plots", &path, &output::PLOT, &sheet.svg())?;
            println!("{}", path.display());
        }
        let Some(folder) = &arguments.records else { continue };
        let path = folder.join(format!("{name}.json"));
        let Some(old) = read_record(&path) else { continue };
        sheet.subject = old.subject;
        if !measured {
            sheet.machine = old.machine;
        }
        let text = json::text(&sheet).map_err(|error| error.to_string())?;
        output::write("--records", &path, &RECORD, &(text + "\n"))?;
        println!("{}", path.display());
    }
    Ok(())
}
