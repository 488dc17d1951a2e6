//! `hcube llcs`: the length of a longest common subsequence of two files.

mod fasta;
mod file;
mod format;
mod lines;
mod report;

use crate::choices::{help, number, one_of, value};
use crate::interrupt::Interrupt;
use crate::machine::{named, parameters};
use crate::output::JsonOption;
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use file::Part;
use format::{Choice, Format};
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::{EXAMPLE, Parameters, Placement};
use hcube_core::{Error, Result};
use hcube_lcs::cost::Machine as Rates;
use hcube_lcs::distributed::{Options, prepare};
use hcube_lcs::options::{KernelChoice, Options as Chosen};
use hcube_lcs::{Outcome, Symbol};
use hcube_results::machine::Machine;
use report::{File, Heading, Report};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// Computes the length of a longest common subsequence of two files
///
/// Prints the length, the normalised similarity (the length of the subsequence divided by the length of the
/// longer file) and the rate in GCUPS, 10^9 cell updates per second. Under mpirun, all ranks compute, and
/// each reads its part of the files; files compressed by gzip or bgzip are read by one rank. The time is
/// proportional to the product of the lengths; it is predicted first. Ctrl-C ends the computation.
///
/// An empty file is no error: the length is 0, and a warning names the file.
///
/// Exit status: 0; 1 if the length is below --at-least; 2 for an error; 130 if it was interrupted.
///
/// Example: hcube llcs human.fa mouse.fa.gz
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The first file; '-' for standard input
    #[arg(value_name = "FILE")]
    first: PathBuf,
    /// The second file
    #[arg(value_name = "FILE")]
    second: PathBuf,
    /// What the symbols are
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    format: Choice,
    /// Lengths below N are of no interest: the computation ends when it is clear that the length is below
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
          value_parser = number::<usize>(0..))]
    at_least: usize,
    #[arg(long, value_parser = one_of::<KernelChoice>(KernelChoice::NAMES), help = help::<Chosen>("kernel"))]
    kernel: Option<KernelChoice>,
    #[arg(long, value_name = "N", value_parser = value::<Chosen, usize>("alpha"), help = help::<Chosen>("alpha"))]
    alpha: Option<usize>,
    #[arg(long, value_name = "N", value_parser = value::<Chosen, usize>("block_rows"),
          help = help::<Chosen>("block_rows"))]
    block_rows: Option<usize>,
    #[arg(long, help = help::<Chosen>("barriers"))]
    barriers: bool,
    /// The machine whose figures select the grid of blocks: a file of 'hcube probe' or the name of a machine.
    /// By default calibration.json, if it exists, else an example
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// Do not show progress
    #[arg(long)]
    no_progress: bool,
    #[command(flatten)]
    json: JsonOption,
}

impl Arguments {
    /// The environment's options, overridden by the command line.
    fn options(&self) -> Result<Chosen> {
        let environment = Chosen::from_environment()?;
        Ok(Chosen {
            alpha: self.alpha.unwrap_or(environment.alpha),
            block_rows: self.block_rows.unwrap_or(environment.block_rows),
            barriers: self.barriers || environment.barriers,
            kernel: self.kernel.unwrap_or(environment.kernel),
        })
    }
}

/// Collective: reads, computes, prints.
pub fn run(session: &Session, arguments: &Arguments) -> std::result::Result<Verdict, Failure> {
    // What is wrong with a file is said before what its name is not.
    let files = [arguments.first.as_path(), &arguments.second];
    session.checked(|| file::check(files))?;
    let format = Format::of(arguments.format, files)?;
    start(session, arguments, format).map_err(|error| error.to_string())?
}

/// Collective: as [`run`], with what rank 0 could not print or write.
fn start(
    session: &Session,
    arguments: &Arguments,
    format: Format,
) -> Result<std::result::Result<Verdict, Failure>> {
    let comm = &session.comm;
    // Rank 0 chooses the grid.
    let local = if session.speaks() {
        arguments.json.check().and_then(|()| machine(arguments.machine.as_deref()))
    } else {
        Ok(EXAMPLE)
    };
    let (machine, chosen) = agree(comm, local.and_then(|machine| Ok((machine, arguments.options()?))))?;
    let placement = Placement { ranks: comm.size(), ranks_per_node: session.node_sizes()?[0] };
    let call =
        Call { session, arguments, format, chosen, machine: Rates::new(&machine, &placement, ENTRY_SECONDS) };
    let a = file::read(comm, &arguments.first, format)?;
    let b = file::read(comm, &arguments.second, format)?;
    if format == Format::Lines {
        let ([a, b], common) = agree(comm, lines::numbers([&a.bytes, &b.bytes]))?;
        return call.compute([&a, &b], [0, 0], common as u64);
    }
    let common = common_bytes(comm, [&a.bytes, &b.bytes])?;
    call.compute([&a.bytes, &b.bytes], [&a, &b].map(|part: &Part| part.records), common)
}

