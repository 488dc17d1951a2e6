//! `hcube-lab hosts`: programs on hosts of this machine, with each MPI library's launcher.

use hcube_testing as common;

use common::hosts::all_gone;
use common::{Language, client};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The command with these options; hosts where the machine can have them.
fn hosts(options: &[&str]) -> Option<Command> {
    if let Err(reason) = hcube_hosts::possible() {
        common::skip("hosts", &format!("this machine cannot have several hosts: {reason}"));
        return None;
    }
    let mut command = Command::new(common::lab());
    command.arg("hosts").args(options).env("LD_LIBRARY_PATH", common::build());
    command.stdin(Stdio::null());
    Some(command)
}

/// Whether this machine can delay frames.
fn has_taps() -> bool {
    let has_them = fs::exists("/dev/net/tun").unwrap_or(false);
    if !has_them {
        common::skip("hosts", "there is no /dev/net/tun");
    }
    has_them
}

/// Its output, sorted by lines, because ranks of several hosts print at the same time.
fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The launchers of this machine that start ranks on hosts.
fn launchers() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let exists = |name: &&str| {
        std::env::split_paths(&path).any(|folder| folder.join(format!("mpirun.{name}")).exists())
    };
    ["openmpi", "mpich", "openmpi5", "mpich5"].into_iter().filter(exists).collect()
}

const WHERE: &str = "echo $(hostname) $X ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $PWD";

/// Ranks that follow each other share a host, in the folder and with the variables of the command; with
/// `--in-turn` they do not.
#[test]
fn ranks_are_placed_on_hosts() {
    let folder = common::folder("lab-hosts").canonicalize().expect("a folder");
    let shown = folder.display();
    for mpi in launchers() {
        let options = ["--mpi", mpi, "--hosts", "2", "--ranks-per-host", "2", "-x", "X"];
        let Some(mut command) = hosts(&options) else { return };
        let output = command.env("X", "x").args(["--", "sh", "-c", WHERE]).current_dir(&folder).output();
        let expected = ["node1 x 0", "node1 x 1", "node2 x 2", "node2 x 3"];
        assert_eq!(
            lines(&output.expect("it starts")),
            expected.map(|line| format!("{line} {shown}")),
            "{mpi}"
        );
        let Some(mut command) = hosts(&options) else { return };
        command.args(["--in-turn", "--", "sh", "-c", WHERE]).current_dir(&folder).env("X", "x");
        let expected = ["node1 x 0", "node1 x 2", "node2 x 1", "node2 x 3"];
        let output = command.output().expect("it starts");
        assert_eq!(lines(&output), expected.map(|line| format!("{line} {shown}")), "{mpi}");
    }
}

