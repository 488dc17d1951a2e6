//! Several hosts: network namespaces with Open MPI's daemons and TCP between them (hosts.rs of
//! tests/support).
//!
//! Nodes are hosts, not emulated by HCUBE_RANKS_PER_NODE. Every test of an exchange checks its path:
//! otherwise a test of messages between nodes might run on one node.

use hcube_testing as common;

mod bsp;
mod caf;
mod gemm;
mod gfortran;
mod lcs;
mod matmul;

use common::alltoall::Run;
use common::hosts::{Hosts, KEEPALIVE, all_gone, new_hosts};
use common::preload::{Preloaded, c_client, c_forms, fortran_client, python, served};
use common::update::{MESSAGE, NODE, Path, THREE_HOP, check, standard_cases};
use common::{Language, Launch, Mpi, Outcome};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Ranks on each host.
type Placement = &'static [usize];

// --- hosts -------------------------------------------------------------------------------------------

/// Ranks see the name and the memory of their own host, and process numbers that others have as well.
/// What they leave in that memory is found.
#[test]
fn hosts_have_nothing_in_common() {
    let Some(hosts) = new_hosts(2) else { return };
    let script = "touch /dev/shm/of-$(hostname); echo host=$(hostname) first=$(cat /proc/1/comm) \
                  files=$(ls /dev/shm | grep -c ^of-) interfaces=$(grep -c : /proc/net/dev)";
    let launch = Launch::new("sh", 2).args(["-c", script]).on(&hosts, &[1, 1]);
    let text = launch.run().success();
    let left = hosts.shared_memory().expect("hosts");
    for host in ["node1", "node2"] {
        assert!(text.contains(&format!("host={host} first=sh files=1 interfaces=2")), "{text}");
        assert_eq!(left[host], [format!("/dev/shm/of-{host}")]);
    }
}

/// Nothing is left of hosts after their test, though it fails or is killed.
#[test]
fn hosts_leave_nothing_behind() {
    let Some(hosts) = new_hosts(2) else { return };
    let processes = hosts.processes();
    assert!(processes.len() >= 3, "one for each host: {processes:?}");
    let failed = std::thread::spawn(move || {
        let _hosts = hosts;
        std::panic::resume_unwind(Box::new("a test that fails"));
    });
    assert!(failed.join().is_err());
    assert!(all_gone(&processes), "after a panic: {processes:?}");

    let program = std::env::current_exe().expect("the test's own path");
    let mut command = Command::new(program);
    command.args(["--exact", "hosts_until_killed", "--ignored", "--nocapture"]).stdout(Stdio::piped());
    let child = command.stderr(Stdio::null()).spawn().expect("this program");
    let output = child.wait_with_output().expect("a child can be waited for");
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.split_once("inside: ")).expect("a line of processes").1;
    let processes: Vec<u32> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
    assert!(!output.status.success() && processes.len() >= 3, "{output:?}");
    assert!(all_gone(&processes), "after SIGKILL: {processes:?}");
}

