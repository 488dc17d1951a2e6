//! Fortran programs with coarrays, whose images are on several hosts.

use super::Placement;
use crate::common::gfortran::launch;
use crate::common::hosts::new_hosts;

/// Access, components and what their pointers lead to, synchronisation, collective subroutines, teams; one
/// image and several on a host.
#[test]
fn fortran_programs_with_coarrays() {
    let Some(hosts) = new_hosts(3) else { return };
    let placements: [Placement; 3] = [&[1, 1], &[1, 2, 1], &[3, 1]];
    for name in
        ["hello", "sections", "kinds", "components", "pointers", "synchronisation", "collectives", "teams"]
    {
        for placement in placements {
            let images = placement.iter().sum();
            let Some(run) = launch(name, images) else { return };
            let text = run.limit(120).on(&hosts, placement).run().success();
            assert_eq!(text, format!("{name}: passed\n"), "{placement:?}");
        }
        let Some(run) = launch(name, 4) else { return };
        let text = run.limit(120).on_in_turn(&hosts, &[2, 2]).run().success();
        assert_eq!(text, format!("{name}: passed\n"), "in turn");
    }
}

/// Images that fail, and an error whose line another host has to show.
#[test]
fn images_of_other_hosts_fail() {
    let Some(hosts) = new_hosts(2) else { return };
    let Some(run) = launch("failed", 3) else { return };
    let text = run.limit(120).on(&hosts, &[1, 2]).run().success();
    assert_eq!(text, "failed: passed\n");
    let Some(run) = launch("ends", 2) else { return };
    let outcome = run.arg("10").whole_lines().on(&hosts, &[1, 1]).limit(60).run();
    assert!(outcome.stderr.contains("get: image index 99: expected 1 to 2"), "{outcome:?}");
    assert!(!outcome.status.success() && outcome.left.is_empty(), "{outcome:?}");
}
