//! A small run of each system, of clients that check all results.

use crate::common::bsp::launch as bsp;
use crate::common::preload::{c_client, preload_variable};
use crate::common::{Language, Launch, Mpi, by_mpi};

/// A run of a system.
pub struct System {
    pub name: &'static str,
    launch: fn(usize) -> Launch,
    /// What it prints when all is right.
    pub said: &'static str,
}

impl System {
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

pub const SYSTEMS: [System; 12] = [
    System { name: "all-to-all by slots", launch: |ranks| preloaded(ranks, "shared"), said: "ok preload" },
    System {
        name: "all-to-all by single copy",
        launch: |ranks| preloaded(ranks, "single-copy"),
        said: "ok preload",
    },
    System {
        name: "nonblocking all-to-all",
        // Open MPI 4 has no persistent ones.
        launch: |ranks| {
            let launch = Launch::client(by_mpi("nonblocking", "persistent"), ranks);
            launch.args(["1", "2", "4", "500", "hcube"]).env("HCUBE_PATH", "single-copy")
        },
        said: "ok 2",
    },
    System {
        name: "RandomAccess",
        launch: |ranks| Launch::client("update", ranks).arg("table=8"),
        said: "ok table=8",
    },
    System {
        name: "RandomAccess on coarrays",
        launch: |ranks| Launch::client("update", ranks).arg("table=8").env("HCUBE_MODE", "spawn"),
        said: "ok table=8",
    },
    System {
        name: "transposition on a grid",
        launch: |ranks| Launch::client("grid_transpose", ranks),
        said: "ok",
    },
    System { name: "Fourier transform", launch: |ranks| Launch::client("fft", ranks), said: "ok" },
    System {
        name: "product of matrices",
        launch: |ranks| {
            Launch::client("gemm_hosts", ranks).arg("1").arg(ranks.to_string()).args(["48", "48", "48", "8"])
        },
        said: "ok received",
    },
    System { name: "panels of LU", launch: |ranks| Launch::client("panel", ranks), said: "ok" },
    System { name: "BSPlib", launch: |ranks| bsp("bsp/random", ranks).args(["1", "1", "300"]), said: "ok" },
    System { name: "coarrays", launch: |ranks| Launch::client("caf", ranks), said: "ok" },
    System {
        name: "failed images",
        launch: |ranks| Launch::client("caf_failures", ranks).args(["marked", "lock"]),
        said: "has failed",
    },
];
