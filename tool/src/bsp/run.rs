//! `hcube bsp run`: a bulk-synchronous program, measured and predicted.

mod product;
mod scalapack;
mod subsequence;

use super::program::{Case, Costs, Program, ProgramArguments, no_figures};
use crate::bench::timing::timed;
use crate::model;
use crate::output::{self, JsonOption};
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use clap::value_parser;
use hcube_alltoall::options::parse_bytes;
use hcube_bsp::{Options, Spmd};
use hcube_core::comm::{Comm, agree};
use hcube_core::mpi::MpiComm;
use hcube_core::{Error, Result};
use hcube_results::bsp::prediction::{Beside, Results, Row};
use hcube_results::machine::Machine;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs a bulk-synchronous program and compares its time with the predicted one (run it under mpirun)
///
/// The program runs on the supersteps of hcube's BSPlib; its result is verified. The time of an operation is measured first,
/// for blocks of the same size, on all processes at the same time; all other figures are those of the machine file, which
/// 'hcube bsp probe' has written. Below the times stand the mean relative errors for constant g, g(h) and g(h,h*).
///
/// Examples:
///   mpirun -np 2 hcube bsp run matmul --sizes 256,512,1024 --blocks 2,4
///   mpirun -np 2 hcube bsp run matmul --sizes 1024,2048 --memory 1M --scalapack
///   mpirun -np 2 hcube bsp run llcs --sizes 8192,65536 --kernel bit-parallel --plot llcs.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    #[command(flatten)]
    program: ProgramArguments,
    /// Select the fewest blocks for which temporary memory of a process has at most this many bytes
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "blocks")]
    memory: Option<usize>,
    /// Whose costs are used
    #[arg(long, default_value = "schedule")]
    costs: Costs,
    /// Measurements of each size; the table shows the median and (largest - smallest) / median
    #[arg(long, value_name = "TIMES", default_value_t = 5, value_parser = value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Also measure ScaLAPACK's pdgemm for the same matrices, in turn, and what both add to the memory of a process
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    scalapack: Option<PathBuf>,
    /// The BLAS for products of blocks [default: an installed one; without it, a loop of hcube]
    #[arg(long, value_name = "FILE")]
    blas: Option<PathBuf>,
    /// Do not verify
    #[arg(long)]
    no_verify: bool,
    /// Draw measured and predicted times into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Do not show progress
    #[arg(long)]
    no_progress: bool,
    #[command(flatten)]
    json: JsonOption,
}

fn bytes(text: &str) -> std::result::Result<usize, String> {
    let expected = "expected bytes of 24 or more; k, M and G stand for powers of 1024";
    parse_bytes(text).filter(|&bytes| bytes >= 24).ok_or_else(|| expected.to_owned())
}

/// Measures under MPI.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::run(|session| measure(session, arguments))
}

/// What a program does between two looks at the clock.
trait Measured {
    /// Collective: seconds of an operation on all processes at once, for a case.
    fn operation_seconds(&mut self, case: &Case) -> Result<f64>;
    /// Collective: prepares a case; everything of the one before is released.
    fn prepare(&mut self, case: &Case) -> Result<()>;
    /// Collective: runs it once.
    fn run(&mut self, spmd: &mut Spmd<MpiComm>) -> Result<()>;
    /// Collective: how often the result is wrong.
    fn errors(&mut self) -> Result<u64>;
    /// Collective: a competitor, if one was asked for; its seconds.
    fn competitor(&mut self) -> Result<Option<f64>> {
        Ok(None)
    }
    /// Collective: what this program and its competitor add to the memory of a process.
    fn memory(&mut self, _spmd: &mut Spmd<MpiComm>) -> Result<Option<Beside>> {
        Ok(None)
    }
}

/// What was measured of a case.
struct Times {
    operation_seconds: f64,
    seconds: Vec<f64>,
    errors: Option<u64>,
    beside: Option<Beside>,
}

