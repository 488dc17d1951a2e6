//! The algorithms that are compared between nodes.

use crate::choice::{Choice, Inside, Order};
use crate::options::{Path, Schedule};
use crate::situation::{MAX_SHORT_BYTES, Situation};
use crate::vote::{Property, Vote};

/// Ranks from which exchanges between nodes are compared by linear shift and along the hypercube: on fewer
/// ranks, the schedules send the same messages, and the hypercube saves none.
const MIN_COMPARED_RANKS: usize = 4;

/// Ranks from which trials begin with the hypercube, and the largest mean block for which they do: P - 1
/// messages against log2 P stages and the copies of P / 2 records in each. Simulated
/// (`hcube-lab simulate --sections small`, machines juropa and juqueen, P = 16 to 64), relative to P - 1
/// messages by hierarchical sets: blocks of 8 bytes 0.80 to 1.06, of 16 bytes 0.84 to 1.11, of 32 bytes 0.92
/// to 1.32, of 64 bytes 1.07 to 1.77, of 256 bytes 1.9 to 2.7; larger blocks are slower on every machine.
const MIN_BUNDLED_RANKS: usize = 32;
const MAX_BUNDLED_BYTES: usize = 16;

/// Whether blocks of at most `largest` bytes may be bundled along the hypercube; `max` is what the memory
/// bound permits.
pub fn may_bundle(situation: &Situation, largest: usize, max: Option<usize>) -> bool {
    // Without a comparison, constants decide.
    let compared = situation.schedule == Schedule::Hypercube || !situation.is_asked();
    (compared || largest <= MAX_BUNDLED_BYTES) && max.is_some_and(|max| largest <= max)
}

/// The algorithms that are compared between nodes; only one if the user has asked for it. The first one is
/// the fastest one according to simulations. `library`: the MPI library's function takes part. `led`: node
/// leaders can make the exchange.
pub fn between_nodes(situation: &Situation, sum: &Vote, (library, led): (bool, bool)) -> Vec<Choice> {
    let ranks = situation.ranks;
    let packed = sum.any(Property::Packed) || !situation.single_copy;
    let messages = Choice::Messages(Order::Usual, if packed { Inside::Slots } else { Inside::SingleCopy });
    if led {
        let long = sum.any(Property::Long);
        let short = !long && sum.bytes <= (MAX_SHORT_BYTES * ranks * (ranks - 1)) as u64;
        return match (short || situation.is_asked(), library, long) {
            (true, ..) | (_, false, false) => vec![Choice::Leaders],
            (_, true, _) => vec![Choice::Leaders, Choice::Library],
            (_, false, true) => vec![Choice::Leaders, messages],
        };
    }
    if library && !sum.any(Property::InPlace) {
        return vec![Choice::Library, messages];
    }
    let compared = !situation.is_asked() && ranks >= MIN_COMPARED_RANKS;
    let small = sum.count(Property::Small) == ranks;
    let bundled_first =
        ranks >= MIN_BUNDLED_RANKS && sum.bytes <= (MAX_BUNDLED_BYTES * ranks * (ranks - 1)) as u64;
    let only_bundled = match situation.schedule {
        Schedule::Hypercube => true,
        Schedule::Auto => bundled_first && !compared,
        _ => false,
    };
    if small && only_bundled {
        return vec![Choice::Hypercube];
    }
    let single_copy = situation.single_copy && !sum.any(Property::Packed);
    let insides = match situation.path {
        Path::SingleCopy if single_copy => &[Inside::SingleCopy][..],
        Path::Auto if single_copy => &[Inside::Slots, Inside::SingleCopy],
        _ => &[Inside::Slots],
    };
    let orders = if compared { &[Order::Usual, Order::Shifted][..] } else { &[Order::Usual] };
    let messages = |&order| insides.iter().map(move |&inside| Choice::Messages(order, inside));
    let mut contenders: Vec<Choice> = orders.iter().flat_map(messages).collect();
    if small && compared {
        let place = if bundled_first { 0 } else { contenders.len() };
        contenders.insert(place, Choice::Hypercube);
    }
    contenders.extend(library.then_some(Choice::Library));
    contenders
}

