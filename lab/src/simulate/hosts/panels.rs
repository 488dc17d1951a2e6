//! Broadcasts of panels: `hcube bench panels`.
//!
//! Only hcube's: the competitor is the faster one of MPI_Bcast and MPI_Ibcast, whose algorithms are not
//! simulated.

use super::run::{Hosts, Run, of_hcube};

/// The driver.
const DRIVER: &str = "panels";
/// Bytes of a panel, and microseconds of computation, as `hcube-lab hosts bench` measures them.
const SIZES: [u64; 2] = [64 << 10, 1 << 20];
const WORK_US: [u32; 2] = [0, 1000];
/// Panels that are timed together.
const PANELS: u32 = 8;
/// Panels that a rank has in memory at the same time, two of them to be read.
const IN_MEMORY: u64 = 4;
/// Nanoseconds in which a rank writes or reads a byte of a panel: an estimate.
const TOUCH_NS: f64 = 0.1;

/// All panels.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let ranks = hosts.ranks;
    let panel = |bytes: u64, work_us: u32| {
        let subject = format!("{bytes} B, {work_us} us of work, {ranks} ranks");
        let rest = 1000 * work_us;
        let text = format!("loop=benchmark,bytes={bytes},panels={PANELS},rest={rest},touch={TOUCH_NS}");
        Run { driver: DRIVER, bytes_per_rank: IN_MEMORY * bytes, ..of_hcube(subject, text) }
    };
    SIZES.into_iter().flat_map(|bytes| WORK_US.map(|work_us| panel(bytes, work_us))).collect()
}
