//! `hcube-lab simulate` as users start it: small sizes on every machine, the same bytes twice, refusals, and
//! a driver that hangs. Needs SimGrid and target/smpi, which scripts/test.sh builds.

mod bsp;
mod coarrays;
mod hosts;
mod kernels;
mod messages;
mod subsequences;

use hcube_testing as common;

use common::Mpi;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

static TOOL: LazyLock<String> = LazyLock::new(common::lab);

const DRIVERS: [&str; 13] = [
    "random_access",
    "buckets",
    "alltoall",
    "gemm",
    "bsp",
    "caf",
    "caf_operations",
    "caf_updates",
    "fft",
    "panels",
    "lcs",
    "matmul",
    "transposes",
];

/// A platform for cases that do not run.
const ONE_HOST: &str = "<?xml version='1.0'?>\n\
    <!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
    <platform version=\"4.1\"><zone id=\"all\" routing=\"Full\"><host id=\"one\" speed=\"1Gf\"/></zone></platform>\n";

/// The folder with platform and drivers, as scripts/simulate.sh builds them.
fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut script = Command::new(common::root().join("scripts/simulate.sh"));
        common::output(script.env("HCUBE_BUILD_ONLY", "1").env_remove("LD_LIBRARY_PATH"));
        common::root().join("target/simulate")
    })
}

/// Whether a test that runs simulations has its turn.
fn has_its_turn() -> bool {
    common::only_with(Mpi::Open, "once is enough: SimGrid is neither of the two")
}

fn tool(arguments: &[&str]) -> Output {
    let mut command = Command::new(TOOL.as_str());
    command.arg("simulate").args(arguments);
    command.output().expect("the tool starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of the test's own, with what scripts/simulate.sh has built.
fn copy_of_root(name: &str) -> PathBuf {
    let folder = common::build().join("clients/simulate").join(name);
    // Files of an earlier run would be taken for those of this one.
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("the target directory is writable");
    for file in DRIVERS.into_iter().chain(["platform.so"]) {
        fs::copy(root().join(file), folder.join(file)).expect("built");
    }
    folder
}

/// Standard output of simulations that succeed.
fn simulated(mut command: Command, folder: &Path, arguments: &[&str]) -> String {
    command.args(["simulate", "--json", "--root"]).arg(folder).args(arguments);
    let output = command.output().expect("the tool starts");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn small_sizes_on_every_machine_are_right_and_the_same_twice() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("small");
    let sizes = [
        "--ranks",
        "1 2 3 5 8",
        "--ranks-per-node",
        "2",
        "--sections",
        "ranks,stock,schedules,transpositions",
    ];
    for machine in ["red-storm", "juropa", "juqueen"] {
        let arguments = [&["--machine", machine][..], &sizes].concat();
        let [first, second] = [1, 2].map(|_| simulated(Command::new(TOOL.as_str()), &folder, &arguments));
        assert_eq!(first, second, "{machine}");
        let algorithms = ["mpich4-in-place", "mpich5-in-place", "ompi-in-place", "mpich-out-of-place"]
            .into_iter()
            .chain(["ompi-out-of-place", "ring-out-of-place", "fftw-in-place"])
            .map(|name| format!("\"algorithm\": \"{name}\""));
        for sizes in ["\"ranks\": 5", "\"ranks\": 8"].map(str::to_owned).into_iter().chain(algorithms) {
            assert!(first.contains(&sizes), "{sizes} expected:\n{first}");
        }
        assert!(
            !first.lines().any(|line| line.contains("\"errors\"") && !line.contains("\"errors\": 0")),
            "{first}"
        );
    }
}

/// Two ranks of a node have its bandwidth each, in however many pieces they exchange.
#[test]
fn ranks_of_a_node_move_data_no_faster_than_it_can() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("bandwidth");
    for machine in ["juropa", "juqueen"] {
        let arguments = ["--machine", machine, "--ranks", "2", "--sections", "schedules"];
        let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let seconds = |algorithm: &str| {
            let rows = found["alltoall"].as_array().expect("a list");
            let row = rows.iter().find(|row| row["algorithm"] == algorithm).expect("simulated");
            row["seconds"].as_f64().expect("a number")
        };
        // One message in each direction, without a copy.
        let least = seconds("ring-out-of-place");
        for algorithm in ["mpich", "linear-shift", "hierarchical-sets"] {
            assert!(seconds(algorithm) > least, "{machine}: {algorithm} took {}", seconds(algorithm));
        }
    }
}

/// The number of a core that this process may use.
fn first_core() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list");
    cores.trim().split(['-', ',']).next().expect("a number").to_owned()
}

