//! A small run of each system, of clients that check all results.

use crate::common::bsp::launch as bsp;
use crate::common::preload::{c_client, preload_variable};
use crate::common::{Language, Launch, Mpi, by_mpi, client, fftw, gfortran, scalapack};

/// A run of a system.
pub struct System {
    pub name: &'static str,
    launch: fn(usize) -> Launch,
    /// What it prints when all is right.
    pub said: &'static str,
    /// Whether this machine has what it needs; otherwise the test is skipped by name.
    pub is_possible: fn() -> bool,
}

impl System {
    const fn new(name: &'static str, said: &'static str, launch: fn(usize) -> Launch) -> Self {
        Self { name, launch, said, is_possible: || true }
    }

    const fn where_possible(self, is_possible: fn() -> bool) -> Self {
        Self { is_possible, ..self }
    }

    /// The ranks of every run.
    pub fn ranks(&self) -> usize {
        by_mpi(3, 2)
    }

    /// Without a fault.
    pub fn launch(&self) -> Launch {
        (self.launch)(self.ranks()).whole_lines().limit(60)
    }
}

/// A program that knows nothing of hcube, under the preload library.
fn preloaded(ranks: usize, path: &str) -> Launch {
    let client = c_client(Language::C11, Mpi::selected());
    Launch::new("env", ranks).arg(preload_variable()).arg(client).arg("preload").env("HCUBE_PATH", path)
}

/// Files of 8 MiB at most: units of 512 bytes.
const SHORT_FILES: &str = "ulimit -f 16384; exec \"$0\" \"$@\"";

pub const SYSTEMS: [System; 17] = [
    System::new("all-to-all by slots", "ok preload", |ranks| preloaded(ranks, "shared")),
    System::new("all-to-all by single copy", "ok preload", |ranks| preloaded(ranks, "single-copy")),
    System::new("all-to-all without files", "ok 4 cases", |ranks| {
        let launch =
            Launch::new("sh", ranks).args(["-c", SHORT_FILES]).arg(client("alltoall", Language::C11));
        let launch = launch.args(["900", "4", "20000"]).env("HCUBE_PATH", "shared");
        launch.env("HCUBE_MEMORY", "16777216")
    }),
    System::new("all-to-all in one buffer", "ok 20", |ranks| {
        Launch::client("alltoall_in_one_buffer", ranks).args(["1", "20", "40"])
    }),
    System::new("nonblocking all-to-all", "ok 2", |ranks| {
        // Open MPI 4 has no persistent ones.
        let launch = Launch::client(by_mpi("nonblocking", "persistent"), ranks);
        launch.args(["1", "2", "4", "500", "hcube"]).env("HCUBE_PATH", "single-copy")
    }),
    System::new("RandomAccess", "ok table=8", |ranks| Launch::client("update", ranks).arg("table=8")),
    System::new("RandomAccess on coarrays", "ok table=8", |ranks| {
        Launch::client("update", ranks).arg("table=8").env("HCUBE_MODE", "spawn")
    }),
    System::new("transposition on a grid", "ok", |ranks| Launch::client("grid_transpose", ranks)),
    System::new("transposition of FFTW", "ok shapes", |ranks| {
        fftw::always("fftw_transpose", fftw::Precision::Double, ranks).args(["shapes", "1", "4"])
    })
    .where_possible(fftw::has_source),
    System::new("Fourier transform", "ok", |ranks| Launch::client("fft", ranks)),
    System::new("product of matrices", "ok received", |ranks| {
        Launch::client("gemm_hosts", ranks).arg("1").arg(ranks.to_string()).args(["48", "48", "48", "8"])
    }),
    System::new("product of ScaLAPACK", "ok 6 cases", |ranks| {
        let program = scalapack::client("pblas", "", &[]).expect("ScaLAPACK");
        let launch = scalapack::stock("env", ranks).arg(scalapack::preload_variable()).arg(program);
        launch.args(["1", "6"]).arg(format!("{ranks}x1r")).arg(format!("1x{ranks}c"))
    })
    .where_possible(scalapack::available),
    System::new("panels of LU", "ok", |ranks| Launch::client("panel", ranks)),
    System::new("BSPlib", "ok", |ranks| bsp("bsp/random", ranks).args(["1", "1", "300"])),
    System::new("coarrays", "ok", |ranks| Launch::client("caf", ranks)),
    System::new("coarrays of gfortran", "synchronisation: passed", |ranks| {
        Launch::new(gfortran::program("synchronisation"), ranks)
    })
    .where_possible(gfortran::has_compiler),
    System::new("failed images", "has failed", |ranks| {
        Launch::client("caf_failures", ranks).args(["marked", "lock"])
    }),
];
