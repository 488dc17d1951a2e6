//! `hcube-lab report`: one page with all results and the evidence of every figure.

mod bsp_programs_simulated;
mod coarrays;
mod coarrays_simulated;
mod exchange_kinds;
mod exchanges;
mod groups;
mod headline;
pub mod inputs;
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
mod subsequences;
mod subsequences_simulated;
mod supersteps;
mod supersteps_simulated;
mod sweeps;
mod table;
mod transforms;
mod variants;

use hcube_tool::output::{self, Kind};
use hcube_tool::session::{self, Failure, Verdict};
use inputs::{Inputs, Refusal, Source};
use section::Section;
use std::path::PathBuf;
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
    /// Results of the official HPCC [default: target/hpcc/results.json]
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Measurements of RandomAccess [default: target/bench/gups.json]
    #[arg(long, value_name = "FILE")]
    bench_gups: Option<PathBuf>,
    /// Measurements of the all-to-all exchange [default: target/bench/alltoall.json]
    #[arg(long, value_name = "FILE")]
    bench_alltoall: Option<PathBuf>,
    /// Measurements of distributed matrix multiplication [default: target/bench/gemm.json]
    #[arg(long, value_name = "FILE")]
    bench_gemm: Option<PathBuf>,
    /// Measurements of BSP programs' supersteps [default: target/bench/bsp.json]
    #[arg(long, value_name = "FILE")]
    bench_bsp: Option<PathBuf>,
    /// Measurements of coarrays [default: target/bench/caf.json]
    #[arg(long, value_name = "FILE")]
    bench_caf: Option<PathBuf>,
    /// Programs with the preload library [default: target/bench/programs.json]
    #[arg(long, value_name = "FILE")]
    bench_programs: Option<PathBuf>,
    /// Measurements of FFTW's transposes [default: target/bench/fftw.json]
    #[arg(long, value_name = "FILE")]
    bench_fftw: Option<PathBuf>,
    /// Measurements of Fourier transforms [default: target/bench/fft.json]
    #[arg(long, value_name = "FILE")]
    bench_fft: Option<PathBuf>,
    /// Measurements of STREAM [default: target/bench/stream.json]
    #[arg(long, value_name = "FILE")]
    bench_stream: Option<PathBuf>,
    /// Measurements of broadcasts of panels [default: target/bench/panels.json]
    #[arg(long, value_name = "FILE")]
    bench_panels: Option<PathBuf>,
    /// Measurements of longest common subsequences [default: target/bench/llcs.json]
    #[arg(long, value_name = "FILE")]
    bench_llcs: Option<PathBuf>,
    /// Simulations [default: target/simulate/simulate.json]
    #[arg(long, value_name = "FILE")]
    simulate: Option<PathBuf>,
    /// Parameters of this machine, measured by `hcube probe` [default: calibration.json]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// File of the page
    #[arg(long, value_name = "FILE", default_value = "target/report/index.html")]
    output: PathBuf,
    /// Also write the main plots as SVG files to DIRECTORY
    #[arg(long, value_name = "DIRECTORY")]
    plots: Option<PathBuf>,
}

/// A page that an earlier call has written.
const PAGE: Kind = Kind {
    name: "a report of hcube",
    holds: |bytes| String::from_utf8_lossy(bytes).contains("<title>hcube: report</title>"),
};

impl Arguments {
    fn named(&self, source: Source) -> Option<PathBuf> {
        match source {
            Source::Run => self.run.clone(),
            Source::BenchGups => self.bench_gups.clone(),
            Source::BenchAlltoall => self.bench_alltoall.clone(),
            Source::BenchGemm => self.bench_gemm.clone(),
            Source::BenchBsp => self.bench_bsp.clone(),
            Source::BenchCaf => self.bench_caf.clone(),
            Source::BenchPrograms => self.bench_programs.clone(),
            Source::BenchFftw => self.bench_fftw.clone(),
            Source::BenchFft => self.bench_fft.clone(),
            Source::BenchStream => self.bench_stream.clone(),
            Source::BenchPanels => self.bench_panels.clone(),
            Source::BenchLlcs => self.bench_llcs.clone(),
            Source::Simulate => self.simulate.clone(),
            Source::Calibration => self.calibration.clone(),
        }
    }
}

/// Reads, draws, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    let inputs = match Inputs::read(|source| arguments.named(source)) {
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

fn write(arguments: &Arguments, inputs: &Inputs) -> Result<(), Failure> {
    let sections = page::sections(inputs);
    output::write("--output", &arguments.output, &PAGE, &page::Page::new(inputs, &sections).to_string())?;
    println!("{}", arguments.output.display());
    let Some(folder) = &arguments.plots else { return Ok(()) };
    for (name, text) in sections.iter().flat_map(Section::files) {
        let path = folder.join(format!("{name}.svg"));
        output::write("--plots", &path, &output::PLOT, &text)?;
        println!("{}", path.display());
    }
    Ok(())
}
