//! `hcube bsp probe`: what supersteps take, as the bspprobe of Krusche 2005 measures it.

mod estimate;
mod exchange;
mod figures;
mod measure;
pub mod rates;
mod report;

use super::Target;
use crate::bench::bsp::calls::functions::Functions;
use crate::bench::drawn;
use crate::bench::library::mpi_name;
use crate::bsp::calls::blas::Blas;
use crate::choices::number;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::machine::bsp::Estimate;
use crate::output::{self, Kind};
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use exchange::Spmd;
use hcube_core::comm::{Comm, agree};
use hcube_core::node::processor;
use hcube_core::{Error, Result};
use hcube_results::bsp::samples::{self, Samples};
use hcube_results::bsp::surface;
use hcube_results::machine::Machine;
use hcube_results::machine::bsp::{Bsp, GapOperation, Pattern};
use measure::{Measured, Plan, Probe};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The probe for other BSP libraries.
const SOURCE: &str = include_str!("probe.c");

/// Measurements of each case, by default.
pub const REPEAT: u32 = 9;
/// Seconds of all measurements, by default; with what is computed and written, a probe ends within a minute.
const SECONDS: u32 = 50;
/// A file with the probe, of any version.
const PROBE: Kind = Kind {
    name: "a probe that --source has written",
    holds: |bytes| output::first_line(bytes) == output::first_line(SOURCE.as_bytes()),
};
/// A file with samples, of any version.
const SAMPLES: Kind =
    Kind { name: "samples of a probe", holds: |bytes| bytes.starts_with(samples::FORMAT.as_bytes()) };

/// Measures the figures of a BSP machine (run it under mpirun)
///
/// Measures the time of an operation (f), the latency of supersteps (l), and the time per word (g) of
/// bsp_get, bsp_hpget, bsp_hpput, bsp_put and bsp_send in random permutations and all-to-all exchanges, over
/// sizes and numbers of messages. From them follow g_inf, h_half and o by the equations of the thesis
/// (Krusche 2005, section 3.2) and by least squares. They are added to a machine file, which 'hcube probe'
/// completes.
///
/// Use at most as many processes as cores. A file has figures for several numbers of processes: measure each.
/// Ctrl-C ends the measurements and writes what has been measured; the exit status is then 130.
///
/// Examples:
///   mpirun -np 2 hcube bsp probe
///   mpirun -np 4 hcube bsp probe cluster.json --samples four.txt
///   mpirun -np 4 hcube bsp probe other.json --library ./libbsponmpi.so
///   hcube bsp probe --from four.txt,other.txt --plot comparison.svg
///   hcube bsp probe --source bspprobe.c
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Words that a process sends in a superstep at most, as a power of two; a word has 8 bytes
    #[arg(long, value_name = "LOG2", default_value_t = 20, value_parser = number::<u32>(4..=24))]
    max_words: u32,
    /// How long all measurements take together, about, in seconds; where they take longer, cases are measured
    /// less often, but at least 3 times
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS, value_parser = number::<u32>(1..=86_400))]
    seconds: u32,
    /// Measurements of each case at most; figures are their medians
    #[arg(long, value_name = "TIMES", default_value_t = REPEAT, value_parser = number::<u32>(1..=1000))]
    repeat: u32,
    /// Measure another BSP library: a shared library with the functions of BSPlib 1.4 (1998), for the same
    /// MPI library
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// libhcube_bsp.so, where it is not beside the tool or installed with it
    #[arg(long, value_name = "FILE", conflicts_with = "library")]
    bsp: Option<PathBuf>,
    /// The BLAS [default: an installed one; without it, only loops are measured]
    #[arg(long, value_name = "FILE")]
    blas: Option<PathBuf>,
    /// Also write what was measured, before anything is estimated
    #[arg(long, value_name = "FILE")]
    samples: Option<PathBuf>,
    /// Draw the gap over the size of messages into an SVG file: for each operation, or of several files a
    /// comparison
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Do not measure (no mpirun needed): read what an earlier run has written with --samples, or the probe
    /// in C
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',')]
    from: Vec<PathBuf>,
    /// Do not measure: write the probe as a C program for any BSP library
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    source: Option<PathBuf>,
    /// Replace the figures of another library in the file
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    target: Target,
}

/// Measures under MPI, or does what needs none.
pub fn run(arguments: &Arguments) -> ExitCode {
    if let Some(source) = &arguments.source {
        return session::without_mpi(|| {
            output::write("--source", source, &PROBE, SOURCE)?;
            println!("written to {}; its first lines say how to compile and run it", source.display());
            Ok(())
        });
    }
    if !arguments.from.is_empty() {
        return session::without_mpi(|| from_samples(arguments));
    }
    session::run(|session| measured(session, arguments))
}

