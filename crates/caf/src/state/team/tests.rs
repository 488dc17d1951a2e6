//! Memory for the teams of many images: a member is formed without the other members and without messages.

use super::ring::{SLOT_BYTES, slot};
use super::*;
use hcube_core::comm::threads;
use hcube_core::plan::Topology;

#[test]
fn storage_grows_with_the_logarithm_of_the_size() {
    threads::run(1, 1, |comm| {
        let mut memory = Onesided::share(comm, &Topology::without_nodes(1)).expect("room");
        for size in [1_usize, 2, 3, 4, 64, 100, 4096, 8192, 8193, 10_000] {
            let powers = size.next_power_of_two().ilog2() as usize;
            for rank in [0, size / 2, size - 1] {
                let team = Team::world(rank, size, &mut memory).expect("room");
                // Two links, here and in the block, the word of the barrier, and two slots of 16 words.
                assert_eq!(team.words(), 39 * powers, "rank {rank} of {size}");
                let block = slot(powers, powers, 0);
                assert!(block <= size_of::<u64>() * team.words() + SLOT_BYTES, "{size}: {block} bytes");
            }
        }
        assert_eq!(Team::world(0, 8192, &mut memory).expect("room").words(), 507);
    });
}
