//! Checks of the files that the report shows, and the contents of those that no crate below has.

use crate::hpcc::Results as Hpcc;
use crate::simulate::results::Results as Simulated;
use hcube_results::machine::Machine;
use hcube_results::measured::Timing;
use hcube_results::{alltoall, bsp, caf, fft, fftw, gemm, llcs, panels, preload, runs, stream};
use serde::Deserialize;
use std::collections::BTreeMap;

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
    /// Numbers of Table 3 of Plimpton et al. 2006.
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

/// Fields that are more than 0.
type Fields = Vec<(&'static str, f64)>;

/// Fails with the first field of a list's rows that is not more than 0.
fn positive<T>(list: &str, rows: &[T], fields: impl Fn(&T) -> Fields) -> Result<(), String> {
    for (number, row) in rows.iter().enumerate() {
        for (field, value) in fields(row) {
            if !(value.is_finite() && value > 0.0) {
                return Err(format!("{list}[{number}].{field} = {value}: expected more than 0"));
            }
        }
    }
    Ok(())
}

/// A field of each of several values, or of one that may be missing.
fn each<'a>(field: &'static str, values: impl IntoIterator<Item = &'a f64>) -> Fields {
    values.into_iter().map(|&value| (field, value)).collect()
}

/// Median and all times.
fn times(timing: &Timing) -> Fields {
    [vec![("median_us", timing.median_us)], each("measured_us", &timing.measured_us)].concat()
}

impl Checked for Hpcc {
    fn check(&self) -> Result<(), String> {
        positive("runs", &self.runs, |run| {
            vec![("ranks", run.ranks as f64), ("gups", run.gups), ("gups_lcg", run.gups_lcg)]
        })?;
        positive("figures", &self.figures, |figure| {
            let ranks = vec![("ranks", figure.ranks as f64)];
            [ranks, each("stock", &figure.stock), each("hcube", &figure.hcube)].concat()
        })
    }
}

impl Checked for Bench {
    fn check(&self) -> Result<(), String> {
        self.sections.iter().try_for_each(|(name, section)| {
            positive(name, &[section], |section| vec![("ranks", section.ranks as f64)])?;
            positive(&format!("sections.{name}.lines"), &section.lines, |line| {
                let own = vec![("look_ahead", line.look_ahead as f64), ("gups", line.gups)];
                [own, each("gups_measured", &line.gups_measured)].concat()
            })
        })
    }
}

impl Checked for alltoall::Results {
    fn check(&self) -> Result<(), String> {
        positive("runs", &self.runs, |run| {
            let own = vec![("ranks", run.place.ranks as f64), ("bytes_per_rank", run.bytes_per_rank as f64)];
            // One rank moves no data.
            if run.place.ranks <= 1 {
                return own;
            }
            [own, times(&run.timing)].concat()
        })?;
        positive("kinds", &self.kinds, |run| {
            let (ranks, bytes) = (run.subject.place.ranks as f64, run.subject.bytes_per_rank as f64);
            [vec![("ranks", ranks), ("bytes_per_rank", bytes)], times(&run.timing)].concat()
        })
    }
}

impl Checked for fftw::Results {
    fn check(&self) -> Result<(), String> {
        positive("runs", &self.runs, |run| {
            let own = vec![("ranks", run.ranks as f64), ("times_ms (how many)", run.times_ms.len() as f64)];
            [own, each("times_ms", &run.times_ms)].concat()
        })
    }
}

/// What a run of a benchmark has to have.
trait Figures {
    fn figures(&self) -> Fields;
}

impl<R: Figures> Checked for runs::Results<R> {
    fn check(&self) -> Result<(), String> {
        positive("runs", &self.runs, R::figures)
    }
}

impl Figures for gemm::Run {
    fn figures(&self) -> Fields {
        let problem = &self.problem;
        let own = vec![
            ("ranks", problem.place.ranks as f64),
            ("n", problem.n as f64),
            ("median_ms", self.median_ms),
        ];
        let raised = each("speedup_raised", &self.speedup_raised);
        [own, each("speedup", &self.speedup), raised, each("of_bound", &self.of_bound)].concat()
    }
}

impl Figures for bsp::Run {
    fn figures(&self) -> Fields {
        let ratio = each("hcube_speedup", &self.hcube_speedup);
        [vec![("ranks", self.superstep.place.ranks as f64)], times(&self.timing), ratio].concat()
    }
}

impl Figures for caf::Run {
    fn figures(&self) -> Fields {
        [vec![("ranks", self.subject.place.ranks as f64)], times(&self.timing)].concat()
    }
}

impl Checked for preload::Results {
    fn check(&self) -> Result<(), String> {
        positive("rows", &self.rows, |row| {
            vec![
                ("ranks", row.ranks as f64),
                ("reference.median", row.reference.median),
                ("measured.median", row.measured.median),
            ]
        })
    }
}

impl Figures for fft::Run {
    fn figures(&self) -> Fields {
        let figures = vec![("length", self.subject.length as f64), ("gflop_s", self.gflop_s)];
        [vec![("ranks", self.subject.place.ranks as f64)], times(&self.timing), figures].concat()
    }
}

impl Figures for stream::Run {
    fn figures(&self) -> Fields {
        let subject = &self.subject;
        let (bytes, running) = (subject.bytes as f64, subject.running as f64);
        let figures = vec![("bytes", bytes), ("running", running), ("gb_s", self.gb_s)];
        [vec![("ranks", subject.place.ranks as f64)], times(&self.timing), figures].concat()
    }
}

impl Figures for panels::Run {
    fn figures(&self) -> Fields {
        let bytes = vec![("bytes", self.subject.bytes as f64)];
        [vec![("ranks", self.subject.place.ranks as f64)], times(&self.timing), bytes].concat()
    }
}

impl Figures for llcs::Run {
    fn figures(&self) -> Fields {
        let (subject, running) = (&self.subject, self.running as f64);
        let figures =
            vec![("length", subject.length as f64), ("running", running), ("gentries_s", self.gentries_s)];
        [vec![("ranks", subject.place.ranks as f64)], times(&self.timing), figures].concat()
    }
}

impl Checked for Machine {
    fn check(&self) -> Result<(), String> {
        Self::check(self)
    }
}

impl Checked for Simulated {
    fn check(&self) -> Result<(), String> {
        self.machines.iter().try_for_each(Machine::check)?;
        let names: Vec<&str> = self.machines.iter().map(|one| one.name.as_str()).collect();
        for (list, rows) in self.lists() {
            let machines = rows.iter().map(|row| row.place().0.machine.as_str()).enumerate();
            if let Some((number, machine)) =
                machines.into_iter().find(|(_, machine)| !names.contains(machine))
            {
                let names = names.join(", ");
                return Err(format!("{list}[{number}].machine = '{machine}': expected one of {names}"));
            }
            positive(list, &rows, |row| row.positive())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_named() {
        let text = include_str!("../../tests/fixtures/simulate.json");
        for (old, new, message) in [
            ("\"ranks\": 64", "\"ranks\": 0", "ranks = 0: expected more than 0"),
            (
                "\"machine\": \"juropa\"",
                "\"machine\": \"other\"",
                "'other': expected one of red-storm, juropa",
            ),
            ("\"cores\": 8", "\"cores\": 0", "cores = 0"),
        ] {
            assert!(text.contains(old), "{old}");
            let read = |text: &str| serde_json::from_str::<Simulated>(text).expect("JSON");
            assert_eq!(read(text).check(), Ok(()));
            let problem = read(&text.replace(old, new)).check().expect_err("refused");
            assert!(problem.contains(message), "{problem}");
        }
    }
}
