//! Statements of Fortran programs that are an operation of coarrays each: `hcube bench gfortran`.
//!
//! Only hcube's. All images access their neighbours at the same time. A put ends when its data is in a
//! buffer, which takes a simulated image no time, and whole programs have no driver.

use super::coarrays::{SIZES, of_images};
use super::run::{Hosts, Run};
use hcube_results::numbers::whole_bytes;

/// Bytes of sums, and of the broadcast.
const SUMS: [u64; 3] = [8, 8000, 1 << 20];
const BROADCAST: u64 = 64 << 10;

/// Microseconds of statements that are timed together, as there: of one image alone, and of all images.
const ALONE_US: u32 = 100;
const TOGETHER_US: u32 = 500;

/// All statements. Where a competitor ends without a result, no line stands beside them.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let images = hosts.ranks;
    let run = |name: String, bytes: u64, text: String| {
        let run = of_images(format!("{name}, {images} images"), format!("{text},bytes={bytes}"));
        // Both ends of a sum.
        Run { bytes_per_rank: run.bytes_per_rank + 2 * bytes, ..run }
    };
    let sized = |name: &str, bytes: u64, text: String| {
        run(format!("{name} {}", whole_bytes(bytes as usize)), bytes, text)
    };
    let get = format!("operation=get,neighbours=1,together-us={ALONE_US}");
    let gets = SIZES.map(|bytes| sized("get", bytes, get.clone()));
    let of_all = |operation: &str| format!("operation={operation},together-us={TOGETHER_US}");
    let sums = SUMS.map(|bytes| sized("co_sum", bytes, of_all("allreduce")));
    let others = [
        run("co_broadcast".to_owned(), BROADCAST, of_all("broadcast")),
        run("sync-all".to_owned(), 8, of_all("barrier")),
    ];
    gets.into_iter().chain(sums).chain(others).collect()
}
