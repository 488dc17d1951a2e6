//! `hcube bsp run`: a bulk-synchronous program, measured and predicted.

mod arguments;
mod elements;
mod measured;
mod product;
mod scalapack;
mod subsequence;

pub use arguments::Arguments;

use super::program::{Case, Program};
use crate::bench::drawn;
use crate::bench::timing::{batch, timed};
use crate::machine;
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use hcube_bsp::{Options, Spmd};
use hcube_core::comm::{Comm, agree};
use hcube_core::mpi::MpiComm;
use hcube_core::{Error, Result};
use hcube_results::bsp::prediction::{Beside, Results, Row};
use hcube_results::machine::Machine;
use hcube_results::numbers::median;
use measured::Measured;
use std::process::ExitCode;

/// Measures under MPI.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::run(|session| measure(session, arguments))
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
    let file = session.checked(|| file(arguments, comm.size()))?;
    let cases = agree(comm, cases(arguments, comm.size()).map_err(Error::Unsupported)).map_err(failure)?;
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
    Ok(session.conclude(Verdict::Good, || {
        let file = file.ok_or_else(String::new)?;
        let wrong = report(arguments, &file, &cases, all)?;
        Ok(if wrong == 0 { Verdict::Good } else { Verdict::Wrong })
    }))
}

/// The sizes with their parameters.
fn cases(arguments: &Arguments, processes: usize) -> std::result::Result<Vec<Case>, Failure> {
    let all = arguments.program.cases(processes)?;
    let of_matmul = [
        ("--memory", arguments.memory.is_some()),
        ("--scalapack", arguments.scalapack.is_some()),
        ("--blas", arguments.blas.is_some()),
    ];
    let other = of_matmul.iter().find(|(_, given)| *given && arguments.program.program == Program::Llcs);
    if let Some((option, _)) = other {
        return Err(format!("{option}: expected with matmul, not with llcs"));
    }
    let check = |case: &Case| arguments.program.check(case, arguments.costs);
    let Some(bytes) = arguments.memory else {
        all.iter().try_for_each(check)?;
        return Ok(all);
    };
    let mut cases = Vec::new();
    for case in all {
        let parameter = hcube_matmul::blocks_within(case.size, processes, bytes)
            .map_err(|error| format!("--memory: {error}"))?
            .min(case.size);
        let case = Case { parameter, ..case };
        check(&case).map_err(|problem| format!("--memory: {problem}"))?;
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    Ok(cases)
}

/// The machine, if it has figures for this many processes and all files can be written.
fn file(arguments: &Arguments, processes: usize) -> Result<Machine> {
    arguments.json.check()?;
    drawn::check(arguments.plot.as_deref())?;
    let file = machine::find_bsp(arguments.program.machine.as_deref()).map_err(Error::Unsupported)?;
    let found = machine::supersteps(&file, processes).map_err(Error::Unsupported)?;
    let kind = arguments.program.kind(arguments.costs);
    machine::bsp::parameters(found, kind, 1.0, arguments.program.estimate)
        .map_err(|problem| Error::Unsupported(format!("machine {}: {problem}", file.name)))?;
    if let Some(warning) = found.noise_warning() {
        eprintln!("hcube bsp run: warning: {warning}");
    }
    // That of the probe in C has no version.
    let library = file.bsp.as_ref().map_or("", |bsp| &bsp.library);
    if library.split(' ').next() != Some("hcube") {
        eprintln!("hcube bsp run: warning: the figures belong to another library, '{library}'");
    }
    Ok(file)
}

/// Measures what an operation takes while all processes compute, before each turn: processors differ in speed
/// from one second to the next.
struct Operations {
    /// Blocks that are timed together.
    calls: u32,
    /// Of an operation.
    seconds: Vec<f64>,
}

impl Operations {
    /// Collective: finds how many blocks are long enough for the clock.
    fn new(comm: &MpiComm, program: &mut dyn Measured) -> Result<Self> {
        // The first one finds its memory.
        program.compute();
        let (seconds, ()) = timed(comm, || {
            program.compute();
            Ok(())
        })?;
        Ok(Self { calls: batch(&[seconds]), seconds: Vec::new() })
    }

    /// Collective.
    fn measure(&mut self, comm: &MpiComm, program: &mut dyn Measured) -> Result<()> {
        let (seconds, ()) = timed(comm, || {
            (0..self.calls).for_each(|_| program.compute());
            Ok(())
        })?;
        self.seconds.push(seconds / (f64::from(self.calls) * program.operations()));
        Ok(())
    }
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
    program.prepare(case)?;
    // The first one finds its memory.
    program.run(spmd)?;
    let errors = if arguments.no_verify { None } else { Some(program.errors()?) };
    let mut beside = program.memory(spmd)?;
    program.competitor()?;
    let mut operations = Operations::new(comm, program)?;
    let mut seconds = Vec::new();
    for turn in 0..arguments.repeat {
        progress.step(|| format!("{}, {} of {}", name(), turn + 1, arguments.repeat));
        operations.measure(comm, program)?;
        seconds.push(timed(comm, || program.run(spmd))?.0);
        let competitor = program.competitor()?;
        if let Some(beside) = &mut beside {
            beside.seconds.extend(competitor);
        }
    }
    Ok(Times { operation_seconds: median(&operations.seconds), seconds, errors, beside })
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
    arguments.json.write(&results)?;
    let undrawn = "nothing was measured: there is nothing to draw";
    drawn::draw(arguments.plot.as_deref(), || results.sheet(), undrawn)?;
    // Last: files are whole even where nobody reads the tables.
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    Ok(results.wrong().unwrap_or(0))
}
