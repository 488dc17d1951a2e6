//! Schedules of the all-to-all exchange for every size up to 130, without MPI: every pair once, no deadlock
//! with blocking exchanges, and no more steps than in Hofmann and Ruenger 2013.

use hcube_alltoall::schedule::on_nodes::OnNodes;
use hcube_alltoall::{Schedule, schedule};
use hcube_core::plan::Topology;
use std::sync::Arc;

const LARGEST: usize = 130;
const SCHEDULES: [Schedule; 3] = [Schedule::Mpich, Schedule::LinearShift, Schedule::HierarchicalSets];

fn partners(schedule: Schedule, rank: usize, size: usize) -> Vec<usize> {
    schedule::partners(schedule, rank, size).collect()
}

/// The sequences of all ranks.
fn sequences(schedule: Schedule, size: usize) -> Vec<Vec<usize>> {
    (0..size).map(|rank| partners(schedule, rank, size)).collect()
}

/// The pairs that exchange in each step, where every rank does its exchanges one after the other and
/// an exchange happens as soon as it is the next one of both ranks.
///
/// # Panics
/// All ranks are blocked.
fn steps(sequences: &[Vec<usize>]) -> Vec<Vec<(usize, usize)>> {
    let mut done = vec![0; sequences.len()];
    let mut steps = Vec::new();
    while done.iter().zip(sequences).any(|(&done, sequence)| done < sequence.len()) {
        let next = |rank: usize| sequences[rank].get(done[rank]).copied();
        let pairs: Vec<(usize, usize)> = (0..sequences.len())
            .filter_map(|rank| Some((rank, next(rank)?)))
            .filter(|&(rank, partner)| rank < partner && next(partner) == Some(rank))
            .collect();
        assert!(!pairs.is_empty(), "deadlock after {} steps of {sequences:?}", steps.len());
        for &(rank, partner) in &pairs {
            done[rank] += 1;
            done[partner] += 1;
        }
        steps.push(pairs);
    }
    steps
}

/// ceil(log2(size)).
fn rounds(size: usize) -> usize {
    size.next_power_of_two().trailing_zeros() as usize
}

#[test]
fn every_rank_meets_every_other_once() {
    for schedule in SCHEDULES {
        for size in 1..=LARGEST {
            for (rank, mut sequence) in sequences(schedule, size).into_iter().enumerate() {
                sequence.sort_unstable();
                let others: Vec<usize> = (0..size).filter(|&other| other != rank).collect();
                assert_eq!(sequence, others, "{schedule:?}, rank {rank} of {size}");
            }
        }
    }
}

#[test]
fn blocking_exchanges_end_within_the_steps_of_the_paper() {
    for size in 2..=LARGEST {
        let count = |schedule| steps(&sequences(schedule, size)).len();
        let mpich = count(Schedule::Mpich);
        // 2P - 1 with the first and the last step, in which each rank exchanges only with itself.
        assert_eq!(mpich + 2, 2 * size - 1, "{size} ranks");
        let shift = count(Schedule::LinearShift);
        assert_eq!(shift, if size == 2 { 1 } else { size }, "{size} ranks");
        let sets = count(Schedule::HierarchicalSets);
        assert!(sets <= size + rounds(size) - 2, "{size} ranks: {sets} steps");
        if size.is_power_of_two() {
            assert_eq!(sets, size - 1, "{size} ranks");
        }
    }
}

#[test]
fn linear_shift_joins_ranks_by_their_sum() {
    for size in 3..=LARGEST {
        for (number, pairs) in steps(&sequences(Schedule::LinearShift, size)).iter().enumerate() {
            let idle = size - 2 * pairs.len();
            let expected = if size % 2 == 1 { 1 } else { 2 * ((number + 1) % 2) };
            assert_eq!(idle, expected, "step {number} of {size} ranks: {pairs:?}");
            assert!(pairs.iter().all(|(rank, partner)| (rank + partner) % size == number), "{pairs:?}");
        }
    }
}

#[test]
fn halves_exchange_before_quarters() {
    for size in 2..=LARGEST {
        let middle = size / 2;
        for (rank, sequence) in sequences(Schedule::HierarchicalSets, size).iter().enumerate() {
            let others = if rank < middle { size - middle } else { middle };
            let across = |partner: &usize| (*partner < middle) != (rank < middle);
            assert!(sequence[..others].iter().all(across), "rank {rank} of {size}: {sequence:?}");
        }
    }
}

