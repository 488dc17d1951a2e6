//! Many consecutive exchanges with one state: notices of the board in all combinations of paths, with late
//! ranks and with refusals between them.

use super::image::{Form, Rank, Shape, Special};
use super::nodes::{SINGLE_COPY, run_on_nodes};
use hcube_alltoall::{ExchangeState, Options, Outcome, Path, Schedule, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::ThreadComm;
use hcube_core::error::Error;
use std::collections::HashSet;
use std::time::Duration;

const EXCHANGES: usize = 200;

/// Multiplier and shifts of SplitMix64: numbers that all ranks can make, and whose bits are independent.
fn random(seed: usize) -> usize {
    let value = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (value ^ value >> 27) as usize >> 3
}

/// Bytes of a block in exchange `number`, if a slot holds `slot` bytes of each block.
fn bytes(number: usize, slot: usize) -> usize {
    let any = random(number + 5000);
    match random(number) % 8 {
        0 => 0,
        1 | 2 => 1 + any % 60,
        // Around the limit of enclosed blocks, and around full rounds.
        3 => slot - 1 + any % 3,
        4 => 3 * slot - 1 + any % 3,
        5 => slot * (1 + any % 4) + any % 100,
        6 => 90_000,
        _ => 140_001 + any % 3,
    }
}

/// One exchange; the path that it used, or `None` for one that is refused.
fn step(comm: &ThreadComm, state: &mut ExchangeState, slot: usize, number: usize) -> Option<UsedPath> {
    let (own, ranks) = (comm.rank(), comm.size());
    let (even, all) = (random(number + 7).is_multiple_of(2), bytes(number, slot));
    // With uneven counts only one pair has large blocks.
    let size = |from: usize, to: usize| {
        let large = even || from.min(to) == number % (ranks - 1) && from.max(to) == from.min(to) + 1;
        if large { all } else { (from + to + number) % 9 }
    };
    let form = if even { Form::Even } else { [Form::Counted, Form::Listed][number % 2] };
    let in_place = !random(number + 9).is_multiple_of(3);
    let mut shape = Shape::matching(number, in_place, form, &size);
    let special_rank = number % ranks;
    let more = |from, to| size(from, to) + usize::from(to == special_rank);
    let mut special = Special::default();
    let fault = random(number + 11) % 12;
    match fault {
        0 => shape.expected = &more,
        1 if own == special_rank => special.refusal = Some(Error::Count("count = -1".into())),
        2 if own == special_rank => special.refusal = Some(Error::Unsupported("a datatype".into())),
        _ => {}
    }
    let mut rank = Rank::new(comm, &shape);
    // One rank in four comes late.
    if random(number * ranks + own).is_multiple_of(4) {
        std::thread::sleep(Duration::from_micros(random(number + own) as u64 % 300));
    }
    let outcome = rank.exchange(comm, state, &special);
    let what = || format!("exchange {number}, fault {fault}, rank {own}: {outcome:?}");
    match (fault, &outcome) {
        (0 | 1, Err(_)) | (2, Ok(Outcome::Library(_))) => {
            assert!(rank.is_untouched(), "written: {}", what());
            None
        }
        (0 | 3.., Ok(Outcome::Library(reason))) if !in_place && form == Form::Counted => {
            assert!(reason.contains("too large for node leaders"), "{}", what());
            assert!(rank.is_untouched(), "written: {}", what());
            None
        }
        (3.., Ok(Outcome::Done(report))) => {
            let path = report.path;
            assert!(rank.has_arrived(), "other bytes: {}", what());
            Some(path)
        }
        _ => panic!("{}", what()),
    }
}

/// The paths used by the ranks.
fn run(nodes: &[u32], path: Path, memory: usize) -> HashSet<Option<UsedPath>> {
    run_with(nodes, Options { path, memory, ..Options::default() })
}

fn run_with(nodes: &[u32], options: Options) -> HashSet<Option<UsedPath>> {
    let paths = run_on_nodes(nodes.to_vec(), |comm| {
        let mut state = ExchangeState::new(comm, &options).expect("created");
        let others = nodes.iter().filter(|&&node| node == nodes[comm.rank()]).count() - 1;
        let slot = state.slot_bytes().map_or(0, |slot| slot / others);
        // Nodes of other sizes have other pieces: any of them is valid, but the same on all ranks.
        let mut slot = [slot as i64];
        comm.all_reduce_max(&mut slot).expect("threads");
        let steps = (0..EXCHANGES).map(|number| step(comm, &mut state, slot[0] as usize, number));
        steps.collect::<HashSet<_>>()
    });
    paths.into_iter().flatten().collect()
}

/// Those of one node with trials, where single copy is permitted, and refusals.
fn all_paths() -> HashSet<Option<UsedPath>> {
    let single = SINGLE_COPY.then_some(UsedPath::SingleCopy).map(Some);
    [None, Some(UsedPath::Alone), Some(UsedPath::Shared)].into_iter().chain(single).collect()
}

#[test]
fn two_ranks_of_one_node() {
    assert_eq!(run(&[0, 0], Path::Auto, 4096), all_paths());
}

#[test]
fn three_ranks_of_one_node_with_the_least_memory() {
    assert_eq!(run(&[0, 0, 0], Path::Auto, 0), all_paths());
}

#[test]
fn four_ranks_of_one_node_with_much_memory() {
    assert_eq!(run(&[0, 0, 0, 0], Path::Auto, 1 << 20), all_paths());
}

#[test]
fn only_slots() {
    assert_eq!(
        run(&[0, 0, 0, 0, 0], Path::Shared, 0),
        [None, Some(UsedPath::Alone), Some(UsedPath::Shared)].into()
    );
}

#[test]
fn only_single_copy() {
    let path = if *SINGLE_COPY { UsedPath::SingleCopy } else { UsedPath::Shared };
    assert_eq!(run(&[0, 0, 0], Path::SingleCopy, 4096), [None, Some(UsedPath::Alone), Some(path)].into());
}

#[test]
fn two_nodes_and_a_rank_alone() {
    let mut used: HashSet<_> =
        [None, Some(UsedPath::Alone), Some(UsedPath::Mixed), Some(UsedPath::Message)].into();
    used.insert(Some(UsedPath::NodeLeaders));
    let options = Options { schedule: Schedule::NodeLeaders, memory: 4096, ..Options::default() };
    assert_eq!(run_with(&[0, 1, 0, 2, 1], options), used);
    assert_eq!(run(&[0, 1, 0, 2, 1], Path::Auto, 4096), used);
}