/// Collective: how many different bytes both files have; on rank 0, and 0 on the others.
fn common_bytes(comm: &impl Comm, parts: [&[u8]; 2]) -> Result<u64> {
    const BYTES: usize = 1 << u8::BITS;
    let mut occurs = [0_u64; 2 * BYTES];
    for (file, part) in parts.into_iter().enumerate() {
        part.iter().for_each(|&byte| occurs[file * BYTES + usize::from(byte)] = 1);
    }
    comm.all_reduce_max(&mut occurs)?;
    let (in_a, in_b) = occurs.split_at(BYTES);
    let common = in_a.iter().zip(in_b).filter(|&(&in_a, &in_b)| in_a > 0 && in_b > 0).count();
    Ok(if comm.rank() == 0 { common as u64 } else { 0 })
}

/// Seconds of an entry of the matrix where nothing is known of it: only for computations that are too short
/// to matter.
const ENTRY_SECONDS: f64 = 1e-11;

/// The figures of the machine that was named, or that was measured in this directory.
fn machine(name: Option<&str>) -> Result<Parameters> {
    let Some(name) = named(name) else { return Ok(EXAMPLE) };
    let machine = Machine::find(name).map_err(|error| Error::Unsupported(format!("--machine: {error}")))?;
    Ok(parameters(&machine))
}

/// What a computation needs besides symbols.
struct Call<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    format: Format,
    chosen: Chosen,
    machine: Rates,
}

impl Call<'_> {
    /// Collective: computes the length for the strings of all ranks' parts, which have `common` symbols in
    /// common as rank 0 has counted them.
    fn compute<S: Symbol>(
        &self,
        [a, b]: [&[S]; 2],
        records: [usize; 2],
        common: u64,
    ) -> Result<std::result::Result<Verdict, Failure>> {
        let Arguments { at_least, json, no_progress, .. } = self.arguments;
        let (comm, speaks) = (&self.session.comm, self.session.speaks());
        let interrupt = agree(comm, Interrupt::install())?;
        let options = Options { at_least: *at_least, machine: self.machine, ..Options::default() };
        let options = options.with(&self.chosen);
        let mut sums = [a.len() as u64, b.len() as u64, records[0] as u64, records[1] as u64];
        comm.all_reduce_sum(&mut sums)?;
        let begin = Instant::now();
        let prepared = prepare(comm, a, b, &options)?;
        let heading = Heading::new(
            session::library(),
            self.format.name(),
            self.files(sums),
            common,
            &agree(comm, prepared.plan())?,
        );
        if speaks {
            heading.empty_files().for_each(|file| eprintln!("hcube llcs: warning: {file} is empty"));
        }
        if speaks && json.tables() {
            println!("{}", heading.text());
            // Shown before a computation of hours; a closed output shows at the end.
            drop(std::io::stdout().flush());
        }
        let mut progress = Progress::new("llcs", speaks && !no_progress);
        progress.begin(1);
        progress.step(|| "matrix".to_owned());
        let outcome = prepared.run(&mut |at| {
            let share = at.done as f64 / at.total.max(1) as f64;
            let rate = || heading.rate(share, begin.elapsed().as_secs_f64());
            progress.part_at(share, || format!("matrix, {}", rate()));
            if interrupt.requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        progress.finish();
        let report = Report::new(heading, *at_least, outcome, begin.elapsed().as_secs_f64());
        if speaks && json.tables() {
            print!("{}", report.text());
        }
        let written = if speaks { json.write(&report) } else { Ok(()) };
        Ok(written.map(|()| match outcome {
            Outcome::Length(_) => Verdict::Good,
            Outcome::Below => Verdict::Wrong,
            Outcome::Interrupted => Verdict::Interrupted,
        }))
    }

    fn files(&self, [a, b, records_a, records_b]: [u64; 4]) -> [File; 2] {
        let Arguments { first, second, .. } = self.arguments;
        [(first, a, records_a), (second, b, records_b)].map(|(path, symbols, records)| File {
            path: path.display().to_string(),
            symbols,
            records: (self.format == Format::Fasta).then_some(records),
        })
    }
}