/// The command ends with the exit status of the program; an absent launcher is named.
#[test]
fn failures_are_passed_on() {
    let Some(mut command) = hosts(&["--mpi", "openmpi", "--", "sh", "-c", "exit 3"]) else { return };
    assert_eq!(command.output().expect("it starts").status.code(), Some(3));
    let Some(mut command) = hosts(&["--mpi", "none", "--", "true"]) else { return };
    let output = command.output().expect("it starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("--mpi none: mpirun.none is not"), "{message}");
}

/// Through links with a rate, and through the relay, all data are right and go from host to host.
#[test]
fn exchanges_are_right_on_slow_links() {
    if !has_taps() {
        return;
    }
    let program = client("alltoall", Language::C11);
    for network in
        [&["--rate", "1gbit"][..], &["--latency", "1ms"], &["--latency", "300us", "--rate", "500mbit"]]
    {
        let options = ["--mpi", "openmpi", "--hosts", "3", "--ranks-per-host", "1"];
        let Some(mut command) = hosts(&[&options, network].concat()) else { return };
        let output = command.arg("--").arg(&program).args(["5", "6", "20000"]).output().expect("it starts");
        let text = lines(&output).concat();
        assert!(text.starts_with("ok 6 cases") && !text.contains(" message=0 "), "{network:?}: {output:?}");
    }
}

/// Both variants of a line have a time, and what they used.
fn assert_measured(line: &Value) {
    for variant in ["hcube", "competitor"].map(|name| &line[name]) {
        let used = |name: &str| variant["usage"][name].as_f64().expect("a number");
        assert!(variant["median_us"].as_f64() > Some(0.0), "{line}");
        // Each rank sends to another host. Beside other programs, measuring by itself may use as much of the
        // processors as a batch.
        assert!(used("processor_us") >= 0.0 && used("sent_packets") > 0.0, "{line}");
    }
}

/// A benchmark on hosts ends in lines with hcube beside its competitor, both verified.
#[test]
fn benchmarks_stand_beside_their_competitors() {
    let folder = common::folder("lab-hosts-bench");
    let Some(mut command) =
        hosts(&["bench", "--shapes", "2x1", "--libraries", common::Mpi::selected().name()])
    else {
        return;
    };
    let root = format!("--root={}", folder.display());
    let file = folder.join("results.json");
    command.args([&root, "--cases", "alltoall,alltoallv"]).arg(format!("--json={}", file.display()));
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let results: Value = serde_json::from_slice(&fs::read(&file).expect("results")).expect("JSON");
    let lines = results["lines"].as_array().expect("lines");
    let count = |case: &str| lines.iter().filter(|line| line["case"] == case).count();
    assert_eq!((count("alltoall"), count("alltoallv")), (5, 5), "{results}");
    for line in lines {
        assert_eq!(
            (&line["hosts"], &line["ranks_per_host"], &line["errors"]),
            (&2.into(), &1.into(), &0.into())
        );
        assert!(line["competitor"]["variant"] == "library-out-of-place", "{line}");
        assert_measured(line);
    }
    let Some(mut command) = hosts(&["bench", "--from"]) else { return };
    let drawn = folder.join("results.svg");
    let output = command.arg(&file).arg("--plot").arg(&drawn).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("of 10 lines"), "{output:?}");
    assert!(fs::read_to_string(&drawn).expect("a picture").contains("alltoallv"));
    let Some(mut command) = hosts(&["bench", "--libraries", "none"]) else { return };
    let output = command.arg(&root).output().expect("it starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && message.contains("--libraries none: there is no build"), "{message}");
}

/// A process that polls without result yields, with the library for this.
#[test]
fn polls_without_result_yield() {
    let library = Path::new(&common::lab()).with_file_name("libhcube_yielding.so");
    let program = client("polling", Language::C11);
    for (preload, expected) in [(Some(library), "20 of 20"), (None, "0 of 20")] {
        let output = Command::new(&program).envs(preload.map(|file| ("LD_PRELOAD", file))).output();
        assert_eq!(lines(&output.expect("it starts")), [expected]);
    }
}

/// Programs run in turn, and end where they have measured everything; where they are missing, a note says so.
#[test]
fn programs_stand_beside_each_other() {
    let folder = common::folder("lab-hosts-programs");
    let mpi = common::Mpi::selected().name();
    let Some(mut command) = hosts(&["bench", "--shapes", "2x1", "--libraries", mpi]) else { return };
    let root = format!("--root={}", folder.display());
    command.args([&root, "--cases", "random-access", "--json=-"]);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let results: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let [lines, notes] = ["lines", "notes"].map(|name| results[name].as_array().expect("a list").clone());
    if lines.is_empty() {
        let is_named = |note: &Value| note.as_str().is_some_and(|note| note.contains("HPCC left out: "));
        assert!(notes.iter().all(is_named) && notes.len() == 1, "{results}");
        return;
    }
    let line = &lines[0];
    let expected = (&"HPCC, 2^19 words".into(), &"stock".into(), &0.into());
    let competitor = &line["competitor"]["variant"];
    assert_eq!((&line["subject"], competitor, &line["errors"]), expected, "{results}");
    assert!(lines.len() == 1 && notes.is_empty(), "{results}");
    assert_measured(line);
    // Each of 2^21 updates goes to the other host with a probability of one half.
    for variant in ["hcube", "competitor"].map(|name| &line[name]["usage"]) {
        let bytes = variant["sent_bytes"].as_f64().expect("a number");
        let values = f64::from(8 << 20);
        assert!((0.9 * values..3.0 * values).contains(&bytes), "{line}");
        assert!(variant["processor_us"].as_f64() > Some(1e3), "{line}");
    }
    // Beside them lies the library that counts.
    let jobs = fs::read_dir(&folder).expect("its folder").flatten().filter(|file| file.path().is_dir());
    assert_eq!(jobs.count(), 6, "three jobs of each");
}

/// Nothing is left of hosts, processes and relay when the command is killed.
#[test]
fn nothing_is_left_after_sigkill() {
    if !has_taps() {
        return;
    }
    let options = ["--mpi", "openmpi", "--latency", "100us", "-x", "HCUBE_MARK"];
    let Some(mut command) = hosts(&options) else { return };
    let mark = format!("{}", std::process::id());
    command.args(["--", "sleep", "1000"]).env("HCUBE_MARK", &mark).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    // Launcher, relay, daemons and both ranks have it.
    let begin = Instant::now();
    let mut found = Vec::new();
    while found.iter().filter(|(_, name)| name == "sleep").count() < 4 {
        assert!(begin.elapsed() < Duration::from_secs(60), "{found:?}");
        std::thread::sleep(Duration::from_millis(50));
        found = marked(&mark);
    }
    child.kill().expect("a process of this test");
    let _ = child.wait();
    let processes: Vec<u32> = found.iter().map(|(process, _)| *process).collect();
    assert!(all_gone(&processes), "{:?}", marked(&mark));
}

/// Numbers and names of the processes with this mark.
fn marked(mark: &str) -> Vec<(u32, String)> {
    let wanted = format!("HCUBE_MARK={mark}");
    let folders = fs::read_dir("/proc").expect("/proc").flatten();
    let processes = folders.filter_map(|folder| folder.file_name().to_string_lossy().parse().ok());
    let of = |process: u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        environment.split(|&byte| byte == 0).find(|&variable| variable == wanted.as_bytes())?;
        let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
        Some((process, name.trim().to_owned()))
    };
    processes.filter_map(of).collect()
}