#[test]
fn the_machine_and_the_environment_of_the_simulator_change_nothing() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("elsewhere");
    // On two nodes, and on one, where all goes through shared memory; with two ranks on a node, whether
    // they would share cores here depends on whether there is one core or more.
    for (ranks, per_node) in [("2", "2"), ("8", "8"), ("16", "8")] {
        let placement = ["--machine", "juropa", "--ranks", ranks, "--ranks-per-node", per_node];
        let arguments = [&placement[..], &["--sections", "nodes,alltoall-nodes,small"]].concat();
        let usual = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
        for section in ["random_access", "alltoall"] {
            let found: Value = serde_json::from_str(&usual).expect("JSON");
            assert!(found[section].as_array().is_some_and(|results| !results.is_empty()), "{usual}");
        }
        let mut one_core = Command::new("taskset");
        one_core.args(["-c", &first_core(), TOOL.as_str()]);
        assert_eq!(simulated(one_core, &folder, &arguments), usual, "{ranks} ranks, on one core");
        for (name, value) in
            [("HCUBE_RANKS_PER_NODE", "1"), ("HCUBE_MEMORY", "4096"), ("HCUBE_LOOK_AHEAD", "16")]
        {
            let mut with_variable = Command::new(TOOL.as_str());
            with_variable.env(name, value);
            let found = simulated(with_variable, &folder, &arguments);
            assert_eq!(found, usual, "{ranks} ranks, with {name}={value}");
        }
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let missing = std::env::temp_dir().join("hcube-no-such-folder");
    let missing = missing.to_str().expect("UTF-8");
    let broken = common::build().join("clients/broken-machine.json");
    fs::create_dir_all(common::build().join("clients")).expect("the target directory is writable");
    fs::write(&broken, "{\"name\": \"x\"").expect("writable");
    let broken = broken.to_str().expect("UTF-8");
    for (arguments, message) in [
        (
            vec!["--machine", "red-strom"],
            "red-strom: no such file or machine; expected a file of 'hcube probe' or one of red-storm",
        ),
        (vec!["--machine", broken], "broken-machine.json: not JSON: it ends too early, on line 1"),
        (vec!["--sections", "ranks", "--ranks", "20000"], "red-storm has 10368"),
        (vec!["--sections", "ranks", "--ranks", "0"], "--ranks"),
        (vec!["--sections", "rank"], "look-ahead"),
        (vec!["--sections", "ranks", "--root", missing], "is missing (scripts/simulate.sh builds it)"),
    ] {
        let output = tool(&arguments);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(message), "{arguments:?}: {errors}");
    }
}

