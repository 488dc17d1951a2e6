//! Loads compared with the paths of all values, times with the equation of Plimpton et al. 2006.

use super::super::parameters::EXAMPLE;
use super::*;

/// How values are routed in these tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Message,
    Node,
    ThreeHop,
}

fn traffic(placement: &Placement, mode: Mode, dimensions: usize) -> Traffic {
    let nodes = mode != Mode::Message && placement.max_on_node() > 1;
    let three_hop = mode == Mode::ThreeHop && nodes && placement.nodes() > 1;
    Traffic::new(placement, nodes, Routing { dimensions, three_hop })
}

fn placement(ranks: usize, ranks_per_node: usize) -> Placement {
    Placement { ranks, ranks_per_node }
}

/// The parts of an owner's values in a stage, with the share of each.
fn parts_of(stage: &Stage, owner: usize) -> Vec<(usize, f64)> {
    match &stage.parting {
        Parting::Ranks(bounds) => vec![(bounds.partition_point(|&bound| bound <= owner) - 1, 1.0)],
        Parting::Entries(entries) => {
            let (first, count) = (entries[owner].first as usize, entries[owner].count as usize);
            (first..first + count).map(|part| (part, 1.0 / count as f64)).collect()
        }
    }
}

/// Follows the values of every rank for every owner through the plans, and counts what each rank
/// holds before a stage, sends in messages, and writes to and reads from shared memory.
fn follow(placement: &Placement, mode: Mode, dimensions: usize) -> Vec<Vec<[f64; 3]>> {
    let ranks = placement.ranks;
    let message = mode == Mode::Message;
    let topology = if message { Topology::without_nodes(ranks) } else { placement.topology() };
    let routing = Routing { dimensions, three_hop: mode == Mode::ThreeHop };
    let plans: Vec<Plan> = (0..ranks).map(|rank| Plan::new(&topology, rank, routing)).collect();
    let mut flow = vec![vec![1.0 / ranks as f64; ranks]; ranks];
    let mut counted = vec![Vec::new(); ranks];
    for number in 0..plans.iter().map(|plan| plan.stages.len()).max().unwrap_or(0) {
        let mut next = vec![vec![0.0; ranks]; ranks];
        let mut stage_counts = vec![[0.0; 3]; ranks];
        for (rank, plan) in plans.iter().enumerate() {
            let Some(stage) = plan.stages.get(number) else {
                (0..ranks).for_each(|owner| next[rank][owner] += flow[rank][owner]);
                continue;
            };
            stage_counts[rank][0] = flow[rank].iter().sum();
            let home = rank / placement.ranks_per_node * placement.ranks_per_node;
            for owner in (0..ranks).filter(|&owner| flow[rank][owner] > 0.0) {
                for (part, share) in parts_of(stage, owner) {
                    let amount = flow[rank][owner] * share;
                    match &stage.transport {
                        _ if part == stage.own => next[rank][owner] += amount,
                        Transport::Node => {
                            next[home + part][owner] += amount;
                            stage_counts[rank][2] += amount;
                            stage_counts[home + part][2] += amount;
                        }
                        Transport::Messages { sends, .. } => {
                            stage_counts[rank][1] += amount;
                            for send in sends.iter().filter(|send| send.part == part) {
                                let piece = (send.to_share - send.from_share) as f64 / send.of as f64;
                                next[send.to][owner] += amount * piece;
                            }
                        }
                    }
                }
            }
        }
        for (rank, counts) in stage_counts.into_iter().enumerate() {
            if number < plans[rank].stages.len() {
                counted[rank].push(counts);
            }
        }
        flow = next;
    }
    counted
}

fn check(placement: Placement, mode: Mode, dimensions: usize) {
    let topology = match mode {
        Mode::Message => Topology::without_nodes(placement.ranks),
        _ => placement.topology(),
    };
    let routing = Routing { dimensions, three_hop: mode == Mode::ThreeHop };
    for (rank, counted) in follow(&placement, mode, dimensions).iter().enumerate() {
        let plan = Plan::new(&topology, rank, routing);
        let loads = loads(&placement, &topology, rank, routing);
        assert_eq!(loads.len(), counted.len());
        for ((load, stage), &[held, sent, shared]) in loads.iter().zip(&plan.stages).zip(counted) {
            let found = [load.divided, load.near.words + load.far.words, load.shared];
            let expected = [held * halvings(stage), sent, shared];
            let same = found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-9);
            assert!(same, "{placement:?} {mode:?} d = {dimensions}, rank {rank}: {found:?} for {expected:?}");
        }
    }
}

#[test]
fn loads_are_what_the_plans_move() {
    for ranks in 1..=130 {
        check(placement(ranks, 1), Mode::Message, 0);
    }
    for ranks in [2, 3, 5, 8, 12, 16, 27, 33, 64, 100, 130] {
        for dimensions in 1..=3 {
            check(placement(ranks, 4), Mode::Message, dimensions);
        }
        for ranks_per_node in [2, 3, 4, 8, 16, 130] {
            check(placement(ranks, ranks_per_node), Mode::Node, 0);
            check(placement(ranks, ranks_per_node), Mode::Node, 2);
            check(placement(ranks, ranks_per_node), Mode::ThreeHop, 0);
        }
    }
}

