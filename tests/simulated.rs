//! Updates, matrix products, supersteps and coarrays on simulated ranks (SimGrid SMPI): the third MPI
//! library, with a third ABI, and numbers of ranks that this machine cannot run. Needs target/smpi, which
//! scripts/test.sh builds.

use hcube_testing as common;

use common::{Launch, Mpi, Outcome};
use std::fmt::Write;
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
    // A launcher of another test may be reading them.
    common::write(&platform, &xml);
    common::write(&hosts, &lines);
    (platform, hosts)
}

/// A program of the source tree, compiled once.
fn client(source: &str) -> PathBuf {
    linked_to(source, "hcube")
}

/// The same with one of the libraries.
fn linked_to(source: &str, name: &str) -> PathBuf {
    let library = common::root().join("target/smpi/release");
    let file = format!("lib{name}.so");
    assert!(library.join(&file).exists(), "no {file} in {}: scripts/test.sh builds it", library.display());
    let source = common::root().join(source);
    let program = common::folder("smpi")
        .join(format!("{}-{name}", source.file_stem().expect("a file").to_string_lossy()));
    common::made_once(program, |program| {
        let mut compiler = Command::new("smpicc");
        compiler
            .args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-I"])
            .arg(common::root().join("include"));
        compiler.arg(source).arg("-o").arg(program);
        compiler
            .arg("-L")
            .arg(&library)
            .arg(format!("-l{name}"))
            .arg(format!("-Wl,-rpath,{}", library.display()));
        common::output(&mut compiler);
    })
}

/// Runs a client on simulated ranks, with SimGrid's log of these categories.
fn run(program: PathBuf, ranks: usize, ranks_per_node: usize, arguments: &[String], log: &str) -> Outcome {
    let (platform, hosts) = platform(ranks_per_node);
    let mut command = Command::new("smpirun");
    command.args(["-np", &ranks.to_string(), "-platform"]).arg(platform).arg("-hostfile").arg(hosts);
    // Neither clients nor library keep state of a rank in statics, so ranks need no copy of them.
    command.args(["-no-privatize", "--cfg=smpi/simulate-computation:no", "--log=root.thres:critical", log]);
    // By default tests of a pending request take longer and longer.
    command.args(["--cfg=smpi/test:0", "--cfg=smpi/iprobe:0"]);
    command.arg(&program);
    // cargo points it at a libhcube.so that was built for another MPI library.
    command.env_remove("LD_LIBRARY_PATH");
    Launch::new(program, ranks).args(arguments).limit(90).simulated().supervise(command)
}

/// `mode` is a number of HCUBE_MODE_*.
fn check(ranks_per_node: usize, mode: i32, communicator: &str, path: &str) {
    let arguments = ["12".to_owned(), mode.to_string(), communicator.to_owned()];
    let program = client("tests/c/simulated.c");
    let text = run(program, RANKS, ranks_per_node, &arguments, "--log=root.thres:critical").success();
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

/// Every simulated rank has its own state, though all of them are in one process.
#[test]
fn supersteps_on_simulated_ranks() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    let program = linked_to("tests/c/bsp/simulated.c", "hcube_bsp");
    for (ranks, ranks_per_node) in [(1, 1), (7, 3), (16, 1), (64, 8)] {
        let outcome = run(program.clone(), ranks, ranks_per_node, &[], "--log=root.thres:critical");
        assert_eq!(outcome.success(), format!("ok {ranks}\n"));
    }
}

/// What puts, panels and barriers leave in the drivers of benchmarks.
#[test]
fn benchmarks_on_simulated_ranks() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    let supersteps = ["by=hcube,to=next,puts=3", "by=hcube,to=all,puts=16", "by=mpich,node=4"];
    let supersteps = supersteps.map(|case| format!("{case},before=1,supersteps=2"));
    let panels = ["loop=benchmark,bytes=4096,panels=4,rest=1000,touch=0.1".to_owned()];
    for (program, cases) in [
        (linked_to("lab/simgrid/bsp.c", "hcube_bsp"), &supersteps[..]),
        (client("lab/simgrid/panels.c"), &panels),
    ] {
        let text = run(program, 16, 4, cases, "--log=root.thres:critical").success();
        assert_eq!(text.lines().filter(|&line| line == "errors\t0").count(), cases.len(), "{text}");
    }
}

/// Images of a coarray program have a state each as well; the driver checks every word that it reads.
#[test]
fn coarrays_on_simulated_images() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    let teams = ["world", "all", "row", "column"].map(|team| format!("what=team,team={team}"));
    let updates = ["events", "spawn"].map(|what| format!("what={what},values=32"));
    let operations =
        "put get put-strided fetch-add lock copy-async event barrier broadcast allreduce spawn-xor";
    let operations = operations.split(' ').map(|one| format!("operation={one},bytes=4096,together-us=100"));
    let operations: Vec<String> = operations.collect();
    for (driver, cases) in [("caf", &teams[..]), ("caf_updates", &updates), ("caf_operations", &operations)] {
        let program = client(&format!("lab/simgrid/{driver}.c"));
        for (ranks, ranks_per_node) in [(1_usize, 1), (7, 3), (16, 1), (64, 8)] {
            // Values are routed along a hypercube; operations have a target.
            let is_possible = match driver {
                "caf_updates" => ranks.is_power_of_two(),
                "caf_operations" => ranks > 1,
                _ => true,
            };
            if !is_possible {
                continue;
            }
            let outcome = run(program.clone(), ranks, ranks_per_node, cases, "--log=root.thres:critical");
            let text = outcome.success();
            let right = text.lines().filter(|&line| line == "errors\t0").count();
            assert_eq!((right, text.matches("case\t").count()), (cases.len(), cases.len()), "{text}");
        }
    }
}