/// Whether all files can be written.
fn check(arguments: &Arguments) -> Result<()> {
    output::check("FILE", &arguments.target.file, &output::MACHINE)?;
    arguments.samples.as_deref().map_or(Ok(()), |path| output::check("--samples", path, &SAMPLES))?;
    drawn::check(arguments.plot.as_deref())
}

fn warn(warning: &str) {
    eprintln!("hcube bsp probe: warning: {warning}");
}

/// The machine so far, if the file exists. Figures of another library are not lost unless that was asked for.
fn former(arguments: &Arguments, library: &str) -> Result<Option<Machine>> {
    let machine = machine::former(&arguments.target.file).map_err(Error::Unsupported)?;
    let bsp = machine.as_ref().and_then(|machine| machine.bsp.as_ref());
    match bsp.filter(|bsp| bsp.library != library && !arguments.replace) {
        Some(other) => Err(Error::argument(
            "FILE",
            arguments.target.file.display(),
            format!("another file for '{library}', or --replace: it has figures of '{}'", other.library),
        )),
        None => Ok(machine),
    }
}

/// The name of the library that is measured.
fn library(arguments: &Arguments) -> String {
    match &arguments.library {
        Some(file) => file.display().to_string(),
        None => format!("hcube {}, {}", env!("CARGO_PKG_VERSION"), session::library()),
    }
}

/// Collective: measures, prints, writes.
fn measured(session: &Session, arguments: &Arguments) -> std::result::Result<Verdict, Failure> {
    let failure = |error: Error| error.to_string();
    let begin = Instant::now();
    let machine = session.checked(|| {
        check(arguments)?;
        former(arguments, &library(arguments))
    })?;
    let machine = machine.flatten();
    let loaded = load(session, arguments).map_err(failure)?;
    let interrupt = agree(&session.comm, Interrupt::install()).map_err(failure)?;
    if session.speaks() {
        println!("{}", announcement(arguments.seconds));
    }
    let end = begin + Duration::from_secs(arguments.seconds.into());
    let Measured { samples, interrupted } =
        samples(session, arguments, loaded, (&interrupt, end)).map_err(failure)?;
    let verdict = if interrupted { Verdict::Interrupted } else { Verdict::Good };
    Ok(session.conclude(verdict, || {
        let Some(samples) = samples else {
            eprintln!(
                "hcube bsp probe: interrupted before the first exchange was measured; nothing is written"
            );
            return Ok(verdict);
        };
        if interrupted {
            warn(&cut_short(&samples));
        }
        finish(arguments, machine, &samples).map(|()| verdict)
    }))
}

/// How long a probe takes, before it begins.
fn announcement(seconds: u32) -> String {
    format!(
        "the measurements take about {seconds} s (--seconds); Ctrl-C ends them and writes what has been measured"
    )
}

/// What an interrupted probe has measured.
fn cut_short(samples: &Samples) -> String {
    let (measured, all) = (samples.measured().len(), measure::kinds().count());
    format!(
        "interrupted: the file has figures of {measured} of {all} exchanges, the last of them from few repetitions; \
         programs with other exchanges cannot be predicted by it"
    )
}

/// Collective: the functions of the BSP library with its file, and a BLAS if there is one.
fn load(session: &Session, arguments: &Arguments) -> Result<((Functions, String), Option<Blas>)> {
    let comm = &session.comm;
    let mpi = session::library();
    let load = || match &arguments.library {
        Some(file) => Functions::of_file(file),
        None => Functions::of_hcube(arguments.bsp.as_deref(), mpi_name(&mpi)),
    };
    let (functions, file, _) = agree(comm, load())?;
    let blas = agree(
        comm,
        match &arguments.blas {
            Some(file) => Blas::load(Some(file)).map(Some),
            None => Ok(Blas::load(None).ok()),
        },
    )?;
    Ok(((functions, file), blas))
}

