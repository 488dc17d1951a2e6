//! What is in the files, as far as the report shows it, and whether it can be.

use hcube_tool::machine::Machine;
use hcube_tool::{alltoall, fftw};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What `hcube-lab hpcc --json` writes.
#[derive(Debug, Deserialize)]
pub struct Hpcc {
    /// Name of the MPI library.
    pub mpi: String,
    /// A variant on a number of ranks.
    pub runs: Vec<HpccRun>,
}

/// Medians of one variant.
#[derive(Debug, Deserialize)]
pub struct HpccRun {
    /// stock, sandia or hcube.
    pub variant: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Rate with the polynomial stream.
    pub gups: f64,
    /// Rate with the stream of linear congruences.
    pub gups_lcg: f64,
    /// Wrong words of the table.
    pub errors: u64,
    /// The same with the other stream.
    pub errors_lcg: u64,
    /// Its size.
    pub log2_table: u32,
}

/// What scripts/bench.sh makes of several runs of `hcube gups`.
#[derive(Debug, Deserialize)]
pub struct Bench {
    /// Name of the MPI library.
    pub mpi: String,
    /// Of the machine.
    pub cores: usize,
    /// By name.
    pub sections: BTreeMap<String, Measurement>,
}

/// What `hcube gups --json` writes.
#[derive(Debug, Deserialize)]
pub struct Measurement {
    /// Version.
    pub hcube: String,
    /// Version of the MPI library.
    pub mpi: String,
    /// Number of ranks.
    pub ranks: usize,
    /// On so many nodes.
    pub nodes: usize,
    /// Size of the table.
    pub log2_table: u32,
    /// One for each case.
    pub lines: Vec<Line>,
}

/// A case.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// Q.
    pub look_ahead: u64,
    /// How values travel.
    pub mode: String,
    /// 0 for log2 P.
    pub dimensions: usize,
    /// As in the paper's Table 3.
    pub optimisations: String,
    /// Median rate.
    pub gups: f64,
    /// All of them.
    pub gups_measured: Vec<f64>,
    /// Wrong words of the table; nothing where not verified.
    pub errors: Option<u64>,
    /// Share of what all cores reach on tables of their own.
    pub of_local_bound: Option<f64>,
}

/// What `hcube-lab simulate --json` writes.
#[derive(Debug, Deserialize)]
pub struct Simulated {
    /// What was simulated.
    pub machines: Vec<Machine>,
    /// RandomAccess.
    #[serde(default)]
    pub random_access: Vec<Case>,
    /// All-to-all.
    #[serde(default)]
    pub alltoall: Vec<Exchange>,
    /// Simulations that brought nothing, and why.
    #[serde(default)]
    pub failures: Vec<String>,
}

/// A simulated RandomAccess.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    /// What it is part of.
    pub section: String,
    /// Name of the machine.
    pub machine: String,
    /// Number of ranks.
    pub ranks: usize,
    /// On each node.
    pub ranks_per_node: usize,
    /// How values travel.
    pub mode: String,
    /// 0 for log2 P.
    pub dimensions: usize,
    /// Bits as in hcube.h.
    pub optimisations: u32,
    /// Q.
    pub look_ahead: u64,
    /// Of all ranks.
    pub updates: u64,
    /// Simulated.
    pub seconds: f64,
    /// Simulated.
    pub gups: f64,
    /// Wrong words of the table.
    pub errors: u64,
    /// Of all ranks.
    pub messages: u64,
    /// Rounds of Q values instead of Q/2.
    #[serde(default)]
    pub relaxed: bool,
    /// Whether messages competed for the links between nodes, and not for the ports of nodes alone.
    #[serde(default = "shared")]
    pub links_shared: bool,
}

/// A simulated all-to-all exchange.
#[derive(Debug, Clone, Deserialize)]
pub struct Exchange {
    /// What it is part of.
    pub section: String,
    /// Name of the machine.
    pub machine: String,
    /// Number of ranks.
    pub ranks: usize,
    /// On each node.
    pub ranks_per_node: usize,
    /// As in `hcube alltoall`.
    pub algorithm: String,
    /// As in `hcube alltoall`; nothing for the library.
    #[serde(default)]
    pub path: Option<String>,
    /// Additional memory; nothing for the library.
    #[serde(default)]
    pub memory: Option<u64>,
    /// Data of each rank.
    pub bytes_per_rank: usize,
    /// Simulated.
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

/// Files that do not say it are of simulations in which all links were shared.
fn shared() -> bool {
    true
}

/// What can be read and still be nonsense.
pub trait Checked {
    /// Names the first figure that cannot be.
    fn check(&self) -> Result<(), String>;
}

fn positive(name: &str, number: usize, field: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("{name}[{number}].{field} = {value}: expected more than 0"))
}

impl Checked for Hpcc {
    fn check(&self) -> Result<(), String> {
        for (number, run) in self.runs.iter().enumerate() {
            positive("runs", number, "ranks", run.ranks as f64)?;
            positive("runs", number, "gups", run.gups)?;
            positive("runs", number, "gups_lcg", run.gups_lcg)?;
        }
        Ok(())
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
            // Nothing is moved where there is one rank.
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
        for (number, case) in self.random_access.iter().enumerate() {
            known("random_access", number, &case.machine)?;
            for (field, value) in [
                ("ranks", case.ranks as f64),
                ("ranks_per_node", case.ranks_per_node as f64),
                ("look_ahead", case.look_ahead as f64),
                ("updates", case.updates as f64),
                ("seconds", case.seconds),
                ("gups", case.gups),
            ] {
                positive("random_access", number, field, value)?;
            }
        }
        for (number, exchange) in self.alltoall.iter().enumerate() {
            known("alltoall", number, &exchange.machine)?;
            for (field, value) in [
                ("ranks", exchange.ranks as f64),
                ("ranks_per_node", exchange.ranks_per_node as f64),
                ("bytes_per_rank", exchange.bytes_per_rank as f64),
                ("seconds", exchange.seconds),
            ] {
                positive("alltoall", number, field, value)?;
            }
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
