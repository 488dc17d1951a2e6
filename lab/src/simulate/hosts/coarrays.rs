//! Operations of coarray programs: `hcube bench caf`.
//!
//! Only hcube's, and MPICH's barrier: one-sided operations of MPI libraries depend on their network modules.
//! In the measurements consecutive ranks are on different hosts; here they fill one host after the other, and
//! the target is the first rank of the second host.

use super::run::{Hosts, Run, of_hcube};
use super::supersteps;
use hcube_results::numbers::whole_bytes;

/// The driver.
pub const DRIVER: &str = "caf_operations";
/// Bytes of an image in the simulator: its part of the heap of the node, what it knows of others, rings.
const IMAGE_BYTES: u64 = 2 << 20;
/// Bytes, as `hcube-lab hosts bench` measures them.
pub const SIZES: [u64; 3] = [8, 4 << 10, 64 << 10];
/// Operations with these sizes, and without one.
const SIZED: [&str; 5] = ["put", "get", "copy-async", "broadcast", "allreduce"];
const OTHERS: [&str; 6] = ["put-strided", "fetch-add", "event", "lock", "barrier", "spawn-xor"];

/// An operation of hcube.
pub fn of_images(subject: String, text: String) -> Run {
    Run { driver: DRIVER, bytes_per_rank: IMAGE_BYTES, ..of_hcube(subject, text) }
}

/// All operations.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let (ranks, target) = (hosts.ranks, hosts.ranks_per_host);
    let run = |name: String, operation: &str, bytes: u64| {
        let text = format!("operation={operation},bytes={bytes},target={target}");
        of_images(format!("{name}, {ranks} ranks"), text)
    };
    let sized = SIZED.into_iter().flat_map(|operation| SIZES.map(|bytes| (operation, bytes)));
    let sized = sized.map(|(operation, bytes)| {
        run(format!("{operation} {}", whole_bytes(bytes as usize)), operation, bytes)
    });
    let others = OTHERS.into_iter().map(|operation| run(operation.to_owned(), operation, 8));
    let barrier = supersteps::barrier(hosts, format!("barrier, {ranks} ranks"));
    sized.chain(others).chain(barrier).collect()
}
