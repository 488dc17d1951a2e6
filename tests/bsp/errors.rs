//! tests/c/bsp/errors.c: one error for each run. It ends the job on all processes; one line names function,
//! argument and value, and the expected value.

use crate::common::bsp::{Dialect, program, without_shared_memory};
use crate::common::guest::ranks;
use crate::common::{Language, Launch, Outcome};

/// Who finds an error, and what its line says before the text of the case.
#[derive(Debug, Clone, Copy)]
enum By {
    /// The process that makes it, which is the last one, in this function.
    Caller(&'static str),
    /// The same on one node; on several, process 0 at the end of the superstep.
    Receiver(&'static str),
    /// All processes; process 0 tells it, in `bsp_sync`.
    All,
}
use By::{All, Caller, Receiver};

/// Name, who finds it, and the text with `{last}` for the number of the last process, `{all}` for their
/// number.
type Case = (&'static str, By, &'static str);

const REGISTERED: &str = "expected a registered address";
const BEYOND: &str =
    "offset + nbytes = 65: expected at most 64, *process* has registered (offset = 61, nbytes = 4)";
const OUTSIDE: &str = "called outside of the SPMD part: expected between bsp_begin and bsp_end";
const ENDS: &str = "the program ends in its SPMD part: expected bsp_end before exit or the end of main";
const HUGE: &str = "nbytes = 18446744073709551615: expected at most 1099511627775";

const COPIES: &[Case] = &[
    ("put-unregistered", Caller("bsp_put"), "dst = 0x*: expected a registered address"),
    ("get-unregistered", Caller("bsp_get"), "src = 0x*: expected a registered address"),
    ("hpput-unregistered", Caller("bsp_hpput"), "dst = 0x*: expected a registered address"),
    ("hpget-unregistered", Caller("bsp_hpget"), "src = 0x*: expected a registered address"),
    ("inside-registered", Caller("bsp_put"), "dst = 0x*: expected a registered address"),
    ("put-null", Caller("bsp_put"), "dst = NULL: expected a registered address"),
    ("get-null", Caller("bsp_get"), "src = NULL: expected a registered address"),
    ("put-from-null", Caller("bsp_put"), "src = NULL: expected an address of 4 bytes"),
    ("get-to-null", Caller("bsp_get"), "dst = NULL: expected an address of 4 bytes"),
    ("put-own-beyond", Caller("bsp_put"), "offset + nbytes = 65: expected at most 64, *process {last} *"),
    ("put-pid", Caller("bsp_put"), "pid = {all}: expected 0 to {last}"),
    ("get-pid", Caller("bsp_get"), "pid = {all}: expected 0 to {last}"),
    ("hpput-pid", Caller("bsp_hpput"), "pid = {all}: expected 0 to {last}"),
    ("hpget-pid", Caller("bsp_hpget"), "pid = {all}: expected 0 to {last}"),
    ("pid-negative", Caller("bsp_put"), "pid = -1: expected 0 or more"),
    ("put-negative", Caller("bsp_put"), "nbytes = -4: expected 0 or more"),
    ("put-negative-offset", Caller("bsp_put"), "offset = -1: expected 0 or more"),
    ("get-negative", Caller("bsp_get"), "nbytes = -2147483648: expected 0 or more"),
    ("hpget-negative-offset", Caller("bsp_hpget"), "offset = -2147483648: expected 0 or more"),
    ("used-at-once", Caller("bsp_put"), "dst = 0x*: expected a registered address; *call bsp_sync first*"),
    ("used-after-pop", Caller("bsp_put"), "dst = 0x*: expected a registered address"),
    ("direct-pid", Caller("bsp_direct_get"), "pid = {all}: expected 0 to {last}"),
    ("direct-unregistered", Caller("bsp_direct_get"), "src = 0x*: expected a registered address"),
    ("direct-beyond", Caller("bsp_direct_get"), "offset + nbytes = 65: expected at most 64, *"),
];

/// Those that are found where the memory is.
const RANGES: &[Case] = &[
    ("put-beyond", Caller("bsp_put"), BEYOND),
    ("get-beyond", Caller("bsp_get"), BEYOND),
    ("hpput-beyond", Caller("bsp_hpput"), "offset + nbytes = 100001: expected at most 64, *"),
    ("hpget-beyond", Caller("bsp_hpget"), "offset + nbytes = 100001: expected at most 64, *"),
    ("put-int-max", Caller("bsp_put"), "offset + nbytes = 2147483651: expected at most 64, *"),
    ("get-int-max", Caller("bsp_get"), "offset + nbytes = 4294967294: expected at most 64, *"),
    ("put-null-there", Receiver("put"), "process 0 has registered NULL here*: expected a process that has"),
    ("get-null-there", Receiver("get"), "process 0 has registered NULL here*: expected a process that has"),
];

const MESSAGES: &[Case] = &[
    ("send-pid", Caller("bsp_send"), "pid = {all}: expected 0 to {last}"),
    ("hpsend-pid", Caller("bsp_hpsend"), "pid = -1: expected 0 or more"),
    ("send-null", Caller("bsp_send"), "payload = NULL: expected an address of 4 bytes"),
    ("send-tag-null", Caller("bsp_send"), "tag = NULL: expected an address of 4 bytes"),
    ("send-negative", Caller("bsp_send"), "payload_nbytes = -1: expected 0 or more"),
    ("move-empty", Caller("bsp_move"), "the queue has no message: expected one *"),
    ("move-too-many", Caller("bsp_move"), "the queue has no message: expected one *"),
    ("move-null", Caller("bsp_move"), "payload = NULL: expected an address of 4 bytes"),
    ("move-negative", Caller("bsp_move"), "reception_nbytes = -1: expected 0 or more"),
    ("qsize-null", Caller("bsp_qsize"), "packets = NULL: expected an address"),
    ("qsize-bytes-null", Caller("bsp_qsize"), "accumulated_nbytes = NULL: expected an address"),
    ("get-tag-null", Caller("bsp_get_tag"), "status = NULL: expected an address"),
    ("hpmove-null", Caller("bsp_hpmove"), "tag_ptr = NULL: expected an address"),
    ("hpmove-payload-null", Caller("bsp_hpmove"), "payload_ptr = NULL: expected an address"),
    ("tagsize-null", Caller("bsp_set_tagsize"), "tag_nbytes = NULL: expected an address"),
    ("tagsize-negative", Caller("bsp_set_tagsize"), "[*]tag_nbytes = -1: expected 0 or more"),
    ("bcast-pid", Caller("bsp_bcast"), "pid = {all}: expected 0 to {last}"),
    ("bcast-null", Caller("bsp_bcast"), "dst = NULL: expected an address of 4 bytes"),
    ("fold-null", Caller("bsp_fold"), "operation = NULL: expected a function"),
];

const REGISTRATIONS: &[Case] = &[
    ("push-null", Caller("bsp_push_reg"), "ident = NULL: expected an address, or size = 0 (size = 4)"),
    ("push-negative", Caller("bsp_push_reg"), "size = -1: expected 0 or more"),
    ("pop-unregistered", Caller("bsp_pop_reg"), "ident = 0x*: expected a registered address"),
    ("pop-twice", Caller("bsp_pop_reg"), "ident = 0x*: expected a registered address (removed before *"),
];

/// Calls that differ between processes.
const DIFFERENCES: &[Case] = &[
    (
        "push-alone",
        All,
        "bsp_push_reg was called 0 times by process 0 and once by process {last} *: expected the same *",
    ),
    (
        "pop-alone",
        All,
        "bsp_pop_reg was called 0 times by process 0 and once by process {last} *: expected the same *",
    ),
    (
        "tagsize-alone",
        All,
        "bsp_set_tagsize was called 0 times by process 0 and once by process {last} *: expected *",
    ),
    (
        "tagsizes-differ",
        All,
        "bsp_set_tagsize: process 0 has set the tag size 4 and process {last} 8: expected the same *",
    ),
    (
        "pops-differ",
        All,
        "bsp_pop_reg: call 1 *registration 2 on process 0 and 0 on process {last} *: expected the same *",
    ),
    (
        "pops-differ-with-null",
        All,
        "bsp_pop_reg: call 2 *registration 3 on process 0 and 0 on *: expected the same *",
    ),
    ("null-nowhere", All, "bsp_pop_reg: ident = NULL: expected a registration that is NULL on all *"),
    ("null-elsewhere", All, "bsp_pop_reg: ident = NULL: expected a registration that is NULL on all *"),
    ("end-alone", All, "process 0 has called bsp_sync and process {last} bsp_end: expected the same *"),
];

const PARTS: &[Case] = &[
    ("begin-twice", Caller("bsp_begin"), "called twice: the SPMD part has begun"),
    ("init-late", Caller("bsp_init"), "called after bsp_begin: expected as the first statement of main"),
    ("late", Caller("bsp_sync"), OUTSIDE),
    ("late-put", Caller("bsp_put"), OUTSIDE),
    ("late-pid", Caller("bsp_pid"), OUTSIDE),
    ("late-end", Caller("bsp_end"), "called twice: the SPMD part has ended"),
    ("late-begin", Caller("bsp_begin"), "called twice: a program has one SPMD part"),
    ("exit", Caller("exit"), ENDS),
];

/// In the dialect with `size_t`.
const SIZES: &[Case] = &[
    ("put-size-max", Caller("bsp_put"), "offset + nbytes = 18446744073709551619: expected at most 64, *"),
    ("get-size-max", Caller("bsp_get"), HUGE),
    ("put-bytes-max", Caller("bsp_put"), HUGE),
    (
        "send-size-max",
        Caller("bsp_send"),
        "payload_nbytes = 18446744073709551615: expected at most 1099511627775",
    ),
    ("pid-negative", Caller("bsp_put"), "pid = 4294967295: expected 0 to {last}"),
];

/// Whether a text fits a pattern, in which `*` stands for any text and `[*]` for itself.
fn fits(text: &str, pattern: &str) -> bool {
    let pattern = pattern.replace("[*]", "\u{1}");
    let text = text.replace("*tag", "\u{1}tag");
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Runs a launch that must end by an error; its lines of hcube.
fn failure(launch: Launch, name: &str) -> (Outcome, Vec<String>) {
    let outcome = launch.whole_lines().run();
    assert!(!outcome.status.success() && outcome.left.is_empty(), "{name}: {outcome:?}");
    let lines = said(&outcome);
    (outcome, lines)
}

/// The output of hcube: each text contiguous up to the end of its line, which others may have begun.
fn said(outcome: &Outcome) -> Vec<String> {
    let texts = outcome.stderr.split("hcube: ").skip(1);
    texts.map(|text| text.split('\n').next().unwrap_or_default().to_owned()).collect()
}

fn expected((_, by, text): &Case, ranks: usize, one_node: bool) -> String {
    let last = ranks - 1;
    let text = text.replace("{last}", &last.to_string()).replace("{all}", &ranks.to_string());
    match by {
        Caller(function) => format!("process {last}: {function}: {text}"),
        Receiver(kind) if one_node => format!("process {last}: bsp_{kind}: {text}"),
        Receiver(kind) => {
            let kind = kind.trim_start_matches("hp");
            format!("process 0: bsp_sync: bsp_{kind} or bsp_hp{kind} by process {last}: {text}")
        }
        All => format!("process 0: bsp_sync: {text}"),
    }
}

fn check(case: &Case, dialect: Dialect, ranks: usize, one_node: bool) {
    let program = program("bsp/errors", Language::C11, dialect);
    let launch = Launch::new(program, ranks).arg(case.0);
    let launch = if one_node { launch } else { launch.env("HCUBE_RANKS_PER_NODE", "1") };
    let (outcome, lines) = failure(launch, case.0);
    let expected = expected(case, ranks, one_node);
    assert!(
        lines.len() == 1 && fits(&lines[0], &expected),
        "{} with {dialect:?}, one node {one_node}, expected '{expected}': {outcome:?}",
        case.0
    );
}

#[test]
fn patterns_are_compared() {
    assert!(fits("a = 0x12: b", "a = 0x*: b") && !fits("a = 0x12: bc", "a = 0x*: b"));
    assert!(fits("*tag_nbytes = -1", "[*]tag_nbytes = -1") && !fits("tag_nbytes = -1", "[*]tag_nbytes = -1"));
    assert!(!fits("a", "b") && fits("a b c", "a * c") && !fits("a b", "a * c") && !fits("a b", "a"));
    assert!(COPIES.iter().any(|(_, _, text)| text.ends_with(REGISTERED)));
}

#[test]
fn copies() {
    COPIES.iter().chain(RANGES).for_each(|case| check(case, Dialect::Classic, ranks(3), true));
}

#[test]
fn messages_and_registrations() {
    MESSAGES.iter().chain(REGISTRATIONS).for_each(|case| check(case, Dialect::Classic, ranks(3), true));
}

#[test]
fn differences_of_processes() {
    DIFFERENCES.iter().for_each(|case| check(case, Dialect::Classic, ranks(3), true));
    let names = ["push-alone", "tagsizes-differ", "pops-differ", "null-elsewhere", "end-alone"];
    let between_nodes = DIFFERENCES.iter().filter(|case| names.contains(&case.0));
    between_nodes.for_each(|case| check(case, Dialect::Classic, ranks(3), false));
}

#[test]
fn parts_of_the_program() {
    PARTS.iter().for_each(|case| check(case, Dialect::Classic, ranks(3), true));
    check(&PARTS[7], Dialect::Classic, ranks(3), false);
    // With one process, some launchers let it end by exit: that is no error as well.
    for case in [PARTS[7], COPIES[10], MESSAGES[5]] {
        check(&case, Dialect::Classic, 1, true);
    }
}

#[test]
fn sizes_of_the_other_dialect() {
    for one_node in [true, false] {
        SIZES.iter().for_each(|case| check(case, Dialect::Multicore, ranks(3), one_node));
    }
}

/// Ranges are checked against the largest size of all processes, and by the process that has the memory; the
/// rest of a call as on one node.
#[test]
fn copies_between_nodes() {
    RANGES.iter().for_each(|case| check(case, Dialect::Classic, ranks(3), false));
    let names = ["put-unregistered", "hpget-pid", "send-pid", "move-empty", "used-at-once", "pop-twice"];
    let all = COPIES.iter().chain(MESSAGES).chain(REGISTRATIONS);
    all.filter(|case| names.contains(&case.0))
        .for_each(|case| check(case, Dialect::Classic, ranks(3), false));
    let elsewhere =
        "pid = 0: expected a process of the same node *; bsp_get reads the memory of all processes";
    let case = ("direct-elsewhere", Caller("bsp_direct_get"), elsewhere);
    check(&case, Dialect::Classic, ranks(3), false);
}

/// An error between processes that share no memory though they could, which proves the path.
#[test]
fn errors_without_shared_memory() {
    let ranks = ranks(3);
    let launch = without_shared_memory("all", "bsp/errors", ranks).arg("put-beyond");
    let (outcome, lines) = failure(launch, "without shared memory");
    // On one node with shared memory, the line names process 0.
    let text = "offset + nbytes = 65: expected at most 64, *any process has registered *";
    let expected = expected(&("put-beyond", Caller("bsp_put"), text), ranks, true);
    assert!(lines.len() == 1 && fits(&lines[0], &expected), "{expected}: {outcome:?}");
}

/// Several processes may print it, each in a separate line.
#[test]
fn errors_of_several_processes() {
    let cases = [
        ("init-null", "bsp_init: spmd_part = NULL: expected a function"),
        ("data-null", "bsp_init_with_user_data: spmd_part = NULL: expected a function"),
        ("init-twice", "bsp_init: *"),
        ("init-without-begin", "bsp_init: the function that was passed has not called bsp_begin"),
        ("init-without-end", "bsp_init: the function that was passed has not called bsp_end"),
        ("begin-none", "bsp_begin: maxprocs = 0: expected at least 1"),
        ("return", &format!("exit: {ENDS}")),
        ("finalize", &format!("exit: {ENDS}")),
    ];
    let ranks = ranks(4);
    for (name, text) in cases {
        let program = program("bsp/errors", Language::C11, Dialect::Classic);
        let (outcome, lines) = failure(Launch::new(program, ranks).arg(name), name);
        assert!((1..=ranks).contains(&lines.len()), "{name}: {outcome:?}");
        for line in lines {
            let line = line
                .split_once(": ")
                .filter(|(process, _)| process.starts_with("process "))
                .map_or(line.as_str(), |(_, rest)| rest);
            assert!(fits(line, text), "{name}: {line}: {outcome:?}");
        }
    }
}

/// Processes with options that are not valid, or that differ: process 0, or the first of them, tells it.
#[test]
fn options_of_processes() {
    let program = program("bsp/life", Language::C11, Dialect::Classic).display().to_string();
    let rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}";
    let cases = [
        ("x", "process 0: bsp_begin: HCUBE_MEMORY = 'x': expected *"),
        (&format!("$(test {rank} = 0 && echo 1k || echo x)"), "process 1: bsp_begin: HCUBE_MEMORY = 'x': *"),
        (
            &format!("$(({rank} + 1))k"),
            "process 0: bsp_begin: options.memory differs between ranks, from 1024 to *",
        ),
    ];
    for (value, text) in cases {
        let script = format!("HCUBE_MEMORY={value} exec {program} main");
        let (outcome, lines) = failure(Launch::new("sh", ranks(3)).args(["-c", &script]), value);
        assert!(lines.len() == 1 && fits(&lines[0], text), "{value}: {outcome:?}");
    }
}

#[test]
fn a_killed_process_ends_the_job() {
    for per_node in ["0", "1"] {
        let program = program("bsp/errors", Language::C11, Dialect::Classic);
        let launch = Launch::new(program, ranks(3)).arg("killed").env("HCUBE_RANKS_PER_NODE", per_node);
        let (outcome, lines) = failure(launch, "killed");
        assert!(lines.is_empty(), "{outcome:?}");
    }
}

/// Before `bsp_begin`, every function of the SPMD part ends the program.
#[test]
fn calls_before_the_spmd_part() {
    for dialect in [Dialect::Classic, Dialect::Multicore, Dialect::Standard] {
        let launch = Launch::new(program("bsp/errors", Language::C11, dialect), 1).arg("outside");
        let outcome = launch.whole_lines().run();
        let lines = said(&outcome);
        let line = |name: &str| format!("bsp_{name}: called outside of the SPMD part: expected between *");
        let names = "pid time sync push_reg pop_reg put hpput get hpget set_tagsize send qsize get_tag move hpmove \
                     hpsend direct_get bcast";
        for name in names.split(' ') {
            let found = lines.iter().filter(|found| fits(found, &line(name))).count();
            // bsp_put also without bytes.
            assert_eq!(found, if name == "put" { 2 } else { 1 }, "{name} {dialect:?}: {outcome:?}");
        }
        let end = lines.iter().filter(|line| *line == "bsp_end: called before bsp_begin").count();
        assert_eq!((end, lines.len()), (1, 20), "{outcome:?}");
        assert_eq!(outcome.success(), "ok outside\n");
    }
}