#[test]
fn as_many_ranks_share_the_link_as_send_in_the_plan() {
    for (ranks, ranks_per_node) in [(12, 4), (64, 8), (64, 16), (33, 4), (40, 2), (128, 64)] {
        let placement = placement(ranks, ranks_per_node);
        let topology = placement.topology();
        let routing = Routing { dimensions: 0, three_hop: true };
        let cross = |rank| loads(&placement, &topology, rank, routing)[1];
        let sending = (0..ranks_per_node).filter(|&rank| cross(rank).far.messages > 0.0).count();
        assert_eq!(cross(0).sharing, sending as f64, "{placement:?}");
    }
}

#[test]
fn the_equation_of_the_paper() {
    let round = 1024;
    let time = |ranks| traffic(&placement(ranks, 1), Mode::Message, 0).round(&EXAMPLE, round, false).total();
    let first = 1024.0 * (EXAMPLE.generate + EXAMPLE.update);
    let stage = EXAMPLE.network.latency + 4096.0 / EXAMPLE.network.bandwidth + 1024.0 * EXAMPLE.divide;
    for exponent in 0..=13 {
        let expected = first + f64::from(exponent) * stage;
        assert!((time(1 << exponent) / expected - 1.0).abs() < 1e-9, "2^{exponent} ranks");
    }
    // 7 ranks are divided into 3 and 4, and 3 into 1 and 2: ranks of the smaller part have two messages, with
    // 4/7 and 2/3 of their values.
    let Link { latency, bandwidth } = EXAMPLE.network;
    let words = 1024.0 * (4.0 / 7.0 + 2.0 / 3.0 + 1.0 / 2.0);
    let expected = first + 5.0 * latency + 8.0 * words / bandwidth + 3.0 * 1024.0 * EXAMPLE.divide;
    assert!((time(7) / expected - 1.0).abs() < 1e-9, "{} for {expected}", time(7));
}

#[test]
fn fewer_dimensions_mean_more_messages_and_fewer_words() {
    let traffic = |dimensions| traffic(&placement(4096, 1), Mode::Message, dimensions);
    for (dimensions, messages) in [(1, 4095.0), (2, 126.0), (3, 45.0), (12, 12.0), (0, 12.0)] {
        let traffic = traffic(dimensions);
        assert_eq!(traffic.messages, messages, "d = {dimensions}");
        // V = d Q (P^(1/d) - 1) / P^(1/d)
        let d = if dimensions == 0 { 12.0 } else { dimensions as f64 };
        let root = 4096f64.powf(1.0 / d);
        assert!((traffic.words - d * (root - 1.0) / root).abs() < 1e-9, "d = {dimensions}");
    }
}

#[test]
fn worse_machines_are_never_faster() {
    for (ranks, ranks_per_node) in [(1, 1), (7, 1), (64, 8), (200, 16), (8, 8)] {
        for mode in [Mode::Message, Mode::Node, Mode::ThreeHop] {
            let traffic = traffic(&placement(ranks, ranks_per_node), mode, 0);
            let time = |parameters: &Parameters| traffic.round(parameters, 512, false).total();
            let (usual, link) = (time(&EXAMPLE), EXAMPLE.network);
            for worse in [
                Parameters { network: Link { latency: 2.0 * link.latency, ..link }, ..EXAMPLE },
                Parameters { network: Link { bandwidth: 0.5 * link.bandwidth, ..link }, ..EXAMPLE },
                Parameters { node: Link { latency: 2.0 * EXAMPLE.node.latency, ..EXAMPLE.node }, ..EXAMPLE },
                Parameters { update: 2.0 * EXAMPLE.update, ..EXAMPLE },
                Parameters { divide: 2.0 * EXAMPLE.divide, ..EXAMPLE },
                Parameters { copy: 2.0 * EXAMPLE.copy, ..EXAMPLE },
            ] {
                assert!(time(&worse) >= usual, "{ranks} ranks, {mode:?}: {worse:?}");
            }
            assert!(traffic.round(&EXAMPLE, 512, true).total() >= usual);
        }
    }
}

#[test]
fn barriers_are_where_the_library_has_them() {
    let (near, far) = (EXAMPLE.node.latency, EXAMPLE.network.latency);
    for (ranks, ranks_per_node, mode, expected) in [
        (1, 1, Mode::Message, 0.0),
        // Mailboxes on one node have no rounds.
        (8, 8, Mode::Node, 0.0),
        (8, 8, Mode::ThreeHop, 0.0),
        (8, 8, Mode::Message, 3.0 * near),
        (5, 16, Mode::Message, 3.0 * near),
        (64, 1, Mode::Node, 6.0 * far),
        (64, 8, Mode::Node, 3.0 * near + 3.0 * far),
        (64, 8, Mode::ThreeHop, 3.0 * near + 3.0 * far),
        (40, 8, Mode::Message, 3.0 * near + 3.0 * far),
    ] {
        let traffic = traffic(&placement(ranks, ranks_per_node), mode, 0);
        let time = |barrier| traffic.round(&EXAMPLE, 1, barrier);
        let found = time(true).latency - time(false).latency;
        assert!(
            (found - expected).abs() < 1e-12,
            "{ranks} {ranks_per_node} {mode:?}: {found} for {expected}"
        );
    }
}

#[test]
fn the_ranks_divided_lie_at_all_places() {
    assert_eq!(sample(5), [0, 1, 2, 3, 4]);
    for (ranks, count) in [(257, 256), (10_240, 256), (1 << 20, 16)] {
        let chosen = sample(ranks);
        assert!(chosen.len() == count && chosen.iter().all(|&rank| rank < ranks), "{ranks} ranks");
        assert!((0..5).all(|place| chosen.iter().any(|rank| rank % 5 == place)), "{ranks} ranks");
    }
}