#[test]
fn what_is_missing_for_simulations_is_named() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("missing");
    let folder = folder.to_str().expect("UTF-8");
    let arguments = ["simulate", "--sections", "ranks", "--ranks", "1", "--root", folder];
    let few_handles = format!("ulimit -n 40; exec {} {}", *TOOL, arguments.join(" "));
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", &few_handles]);
    let mut nowhere = Command::new(TOOL.as_str());
    nowhere.args(arguments).env("PATH", "/nowhere");
    for (mut command, message) in [
        (
            nowhere,
            "smpirun is not in the search path: SimGrid is not installed (Debian's package libsimgrid-dev",
        ),
        (limited, "need 64 file handles, and 40 are available (ulimit -n)"),
    ] {
        let output = command.output().expect("starts");
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(message), "{errors}");
    }
    for driver in DRIVERS.into_iter().chain(["platform.so"]) {
        let (path, aside) = (Path::new(folder).join(driver), Path::new(folder).join("aside"));
        fs::rename(&path, &aside).expect("renamed");
        let output = Command::new(TOOL.as_str()).args(arguments).output().expect("starts");
        fs::rename(&aside, &path).expect("renamed");
        let errors = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && errors.contains(&format!("{driver} is missing")),
            "{errors}"
        );
    }
}

/// A folder in which a client takes the place of the driver of all-to-all exchanges.
fn folder_with_client(name: &str, client: &str) -> PathBuf {
    let folder = copy_of_root(name);
    let library = common::root().join("target/smpi/release");
    let mut compiler = Command::new("smpicc");
    compiler.args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-I"]);
    compiler.arg(common::root().join("include")).arg(common::root().join(format!("tests/c/{client}.c")));
    compiler.arg("-o").arg(folder.join("alltoall")).arg("-L").arg(&library).arg("-lhcube");
    common::output(compiler.arg(format!("-Wl,-rpath,{}", library.display())));
    folder
}

/// `hcube-lab simulate` with a driver that does not come to its end.
fn hanging(folder: &Path, kind: &str, limit: &str) -> Command {
    let mut command = Command::new(TOOL.as_str());
    command.args(["simulate", "--sections", "small", "--machine", "juropa", "--ranks", "6", "--root"]);
    command.arg(folder).args(["--time-limit", limit, "--jobs", "1"]).env("HCUBE_TEST_HANG", kind);
    command
}

/// Processes of which the command line names the folder, and that do not go soon.
fn left_of(folder: &Path) -> Vec<String> {
    let begin = Instant::now();
    let mut left = processes_of(folder);
    while !left.is_empty() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
        left = processes_of(folder);
    }
    left
}

fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().expect("UTF-8");
    let all = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| text(&line).replace('\0', " ")).filter(|line| line.contains(folder)).collect()
}

#[test]
fn a_hang_or_failure_is_told_with_ranks_and_what_they_wait_for() {
    if !has_its_turn() {
        return;
    }
    let folder = folder_with_client("hang", "simulate_hang");
    for (kind, expected) in [
        (
            "deadlock",
            [
                "is in a deadlock: no rank can go on",
                "ranks 0-1 in MPI_Recv: waiting for messages with tag 7 (0 from 1, 1 from 0)",
                "ranks 2-5 in MPI_Barrier: waiting in a barrier (2 ",
            ],
        ),
        // hcube's calls have PMPI_ names.
        (
            "inside",
            [
                "is in a deadlock: no rank can go on",
                "rank 2 in MPI_Recv: waiting for messages with tag 8 (2 from any)",
                "after MPI_Comm_size: waiting in a",
            ],
        ),
        (
            "livelock",
            [
                "has not ended after 10 s (--time-limit)",
                "rank 0 at MPI_Test: computing or polling",
                "rank 1 after MPI_Comm_size: polling for messages with tag 9 (1 from 0)",
            ],
        ),
        ("failure", ["has failed:\nthe driver gives up\n", "on 6 ranks (juropa-6x8)", "case algorithm="]),
    ] {
        let limit = if kind == "livelock" { "10" } else { "60" };
        let output = hanging(&folder, kind, limit).output().expect("starts");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{kind}: {errors}");
        for expected in expected {
            assert!(errors.contains(expected), "{kind}: {expected} expected:\n{errors}");
        }
        // The first case has been printed.
        assert!(errors.contains("case algorithm=hierarchical-sets,node=8,"), "{kind}: {errors}");
        assert_eq!(left_of(&folder), [""; 0], "{kind}");
    }
}

