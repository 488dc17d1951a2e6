//! Longest common subsequences of strings whose parts are on several hosts.

use super::Placement;
use crate::common::hosts::new_hosts;
use crate::common::{Launch, lcs};

/// Lengths, bounds, ends and refusals, with one rank and several on a host.
#[test]
fn longest_common_subsequences() {
    let Some(hosts) = new_hosts(3) else { return };
    let placements: [Placement; 4] = [&[1, 1], &[2, 1], &[1, 2, 1], &[1, 1, 1]];
    for placement in placements {
        let ranks = placement.iter().sum();
        let text = Launch::client("lcs", ranks).on(&hosts, placement).run().success();
        assert_eq!(text.trim(), lcs::expected(ranks), "{placement:?}");
    }
    // Every message between neighbouring ranks goes to another host.
    let text = Launch::client("lcs", 4).on_in_turn(&hosts, &[2, 2]).run().success();
    assert_eq!(text.trim(), lcs::expected(4));
}
