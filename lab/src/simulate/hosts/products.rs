//! Products of square matrices: `hcube bench gemm`.
//!
//! Only hcube's: ScaLAPACK's broadcasts are functions of BLACS. Only the inner indices are block-cyclic, as
//! in the measurements; rows of A, columns of B and the result have the block distribution.

use super::run::{Hosts, Run, of_hcube};
use hcube_tool::grids::nearest_square;

/// The driver.
const DRIVER: &str = "gemm";
/// Orders, as `hcube-lab hosts bench` measures them, and the benchmark's blocks.
const ORDERS: [u64; 2] = [512, 1024];
const BLOCK: u64 = 64;

/// All products.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let (rows, columns) = nearest_square(hosts.ranks);
    let multiply_ns = hosts.share() * hosts.machine.costs.multiply_ns;
    let run = |order: u64| {
        let subject = format!("pdgemm NN {order}, NB {BLOCK}, {rows}x{columns}");
        let text = format!(
            "grid={rows}x{columns},m={order},n={order},k={order},block={BLOCK},multiply={multiply_ns},check=corners"
        );
        // Three matrices, and panels.
        let bytes_per_rank = 4 * 8 * order * order / hosts.ranks as u64;
        Run { driver: DRIVER, bytes_per_rank, ..of_hcube(subject, text) }
    };
    ORDERS.into_iter().map(run).collect()
}
