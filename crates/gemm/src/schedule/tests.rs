//! Execution of plans: every member handles its receives and its sends strictly in order, and a message is
//! sent only when it is the next one of both.

use super::{Broadcast, Hierarchy, Level, Message, Plan, groups};
use proptest::prelude::*;

const MAX_MEMBERS: usize = 130;

/// The messages of member `me` when `root` broadcasts `parts` parts to `members` members. A ring sends every
/// part in a separate message.
fn plan(algorithm: Broadcast, members: usize, root: usize, me: usize, parts: usize) -> Plan {
    if algorithm != Broadcast::Ring {
        return algorithm.block(members, root, me, 0..parts);
    }
    let mut plan = Plan::default();
    for part in 0..parts {
        let block = algorithm.block(members, root, me, part..part + 1);
        plan.receives.extend(block.receives);
        plan.sends.extend(block.sends);
    }
    plan
}

/// Executes the plans of all members until nothing moves, and returns what each has of the panel. Panics
/// where a message is not what the receiver expects, brings what the receiver has, or never moves.
fn execute(plans: &[Plan], root: usize, units: usize) -> Vec<Vec<bool>> {
    let mut has = vec![vec![false; units]; plans.len()];
    has[root].fill(true);
    let mut next = vec![(0, 0); plans.len()];
    let mut candidates: Vec<usize> = (0..plans.len()).collect();
    while let Some(from) = candidates.pop() {
        let Some(sent) = plans[from].sends.get(next[from].0) else { continue };
        let to = sent.partner;
        let Some(received) = plans[to].receives.get(next[to].1) else {
            panic!("{from} sends {sent:?}, which is not expected")
        };
        if received.partner != from || !has[from][sent.parts.clone()].iter().all(|&has| has) {
            continue;
        }
        assert!((received.level, &received.parts) == (sent.level, &sent.parts), "{sent:?}, {received:?}");
        assert!(
            !sent.parts.is_empty() && has[to][sent.parts.clone()].iter().all(|&has| !has),
            "{to}: {sent:?}"
        );
        has[to][sent.parts.clone()].fill(true);
        (next[from].0, next[to].1) = (next[from].0 + 1, next[to].1 + 1);
        // Messages that can be sent now: the next send of both, and the next receive of the receiver.
        candidates.extend([from, to]);
        candidates.extend(plans[to].receives.get(next[to].1).map(|message| message.partner));
    }
    for (member, (plan, next)) in plans.iter().zip(next).enumerate() {
        assert_eq!(next, (plan.sends.len(), plan.receives.len()), "member {member} waits forever: {plan:?}");
    }
    has
}

/// Executes a broadcast along a line, and returns the plans.
fn check(hierarchy: &Hierarchy, root: usize, units: usize, levels: &[Level]) -> Vec<Plan> {
    let positions = hierarchy.positions();
    let plans: Vec<Plan> = (0..positions).map(|me| hierarchy.plan(root, me, units, levels)).collect();
    let has = execute(&plans, root, units);
    let shared = levels.last() == Some(&Level::Shared);
    for (position, has) in has.iter().enumerate() {
        let source = if shared { hierarchy.representative(root, position) } else { position };
        assert!(source == position || has.iter().all(|&has| !has), "{position} shares and receives");
        let received: usize = plans[source].receives.iter().map(|message| message.parts.len()).sum();
        assert_eq!(received, if source == root { 0 } else { units }, "units of {source} for {position}");
    }
    plans
}

/// Without the level.
fn bare(plans: &[Plan]) -> Vec<Plan> {
    let bare = |messages: &[Message]| {
        messages.iter().cloned().map(|message| Message { level: 0, ..message }).collect()
    };
    plans.iter().map(|plan| Plan { receives: bare(&plan.receives), sends: bare(&plan.sends) }).collect()
}

/// Roots that differ in kind.
fn roots(members: usize) -> impl Iterator<Item = usize> {
    let mut roots = vec![0, members / 3, members - 1];
    roots.dedup();
    roots.into_iter()
}

#[test]
fn flat_broadcasts_of_every_size() {
    for members in 1..=MAX_MEMBERS {
        for algorithm in Broadcast::ALL {
            for (root, parts) in roots(members).zip([members + 3, 1, 7]) {
                let plans: Vec<Plan> =
                    (0..members).map(|me| plan(algorithm, members, root, me, parts)).collect();
                assert!(execute(&plans, root, parts).iter().flatten().all(|&has| has));
                let cut = if algorithm == Broadcast::Ring { 1 } else { parts };
                let level = Level::Messages { algorithm, cut };
                assert_eq!(plans, check(&Hierarchy::flat(members), root, parts, &[level]));
            }
        }
    }
}

#[test]
fn nothing_is_sent_of_an_empty_panel() {
    for algorithm in Broadcast::ALL {
        assert!((0..5).all(|me| plan(algorithm, 5, 2, me, 0) == Plan::default()), "{algorithm:?}");
    }
}

#[test]
fn messages_of_the_algorithms() {
    let sent = |algorithm, members, parts| -> Vec<usize> {
        (0..members).map(|me| plan(algorithm, members, 0, me, parts).sends.len()).collect()
    };
    assert_eq!(sent(Broadcast::Binomial, 8, 16), [3, 0, 1, 0, 2, 0, 1, 0]);
    assert_eq!(sent(Broadcast::Binomial, 6, 16), [3, 0, 1, 0, 1, 0]);
    assert_eq!(sent(Broadcast::Ring, 4, 3), [3, 3, 3, 0]);
    // Scatter 2, 0, 1, 0; all-gather 3 each, less what the next member has: of 0, 1, 2 and 3 pieces.
    assert_eq!(sent(Broadcast::ScatterAllgather, 4, 4), [2 + 3, 2, 1 + 3, 0]);
    for members in 1..=MAX_MEMBERS {
        for algorithm in [Broadcast::Binomial, Broadcast::Ring] {
            assert_eq!(sent(algorithm, members, 1).iter().sum::<usize>(), members - 1);
        }
        // Every member except the root receives its pieces in one message and each other piece in one.
        let received = |me| plan(Broadcast::ScatterAllgather, members, 0, me, members).receives;
        for me in 1..members {
            assert!(received(me).len() <= members && received(me)[0].parts.start == me);
        }
    }
}

