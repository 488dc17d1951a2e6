//! Memory of a rank at its first exchange by node leaders, counted for many ranks.

use super::{BASE_MEMORY_BYTES, ExchangeState, Factors, Options, Routes, Shares, Topology, Vote};

const RANKS_PER_NODE: usize = 64;
const BLOCK_BYTES: usize = 8;
/// The piece of a block that node leaders pass on in a round among 1000 and 10 000 ranks.
const PIECE_OF_1_000_RANKS: usize = 152;
const PIECE_OF_10_000_RANKS: usize = 16;

/// Bytes of a rank with the default memory bound: the state with its lists; its notice of the first
/// exchange by node leaders; the messages that it receives and sends as a leader. And the longest piece
/// of a block.
fn start(ranks: usize) -> ([usize; 4], usize) {
    let shares = Shares::of(Options::default().memory + BASE_MEMORY_BYTES, true);
    let numbers: Vec<u32> = (0..ranks).map(|rank| (rank / RANKS_PER_NODE) as u32).collect();
    let topology = Topology::from_node_numbers(&numbers, None);
    let routes = Routes::new(topology, 0, shares.slot, shares.scratch).expect("room");
    let votes = Vote::WORDS * size_of::<u64>();
    let (mut received, mut sent) = (0, 0);
    for route in routes.led_by(0) {
        received += votes + routes.sources(route).len() * routes.receivers(route).len() * BLOCK_BYTES;
        sent += votes + routes.targets(route).len() * RANKS_PER_NODE * BLOCK_BYTES;
    }
    let notice = routes.notice_bytes() + (ranks - RANKS_PER_NODE) * BLOCK_BYTES;
    let lists = size_of::<ExchangeState>()
        + Factors::new(1, 0, ranks).bytes()
        + routes.bytes(true)
        + 3 * RANKS_PER_NODE * size_of::<usize>();
    ([lists, notice, received, sent], routes.piece(0).len())
}

/// As `doc/clusters.md` has them, the state to within some fields.
#[test]
fn memory_at_the_first_exchange_of_many_ranks() {
    for (ranks, lists, bytes, piece) in [
        (1_000, 8_000, [11_464, 8_248, 8_248], PIECE_OF_1_000_RANKS),
        (10_000, 10_000, [119_856, 98_472, 98_472], PIECE_OF_10_000_RANKS),
    ] {
        let ([found, rest @ ..], longest) = start(ranks);
        assert!(found.abs_diff(lists) < 500, "{ranks} ranks: {found} bytes");
        assert_eq!((rest, longest), (bytes, piece), "{ranks} ranks");
    }
}
