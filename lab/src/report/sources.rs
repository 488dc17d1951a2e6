//! The files that the report is compiled from, in one table: a new one has a row in [`SOURCES`], a field in
//! [`Inputs`] and a section.

use super::checks::{Bench, Checked};
use crate::hpcc::Results as Hpcc;
use crate::simulate::results::Results as Simulated;
use clap::{Arg, ArgMatches, Command, Error, FromArgMatches, value_parser};
use hcube_core::error::reason;
use hcube_results::json;
use hcube_results::machine::Machine;
use hcube_results::runs::Results;
use hcube_results::{alltoall, bsp, caf, fft, fftw, gemm, llcs, panels, preload, stream};
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Commands that make the files.
pub const RUN: &str = "make run";
pub const BENCH: &str = "make bench";
pub const SIMULATE: &str = "make simulate";
pub const PROBE: &str = "mpirun -np 2 hcube probe";

/// A file.
#[derive(Debug)]
pub struct Source {
    /// The option that names it, without `--`.
    option: &'static str,
    /// Its contents, in the help of that option.
    help: &'static str,
    /// Its path without that option.
    path: &'static str,
    /// The command that makes it.
    pub command: &'static str,
    /// Its part of the report.
    pub subject: &'static str,
    read: fn(&mut Inputs, &str) -> Result<(), String>,
}

/// All files, in the order of the options.
pub static SOURCES: [Source; 14] = [
    Source {
        option: "run",
        help: "Results of the official HPCC",
        path: "target/hpcc/results.json",
        command: RUN,
        subject: "the official HPCC, measured",
        read: |inputs, text| parse(&mut inputs.run, text),
    },
    Source {
        option: "bench-gups",
        help: "Measurements of RandomAccess",
        path: "target/bench/gups.json",
        command: BENCH,
        subject: "RandomAccess and its sweeps, measured",
        read: |inputs, text| parse(&mut inputs.gups, text),
    },
    Source {
        option: "bench-alltoall",
        help: "Measurements of the all-to-all exchange",
        path: "target/bench/alltoall.json",
        command: BENCH,
        subject: "the all-to-all exchange, measured",
        read: |inputs, text| parse(&mut inputs.alltoall, text),
    },
    Source {
        option: "bench-gemm",
        help: "Measurements of distributed matrix multiplication",
        path: "target/bench/gemm.json",
        command: BENCH,
        subject: "distributed matrix multiplication, measured",
        read: |inputs, text| parse(&mut inputs.gemm, text),
    },
    Source {
        option: "bench-bsp",
        help: "Measurements of BSP programs' supersteps",
        path: "target/bench/bsp.json",
        command: BENCH,
        subject: "supersteps of BSP programs, measured",
        read: |inputs, text| parse(&mut inputs.bsp, text),
    },
    Source {
        option: "bench-caf",
        help: "Measurements of coarrays",
        path: "target/bench/caf.json",
        command: BENCH,
        subject: "operations of coarrays, measured",
        read: |inputs, text| parse(&mut inputs.caf, text),
    },
    Source {
        option: "bench-programs",
        help: "Programs with the preload library",
        path: "target/bench/programs.json",
        command: BENCH,
        subject: "programs with the preload library, measured",
        read: |inputs, text| parse(&mut inputs.programs, text),
    },
    Source {
        option: "bench-fftw",
        help: "Measurements of FFTW's transposes",
        path: "target/bench/fftw.json",
        command: BENCH,
        subject: "FFTW's transposes, measured",
        read: |inputs, text| {
            parse(&mut inputs.fftw, text)?;
            inputs.fftw.as_mut().map_or(Ok(()), fftw::Results::summarise)
        },
    },
    Source {
        option: "bench-fft",
        help: "Measurements of Fourier transforms",
        path: "target/bench/fft.json",
        command: BENCH,
        subject: "Fourier transforms, measured",
        read: |inputs, text| parse(&mut inputs.fft, text),
    },
    Source {
        option: "bench-stream",
        help: "Measurements of STREAM",
        path: "target/bench/stream.json",
        command: BENCH,
        subject: "STREAM, measured",
        read: |inputs, text| parse(&mut inputs.stream, text),
    },
    Source {
        option: "bench-panels",
        help: "Measurements of broadcasts of panels",
        path: "target/bench/panels.json",
        command: BENCH,
        subject: "broadcasts of panels, measured",
        read: |inputs, text| parse(&mut inputs.panels, text),
    },
    Source {
        option: "bench-llcs",
        help: "Measurements of longest common subsequences",
        path: "target/bench/llcs.json",
        command: BENCH,
        subject: "longest common subsequences, measured",
        read: |inputs, text| parse(&mut inputs.llcs, text),
    },
    Source {
        option: "simulate",
        help: "Simulations",
        path: "target/simulate/simulate.json",
        command: SIMULATE,
        subject: "RandomAccess and all-to-all on large machines, simulated",
        read: |inputs, text| parse(&mut inputs.simulated, text),
    },
    Source {
        option: "calibration",
        help: "Parameters of this machine, measured by `hcube probe`",
        path: "calibration.json",
        command: PROBE,
        subject: "the cost model of this machine, predicted",
        read: |inputs, text| parse(&mut inputs.calibration, text),
    },
];