/// Collective: what a probe measures.
fn samples(
    session: &Session,
    arguments: &Arguments,
    ((functions, file), blas): ((Functions, String), Option<Blas>),
    (interrupt, end): (&Interrupt, Instant),
) -> Result<Measured> {
    let comm = &session.comm;
    let plan = Plan { max_words: 1 << arguments.max_words, repeat: arguments.repeat as usize, end };
    let areas = plan.areas(comm)?;
    plan.check(comm.size())?;
    let nodes = comm.node_numbers()?;
    let crowded = processor::crowded(comm, &nodes)?;
    // Of each node as many as it has online, unless the processes of a node may use only some of them.
    let cores = if crowded { processor::cores() } else { super::cores().max(processor::cores()) };
    let cores = cores * session.node_sizes()?.len();
    let library = library(arguments);
    let begun = Spmd::begin(functions, (comm.rank(), comm.size()), areas);
    let spmd = begun
        .ok_or_else(|| Error::argument("--library", file, "a library that runs on all ranks of the job"))?;
    let mut probe = Probe { comm, plan, spmd, library, cores, blas, interrupt };
    let mut progress = Progress::new("bsp probe", session.speaks() && !arguments.target.no_progress);
    let measured = probe.measure(&mut progress);
    progress.finish();
    measured
}

/// Reads the samples of earlier runs.
fn from_samples(arguments: &Arguments) -> std::result::Result<(), Failure> {
    check(arguments).map_err(|error| error.to_string())?;
    let all = drawn::read(&arguments.from, "samples that --samples has written", Samples::parse)?;
    if let [samples] = &all[..] {
        let former = former(arguments, &samples.library).map_err(|error| error.to_string())?;
        return finish(arguments, former, samples);
    }
    if arguments.plot.is_none() {
        return Err("--from: several files are compared in a picture: expected --plot as well".to_owned());
    }
    draw(arguments, &all.iter().collect::<Vec<_>>(), None)
}

/// Prints, and writes the files; of a machine that has no file yet, only these figures are known.
fn finish(
    arguments: &Arguments,
    former: Option<Machine>,
    samples: &Samples,
) -> std::result::Result<(), Failure> {
    let machine = former.unwrap_or_else(|| figures::machine(samples));
    let bsp = figures::section(samples, machine.bsp);
    bsp.check().map_err(|problem| format!("the figures that were measured are not valid: {problem}"))?;
    let text = report::text(&bsp, samples);
    let noise = bsp.for_processes(samples.processes).ok().and_then(|processes| processes.noise_warning());
    for warning in [noise, report::without_gap(&bsp, samples)].into_iter().flatten() {
        warn(&warning);
    }
    if let Some(path) = &arguments.samples {
        output::write("--samples", path, &SAMPLES, &samples.text())?;
    }
    let machine = Machine { bsp: Some(bsp), ..machine };
    machine::write("FILE", &arguments.target.file, &machine)?;
    draw(arguments, &[samples], machine.bsp.as_ref())?;
    let path = arguments.target.file.display();
    // Last: files are whole even where nobody reads the tables.
    print!("{text}");
    println!("written to {path}; 'hcube bsp predict matmul --machine {path}' predicts with it");
    if !machine.random_access_known() {
        println!("'hcube probe {path}' adds the figures of 'hcube model', under mpirun as well");
    }
    Ok(())
}

/// Draws what `--plot` asks for.
fn draw(arguments: &Arguments, all: &[&Samples], bsp: Option<&Bsp>) -> std::result::Result<(), Failure> {
    let processes = bsp.zip(all.first()).and_then(|(bsp, first)| bsp.for_processes(first.processes).ok());
    let model = |pattern: Pattern, operation: GapOperation, words: f64, message: f64| {
        let gap = processes?.gap(pattern, operation).filter(|gap| gap.least_squares.is_some())?;
        let gap = machine::bsp::gap(gap, Estimate::LeastSquares);
        Some(gap.per_word(hcube_bsp::cost::Model::Messages, words, message))
    };
    let undrawn = "expected exchanges, by the same number of processes in all files";
    drawn::draw(arguments.plot.as_deref(), || surface::sheet(all, &model), undrawn)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use hcube_results::machine::bsp::Processes;

    /// Figures of two processes.
    pub fn processes() -> Processes {
        figures::processes(&figures::tests::samples(2))
    }

    #[test]
    fn the_time_is_announced_and_what_is_missing_told() {
        assert!(announcement(50).contains("about 50 s (--seconds)"));
        let mut samples = figures::tests::samples(2);
        let one = (samples.exchanges[0].pattern, samples.exchanges[0].operation);
        samples.exchanges.retain(|exchange| (exchange.pattern, exchange.operation) == one);
        assert!(cut_short(&samples).starts_with("interrupted: the file has figures of 1 of 10 exchanges"));
    }

    #[test]
    fn samples_without_a_machine_make_one() {
        let samples = figures::tests::samples(2);
        let machine = figures::machine(&samples);
        assert_eq!(machine.check(), Ok(()));
        assert!(!machine.random_access_known() && machine.network_assumed);
        // 8 bytes per ns.
        assert!((machine.node.bandwidth_gb_s - 8.0).abs() < 0.1, "{:?}", machine.node);
    }
}
