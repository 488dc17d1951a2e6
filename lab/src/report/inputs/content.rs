//! Contents of the files that the report shows, with checks of their values.

use super::coarrays::{CoarrayTeam, CoarrayUpdates};
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

/// Results of `hcube-lab simulate --json`.
#[derive(Debug, Deserialize)]
pub struct Simulated {
    pub machines: Vec<Machine>,
    #[serde(default)]
    pub random_access: Vec<Case>,
    #[serde(default)]
    pub alltoall: Vec<Exchange>,
    #[serde(default)]
    pub gemm: Vec<Product>,
    #[serde(default)]
    pub bsp: Vec<Superstep>,
    #[serde(default)]
    pub teams: Vec<CoarrayTeam>,
    #[serde(default)]
    pub coarray_updates: Vec<CoarrayUpdates>,
    /// Failed simulations and the reasons.
    #[serde(default)]
    pub failures: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub section: String,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// The name in `--mode`.
    pub mode: String,
    /// 0 for log2 P.
    pub dimensions: usize,
    /// Bits as in hcube.h.
    pub optimisations: u32,
    pub look_ahead: u64,
    pub updates: u64,
    pub seconds: f64,
    pub gups: f64,
    /// Wrong words of the table.
    pub errors: u64,
    pub messages: u64,
    /// Rounds of Q values; otherwise of Q/2.
    #[serde(default)]
    pub relaxed: bool,
    /// Whether messages shared the links between nodes; otherwise they shared only the ports of nodes.
    #[serde(default = "shared")]
    pub links_shared: bool,
}

/// A simulated matrix product.
#[derive(Debug, Clone, Deserialize)]
pub struct Product {
    pub section: String,
    pub machine: String,
    pub ranks: usize,
    /// Order of the matrices.
    pub order: usize,
    /// Inner indices that were multiplied.
    pub k: usize,
    pub inner_block: usize,
    /// The name in `HCUBE_GEMM`.
    pub algorithm: String,
    /// The name in `HCUBE_GEMM_BROADCAST`.
    pub broadcast: String,
    /// 0 where hcube has chosen them.
    pub group_rows: usize,
    pub group_columns: usize,
    /// Ranks that share panels at most; 1: all ranks send messages, 0: all ranks of a node share.
    pub ranks_sharing: usize,
    /// With local products that take no time.
    pub communication_seconds: f64,
    pub seconds: f64,
    /// Wrong elements.
    pub errors: u64,
}

/// A simulated superstep of a BSP program.
#[derive(Debug, Clone, Deserialize)]
pub struct Superstep {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `hcube` or `library`.
    pub by: String,
    /// Of each process.
    pub puts: usize,
    /// Of a put.
    pub bytes: usize,
    pub seconds: f64,
    /// Wrong words.
    pub errors: u64,
}

/// A simulated all-to-all exchange.
#[derive(Debug, Clone, Deserialize)]
pub struct Exchange {
    pub section: String,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// As in `hcube bench alltoall`.
    pub algorithm: String,
    /// As in `hcube bench alltoall`; `None` for the library.
    #[serde(default)]
    pub path: Option<String>,
    /// Additional memory; `None` for the library.
    #[serde(default)]
    pub memory: Option<u64>,
    /// Data of each rank.
    pub bytes_per_rank: usize,
    pub seconds: f64,
    /// Wrong elements.
    pub errors: u64,
    /// As in [`Case`].
    #[serde(default = "shared")]
    pub links_shared: bool,
}

impl Case {
    /// Machine, ranks, and whether links were shared.
    pub fn links(&self) -> (&str, usize, bool) {
        (&self.machine, self.ranks, self.links_shared)
    }
}

impl Exchange {
    /// As of a [`Case`].
    pub fn links(&self) -> (&str, usize, bool) {
        (&self.machine, self.ranks, self.links_shared)
    }
}

/// Files without it are of simulations with shared links.
fn shared() -> bool {
    true
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
                positive("runs", number, "median_us", run.median_us)?;
                run.measured_us.iter().try_for_each(|&time| positive("runs", number, "measured_us", time))?;
            }
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
            positive("runs", number, "median_us", run.median_us)?;
            run.measured_us.iter().try_for_each(|&time| positive("runs", number, "measured_us", time))?;
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

impl Checked for Simulated {
    fn check(&self) -> Result<(), String> {
        self.machines.iter().try_for_each(Machine::check)?;
        let known = |place: &str, number: usize, machine: &str| {
            if self.machines.iter().any(|one| one.name == machine) {
                return Ok(());
            }
            let names: Vec<&str> = self.machines.iter().map(|one| one.name.as_str()).collect();
            Err(format!("{place}[{number}].machine = '{machine}': expected one of {}", names.join(", ")))
        };
        let check = |place: &str, number: usize, machine: &str, fields: &[(&str, f64)]| {
            known(place, number, machine)?;
            fields.iter().try_for_each(|&(field, value)| positive(place, number, field, value))
        };
        for (number, case) in self.random_access.iter().enumerate() {
            let fields = [
                ("ranks", case.ranks as f64),
                ("ranks_per_node", case.ranks_per_node as f64),
                ("look_ahead", case.look_ahead as f64),
                ("updates", case.updates as f64),
                ("seconds", case.seconds),
                ("gups", case.gups),
            ];
            check("random_access", number, &case.machine, &fields)?;
        }
        for (number, exchange) in self.alltoall.iter().enumerate() {
            let fields = [
                ("ranks", exchange.ranks as f64),
                ("ranks_per_node", exchange.ranks_per_node as f64),
                ("bytes_per_rank", exchange.bytes_per_rank as f64),
                ("seconds", exchange.seconds),
            ];
            check("alltoall", number, &exchange.machine, &fields)?;
        }
        for (number, product) in self.gemm.iter().enumerate() {
            let fields = [
                ("ranks", product.ranks as f64),
                ("order", product.order as f64),
                ("inner_block", product.inner_block as f64),
                ("communication_seconds", product.communication_seconds),
                ("seconds", product.seconds),
            ];
            check("gemm", number, &product.machine, &fields)?;
        }
        for (number, superstep) in self.bsp.iter().enumerate() {
            let fields = [
                ("ranks", superstep.ranks as f64),
                ("ranks_per_node", superstep.ranks_per_node as f64),
                ("bytes", superstep.bytes as f64),
                ("seconds", superstep.seconds),
            ];
            check("bsp", number, &superstep.machine, &fields)?;
        }
        for (number, team) in self.teams.iter().enumerate() {
            let fields = [
                ("ranks", team.ranks as f64),
                ("members", team.members as f64),
                ("barrier_seconds", team.barrier_seconds),
                ("lookup_seconds", team.lookup_seconds),
                ("access_seconds", team.access_seconds),
            ];
            check("teams", number, &team.machine, &fields)?;
        }
        for (number, updates) in self.coarray_updates.iter().enumerate() {
            let fields = [
                ("ranks", updates.ranks as f64),
                ("ranks_per_node", updates.ranks_per_node as f64),
                ("gups", updates.gups),
            ];
            check("coarray_updates", number, &updates.machine, &fields)?;
        }
        Ok(())
    }
}

impl Checked for Machine {
    fn check(&self) -> Result<(), String> {
        Self::check(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_named() {
        let text = include_str!("../../../tests/fixtures/simulate.json");
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