/// Contents of the files.
#[derive(Debug, Default)]
pub struct Inputs {
    pub run: Option<Hpcc>,
    pub gups: Option<Bench>,
    pub alltoall: Option<alltoall::Results>,
    pub gemm: Option<gemm::Results>,
    pub bsp: Option<bsp::Results>,
    pub caf: Option<caf::Results>,
    pub programs: Option<preload::Results>,
    pub fftw: Option<fftw::Results>,
    pub fft: Option<fft::Results>,
    pub stream: Option<stream::Results>,
    pub panels: Option<panels::Results>,
    pub llcs: Option<llcs::Results>,
    pub simulated: Option<Simulated>,
    /// This machine.
    pub calibration: Option<Machine>,
    /// The path of each source that was read.
    pub paths: Vec<Option<PathBuf>>,
}

/// The runs of a benchmark, if there are any.
pub fn runs<R>(results: &Option<Results<R>>) -> &[R] {
    results.as_ref().map_or(&[], |results| &results.runs)
}

fn parse<T: DeserializeOwned + Checked>(place: &mut Option<T>, text: &str) -> Result<(), String> {
    let value: T = json::parse(text)?;
    value.check()?;
    *place = Some(value);
    Ok(())
}

/// The options that name the files.
#[derive(Debug, Clone)]
pub struct Named(Vec<Option<PathBuf>>);

impl FromArgMatches for Named {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(SOURCES.iter().map(|source| matches.get_one(source.option).cloned()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Named {
    fn augment_args(command: Command) -> Command {
        let option = |source: &Source| {
            let help = format!("{} [default: {}]", source.help, source.path);
            let option = Arg::new(source.option).long(source.option).value_name("FILE").help(help);
            option.value_parser(value_parser!(PathBuf))
        };
        command.args(SOURCES.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Why there is no report.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A named file is missing, or all files are.
    Missing(String),
    /// A file is invalid.
    Broken(String),
}

impl Inputs {
    /// Reads the named files, and the others where they are at their default paths.
    pub fn read(Named(named): &Named) -> Result<Self, Refusal> {
        let mut inputs = Self::default();
        for (source, named) in SOURCES.iter().zip(named) {
            let path = inputs.take(source, named.as_deref())?;
            inputs.paths.push(path);
        }
        if inputs.paths.iter().all(Option::is_none) {
            return Err(Refusal::Missing(nothing()));
        }
        Ok(inputs)
    }

    /// Reads a file, and returns its path if it is there.
    fn take(&mut self, source: &Source, named: Option<&Path>) -> Result<Option<PathBuf>, Refusal> {
        let Source { option, command, .. } = source;
        let path = named.unwrap_or(Path::new(source.path));
        let broken = |problem: &str| {
            let path = path.display();
            Refusal::Broken(format!("--{option} {path}: {problem}; expected JSON of `{command}`"))
        };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(broken("not text")),
            Err(error) => {
                let path = path.display();
                let text = format!("--{option} {path}: {}; expected a file of `{command}`", reason(&error));
                return Err(Refusal::Missing(text));
            }
        };
        (source.read)(self, &text).map_err(|problem| broken(&problem))?;
        Ok(Some(path.to_owned()))
    }
}

/// The message without any file.
fn nothing() -> String {
    SOURCES.iter().fold("nothing to report: none of these files exists".to_owned(), |text, source| {
        text + &format!("\n  {:<30} made by `{}`", source.path, source.command)
    })
}
