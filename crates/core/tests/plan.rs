//! Plans of stages for every size up to 130, without MPI: every value reaches its owner, messages match,
//! loads are balanced, and the number of stages is as in Plimpton et al. 2006.

use hcube_core::plan::{Parting, Plan, Routing, Stage, Topology, Transport, three_hop};
use proptest::prelude::*;

/// How much of what a rank generates lies with rank `[at]` and belongs to rank `[owner]`.
type Flow = Vec<Vec<f64>>;

/// The shares of an owner's values over the parts of a stage.
fn parts_of(stage: &Stage, owner: usize) -> Vec<(usize, f64)> {
    match &stage.parting {
        Parting::Ranks(bounds) => match bounds.partition_point(|&bound| bound <= owner) {
            0 => vec![],
            after if after == bounds.len() => vec![],
            after => vec![(after - 1, 1.0)],
        },
        Parting::Entries(entries) => {
            let (first, count) = (entries[owner].first as usize, entries[owner].count as usize);
            (first..first + count).map(|part| (part, 1.0 / count as f64)).collect()
        }
    }
}

/// Lets every rank generate one value for every owner and follows the plans of all ranks, stage by
/// stage. Checks that messages match; returns where everything ends.
fn follow(topology: &Topology, routing: Routing) -> Flow {
    let size = topology.size();
    let plans: Vec<Plan> = (0..size).map(|rank| Plan::new(topology, rank, routing)).collect();
    let mut flow = vec![vec![1.0; size]; size];
    let depth = plans.iter().map(|plan| plan.stages.len()).max().unwrap_or(0);
    // Ranks of small parts reach their node stage earlier; shared-memory and message stages never
    // exchange with each other, so following them side by side is right.
    for number in 0..depth {
        let mut next: Flow = vec![vec![0.0; size]; size];
        let mut expected = std::collections::HashMap::new();
        for (rank, plan) in plans.iter().enumerate() {
            let Some(stage) = plan.stages.get(number) else {
                (0..size).for_each(|owner| next[rank][owner] += flow[rank][owner]);
                continue;
            };
            assert!(stage.own < stage.parts);
            let node = topology.node_of(topology.position(rank));
            let home = topology.positions(node..node + 1).start;
            for owner in (0..size).filter(|&owner| flow[rank][owner] > 0.0) {
                let parts = parts_of(stage, owner);
                assert!(!parts.is_empty(), "rank {rank} holds a value of {owner} and has no part for it");
                for (part, share) in parts {
                    let amount = flow[rank][owner] * share;
                    if part == stage.own {
                        next[rank][owner] += amount;
                        continue;
                    }
                    match &stage.transport {
                        Transport::Node => next[topology.rank(home + part)][owner] += amount,
                        Transport::Messages { sends, .. } => {
                            let mut covered = 0;
                            for send in sends.iter().filter(|send| send.part == part) {
                                assert_eq!(send.from_share, covered, "shares follow each other");
                                covered = send.to_share;
                                next[send.to][owner] +=
                                    amount * (send.to_share - send.from_share) as f64 / send.of as f64;
                            }
                            let of = sends.iter().find(|send| send.part == part).expect("a message").of;
                            assert_eq!(covered, of, "shares cover the list");
                        }
                    }
                }
            }
            if let Transport::Messages { sends, receives } = &stage.transport {
                for send in sends {
                    assert!(
                        expected.insert((rank, send.to), send.mean).is_none(),
                        "one message per pair and stage"
                    );
                }
                for source in receives {
                    let mean = Plan::new(topology, source.from, routing);
                    let Transport::Messages { sends, .. } = &mean.stages[number].transport else {
                        panic!("no message")
                    };
                    let found = sends
                        .iter()
                        .find(|send| send.to == rank)
                        .expect("a message that is received is sent");
                    assert_eq!(found.mean, source.mean, "both sides derive the same bound");
                }
            }
        }
        let received: usize = plans
            .iter()
            .filter_map(|plan| plan.stages.get(number))
            .map(|stage| match &stage.transport {
                Transport::Messages { receives, .. } => receives.len(),
                Transport::Node => 0,
            })
            .sum();
        assert_eq!(received, expected.len(), "every message that is sent is received");
        flow = next;
    }
    flow
}

fn check(topology: &Topology, routing: Routing) {
    let size = topology.size();
    for (rank, held) in follow(topology, routing).iter().enumerate() {
        for (owner, &amount) in held.iter().enumerate() {
            let expected = if rank == owner { size as f64 } else { 0.0 };
            assert!(
                (amount - expected).abs() < 1e-6,
                "{topology:?} {routing:?}: {amount} of {owner} with {rank}"
            );
        }
    }
}

fn hypercube(dimensions: usize) -> Routing {
    Routing { dimensions, three_hop: false }
}

fn messages(stage: &Stage) -> (usize, usize) {
    match &stage.transport {
        Transport::Messages { sends, receives } => (sends.len(), receives.len()),
        Transport::Node => (0, 0),
    }
}

#[test]
fn every_value_arrives_for_every_size_up_to_130() {
    for size in 1..=130 {
        check(&Topology::without_nodes(size), hypercube(0));
    }
}

#[test]
fn every_dimensionality_delivers() {
    for size in [1, 2, 3, 5, 7, 8, 9, 16, 27, 30, 60, 64, 81] {
        for dimensions in 1..=7 {
            let topology = Topology::without_nodes(size);
            check(&topology, hypercube(dimensions));
            let limit = dimensions.min(size.next_power_of_two().trailing_zeros() as usize);
            for rank in 0..size {
                assert!(Plan::new(&topology, rank, hypercube(dimensions)).stages.len() <= limit);
            }
        }
    }
}