#[test]
fn an_interrupted_simulation_leaves_no_process() {
    if !has_its_turn() {
        return;
    }
    let folder = folder_with_client("interrupted", "simulate_hang");
    let mut command = hanging(&folder, "livelock", "600");
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts");
    let begin = Instant::now();
    let printed = folder.join(format!("runs/{}-0.out", child.id()));
    while !fs::read_to_string(&printed).is_ok_and(|text| text.contains("seconds")) {
        if begin.elapsed() > Duration::from_secs(60) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let started = begin.elapsed() <= Duration::from_secs(60);
    let process = i32::try_from(child.id()).expect("a process number");
    // SAFETY: has no preconditions; the process is a child that has not been waited for.
    assert_eq!(unsafe { libc::kill(process, libc::SIGINT) }, 0);
    assert!(started, "the driver does not start");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.code() == Some(2), "{}", output.status);
    assert!(text(&output.stderr).contains("interrupted"), "{}", text(&output.stderr));
    assert_eq!(left_of(&folder), [""; 0]);
}

/// A message of n bytes takes the latency, what each link adds, and n bytes at the bandwidth; as much where
/// both directions are in use.
#[test]
fn single_messages_take_what_the_machine_says() {
    if !has_its_turn() {
        return;
    }
    let folder = folder_with_client("messages", "simulate_messages");
    // Ranks with two per node, and partners of rank 0 with the links to them; 0 is inside the node. The
    // parts of the machines are 2 x 2 x 2 nodes, two switches with 24 nodes each, and 3 x 3 x 3 x 4 x 2
    // nodes, where the last of the four is a neighbour by the link that joins the ends.
    for (name, ranks, partners) in [
        ("red-storm", "16", [(1, 0), (2, 1), (14, 3)]),
        ("juropa", "64", [(1, 0), (2, 2), (48, 4)]),
        ("juqueen", "400", [(1, 0), (2, 1), (162, 1)]),
    ] {
        let machine = fs::read_to_string(common::root().join(format!("results/src/machine/{name}.json")));
        let machine: Value = serde_json::from_str(&machine.expect("it comes with hcube")).expect("JSON");
        let mut command = Command::new(TOOL.as_str());
        command.args(["simulate", "--sections", "small", "--ranks-per-node", "2", "--json", "--root"]);
        command.arg(&folder).args(["--machine", name, "--ranks", ranks]);
        let peers = partners.map(|(peer, _)| peer.to_string()).join(" ");
        let found: Value =
            serde_json::from_str(&common::output(command.env("HCUBE_TEST_PEERS", peers))).expect("JSON");
        let measured = found["alltoall"][0]["way"].as_str().expect("what the client measured").to_owned();
        let mut count = 0;
        for message in measured.split(';').filter(|message| !message.trim().is_empty()) {
            let numbers: Vec<f64> =
                message.split_whitespace().map(|number| number.parse().expect("a number")).collect();
            let [peer, bytes, one_way, both_ways] = numbers[..] else { panic!("{message}") };
            let links = partners.iter().find(|(known, _)| f64::from(*known) == peer).expect("asked for").1;
            let link = &machine[if links == 0 { "node" } else { "network" }];
            let figure = |name: &str| link[name].as_f64().unwrap_or(0.0);
            let latency = figure("latency_us") + f64::from(links) * figure("hop_latency_us");
            let expected = 1e-6 * latency + bytes / (1e9 * figure("bandwidth_gb_s"));
            for seconds in [one_way, both_ways] {
                // SimGrid adds 16 bytes to a message, and reading its clock takes 10 ns: less than a link
                // adds.
                assert!(
                    (seconds - expected).abs() < 30e-9 + 0.005 * expected,
                    "{name}: rank 0 and {peer}, {bytes} bytes: {seconds}, {expected} expected"
                );
            }
            count += 1;
        }
        assert_eq!(count, 9, "{measured}");
    }
}
