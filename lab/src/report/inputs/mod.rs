//! The input files of the report.

mod bsp_programs;
mod coarrays;
mod content;
mod kernels;
mod simulated;
mod subsequences;

pub use bsp_programs::BspProgram;
pub use coarrays::{CoarrayTeam, CoarrayUpdates};
pub use content::{Bench, Hpcc, HpccRun, Line};
pub use kernels::{Panels, Transform};
pub use simulated::{Case, Exchange, Product, Simulated, Superstep};
pub use subsequences::Subsequence;

use content::{Checked, positive};
use hcube_results::alltoall;
use hcube_results::bsp;
use hcube_results::caf;
use hcube_results::fft;
use hcube_results::fftw;
use hcube_results::gemm;
use hcube_results::llcs;
use hcube_results::machine::Machine;
use hcube_results::panels;
use hcube_results::preload;
use hcube_results::stream;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The official HPCC.
    Run,
    /// RandomAccess, measured.
    BenchGups,
    /// The all-to-all exchange, measured.
    BenchAlltoall,
    /// Distributed matrix multiplication, measured.
    BenchGemm,
    /// Supersteps of BSP programs, measured.
    BenchBsp,
    /// Operations of coarrays, measured.
    BenchCaf,
    /// Programs with the preload library, measured.
    BenchPrograms,
    /// FFTW's transposes, measured.
    BenchFftw,
    /// Fourier transforms, measured.
    BenchFft,
    /// STREAM, measured.
    BenchStream,
    /// Broadcasts of panels, measured.
    BenchPanels,
    /// Longest common subsequences, measured.
    BenchLlcs,
    /// RandomAccess and the exchange, simulated.
    Simulate,
    /// Parameters of this machine for the cost model.
    Calibration,
}

impl Source {
    pub const ALL: [Self; 14] = [
        Self::Run,
        Self::BenchGups,
        Self::BenchAlltoall,
        Self::BenchGemm,
        Self::BenchBsp,
        Self::BenchCaf,
        Self::BenchPrograms,
        Self::BenchFftw,
        Self::BenchFft,
        Self::BenchStream,
        Self::BenchPanels,
        Self::BenchLlcs,
        Self::Simulate,
        Self::Calibration,
    ];

    /// The option that names it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Run => "--run",
            Self::BenchGups => "--bench-gups",
            Self::BenchAlltoall => "--bench-alltoall",
            Self::BenchGemm => "--bench-gemm",
            Self::BenchBsp => "--bench-bsp",
            Self::BenchCaf => "--bench-caf",
            Self::BenchPrograms => "--bench-programs",
            Self::BenchFftw => "--bench-fftw",
            Self::BenchFft => "--bench-fft",
            Self::BenchStream => "--bench-stream",
            Self::BenchPanels => "--bench-panels",
            Self::BenchLlcs => "--bench-llcs",
            Self::Simulate => "--simulate",
            Self::Calibration => "--calibration",
        }
    }

    /// Its path without that option.
    pub fn default_path(self) -> &'static str {
        match self {
            Self::Run => "target/hpcc/results.json",
            Self::BenchGups => "target/bench/gups.json",
            Self::BenchAlltoall => "target/bench/alltoall.json",
            Self::BenchGemm => "target/bench/gemm.json",
            Self::BenchBsp => "target/bench/bsp.json",
            Self::BenchCaf => "target/bench/caf.json",
            Self::BenchPrograms => "target/bench/programs.json",
            Self::BenchFftw => "target/bench/fftw.json",
            Self::BenchFft => "target/bench/fft.json",
            Self::BenchStream => "target/bench/stream.json",
            Self::BenchPanels => "target/bench/panels.json",
            Self::BenchLlcs => "target/bench/llcs.json",
            Self::Simulate => "target/simulate/simulate.json",
            Self::Calibration => "calibration.json",
        }
    }

    /// The command that makes it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Run => "make run",
            Self::BenchGups
            | Self::BenchAlltoall
            | Self::BenchGemm
            | Self::BenchBsp
            | Self::BenchCaf
            | Self::BenchPrograms
            | Self::BenchFftw
            | Self::BenchFft
            | Self::BenchStream
            | Self::BenchPanels
            | Self::BenchLlcs => "make bench",
            Self::Simulate => "make simulate",
            Self::Calibration => "mpirun -np 2 hcube probe",
        }
    }

    /// Its part of the report.
    pub fn subject(self) -> &'static str {
        match self {
            Self::Run => "the official HPCC, measured",
            Self::BenchGups => "RandomAccess and its sweeps, measured",
            Self::BenchAlltoall => "the all-to-all exchange, measured",
            Self::BenchGemm => "distributed matrix multiplication, measured",
            Self::BenchBsp => "supersteps of BSP programs, measured",
            Self::BenchCaf => "operations of coarrays, measured",
            Self::BenchPrograms => "programs with the preload library, measured",
            Self::BenchFftw => "FFTW's transposes, measured",
            Self::BenchFft => "Fourier transforms, measured",
            Self::BenchStream => "STREAM, measured",
            Self::BenchPanels => "broadcasts of panels, measured",
            Self::BenchLlcs => "longest common subsequences, measured",
            Self::Simulate => "RandomAccess and all-to-all on large machines, simulated",
            Self::Calibration => "the cost model of this machine, predicted",
        }
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
    pub files: Vec<(Source, PathBuf)>,
}

