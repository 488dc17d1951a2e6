//! The checks on simulated ranks (SimGrid SMPI), which share one thread: a wait that does not enter the
//! simulator never ends, and a static would belong to all ranks. Needs target/smpi, which scripts/simulate.sh
//! builds.

mod common;

use hcube_testing::{Launch, Mpi, build, folder, root};
use std::process::Command;
use std::{fmt::Write, fs};

/// A cluster with two ranks per host.
fn platform(ranks: usize) -> [String; 2] {
    let folder = folder("smpi");
    let paths = ["core_cluster.xml", "core_hosts"].map(|name| folder.join(format!("{name}_{ranks}")));
    let xml = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="machine" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="1GBps" lat="5us"/>
  </zone>
</platform>
"#;
    let hosts = (0..ranks).fold(String::new(), |mut text, rank| {
        writeln!(text, "node-{}", rank / 2).expect("a string takes all");
        text
    });
    fs::write(&paths[0], xml).expect("writable");
    fs::write(&paths[1], hosts).expect("writable");
    paths.map(|path| path.to_string_lossy().into_owned())
}

#[test]
fn checks_pass_on_simulated_ranks() {
    if !hcube_testing::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    let library = root().join("target/smpi/release");
    assert!(
        library.join("libhcube_core_client.so").exists(),
        "no library in {}: scripts/simulate.sh builds it",
        library.display()
    );
    let program = common::compile("smpicc", &library, build().join("clients/smpi/core_client"));
    for ranks in [1, 2, 3, 5, 8, 16] {
        let [platform, hosts] = platform(ranks);
        let mut command = Command::new("smpirun");
        command.args(["-np", &ranks.to_string(), "-platform", &platform, "-hostfile", &hosts]);
        // Neither client nor library keeps state of a rank in statics, so ranks need no copy of them.
        command.args(["-no-privatize", "--cfg=smpi/simulate-computation:no", "--log=root.thres:critical"]);
        command.arg(&program);
        // cargo points it at libraries that were built for another MPI library.
        command.env_remove("LD_LIBRARY_PATH");
        let text = Launch::new(&program, ranks).supervise(command).success();
        common::assert_passed(&text, ranks);
    }
}
