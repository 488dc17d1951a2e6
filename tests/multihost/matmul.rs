//! Products of matrices whose blocks are on several hosts.

use super::Placement;
use crate::common::Launch;
use crate::common::hosts::new_hosts;

/// Both distributions, awkward sizes and refusals, with one rank and several on a host.
#[test]
fn matrix_products_of_bsp() {
    let Some(hosts) = new_hosts(3) else { return };
    let placements: [Placement; 3] = [&[1, 1], &[2, 1], &[1, 1, 1]];
    for placement in placements {
        let ranks = placement.iter().sum();
        let text = Launch::client("matmul", ranks).on(&hosts, placement).limit(120).run().success();
        assert!(text.starts_with("ok "), "{placement:?}: {text}");
    }
}