/// One group, and a group for each position, are SUMMA.
#[test]
fn trivial_groups_send_the_messages_of_summa() {
    for members in 1..=MAX_MEMBERS {
        for algorithm in Broadcast::ALL {
            let (units, level) = (12, Level::Messages { algorithm, cut: 5 });
            for root in roots(members) {
                let flat = check(&Hierarchy::flat(members), root, units, &[level]);
                for count in [1, members] {
                    let hierarchy = Hierarchy::new(members, &[groups::intervals(members, count)]);
                    for levels in
                        [[level, level], [level, Level::whole(algorithm)], [Level::whole(algorithm), level]]
                    {
                        let used = usize::from(count == 1);
                        if levels[used] == level {
                            assert_eq!(
                                flat,
                                bare(&check(&hierarchy, root, units, &levels)),
                                "{count} groups"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Two and three levels with uneven groups, and the innermost one in shared memory.
#[test]
fn hierarchies_of_every_size() {
    for members in 1..=MAX_MEMBERS {
        let root = members / 3;
        for (number, algorithm) in Broadcast::ALL.into_iter().enumerate() {
            let inner = Broadcast::ALL[(number + members) % 3];
            let (outer_level, level) =
                (Level::whole(algorithm), Level::Messages { algorithm: inner, cut: 3 });
            for count in [2, 3, members.isqrt(), members / 2] {
                let outer = groups::intervals(members, count);
                let two = Hierarchy::new(members, std::slice::from_ref(&outer));
                check(&two, root, 10, &[outer_level, level]);
                check(&two, root, 10, &[level, outer_level]);
                check(&two, root, 10, &[level, Level::Shared]);
                let three = Hierarchy::new(members, &[outer, groups::intervals(members, 3 * count)]);
                check(&three, root, 10, &[outer_level, Level::Messages { algorithm: inner, cut: 4 }, level]);
                check(&three, root, 10, &[level, outer_level, Level::Shared]);
            }
        }
    }
}

/// The example of Quintin, Hasanov and Lastovetsky, Figure 2, along a row: 6 positions, 3 groups of 2
/// positions, root 3.
#[test]
fn a_group_is_represented_by_the_member_at_the_index_of_the_root() {
    let hierarchy = Hierarchy::new(6, &[groups::intervals(6, 3)]);
    assert_eq!([0, 1, 2, 3, 4, 5].map(|position| hierarchy.representative(3, position)), [1, 1, 3, 3, 5, 5]);
    let levels =
        [Level::whole(Broadcast::Binomial), Level::Messages { algorithm: Broadcast::Binomial, cut: 4 }];
    let plan = |me| hierarchy.plan(3, me, 8, &levels);
    let message = |partner, parts, level| Message { partner, parts, level };
    let halves = |partner| vec![message(partner, 0..4, 1), message(partner, 4..8, 1)];
    assert_eq!(plan(3).sends, [&[message(1, 0..8, 0), message(5, 0..8, 0)][..], &halves(2)].concat());
    assert_eq!(plan(5), Plan { receives: vec![message(3, 0..8, 0)], sends: halves(4) });
    assert_eq!(plan(0), Plan { receives: halves(1), sends: Vec::new() });
    // A smaller group: index 2 of 2 members is index 0.
    let uneven = Hierarchy::new(5, &[vec![0, 0, 0, 1, 1]]);
    assert_eq!([3, 4].map(|position| uneven.representative(2, position)), [3, 3]);
    assert_eq!(Hierarchy::flat(4).representative(2, 0), 2);
}

/// A block is sent inside a group while the next is sent between groups.
#[test]
fn levels_overlap() {
    let hierarchy = Hierarchy::new(4, &[vec![0, 0, 1, 1]]);
    let levels = [Level::Messages { algorithm: Broadcast::Ring, cut: 2 }; 2];
    let sends = hierarchy.plan(0, 0, 4, &levels).sends;
    assert_eq!(
        sends.iter().map(|message| (message.partner, message.level)).collect::<Vec<_>>(),
        [(2, 0), (1, 1), (2, 0), (1, 1)]
    );
}

fn level() -> impl Strategy<Value = Level> {
    (0..3_usize, 1..14_usize)
        .prop_map(|(number, cut)| Level::Messages { algorithm: Broadcast::ALL[number], cut })
}

/// A line with nested partitions into any sets, and as many levels.
fn line() -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<Level>, usize)> {
    (1..40_usize, 0..4_usize).prop_flat_map(|(positions, partitions)| {
        let numbers = prop::collection::vec(0..6_usize, positions);
        let partitions = prop::collection::vec(numbers, partitions);
        let levels = prop::collection::vec(level(), 4);
        (partitions, levels, Just(positions))
    })
}

proptest! {
    #[test]
    fn random_partitions((partitions, mut levels, positions) in line(), root in 0..40_usize, units in 0..13_usize,
                         shared: bool) {
        let hierarchy = Hierarchy::new(positions, &partitions);
        levels.truncate(hierarchy.levels());
        if shared {
            levels.pop();
            levels.push(Level::Shared);
        }
        check(&hierarchy, root % positions, units, &levels);
    }
}