/// A part of the test above.
#[test]
#[ignore = "ends this program by SIGKILL"]
fn hosts_until_killed() {
    let Some(hosts) = new_hosts(2) else { return };
    let numbers: Vec<String> = hosts.processes().iter().map(u32::to_string).collect();
    println!("inside: {}", numbers.join(" "));
    // SAFETY: a signal to this very process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

// --- correct results ---------------------------------------------------------------------------------

/// The path of RandomAccess in a mode on hosts with these numbers of ranks.
fn path(placement: Placement, mode: i32) -> Path {
    let hosts = placement.len();
    match mode {
        _ if placement.iter().all(|&ranks| ranks == 1) => Path::Messages,
        MESSAGE => Path::Messages,
        THREE_HOP => Path::ThreeHop(hosts),
        // Three hops are chosen where they make larger messages: from three ranks on each of three hosts.
        0 if placement == [3, 3, 3] => Path::ThreeHop(hosts),
        _ => Path::Hypercube(hosts),
    }
}

/// Word by word the same as a serial loop, in every mode.
#[test]
fn random_access() {
    let Some(hosts) = new_hosts(4) else { return };
    let placements: [Placement; 8] =
        [&[1, 1], &[2, 2], &[3, 1], &[1, 3], &[2, 1, 1], &[3, 3, 3], &[1, 1, 1, 1], &[2, 1, 2, 1]];
    for placement in placements {
        let ranks = placement.iter().sum();
        let mut cases = standard_cases(path(placement, 0));
        for mode in [MESSAGE, NODE, THREE_HOP] {
            for case in ["table=11", "table=10,stream=lcg,start=zero", "table=9,count=uneven,look_ahead=64"] {
                cases.push((format!("{case},mode={mode}"), path(placement, mode)));
            }
        }
        check(Launch::client("update", ranks).on(&hosts, placement), ranks, "C", &cases);
    }
    // Ranks of a host that do not follow each other: 0, 2 and 4 on the first, 1 and 3 on the second.
    let cases = standard_cases(Path::Hypercube(2));
    check(Launch::client("update", 5).on_in_turn(&hosts, &[3, 2]), 5, "C", &cases);
}

/// Ranks of several hosts exchange messages; a grid inside of one host reads its memory.
#[test]
fn transpositions_on_grids() {
    let Some(hosts) = new_hosts(2) else { return };
    let runs: [(Placement, &str); 4] =
        [(&[1, 1], "ok 84 12"), (&[2, 2], "ok 120 0"), (&[3, 1], "ok 120 0"), (&[1, 3], "ok 120 12")];
    for (placement, expected) in runs {
        let ranks = placement.iter().sum();
        let text = Launch::client("grid_transpose", ranks).on(&hosts, placement).run().success();
        assert!(text.contains(expected), "{placement:?}: {expected} expected:\n{text}");
    }
}

/// The benchmark says which nodes it has found.
#[test]
fn the_tool_sees_the_nodes() {
    let Some(hosts) = new_hosts(3) else { return };
    let placements: [(Placement, &str); 2] = [
        (&[3, 1], "4 rank(s) on 2 node(s) (3, 1 per node)"),
        (&[2, 1, 1], "4 rank(s) on 3 node(s) (2, 1, 1 per node)"),
    ];
    for (placement, found) in placements {
        let launch = Launch::new(common::tool(), 4).on(&hosts, placement);
        let text =
            launch.args(["bench", "random-access", "--table-size", "14", "--no-progress"]).run().success();
        assert!(text.contains(found) && text.contains("verified: 0 errors"), "{found} expected:\n{text}");
    }
}

#[test]
fn official_hpcc() {
    let Some(hosts) = new_hosts(3) else { return };
    let runs: [(Placement, &str, &str); 4] = [
        (&[2, 2], "auto", "2 nodes, shared memory inside, hypercube between"),
        (&[3, 1], "three-hop", "2 nodes, three hops"),
        (&[2, 1, 1], "auto", "3 nodes, shared memory inside, hypercube between"),
        (&[1, 1], "auto", "messages in "),
    ];
    for (number, (placement, mode, path)) in runs.into_iter().enumerate() {
        let ranks = placement.iter().sum();
        let launch = |launch: Launch| launch.env("HCUBE_MODE", mode).on(&hosts, placement);
        common::hpcc::check(&format!("hpcc-hosts-{number}"), ranks, path, launch);
    }
    // HPL's rows on several hosts, with each of its broadcasts.
    let placements: [Placement; 6] = [&[2, 2], &[1, 1], &[2, 1, 1], &[1, 1, 1], &[3, 1], &[1, 2, 1]];
    for (broadcast, placement) in placements.into_iter().enumerate() {
        let ranks = placement.iter().sum();
        let input =
            common::hpcc::Input { columns: ranks, broadcast, depth: broadcast % 3, ..Default::default() };
        let launch = |launch: Launch| launch.env("HCUBE_HPCC", "ra,hpl").on(&hosts, placement);
        let stderr = common::hpcc::passes(&format!("hpcc-hosts-hpl-{broadcast}"), &input, ranks, launch);
        common::hpcc::announcement(&stderr, "HPL broadcast");
        assert!(!stderr.contains("HPCC's own code runs"), "{stderr}");
    }
}

/// Every path and schedule, with the path of each call in place checked by the client.
#[test]
fn alltoall() {
    let Some(hosts) = new_hosts(4) else { return };
    let placements: [Placement; 6] = [&[3, 1], &[2, 2], &[2, 1, 1], &[1, 3], &[1, 1, 1, 1], &[2, 2, 2]];
    let mut number = 0;
    for path in ["auto", "single-copy", "shared", "message"] {
        for schedule in ["auto", "mpich", "linear-shift", "hierarchical-sets", "library"] {
            let placement = placements[number % placements.len()];
            let environment = &[("HCUBE_PATH", path), ("HCUBE_ALLTOALL", schedule)];
            let (ranks, seed) = (placement.iter().sum(), 800 + number as u64);
            let run = Run { ranks, seed, cases: 40, largest: 20_000, more: &[], environment };
            let used = run.go_with(|launch| launch.on(&hosts, placement));
            number += 1;
            let together = placement.iter().any(|&ranks| ranks > 1);
            match (schedule, path) {
                ("library", _) => assert!(used.count("library") > 0, "{environment:?}"),
                (_, "message") => assert!(used.count("message") > 0, "{environment:?}"),
                _ if together => assert!(used.count("node+message") > 0, "{environment:?}"),
                _ => assert!(used.count("message") > 0, "{environment:?}"),
            }
            // By default the library's function is compared with hcube's algorithms.
            let may_forward = schedule == "library" || (schedule, path) == ("auto", "auto");
            assert!(may_forward || used.count("library") == 0, "{environment:?}");
        }
    }
}

/// Exchanges by messages between leaders of the hosts.
#[test]
fn alltoall_by_node_leaders() {
    let Some(hosts) = new_hosts(4) else { return };
    let placements: [Placement; 5] = [&[3, 1], &[2, 2], &[2, 1, 1], &[1, 3], &[2, 2, 2]];
    for (number, placement) in placements.into_iter().enumerate() {
        let environment = &[("HCUBE_ALLTOALL", "node-leaders")];
        let (ranks, seed) = (placement.iter().sum(), 850 + number as u64);
        let run = Run { ranks, seed, cases: 40, largest: 300, more: &[], environment };
        let used = run.go_with(|launch| launch.on(&hosts, placement));
        for kind in ["", "out-of-place:"] {
            assert!(used.count(&format!("{kind}node-leaders")) > 0, "{kind}: {placement:?}");
            assert_eq!(used.count(&format!("{kind}library")), 0, "{kind}: {placement:?}");
        }
    }
}

/// Other options for every call, including emulated nodes across hosts, and blocks that are sent in many
/// pieces.
#[test]
fn alltoall_with_all_options() {
    let Some(hosts) = new_hosts(3) else { return };
    let placements: [Placement; 3] = [&[3, 1], &[2, 1, 1], &[1, 2]];
    for (number, placement) in placements.into_iter().enumerate() {
        let (ranks, seed) = (placement.iter().sum(), 900 + number as u64);
        for (cases, largest, more) in [(120, 20_000, &["sweep"][..]), (15, 300_000, &[])] {
            let run = Run { ranks, seed, cases, largest, more, environment: &[] };
            let used = run.go_with(|launch| launch.on(&hosts, placement));
            assert!(used.count("message") + used.count("node+message") > 0, "{placement:?}");
            assert_eq!(used.count("library"), 0, "{placement:?}");
        }
    }
}

#[test]
fn bad_alltoall_input_is_refused_on_all_hosts() {
    let Some(hosts) = new_hosts(2) else { return };
    // A named schedule: calls that hcube forwards are checked only by the MPI library.
    let launch = Launch::client("alltoall_errors", 3).env("HCUBE_ALLTOALL", "linear-shift");
    let text = launch.on(&hosts, &[2, 1]).run().success();
    let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
    let refusals: u32 = last.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
    assert!(refusals >= 43, "{text}");
}

#[test]
fn transpositions() {
    let Some(hosts) = new_hosts(3) else { return };
    let runs: [(Placement, &str, &str); 4] = [
        (&[3, 1], "auto", "node+message"),
        (&[2, 1, 1], "shared", "node+message"),
        (&[1, 1, 1], "auto", "message"),
        (&[2, 1], "message", "message"),
    ];
    for (placement, path, used_path) in runs {
        let launch = Launch::client("transpose", placement.iter().sum()).env("HCUBE_PATH", path);
        let text = launch.on(&hosts, placement).run().success();
        let last = text.lines().find_map(|line| line.strip_prefix("ok ")).expect("a last line");
        let words: Vec<&str> = last.split(' ').collect();
        assert!(words[0].parse::<u32>().expect("a number") > 2 * (88 + 24), "{text}");
        assert_eq!((words[1], words[2]), ("15", used_path), "{placement:?}, {path}");
    }
}

/// Programs without calls of hcube; the statistics show the path of their calls.
#[test]
fn preloaded_programs() {
    let Some(hosts) = new_hosts(3) else { return };
    let c = || c_client(Language::C11, Mpi::selected());
    let python_client = common::root().join("tests/python/preload.py");
    let runs: [(&str, _, Option<_>, u64, Placement, bool); 4] = [
        ("c", c(), None, c_forms(), &[3, 1], true),
        ("c", c(), None, c_forms(), &[1, 1, 1], false),
        ("fortran", fortran_client(3), None, 1, &[2, 1], true),
        ("python", python().expect("mpi4py for Open MPI"), Some(python_client), 1, &[1, 2], true),
    ];
    for (name, program, argument, forms, placement, together) in runs {
        let ranks = placement.iter().sum();
        // A named schedule: by default hcube would forward calls out of place to the MPI library.
        let change = |launch: Launch| {
            launch.args(argument).env("HCUBE_ALLTOALL", "linear-shift").on(&hosts, placement)
        };
        let (text, statistics) =
            Preloaded::new(&format!("hosts-{name}"), program, ranks).with(change).success();
        assert!(text.contains("ok preload "), "{text}");
        served(&statistics, ranks, forms);
        let mut used: Vec<&str> = statistics.rows("MPI_Alltoallv", true).iter().map(|row| row.0).collect();
        used.sort_unstable();
        // The only rank of a host uses only messages.
        let expected = if together { &["message", "node+message"][..] } else { &["message"] };
        assert_eq!(used, expected, "{name} on {placement:?}");
    }
}

/// The algorithms between hosts are compared with each other and with the MPI library's function.
#[test]
fn preloaded_programs_compare_algorithms() {
    let Some(hosts) = new_hosts(2) else { return };
    let program = common::guest::program("between", Language::C11);
    let placements: [Placement; 3] = [&[1, 1], &[2, 2], &[3, 2]];
    for placement in placements {
        for argument in [None, Some("errors")] {
            let (ranks, name) = (placement.iter().sum::<usize>(), format!("hosts-between-{placement:?}"));
            let change = |launch: Launch| launch.args(argument).on(&hosts, placement);
            let (text, statistics) = Preloaded::new(&name, program.clone(), ranks).with(change).success();
            assert!(text.contains("ok between"), "{text}");
            let paths = |function, in_place| -> Vec<&str> {
                statistics.rows(function, in_place).iter().map(|row| row.0).collect()
            };
            for (function, in_place, path) in [
                ("MPI_Alltoall", false, "node-leaders"),
                ("MPI_Alltoall", true, "node-leaders"),
                ("MPI_Alltoallv", true, "node-leaders"),
            ] {
                assert_eq!(paths(function, in_place).contains(&path), ranks >= 4, "{statistics:?}");
            }
            let lists = paths("MPI_Alltoallv", true);
            assert!(lists.iter().any(|path| path.ends_with("message")), "{statistics:?}");
            assert!(paths("MPI_Alltoall", true).contains(&"library"), "{statistics:?}");
        }
    }
}

// --- faults ------------------------------------------------------------------------------------------

/// Clients that run until they are ended: the client, its argument, a variable with two of its values, and
/// the path that rank 0 prints for each.
type Endless = (&'static str, &'static str, &'static str, [(&'static str, &'static str); 2]);

const ENDLESS: [Endless; 2] = [
    (
        "killed",
        "elsewhere",
        "HCUBE_MODE",
        [("auto", " nodes, shared memory inside"), ("message", "messages in")],
    ),
    (
        "alltoall_faults",
        "endless",
        "HCUBE_PATH",
        [("auto", "ready: node+message"), ("message", "ready: message")],
    ),
];

/// Checks that a job was ended and left nothing behind.
fn ended(hosts: &Hosts, outcome: &Outcome, says: &str) {
    assert!(
        outcome.stdout.contains("ready: ") && outcome.stdout.contains(says),
        "{says} expected: {outcome:?}"
    );
    assert!(!outcome.status.success(), "{outcome:?}");
    assert!(outcome.left.is_empty(), "processes left: {outcome:?}");
    let left = hosts.shared_memory().expect("hosts");
    assert!(left.is_empty(), "shared memory was left behind: {left:?}");
}

/// A rank that dies ends the job on all hosts.
#[test]
fn a_killed_rank_ends_the_job() {
    let Some(hosts) = new_hosts(3) else { return };
    for (client, _, variable, values) in ENDLESS {
        for ((value, says), placement) in values.into_iter().zip([&[2, 1][..], &[1, 1, 2]]) {
            let launch = Launch::client(client, placement.iter().sum()).on(&hosts, placement);
            let outcome = launch.arg("killed").env(variable, value).limit(60).run();
            ended(&hosts, &outcome, says);
        }
    }
}

/// A host that is cut off ends the job, on its own side as well, as soon as Open MPI detects it.
///
/// TCP keeps waiting: a rank whose message is not acknowledged resends it for a quarter of an hour, and a
/// rank that only receives waits for ever. The daemons detect the cut by keepalive; hcube's waits must then
/// end with the job like the waits of any other program. With Open MPI's default settings this takes 480 s: a
/// program without hcube on two such hosts had ended 488 s after the cut (measured).
#[test]
fn a_host_cut_off_ends_the_job() {
    let [(_, idle), (_, between), (_, probes)] = KEEPALIVE;
    let patience = Duration::from_secs(idle + between * probes);
    for (client, argument, variable, values) in ENDLESS {
        for ((value, says), lost) in values.into_iter().zip([2, 1]) {
            // New hosts every time, since one of these is lost.
            let Some(hosts) = new_hosts(2) else { return };
            let cut = Arc::new(Mutex::new(None));
            let (moment, cutter) = (Arc::clone(&cut), hosts.cutter(lost));
            let launch = Launch::client(client, 4).arg(argument).env(variable, value).on(&hosts, &[2, 2]);
            let action = move || {
                // In the middle: not in the first exchange after the word.
                std::thread::sleep(Duration::from_millis(500));
                cutter();
                *moment.lock().expect("nobody panics with it") = Some(Instant::now());
            };
            let outcome = launch.interrupt("ready", action).limit(90).run();
            let cut = cut.lock().expect("nobody panics with it").expect("the run has begun");
            let lasted = cut.elapsed();
            assert!(outcome.stderr.contains("lost communication"), "{outcome:?}");
            // The rest is for daemons to end, and for a machine that is busy.
            assert!(
                lasted < patience + Duration::from_secs(40),
                "ended after {lasted:?} instead of {patience:?}"
            );
            ended(&hosts, &outcome, says);
        }
    }
}
