//! Programs for BSPlib on several hosts.

use super::Placement;
use crate::common::bsp::launch;
use crate::common::hosts::new_hosts;

/// All functions, and random programs, on hosts with different numbers of processes.
#[test]
fn bsp_programs() {
    let Some(hosts) = new_hosts(4) else { return };
    let placements: [Placement; 4] = [&[1, 1], &[3, 1], &[1, 3, 2], &[2, 1, 1, 2]];
    for placement in placements {
        let ranks = placement.iter().sum();
        let text = launch("bsp/semantics", ranks).on(&hosts, placement).limit(120).run().success();
        assert_eq!(text, format!("ok classic C {ranks}\n"));
        let seed = (60 + ranks).to_string();
        let text =
            launch("bsp/random", ranks).args([&seed, "8", "300"]).on(&hosts, placement).run().success();
        assert!(text.starts_with("ok "), "{placement:?}: {text}");
    }
    // Processes of a host that do not follow each other, and data in small pieces.
    let launch = launch("bsp/random", 5).args(["71", "4", "20000"]).env("HCUBE_MEMORY", "0");
    assert!(launch.on_in_turn(&hosts, &[3, 2]).run().success().starts_with("ok "));
}

/// Errors that the caller can detect, and errors that only the process with the memory can detect, which is
/// on another host: messages are needed.
#[test]
fn errors_of_bsp_programs() {
    let Some(hosts) = new_hosts(2) else { return };
    let cases = [
        ("put-beyond", "process 2: bsp_put: offset + nbytes = 65: expected at most 64, the most bytes"),
        ("put-null-there", "process 0: bsp_sync: bsp_put or bsp_hpput by process 2: "),
    ];
    for (name, expected) in cases {
        let outcome = launch("bsp/errors", 3).arg(name).whole_lines().on(&hosts, &[2, 1]).run();
        assert!(!outcome.status.success() && outcome.left.is_empty(), "{name}: {outcome:?}");
        assert!(outcome.stderr.contains(expected), "{name}: {outcome:?}");
    }
}
