//! Updates on 64 simulated ranks (SimGrid SMPI): the third MPI library, with a third ABI, and sizes
//! that this machine cannot run. Needs target/smpi, which scripts/test.sh builds.

use hcube_testing as common;

use common::{Launch, Mpi};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const RANKS: usize = 64;

/// A cluster of 64 hosts, and for each rank the host it runs on.
fn platform(ranks_per_node: usize) -> (PathBuf, PathBuf) {
    let folder = common::folder("smpi");
    let (platform, hosts) = (folder.join("cluster.xml"), folder.join(format!("hosts-{ranks_per_node}")));
    let last = RANKS - 1;
    let xml = format!(
        r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="machine" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="1GBps" lat="5us"/>
  </zone>
</platform>
"#
    );
    let mut lines = String::new();
    for rank in 0..RANKS {
        writeln!(lines, "node-{}", rank / ranks_per_node).expect("a string takes all");
    }
    fs::write(&platform, xml).expect("writable");
    fs::write(&hosts, lines).expect("writable");
    (platform, hosts)
}

fn client() -> PathBuf {
    let library = common::root().join("target/smpi/release");
    assert!(library.join("libhcube.so").exists(), "no {}: scripts/test.sh builds it", library.display());
    let program = common::build().join("clients/smpi/simulated");
    let mut compiler = Command::new("smpicc");
    compiler
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(common::root().join("include"));
    compiler.arg(common::root().join("tests/c/simulated.c")).arg("-o").arg(&program);
    compiler.arg("-L").arg(&library).arg("-lhcube").arg(format!("-Wl,-rpath,{}", library.display()));
    common::output(&mut compiler);
    program
}

/// `mode` is a number of HCUBE_MODE_*.
fn check(ranks_per_node: usize, mode: i32, communicator: &str, path: &str) {
    let (platform, hosts) = platform(ranks_per_node);
    let program = client();
    let mut command = Command::new("smpirun");
    command.args(["-np", &RANKS.to_string(), "-platform"]).arg(platform).arg("-hostfile").arg(hosts);
    // Neither client nor library keeps state of a rank in statics, so ranks need no copy of them.
    command.args(["-no-privatize", "--cfg=smpi/simulate-computation:no", "--log=root.thres:critical"]);
    command.arg(&program);
    // cargo points it at a libhcube.so that was built for another MPI library.
    command.env_remove("LD_LIBRARY_PATH");
    let launch = Launch::new(program, RANKS).args(["12", &mode.to_string(), communicator]).limit(90);
    let text = launch.supervise(command).success();
    assert!(text.contains(&format!("ok {RANKS} | {RANKS} ranks, {path}")), "{path} expected:\n{text}");
}

#[test]
fn updates_on_64_simulated_ranks() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    for communicator in ["copy", "world"] {
        check(1, 1, communicator, "messages in 6 stages");
        check(1, 0, communicator, "messages in 6 stages");
        check(8, 0, communicator, "8 nodes, three hops");
        check(8, 2, communicator, "8 nodes, shared memory inside, hypercube between");
    }
}
