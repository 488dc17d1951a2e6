//! doc/clusters.md, "Security": what another user of the machine can reach of a program, and a program with
//! more permissions than its user. Beside these: crates/core/src/node/segment/other_users.rs.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, LIBRARY, SINGLE_COPY, all_are_served, ranks};
use crate::common::privileged::privileged;
use crate::common::{assert_no_shared_memory_left, named_shared_memory, skip};

/// Shared memory also for long blocks.
const SHARED: &[(&str, &str)] = &[("HCUBE_PATH", "shared")];

/// No more than without hcube: nothing. Memory and descriptors have no names.
#[test]
fn another_user_reaches_nothing() {
    let guest = Guest::new("reached", ranks(3));
    let stock = guest.stock();
    if stock.skipped() {
        skip("root", "only root can become another user");
        return;
    }
    assert_eq!(stock.text, "privileged: 0\nreached: 0\ntraceable: 1\nnamed files: 0\n");
    let names = named_shared_memory();
    for variables in [SHARED, SINGLE_COPY, ALWAYS] {
        let (run, statistics) = guest.same_as(&stock, variables);
        all_are_served(&statistics);
        assert!(run.figure("memory") > 0, "no shared memory: {variables:?}");
    }
    guest.same_as(&stock, DEFAULT);
    assert_no_shared_memory_left(&names);
}

/// The loader ignores LD_PRELOAD with such a program, so hcube is not part of it.
#[test]
fn a_privileged_program_runs_without_hcube() {
    let mut guest = Guest::new("reached", ranks(3));
    let Some(program) = privileged(&guest.program) else { return };
    // Without permissions of another group, the same way of starting it has statistics.
    assert!(guest.preloaded(LIBRARY).1.is_some());
    guest.program = program;
    let (outcome, statistics) = guest.preloaded(LIBRARY);
    assert!(statistics.is_none() && !outcome.stderr.contains("hcube"), "{outcome:?}");
    assert!(outcome.success().starts_with("privileged: 1\nreached: 0\n"));
}