impl Inputs {
    /// Reads the named files, and the others where they are at their default paths.
    pub fn read(named: impl Fn(Source) -> Option<PathBuf>) -> Result<Self, Refusal> {
        let mut inputs = Self::default();
        for source in Source::ALL {
            let option = named(source);
            let path = option.clone().unwrap_or_else(|| source.default_path().into());
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == ErrorKind::NotFound && option.is_none() => continue,
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    return Err(broken(source, &path, "not text"));
                }
                Err(error) => {
                    return Err(Refusal::Missing(format!(
                        "{} {}: {error}; expected a file of `{}`",
                        source.option(),
                        path.display(),
                        source.command()
                    )));
                }
            };
            inputs.take(source, &path, &text)?;
            inputs.files.push((source, path));
        }
        if inputs.files.is_empty() {
            return Err(Refusal::Missing(nothing()));
        }
        Ok(inputs)
    }

    fn take(&mut self, source: Source, path: &Path, text: &str) -> Result<(), Refusal> {
        match source {
            Source::Run => self.run = Some(parse(source, path, text)?),
            Source::BenchGups => self.gups = Some(parse(source, path, text)?),
            Source::BenchAlltoall => self.alltoall = Some(parse(source, path, text)?),
            Source::BenchGemm => self.gemm = Some(parse(source, path, text)?),
            Source::BenchBsp => self.bsp = Some(parse(source, path, text)?),
            Source::BenchCaf => self.caf = Some(parse(source, path, text)?),
            Source::BenchPrograms => self.programs = Some(parse(source, path, text)?),
            Source::BenchFftw => {
                let mut results: fftw::Results = parse(source, path, text)?;
                results.summarise().map_err(|problem| broken(source, path, &problem))?;
                self.fftw = Some(results);
            }
            Source::BenchFft => self.fft = Some(parse(source, path, text)?),
            Source::BenchStream => self.stream = Some(parse(source, path, text)?),
            Source::BenchPanels => self.panels = Some(parse(source, path, text)?),
            Source::BenchLlcs => self.llcs = Some(parse(source, path, text)?),
            Source::Simulate => self.simulated = Some(parse(source, path, text)?),
            Source::Calibration => self.calibration = Some(parse(source, path, text)?),
        }
        Ok(())
    }
}

impl Checked for caf::Results {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.subject.ranks as f64)?;
            run.timing.check().or_else(|(name, time)| positive("runs", number, name, time))?;
        }
        Ok(())
    }
}

/// The message without any file.
fn nothing() -> String {
    let mut text = "nothing to report: none of these files exists".to_owned();
    for source in Source::ALL {
        text += &format!("\n  {:<30} made by `{}`", source.default_path(), source.command());
    }
    text
}

fn broken(source: Source, path: &Path, problem: &str) -> Refusal {
    Refusal::Broken(format!(
        "{} {}: {problem}; expected JSON of `{}`",
        source.option(),
        path.display(),
        source.command()
    ))
}

fn parse<T: DeserializeOwned + Checked>(source: Source, path: &Path, text: &str) -> Result<T, Refusal> {
    let value: T = serde_json::from_str(text).map_err(|error| broken(source, path, &error.to_string()))?;
    value.check().map_err(|problem| broken(source, path, &problem))?;
    Ok(value)
}
