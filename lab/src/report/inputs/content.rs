//! Contents of the files that the report shows, with checks of their values.

use hcube_results::hpcc::Compared;
use hcube_results::machine::Machine;
use hcube_results::{alltoall, bsp, fftw, gemm, preload};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Results of `hcube-lab hpcc --json`.
#[derive(Debug, Deserialize)]
pub struct Hpcc {
    pub mpi: String,
    /// Order of HPL's matrix.
    #[serde(default)]
    pub n: Option<u64>,
    pub runs: Vec<HpccRun>,
    /// Figures of merit of whole runs.
    #[serde(default)]
    pub figures: Vec<Compared>,
}

/// Medians of one variant.
#[derive(Debug, Deserialize)]
pub struct HpccRun {
    /// `stock`, `sandia` or `hcube`.
    pub variant: String,
    pub ranks: usize,
    /// GUP/s with the polynomial stream.
    pub gups: f64,
    /// GUP/s with the LCG stream.
    pub gups_lcg: f64,
    /// Wrong words of the table.
    pub errors: u64,
    /// Wrong words with the LCG stream.
    pub errors_lcg: u64,
    pub log2_table: u32,
    /// Runs of which these are the medians.
    #[serde(default)]
    pub repeats: usize,
}

/// Results of scripts/bench.sh: several runs of `hcube bench random-access`.
#[derive(Debug, Deserialize)]
pub struct Bench {
    pub mpi: String,
    pub cores: usize,
    pub sections: BTreeMap<String, Measurement>,
}

/// Results of `hcube bench random-access --json`.
#[derive(Debug, Deserialize)]
pub struct Measurement {
    pub hcube: String,
    pub mpi: String,
    pub ranks: usize,
    pub nodes: usize,
    pub log2_table: u32,
    pub lines: Vec<Line>,
}

#[derive(Debug, Deserialize)]
pub struct Line {
    pub look_ahead: u64,
    /// The name in `--mode`.
    pub mode: String,
    /// 0 for log2 P.
    pub dimensions: usize,
    /// Numbers of the paper's Table 3.
    pub optimisations: String,
    pub gups: f64,
    pub gups_measured: Vec<f64>,
    /// Wrong words of the table; `None` without verification.
    pub errors: Option<u64>,
    /// Share of the rate of all cores on private tables.
    pub of_local_bound: Option<f64>,
}

/// Values that are valid JSON and may still be out of range.
pub trait Checked {
    /// Fails with the first value that is out of range.
    fn check(&self) -> Result<(), String>;
}

pub(super) fn positive(name: &str, number: usize, field: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("{name}[{number}].{field} = {value}: expected more than 0"))
}

/// The figures of merit.
fn check_figures(figures: &[Compared]) -> Result<(), String> {
    for (number, figure) in figures.iter().enumerate() {
        positive("figures", number, "ranks", figure.ranks as f64)?;
        for (field, values) in [("stock", &figure.stock), ("hcube", &figure.hcube)] {
            values.iter().try_for_each(|&value| positive("figures", number, field, value))?;
        }
    }
    Ok(())
}

impl Checked for Hpcc {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.ranks as f64)?;
            positive("runs", number, "gups", run.gups)?;
            positive("runs", number, "gups_lcg", run.gups_lcg)?;
        }
        check_figures(&self.figures)
    }
}

impl Checked for Bench {
    fn check(&self) -> Result<(), String> {
        for (name, section) in &self.sections {
            positive(name, 0, "ranks", section.ranks as f64)?;
            for (number, line) in section.lines.iter().enumerate() {
                let place = format!("sections.{name}.lines");
                positive(&place, number, "look_ahead", line.look_ahead as f64)?;
                positive(&place, number, "gups", line.gups)?;
                line.gups_measured
                    .iter()
                    .try_for_each(|&rate| positive(&place, number, "gups_measured", rate))?;
            }
        }
        Ok(())
    }
}

impl Checked for alltoall::Results {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.ranks as f64)?;
            positive("runs", number, "bytes_per_rank", run.bytes_per_rank as f64)?;
            // One rank moves no data.
            if run.ranks > 1 {
                run.timing.check().or_else(|(name, time)| positive("runs", number, name, time))?;
            }
        }
        for (number, run) in self.kinds.iter().enumerate() {
            positive("kinds", number, "ranks", run.subject.place.ranks as f64)?;
            positive("kinds", number, "bytes_per_rank", run.subject.bytes_per_rank as f64)?;
            run.timing.check().or_else(|(name, time)| positive("kinds", number, name, time))?;
        }
        Ok(())
    }
}

impl Checked for fftw::Results {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.ranks as f64)?;
            positive("runs", number, "times_ms (how many)", run.times_ms.len() as f64)?;
            run.times_ms.iter().try_for_each(|&time| positive("runs", number, "times_ms", time))?;
        }
        Ok(())
    }
}

impl Checked for gemm::Results {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.problem.ranks as f64)?;
            positive("runs", number, "n", run.problem.n as f64)?;
            positive("runs", number, "median_ms", run.median_ms)?;
            let ratios = [
                ("speedup", run.speedup),
                ("speedup_raised", run.speedup_raised),
                ("of_bound", run.of_bound),
            ];
            for (field, ratio) in ratios {
                ratio.map_or(Ok(()), |ratio| positive("runs", number, field, ratio))?;
            }
        }
        Ok(())
    }
}

impl Checked for bsp::Results {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.superstep.ranks as f64)?;
            run.timing.check().or_else(|(name, time)| positive("runs", number, name, time))?;
            let ratio = run.hcube_speedup;
            ratio.map_or(Ok(()), |ratio| positive("runs", number, "hcube_speedup", ratio))?;
        }
        Ok(())
    }
}

impl Checked for preload::Results {
    fn check(&self) -> Result<(), String> {
        for (number, row) in self.rows.iter().enumerate() {
            positive("rows", number, "ranks", row.ranks as f64)?;
            positive("rows", number, "reference.median", row.reference.median)?;
            positive("rows", number, "measured.median", row.measured.median)?;
        }
        Ok(())
    }
}

impl Checked for Machine {
    fn check(&self) -> Result<(), String> {
        Self::check(self)
    }
}
