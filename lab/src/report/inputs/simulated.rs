//! What simulations have found, with checks of their values.

use super::bsp_programs::BspProgram;
use super::coarrays::{CoarrayTeam, CoarrayUpdates};
use super::content::{Checked, positive};
use super::kernels::{Panels, Transform};
use super::subsequences::Subsequence;
use hcube_results::machine::Machine;
use serde::Deserialize;

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
    #[serde(default)]
    pub fft: Vec<Transform>,
    #[serde(default)]
    pub hpl: Vec<Panels>,
    #[serde(default)]
    pub lcs: Vec<Subsequence>,
    #[serde(default)]
    pub bsp_programs: Vec<BspProgram>,
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
        for (number, transform) in self.fft.iter().enumerate() {
            check("fft", number, &transform.machine, &transform.positive())?;
        }
        for (number, panels) in self.hpl.iter().enumerate() {
            check("hpl", number, &panels.machine, &panels.positive())?;
        }
        for (number, subsequence) in self.lcs.iter().enumerate() {
            check("lcs", number, &subsequence.machine, &subsequence.positive())?;
        }
        for (number, program) in self.bsp_programs.iter().enumerate() {
            check("bsp_programs", number, &program.machine, &program.positive())?;
        }
        Ok(())
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