/// The driver checks every number.
#[test]
fn transpositions_on_simulated_ranks() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    let cases = ["in-place=1", "in-place=0"].map(|place| format!("rows=64,before=3,repeat=3,{place}"));
    let program = client("lab/simgrid/transposes.c");
    for (ranks, ranks_per_node) in [(1, 1), (4, 2), (16, 4)] {
        let text = run(program.clone(), ranks, ranks_per_node, &cases, "--log=root.thres:critical").success();
        assert_eq!(text.lines().filter(|&line| line == "errors\t0").count(), cases.len(), "{text}");
    }
}

/// The result of the driver of products for a case.
struct Product {
    case: String,
    communication: f64,
    path: String,
}

/// Products of which every element is compared.
fn products(ranks: usize, ranks_per_node: usize, cases: &[String]) -> Vec<Product> {
    let program = client("lab/simgrid/gemm.c");
    let text = run(program, ranks, ranks_per_node, cases, "--log=root.thres:critical").success();
    let product = |record: &str| {
        let field = |name: &str| {
            let start = format!("{name}\t");
            let line = record.lines().find_map(|line| line.strip_prefix(&start));
            line.unwrap_or_else(|| panic!("{name} expected: {text}")).to_owned()
        };
        assert_eq!(field("errors"), "0", "{record}");
        let communication = field("communication").parse().expect("a number");
        Product { case: field("case"), communication, path: field("path") }
    };
    let products: Vec<Product> =
        text.split("\n\n").filter(|record| !record.is_empty()).map(product).collect();
    assert_eq!(products.len(), cases.len(), "{text}");
    products
}

/// Ranks, grid, size; groups that do not divide the grid, and three levels.
const SHAPES: [(usize, &str, &str, [&str; 4]); 3] = [
    (6, "2x3", "m=30,n=31,k=50", ["1x1", "2x2", "1x2,levels=3", "2x3"]),
    (20, "4x5", "m=37,n=41,k=60,block=7", ["1x1", "3x2", "2x2,levels=3", "4x5"]),
    (64, "8x8", "m=70,n=65,k=90", ["1x1", "3x5", "2x3,levels=3", "8x8"]),
];

#[test]
fn products_on_simulated_ranks() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    // Each simulation is one thread.
    std::thread::scope(|scope| {
        for ranks_per_node in [1, 2, 4] {
            scope.spawn(move || products_of_all_shapes(ranks_per_node));
        }
    });
}

fn products_of_all_shapes(ranks_per_node: usize) {
    for (ranks, grid, size, groups) in SHAPES {
        let mut cases = Vec::new();
        for (turn, broadcast) in ["binomial", "ring", "scatter-allgather", "auto"].into_iter().enumerate() {
            for (number, groups) in groups.into_iter().enumerate() {
                // On more ranks every broadcast and every partition once.
                if ranks > 6 && number != (turn + ranks_per_node) % 4 {
                    continue;
                }
                let algorithm = if number == 0 { "summa" } else { "hsumma" };
                // Blocks of one size, and outer blocks that inner ones do not divide.
                let outer = if number % 2 == 0 { 5 } else { 13 };
                // Every second case shares panels in less than a node.
                let sharing = if number % 2 == 0 { 0 } else { 2 };
                cases.push(format!(
                    "grid={grid},{size},algorithm={algorithm},groups={groups},broadcast={broadcast},inner=5,\
                     outer={outer},ranks_per_node={sharing},check=all"
                ));
            }
        }
        for product in products(ranks, ranks_per_node, &cases) {
            let expected = if product.case.contains("algorithm=summa") { "summa" } else { "hsumma" };
            assert!(product.path == expected, "{}: {}", product.case, product.path);
        }
    }
}

/// Sender, receiver and bytes of the messages with panels, in any order.
fn messages(ranks: usize, case: &str) -> Vec<[u64; 3]> {
    // Tags of panels: GEMM_PANELS in the core.
    const PANELS: std::ops::Range<u64> = 256..1280;
    let program = client("lab/simgrid/gemm.c");
    let outcome = run(program, ranks, 1, &[case.to_owned()], "--log=smpi_request.thres:verbose");
    let message = |line: &str| {
        let field = |name: &str| {
            let text = line.split_once(name)?.1.split([',', ']']).next()?;
            text.parse::<u64>().ok()
        };
        let is_panel = line.contains("New send") && PANELS.contains(&field("tag = ")?);
        is_panel.then_some([field("src = ")?, field("dst = ")?, field("size = ")?])
    };
    let mut messages: Vec<[u64; 3]> = outcome.stderr.lines().filter_map(message).collect();
    messages.sort_unstable();
    messages
}

/// One group, and a group for each rank, are SUMMA: the same messages and the same time.
#[test]
fn trivial_groups_are_summa() {
    if !common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two") {
        return;
    }
    for broadcast in ["binomial", "ring", "scatter-allgather"] {
        let case =
            |rest: &str| format!("grid=4x6,m=48,n=48,k=96,inner=8,broadcast={broadcast},check=all,{rest}");
        let cases =
            ["algorithm=summa", "algorithm=hsumma,groups=1x1", "algorithm=hsumma,groups=4x6"].map(case);
        let times: Vec<f64> = products(24, 1, &cases).iter().map(|product| product.communication).collect();
        assert!(times.iter().all(|time| (time / times[0] - 1.0).abs() < 1e-6), "{broadcast}: {times:?}");
        let [summa, one, each] = cases.map(|case| messages(24, &case));
        assert!(!summa.is_empty() && summa == one && summa == each, "{broadcast}: other messages");
        let groups = messages(24, &case("algorithm=hsumma,groups=2x3"));
        assert_ne!(summa, groups, "{broadcast}");
    }
}