/// The sum of the votes of all ranks, with the number of ranks that have each property.
#[cfg(test)]
pub fn sum(bytes: u64, properties: &[(Property, usize)]) -> Vote {
    let mut sum = Vote::default();
    sum.bytes = bytes;
    for &(property, ranks) in properties {
        let vote = Vote::default().with(property, true);
        (0..ranks).for_each(|_| sum.add_brief(vote.brief()));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: Situation = Situation {
        ranks: 4,
        shared: false,
        single_copy: true,
        led: 0,
        leads_in_place: false,
        schedule: Schedule::Auto,
        path: Path::Auto,
    };
    const USUAL: Choice = Choice::Messages(Order::Usual, Inside::Slots);
    const USUAL_COPIED: Choice = Choice::Messages(Order::Usual, Inside::SingleCopy);
    const SHIFTED: Choice = Choice::Messages(Order::Shifted, Inside::Slots);
    const SHIFTED_COPIED: Choice = Choice::Messages(Order::Shifted, Inside::SingleCopy);

    /// The algorithms that are compared for blocks of this size, of which this many ranks have small ones.
    fn compared(situation: Situation, block: u64, small: usize, library: bool) -> Vec<Choice> {
        let ranks = situation.ranks as u64;
        let properties = [(Property::Small, small), (Property::InPlace, ranks as usize)];
        let sum = sum(block * ranks * (ranks - 1), &properties);
        between_nodes(&situation, &sum, (library, false))
    }

    #[test]
    fn what_is_compared_between_nodes() {
        use Choice::{Hypercube, Library};
        let auto = |ranks| Situation { ranks, ..NODES };
        // One rank on each node.
        let apart = |ranks| Situation { single_copy: false, ..auto(ranks) };
        let path = |path, ranks| Situation { path, ..auto(ranks) };
        let all = &[USUAL, USUAL_COPIED, SHIFTED, SHIFTED_COPIED];
        for (situation, block, small, library, expected) in [
            (auto(4), 1 << 20, 0, false, &all[..]),
            (auto(4), 1 << 20, 0, true, &[&all[..], &[Library]].concat()),
            (auto(4), 8, 4, false, &[&all[..], &[Hypercube]].concat()),
            (auto(4), 8, 3, false, all),
            (auto(3), 8, 3, false, &all[..2]),
            (auto(3), 8, 3, true, &[USUAL, USUAL_COPIED, Library]),
            (auto(31), 8, 31, false, &[&all[..], &[Hypercube]].concat()),
            (auto(32), 16, 32, false, &[&[Hypercube], &all[..]].concat()),
            (auto(32), 17, 32, false, &[&all[..], &[Hypercube]].concat()),
            (auto(32), 16, 31, false, all),
            (apart(2), 8, 2, false, &[USUAL]),
            (apart(2), 8, 2, true, &[USUAL, Library]),
            (apart(9), 8, 9, true, &[USUAL, SHIFTED, Hypercube, Library]),
            (path(Path::SingleCopy, 9), 8, 0, false, &[USUAL_COPIED]),
            (path(Path::Shared, 9), 8, 9, false, &[USUAL]),
            (path(Path::Message, 31), 8, 31, false, &[USUAL]),
            (path(Path::Message, 32), 8, 32, false, &[Hypercube]),
        ] {
            let found = compared(situation, block, small, library);
            assert_eq!(found, expected, "{situation:?}, {block} bytes, {small} small, library {library}");
        }
    }

    /// Where a schedule is requested, it is used, and only the path inside the nodes is compared.
    #[test]
    fn schedules_on_request() {
        for ranks in [2, 4, 32, 100] {
            let asked = |schedule| Situation { ranks, schedule, ..NODES };
            for schedule in [Schedule::Mpich, Schedule::LinearShift, Schedule::HierarchicalSets] {
                let found = compared(asked(schedule), 8, ranks, false);
                assert_eq!(found, [USUAL, USUAL_COPIED], "{schedule:?}, {ranks} ranks");
            }
            let hypercube = asked(Schedule::Hypercube);
            assert_eq!(compared(hypercube, 8, ranks, false), [Choice::Hypercube]);
            assert_eq!(compared(hypercube, 8, ranks - 1, false), [USUAL, USUAL_COPIED]);
        }
    }

    #[test]
    fn blocks_that_may_be_bundled() {
        let path = Situation { path: Path::Shared, ..NODES };
        let schedule = |schedule| Situation { schedule, ..NODES };
        for (situation, largest, max, expected) in [
            (NODES, 256, Some(256), true),
            (NODES, 256, Some(255), false),
            (NODES, 1, None, false),
            (path, MAX_BUNDLED_BYTES, Some(256), true),
            (path, MAX_BUNDLED_BYTES + 1, Some(256), false),
            (schedule(Schedule::Hypercube), 256, Some(256), true),
            (schedule(Schedule::Hypercube), 257, Some(256), false),
        ] {
            assert_eq!(may_bundle(&situation, largest, max), expected, "{situation:?}, {largest}, {max:?}");
        }
    }
}