#[test]
fn nodes_of_all_shapes_deliver() {
    for nodes in [
        vec![1],
        vec![4],
        vec![2, 2],
        vec![3, 1],
        vec![2, 1, 1],
        vec![1, 5, 2],
        vec![3, 3, 3],
        vec![2; 5],
        vec![8; 4],
        vec![4; 16],
        vec![1, 2, 3, 4, 5, 6, 7],
    ] {
        let numbers: Vec<u32> =
            nodes.iter().enumerate().flat_map(|(node, &count)| vec![node as u32; count]).collect();
        // As the launcher places by slot, and round robin over the nodes.
        let scattered: Vec<u32> =
            (0..numbers.len()).map(|rank| numbers[rank * 7919 % numbers.len()]).collect();
        for placement in [&numbers, &scattered] {
            let topology = Topology::from_node_numbers(placement, None);
            for dimensions in [0, 1, 2] {
                check(&topology, hypercube(dimensions));
            }
            check(&topology, Routing { dimensions: 0, three_hop: true });
        }
    }
}

/// §2: a hypercube of P = 2^n ranks has n stages with one partner each, at distance 2^k.
#[test]
fn power_of_two_is_the_hypercube() {
    for exponent in 0..=7 {
        let size = 1 << exponent;
        for rank in 0..size {
            let plan = Plan::new(&Topology::without_nodes(size), rank, hypercube(0));
            assert_eq!(plan.stages.len(), exponent);
            for (number, stage) in plan.stages.iter().enumerate() {
                let Transport::Messages { sends, .. } = &stage.transport else { panic!("messages") };
                assert_eq!(messages(stage), (1, 1));
                assert_eq!(sends[0].to, rank ^ (1 << (exponent - 1 - number)));
            }
        }
    }
}

/// §2, worked: 7 ranks are halved into 3 and 4, then 1 + 2 and 2 + 2, then pairs.
#[test]
fn seven_ranks_as_in_the_paper() {
    let topology = Topology::without_nodes(7);
    let partners = |rank: usize| -> Vec<Vec<usize>> {
        Plan::new(&topology, rank, hypercube(0))
            .stages
            .iter()
            .map(|stage| match &stage.transport {
                Transport::Messages { sends, .. } => sends.iter().map(|send| send.to).collect(),
                Transport::Node => panic!("no nodes"),
            })
            .collect()
    };
    // The smaller half 0, 1, 2 sends two messages each; the first and last of 3, 4, 5, 6 one.
    assert_eq!(partners(0), [vec![3, 4], vec![1, 2]]);
    assert_eq!(partners(1), [vec![4, 5], vec![0], vec![2]]);
    assert_eq!(partners(2), [vec![5, 6], vec![0], vec![1]]);
    assert_eq!(partners(3), [vec![0], vec![5], vec![4]]);
    assert_eq!(partners(4), [vec![0, 1], vec![6], vec![3]]);
    assert_eq!(partners(5), [vec![1, 2], vec![3], vec![6]]);
    assert_eq!(partners(6), [vec![2], vec![4], vec![5]]);
}

/// §2: L = d (P^(1/d) - 1) messages where the root is whole; P = 10000 in two dimensions sends 198.
#[test]
fn message_counts_of_the_paper() {
    let count = |size: usize, dimensions: usize| -> usize {
        let plan = Plan::new(&Topology::without_nodes(size), size / 3, hypercube(dimensions));
        plan.stages.iter().map(|stage| messages(stage).0).sum()
    };
    assert_eq!(count(10_000, 1), 9_999);
    assert_eq!(count(10_000, 2), 2 * 99);
    assert_eq!(count(4096, 3), 3 * 15);
    assert_eq!(count(4096, 12), 12);
    assert_eq!(count(8192, 0), 13);
}

#[test]
fn three_hops_unless_they_need_many_more_messages() {
    let nodes = |count: usize, ranks: usize| {
        let numbers: Vec<u32> = (0..count * ranks).map(|rank| (rank / ranks) as u32).collect();
        Topology::from_node_numbers(&numbers, None)
    };
    for (count, ranks, expected) in [
        (1, 8, false),
        (2, 8, false),
        (4, 1, false),
        (3, 2, true),
        (4, 4, true),
        (4, 2, false),
        (5, 2, true),
        (16, 4, true),
        (64, 8, true),
        (128, 4, false),
        (256, 2, false),
        (64, 64, true),
    ] {
        assert_eq!(three_hop::worthwhile(&nodes(count, ranks)), expected, "{count} nodes of {ranks}");
    }
    // 64 nodes of 64: 63 other nodes, each lane serves one; the hypercube would send 6 messages.
    let plan = Plan::new(&nodes(64, 64), 70, Routing { dimensions: 0, three_hop: true });
    assert_eq!(plan.stages.len(), 3);
    assert!(messages(&plan.stages[1]).0 <= 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn any_nodes_any_dimensions(
        numbers in prop::collection::vec(0u32..6, 1..40),
        limit in 0usize..5,
        dimensions in 0usize..5,
        three_hop: bool,
    ) {
        let topology = Topology::from_node_numbers(&numbers, (limit > 0).then_some(limit));
        check(&topology, Routing { dimensions, three_hop });
    }
}