/// Figure 2 of Hofmann and Ruenger 2013.
#[test]
fn seven_ranks_exchange_as_in_the_paper() {
    let mpich = steps(&sequences(Schedule::Mpich, 7));
    assert_eq!(mpich[..3], [vec![(0, 1)], vec![(0, 2)], vec![(0, 3), (1, 2)]]);
    assert_eq!((mpich.len(), mpich.last()), (11, Some(&vec![(5, 6)])));

    let shift = steps(&sequences(Schedule::LinearShift, 7));
    assert_eq!(shift.len(), 7);
    assert_eq!(shift[0], [(1, 6), (2, 5), (3, 4)]);
    assert_eq!(partners(Schedule::LinearShift, 0, 7), [1, 2, 3, 4, 5, 6]);
    assert_eq!(partners(Schedule::LinearShift, 1, 7), [6, 0, 2, 3, 4, 5]);

    let sets = steps(&sequences(Schedule::HierarchicalSets, 7));
    let between = |pairs: &[(usize, usize)], low: std::ops::Range<usize>, high: std::ops::Range<usize>| {
        pairs.iter().filter(|(a, b)| low.contains(a) && high.contains(b)).count()
    };
    assert_eq!(sets.len(), 7);
    assert!(sets[..4].iter().all(|pairs| between(pairs, 0..3, 3..7) == 3 && pairs.len() == 3));
    assert_eq!(partners(Schedule::HierarchicalSets, 0, 7), [3, 4, 5, 6, 1, 2]);
    assert_eq!(partners(Schedule::HierarchicalSets, 6, 7)[..3], [2, 1, 0]);
    // Inside the halves: 3-4 with 5-6 in steps 5 and 6, neighbours in step 7.
    assert!(sets[4..6].iter().all(|pairs| between(pairs, 3..5, 5..7) == 2));
    assert_eq!(sets[6], [(1, 2), (3, 4), (5, 6)]);
}

#[test]
fn schedules_that_hcube_does_not_choose_are_hierarchical_sets() {
    for schedule in [Schedule::Auto, Schedule::Library] {
        assert_eq!(partners(schedule, 3, 11), partners(Schedule::HierarchicalSets, 3, 11));
    }
}

#[test]
#[should_panic(expected = "rank 3 of 3")]
fn a_rank_outside_is_refused() {
    partners(Schedule::Auto, 3, 3);
}

/// The sequences of all ranks on nodes, the number of whose node each rank has.
fn sequences_on_nodes(schedule: Schedule, numbers: &[u32]) -> Vec<Vec<usize>> {
    match OnNodes::new(Arc::new(Topology::from_node_numbers(numbers, None))).map(Arc::new) {
        Some(order) => (0..numbers.len()).map(|rank| order.partners(schedule, rank).collect()).collect(),
        None => sequences(schedule, numbers.len()),
    }
}

/// The schedules that hcube chooses.
const CHOSEN: [Schedule; 2] = [Schedule::Auto, Schedule::LinearShift];

/// Numbers that follow from a seed.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn on_nodes_of_any_shape_every_pair_meets_once_within_the_same_steps() {
    let mut seed = 49;
    for size in 1..=40 {
        for nodes in 1..=size as u64 {
            let mut numbers: Vec<u32> = (0..size).map(|_| (random(&mut seed) % nodes) as u32).collect();
            if (size as u64).is_multiple_of(nodes) {
                // Equal nodes, whose ranks are placed at random.
                numbers = (0..size as u64).map(|rank| (rank % nodes) as u32).collect();
                (1..size).for_each(|rank| numbers.swap(rank, random(&mut seed) as usize % (rank + 1)));
            }
            for schedule in CHOSEN {
                let on_nodes = sequences_on_nodes(schedule, &numbers);
                for (rank, sequence) in on_nodes.iter().enumerate() {
                    let mut sorted = sequence.clone();
                    sorted.sort_unstable();
                    let others: Vec<usize> = (0..size).filter(|&other| other != rank).collect();
                    assert_eq!(sorted, others, "{schedule:?}, rank {rank} on {numbers:?}");
                }
                // The steps of as many ranks without nodes.
                let expected = steps(&sequences(schedule, size)).len();
                assert_eq!(steps(&on_nodes).len(), expected, "{schedule:?} on {numbers:?}");
            }
        }
    }
}

#[test]
fn the_schedule_follows_from_the_shape_of_the_nodes_and_not_from_the_placement() {
    for (nodes, each) in (2..9).flat_map(|nodes| (2..9).map(move |each| (nodes, each))) {
        let size = nodes * each;
        let numbers = |node: fn(usize, usize, usize) -> usize| -> Vec<u32> {
            (0..size).map(|rank| node(rank, nodes, each) as u32).collect()
        };
        let (in_turn, in_order) =
            (numbers(|rank, nodes, _| rank % nodes), numbers(|rank, _, each| rank / each));
        // The rank in order that is at the place of a rank in turn.
        let same = |rank: usize| rank % nodes * each + rank / nodes;
        for schedule in CHOSEN {
            let [of_turn, of_order] =
                [&in_turn, &in_order].map(|numbers| sequences_on_nodes(schedule, numbers));
            for (rank, sequence) in of_turn.iter().enumerate() {
                let expected: Vec<usize> = sequence.iter().map(|&partner| same(partner)).collect();
                assert_eq!(of_order[same(rank)], expected, "{schedule:?}, {nodes} nodes of {each}");
            }
            // One of both is the schedule of the ranks.
            let without = sequences(schedule, size);
            let is_in_order = schedule == Schedule::Auto && nodes.is_power_of_two();
            assert!(
                without == if is_in_order { of_order } else { of_turn },
                "{schedule:?}, {nodes} of {each}"
            );
        }
    }
}

/// Of the machine of Hofmann and Ruenger 2013.
#[test]
fn the_placement_of_many_ranks_takes_few_bytes() {
    const NODES: u32 = 28_672;
    let numbers: Vec<u32> = (0..16 * NODES).map(|rank| rank % NODES).collect();
    let order = OnNodes::new(Arc::new(Topology::from_node_numbers(&numbers, None))).expect("several nodes");
    let bytes = order.topology().bytes();
    assert!(bytes < 10 * numbers.len(), "{bytes} bytes");
}
