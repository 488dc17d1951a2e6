//! tests/c/pblas_memory.c: memory in addition to the matrices stays below the bound that the user has set.

use crate::common::by_mpi;
use crate::common::scalapack::{WithHcube, client};
use std::path::Path;

/// Bytes that the statistics report, and by how much the memory of a process has grown on average.
fn measure(program: &Path, bound: u64, ranks: usize, grid: [&str; 2]) -> (u64, u64) {
    let name = format!("memory-{bound}-{ranks}");
    let run = WithHcube::preloaded(&name, program, ranks);
    let bound = bound.to_string();
    let change =
        run.with(|launch| launch.alone().arg("1000").args(grid).env("HCUBE_GEMM_MEMORY", &bound).limit(60));
    let (text, statistics) = change.success();
    assert_eq!((statistics.served("pdgemm"), statistics.all_left()), (3 * ranks as u64, 0), "{statistics:?}");
    let kilobytes = text.trim().strip_prefix("ok kilobytes=").and_then(|value| value.parse::<i64>().ok());
    let kilobytes = kilobytes.unwrap_or_else(|| panic!("{text}"));
    (statistics.memory(), u64::try_from(kilobytes).unwrap_or(0) << 10)
}

#[test]
fn products_keep_to_the_bound() {
    let Some(program) = client("pblas_memory", "", &[]) else { return };
    let shapes = [(2, ["1", "2"]), (4, ["2", "2"])];
    let shapes = by_mpi(&shapes[..], &shapes[..1]);
    for &(ranks, grid) in shapes {
        for bound in [64 << 10, 1 << 20, 4 << 20] {
            let (told, grown) = measure(&program, bound, ranks, grid);
            assert!(told > 0 && told <= bound, "{told} bytes by the statistics, {bound} permitted");
            // The MPI library's buffers grow as well.
            let permitted = bound + bound / 8 + (512 << 10);
            assert!(
                grown <= permitted,
                "{ranks} ranks: {grown} bytes, {bound} permitted, {told} by the statistics"
            );
            // The statistics do not say less than is used.
            assert!(
                grown <= told + told / 8 + (512 << 10),
                "{ranks} ranks: {grown} bytes, {told} by the statistics"
            );
        }
    }
}
