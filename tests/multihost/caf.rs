//! Coarray programs on several hosts.

use super::Placement;
use crate::common::Launch;
use crate::common::hosts::new_hosts;

/// All functions, on hosts with different numbers of images, in both orders.
#[test]
fn coarray_programs() {
    let Some(hosts) = new_hosts(4) else { return };
    let placements: [Placement; 4] = [&[1, 1], &[3, 1], &[1, 3, 1], &[2, 1, 1, 1]];
    for placement in placements {
        let images = placement.iter().sum();
        let text = Launch::client("caf", images).on(&hosts, placement).limit(120).run().success();
        assert_eq!(text.trim(), format!("ok {images} node messages"), "{placement:?}");
    }
    let text = Launch::client("caf", 5).on_in_turn(&hosts, &[3, 2]).limit(120).run().success();
    assert_eq!(text.trim(), "ok 5 node messages");
}

/// An image that is marked as failed is known on other hosts, in each function that waits.
#[test]
fn failed_images_of_other_hosts() {
    let Some(hosts) = new_hosts(2) else { return };
    for wait in ["barrier", "event", "lock", "finish", "allocation"] {
        let launch = Launch::client("caf_failures", 3).args(["marked", wait]).whole_lines();
        let outcome = launch.on(&hosts, &[1, 2]).limit(60).run();
        for image in 0..2 {
            let line = format!("image {image}: image 2 has failed");
            assert!(outcome.stdout.contains(&line), "{wait}: {outcome:?}");
        }
        assert!(outcome.left.is_empty(), "{wait}: {outcome:?}");
    }
}
