//! Supersteps of BSPlib: `hcube bench bsp`.
//!
//! All supersteps of hcube are simulated; of MPI's functions, the barrier and the exchange of a
//! superstep without data and with 8 bytes for each process. Puts of the MPI library are not: what
//! MPICH does in MPI_Put and MPI_Win_fence depends on its network module.

use super::exchanges;
use super::run::{Hosts, Run, of_hcube, of_library};
use hcube_results::numbers::whole_bytes;

/// The driver.
const DRIVER: &str = "bsp";
/// Bytes of a put, and puts of a process, as `hcube-lab hosts bench` measures them.
const SIZES: [u64; 2] = [8, 8 << 10];
const PUTS: [u64; 3] = [1, 16, 256];
/// Supersteps before the timed ones, and the timed ones, which the benchmark repeats for 5 ms.
const SUPERSTEPS: &str = "before=4,supersteps=10";

/// MPICH's barrier; the one of Open MPI is not simulated.
pub fn barrier(hosts: &Hosts<'_>, subject: String) -> Option<Run> {
    let text = format!("by=mpich,node={},{SUPERSTEPS}", hosts.ranks_per_host);
    hosts.mpi.starts_with("mpich").then(|| Run { driver: DRIVER, ..of_library(subject, text) })
}

/// All supersteps.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let ranks = hosts.ranks;
    let named = |name: &str| format!("{name}, {ranks} ranks");
    let own = |name: &str, to: &str, puts: u64, bytes: u64| {
        let text = format!("by=hcube,to={to},puts={puts},bytes={bytes},{SUPERSTEPS}");
        // The memory of the process, what it sends, and what hcube keeps of both.
        Run { driver: DRIVER, bytes_per_rank: 4 * puts * bytes, ..of_hcube(named(name), text) }
    };
    let mut runs = vec![own("empty", "next", 0, 8)];
    runs.extend(barrier(hosts, named("empty")));
    runs.extend([own("shift", "next", 1, 8), own("all-to-all", "all", ranks as u64, 8)]);
    let puts = SIZES.into_iter().flat_map(|bytes| PUTS.map(|puts| (puts, bytes)));
    runs.extend(puts.map(|(puts, bytes)| {
        own(&format!("put {puts} x {}", whole_bytes(bytes as usize)), "next", puts, bytes)
    }));
    let exchange = exchanges::ALLTOALL.by_library(hosts, 8);
    runs.push(Run { subject: named("all-to-all"), ..exchange });
    runs
}
