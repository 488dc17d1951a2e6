//! What messages cost on simulated hosts, single ones and messages of all pairs: `lab/simgrid/messages.c`, by
//! which the costs were measured.

use super::{copy_of_root, has_its_turn, root};
use hcube_lab::simulate::platform::Platform;
use hcube_lab::simulate::smpirun::{Runner, Simulation};
use hcube_lab::simulate::spent::Spent;
use hcube_results::machine::Machine;
use hcube_results::machine::messages::Cost;
use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

/// What it prints: microseconds by name and size.
type Figures = HashMap<(String, u64), f64>;

const COPY_NS: f64 = 0.5;
/// Bytes of a message that is eager on all hosts.
const SHORT: u64 = 8;
/// Of the time of all pairs, as a factor.
const LARGEST_ERROR: f64 = 1.6;

/// Hosts on which each rank has its own processor.
fn hosts() -> Machine {
    let mut machine = Machine::find("hosts-openmpi").expect("a machine");
    let messages = machine.messages.as_mut().expect("costs");
    messages.shared_cores = 0;
    messages.copy_ns = COPY_NS;
    messages.network = vec![Cost { bytes: 8, us: 10.0 }, Cost { bytes: 65536, us: 60.0 }];
    machine
}

fn figures(name: &str, machine: &Machine, ranks: usize, arguments: &[&str]) -> Figures {
    on_hosts(name, machine, [ranks, 1], arguments)
}

/// On a number of ranks, with this number of them on each host.
fn on_hosts(name: &str, machine: &Machine, [ranks, on_host]: [usize; 2], arguments: &[&str]) -> Figures {
    let folder = copy_of_root(name);
    fs::copy(root().join("messages"), folder.join("messages")).expect("built");
    let platform = Platform::new(machine, ranks, on_host).expect("there is room");
    let simulation = Simulation {
        section: "messages",
        platform: &platform,
        ranks,
        driver: folder.join("messages"),
        arguments: arguments.iter().map(ToString::to_string).collect(),
        cases: Vec::new(),
        costs: String::new(),
        collectives: &[],
    };
    let (limit, spent) = (Duration::from_secs(600), Mutex::new(Spent::default()));
    let printed = Runner { root: folder, limit, spent }.run(0, &simulation).expect("the simulation ends");
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.to_owned();
        Some(((name, words.next()?.parse().ok()?), words.next()?.parse().ok()?))
    };
    printed.lines().filter_map(line).collect()
}

/// Microseconds for which a message is under way, where its sender and its receiver wait for its end.
fn under_way(machine: &Machine, bytes: u64) -> f64 {
    bytes as f64 / (1e3 * machine.network.bandwidth_gb_s)
}

fn is_near(found: f64, expected: f64) -> bool {
    // Two decimals are printed.
    (found - expected).abs() < 0.011
}

/// A copy is added to the time of a message that has arrived before its receive is posted, and to no other.
#[test]
fn only_receives_that_are_late_pay_a_copy() {
    if !has_its_turn() {
        return;
    }
    let machine = hosts();
    let eager = machine.messages.as_ref().map_or(0, |messages| messages.eager_bytes);
    let found = figures("late", &machine, 2, &["1", "131072", "late"]);
    let of = |name: &str, bytes| found[&(name.to_owned(), bytes)];
    for bytes in [8, 1024, 4096, 16384, 65536, 131_072] {
        let difference = of("late-network", bytes) - of("early-network", bytes);
        if bytes <= eager {
            let copy = 1e-3 * COPY_NS * bytes as f64;
            assert!(is_near(difference, copy), "{bytes}: {difference}, {copy} expected");
        } else {
            // The message has waited at its sender; the short one does not wait for it.
            assert!(difference.abs() < 0.2, "{bytes}: {difference}");
        }
    }
    // In advance, both messages cost what they cost alone.
    assert!(is_near(of("early-network", 8), 20.0), "{found:?}");
}

/// A blocking send of a message that is not eager waits for its receive, and costs as much as any other.
#[test]
fn long_messages_wait_for_their_receives() {
    if !has_its_turn() {
        return;
    }
    let mut machine = hosts();
    for eager_bytes in [20_000, 65_480] {
        machine.messages.as_mut().expect("costs").eager_bytes = eager_bytes;
        let found = figures("blocking", &machine, 2, &["1", "131072", "blocking"]);
        assert!(found.contains_key(&("eager-network".to_owned(), eager_bytes)), "{found:?}");
        let found = figures("costs", &machine, 2, &["1", "131072", "costs"]);
        for (bytes, us) in [(8, 10.0), (65536, 60.0), (131_072, 60.0 + 50.0 * 65536.0 / 65528.0)] {
            let found = found[&("network".to_owned(), bytes)];
            let expected = us + if bytes > eager_bytes { under_way(&machine, bytes) } else { 0.0 };
            assert!(is_near(found, expected), "{bytes}, eager up to {eager_bytes}: {found}");
        }
    }
}

/// The messages of many senders to one receiver take its processor one after the other.
#[test]
fn a_receiver_handles_one_message_at_a_time() {
    if !has_its_turn() {
        return;
    }
    let (ranks, machine) = (9, hosts());
    let found = figures("incast", &machine, ranks, &["1", "65536", "incast"]);
    for (bytes, us) in [(SHORT, 10.0), (65536, 60.0)] {
        let of = |name: &str| found[&(name.to_owned(), bytes)];
        // Sent at the same time, received one after the other; the question to each is a message, too.
        assert!(of("together") >= us / 2.0 && of("together") < of("in-turn"), "{found:?}");
        let expected = us + 10.0 + if bytes > SHORT { under_way(&machine, bytes) } else { 0.0 };
        assert!(is_near(of("in-turn"), expected), "{found:?}");
    }
}

/// Round trips of all pairs take about as long as measured: messages cost more there, and no less than where
/// a single pair exchanges them.
#[test]
fn all_pairs_take_the_measured_time() {
    if !has_its_turn() {
        return;
    }
    let hosts = |name: &&str| name.starts_with("hosts-");
    for machine in Machine::names().filter(hosts).map(|name| Machine::find(name).expect("valid")) {
        let messages = machine.messages.as_ref().expect("costs");
        for poll in &messages.polls {
            let on_host = if poll.ranks == 4 { 2 } else { 4 };
            let arguments = [&on_host.to_string(), "8", "pairs", "1"];
            let found = on_hosts("pairs", &machine, [poll.ranks, on_host], &arguments);
            let ratio = found[&("pairs-network".to_owned(), SHORT)] / poll.pairs_us.expect("measured");
            eprintln!("{} on {} ranks: {ratio:.2} of the measured time", machine.name, poll.ranks);
            assert!((1.0 / LARGEST_ERROR..LARGEST_ERROR).contains(&ratio), "{}: {ratio}", machine.name);
        }
    }
}