/// Collective: measures, predicts, prints, writes.
fn measure(session: &Session, arguments: &Arguments) -> std::result::Result<Verdict, Failure> {
    let failure = |error: Error| error.to_string();
    let comm = &session.comm;
    let local = if session.speaks() { file(arguments, comm.size()).map(Some) } else { Ok(None) };
    let file = agree(comm, local).map_err(failure)?;
    let cases = cases(arguments, comm.size())?;
    let own = comm.split(Some(0), 0).map_err(failure)?.ok_or("MPI: no communicator")?;
    let options = agree(comm, Options::from_environment()).map_err(failure)?;
    let mut spmd = Spmd::begin(own, &options).map_err(failure)?;
    let mut program: Box<dyn Measured> = match arguments.program.program {
        Program::Matmul => Box::new(product::Product::new(session, arguments).map_err(failure)?),
        Program::Llcs => Box::new(subsequence::Subsequence::new(comm, arguments)),
    };
    let mut progress = Progress::new("bsp run", session.speaks() && !arguments.no_progress);
    progress.begin(cases.len() * arguments.repeat as usize);
    let mut all = Vec::new();
    for case in &cases {
        all.push(times(comm, &mut spmd, &mut *program, case, arguments, &mut progress).map_err(failure)?);
    }
    progress.finish();
    spmd.end().map_err(failure)?;
    let Some(file) = file else { return Ok(Verdict::Good) };
    match report(arguments, &file, &cases, all) {
        Ok(0) => Ok(Verdict::Good),
        Ok(_) => Ok(Verdict::Wrong),
        // The other ranks do not know of it, so a file that cannot be written is reported but not agreed on.
        Err(failure) => {
            eprintln!("hcube: {failure}");
            Ok(Verdict::Wrong)
        }
    }
}

/// The sizes with their parameters.
fn cases(arguments: &Arguments, processes: usize) -> std::result::Result<Vec<Case>, Failure> {
    let all = arguments.program.cases(processes)?;
    let Some(bytes) = arguments.memory.filter(|_| arguments.program.program == Program::Matmul) else {
        return Ok(all);
    };
    let mut cases = Vec::new();
    for case in all {
        let parameter = hcube_matmul::blocks_within(case.size, processes, bytes)
            .map_err(|error| format!("--memory: {error}"))?
            .min(case.size);
        let case = Case { parameter, ..case };
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    Ok(cases)
}

/// The machine, if it has figures for this many processes and all files can be written.
fn file(arguments: &Arguments, processes: usize) -> Result<Machine> {
    arguments.json.check()?;
    arguments.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path))?;
    let file = model::machine::find(arguments.program.machine.as_deref()).map_err(Error::Unsupported)?;
    let problem = |text: String| Error::Unsupported(text);
    let bsp = file.bsp.as_ref().ok_or_else(|| problem(no_figures(&file.name)))?;
    let found =
        bsp.for_processes(processes).map_err(|error| problem(format!("machine {}: {error}", file.name)))?;
    if let Some(warning) = found.noise_warning() {
        eprintln!("hcube bsp run: warning: {warning}");
    }
    Ok(file)
}

/// Collective: all measurements of a case.
fn times(
    comm: &MpiComm,
    spmd: &mut Spmd<MpiComm>,
    program: &mut dyn Measured,
    case: &Case,
    arguments: &Arguments,
    progress: &mut Progress,
) -> Result<Times> {
    let name = || format!("size {}, {} {}", case.size, arguments.program.parameter(), case.parameter);
    progress.prepare(name);
    let operation_seconds = program.operation_seconds(case)?;
    program.prepare(case)?;
    // The first one finds its memory.
    program.run(spmd)?;
    let errors = if arguments.no_verify { None } else { Some(program.errors()?) };
    let mut beside = program.memory(spmd)?;
    program.competitor()?;
    let mut seconds = Vec::new();
    for turn in 0..arguments.repeat {
        progress.step(|| format!("{}, {} of {}", name(), turn + 1, arguments.repeat));
        seconds.push(timed(comm, || program.run(spmd))?.0);
        let competitor = program.competitor()?;
        if let Some(beside) = &mut beside {
            beside.seconds.extend(competitor);
        }
    }
    Ok(Times { operation_seconds, seconds, errors, beside })
}

/// Prints and writes; the number of results that are wrong.
fn report(
    arguments: &Arguments,
    file: &Machine,
    cases: &[Case],
    all: Vec<Times>,
) -> std::result::Result<u64, Failure> {
    let mut results = Results {
        machine: file.title.clone(),
        parameter: arguments.program.parameter().to_owned(),
        ..Results::default()
    };
    for (case, times) in cases.iter().zip(all) {
        let operation_ns = arguments.program.operation_ns.unwrap_or(1e9 * times.operation_seconds);
        let predicted = arguments.program.predict(file, case, arguments.costs, operation_ns)?;
        let Times { seconds, errors, beside, .. } = times;
        results.rows.push(Row { measured: seconds, errors, beside, ..predicted });
    }
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    arguments.json.write(&results)?;
    if let Some(path) = &arguments.plot {
        let sheet = results.sheet().ok_or("--plot: nothing was measured: there is nothing to draw")?;
        output::write("--plot", path, &sheet.svg())?;
    }
    Ok(results.wrong().unwrap_or(0))
}
