//! The time of a broadcast, counted from its messages.
//!
//! Idea: execute the plans of all positions of a line. A message starts when its parts are at the sender and
//! it is the next one of both sides; it occupies the send port of the sender and the receive port of the
//! receiver for alpha + beta * elements. The result is the time of the last message. If members and blocks
//! are powers of two, it equals the formulas; it is also valid for other numbers, uneven groups, blocks that
//! overlap between levels, and links of different speeds.
//!
//! Restrictions: one line at a time; the ports of a node that several ranks share are not modelled.
//! Cost: O(messages * units in a message), so O(q^2) for scatter and all-gather among q members.
//! Source: the model of Quintin, Hasanov and Lastovetsky, ICPP 2013, §IV; counting is an addition.

use super::hockney::Hockney;
use crate::schedule::{Broadcast, Hierarchy, Level, Plan, groups};

/// The time of a broadcast.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counted {
    /// Until the last position has all units.
    pub seconds: f64,
    /// Messages of all positions.
    pub messages: usize,
    /// Units in all messages.
    pub units: usize,
}

/// The time until all positions of a line have the panel of `root`: `units` units, each of
/// `elements_per_unit` elements. The link between two positions is a function of sender and receiver.
///
/// # Panics
/// As [`Hierarchy::plan`].
pub fn count(
    hierarchy: &Hierarchy,
    levels: &[Level],
    root: usize,
    (units, elements_per_unit): (usize, f64),
    link: impl Fn(usize, usize) -> Hockney,
) -> Counted {
    let positions = hierarchy.positions();
    let plans: Vec<Plan> = (0..positions).map(|me| hierarchy.plan(root, me, units, levels)).collect();
    // When units are there, and when ports are free.
    let mut there = vec![vec![f64::INFINITY; units]; positions];
    there[root].fill(0.0);
    let (mut sent, mut received) = (vec![0; positions], vec![0; positions]);
    let (mut send_port, mut receive_port) = (vec![0.0_f64; positions], vec![0.0_f64; positions]);
    let mut counted = Counted::default();
    let mut candidates: Vec<usize> = (0..positions).collect();
    while let Some(from) = candidates.pop() {
        let Some(message) = plans[from].sends.get(sent[from]) else { continue };
        let to = message.partner;
        let is_next = plans[to].receives.get(received[to]).is_some_and(|next| next.partner == from);
        let ready = there[from][message.parts.clone()].iter().copied().fold(0.0, f64::max);
        if !is_next || ready.is_infinite() {
            continue;
        }
        let start = ready.max(send_port[from]).max(receive_port[to]);
        let end = start + link(from, to).message(message.parts.len() as f64 * elements_per_unit);
        (send_port[from], receive_port[to]) = (end, end);
        there[to][message.parts.clone()].fill(end);
        (sent[from], received[to]) = (sent[from] + 1, received[to] + 1);
        counted.seconds = counted.seconds.max(end);
        counted.messages += 1;
        counted.units += message.parts.len();
        // Messages that may start now: the next send of both, and the next receive of the receiver.
        candidates.extend([from, to]);
        candidates.extend(plans[to].receives.get(received[to]).map(|message| message.partner));
    }
    counted
}

/// The levels of a panel of HSUMMA with an outer block of `outer` and inner blocks of `inner` columns, for
/// lines with this number of members between groups and inside a group. A ring divides each block again, into
/// the number of blocks that the formula finds best for `elements` elements in a column.
pub fn levels(
    broadcast: Broadcast,
    [between, inside]: [usize; 2],
    [outer, inner]: [usize; 2],
    elements: f64,
    hockney: &Hockney,
) -> [Level; 2] {
    let level = |members: usize, columns: usize| {
        let blocks = match broadcast {
            Broadcast::Ring => hockney.ring_blocks(members as f64, elements * columns as f64, columns),
            Broadcast::Binomial | Broadcast::ScatterAllgather => 1,
        };
        Level::Messages { algorithm: broadcast, cut: columns.div_ceil(blocks).max(1) }
    };
    [level(between, outer), level(inside, inner)]
}

/// The broadcast of a panel of `outer` columns by the first position of a line of `positions` positions,
/// which are divided into `divided` groups. One group is SUMMA; its panel has `inner` columns.
pub fn line(
    broadcast: Broadcast,
    (positions, divided): (usize, usize),
    blocks: [usize; 2],
    elements: f64,
    link: impl Fn(usize, usize) -> Hockney,
) -> Counted {
    let hierarchy = Hierarchy::new(positions, &[groups::intervals(positions, divided)]);
    // The blocks of a ring follow from the link over the largest distance.
    let far = link(0, positions - 1);
    let levels = levels(broadcast, [divided, positions.div_ceil(divided)], blocks, elements, &far);
    count(&hierarchy, &levels, 0, (blocks[0], elements), link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hockney::Factors;

    /// Critical path in messages, and in units.
    fn critical(hierarchy: &Hierarchy, levels: &[Level], root: usize, units: usize) -> (f64, f64) {
        let with = |alpha, beta| {
            count(hierarchy, levels, root, (units, 1.0), |_, _| Hockney { alpha, beta }).seconds
        };
        (with(1.0, 0.0), with(0.0, 1.0))
    }

    #[test]
    fn broadcasts_cost_what_the_formulas_say() {
        for exponent in 0..=7 {
            let (members, units) = (1_usize << exponent, 256);
            let flat = Hierarchy::flat(members);
            for (broadcast, cut) in
                [(Broadcast::Binomial, units), (Broadcast::ScatterAllgather, units), (Broadcast::Ring, 8)]
            {
                let (messages, counted) =
                    critical(&flat, &[Level::Messages { algorithm: broadcast, cut }], members / 3, units);
                let Factors { latency, bandwidth } = Factors::new(broadcast, members as f64, units / 8);
                let is = |counted: f64, formula: f64| (counted - formula).abs() < 1e-9 * formula.max(1.0);
                assert!(
                    is(messages, latency) && is(counted, units as f64 * bandwidth),
                    "{broadcast:?}, {members}"
                );
            }
        }
    }

    /// Other numbers of members take whole rounds, and never more than the next power of two.
    #[test]
    fn any_number_of_members() {
        for members in 2..=130_usize {
            let flat = Hierarchy::flat(members);
            let rounds = f64::from(members.next_power_of_two().trailing_zeros());
            let (messages, units) = critical(&flat, &[Level::whole(Broadcast::Binomial)], 1, 60);
            assert_eq!((messages, units), (rounds, 60.0 * rounds));
            let (messages, _) = critical(&flat, &[Level::whole(Broadcast::ScatterAllgather)], 1, members);
            let ring = members as f64 - 1.0;
            assert!(messages >= ring && messages <= rounds + ring, "{members} members: {messages}");
            assert_eq!(
                critical(&flat, &[Level::Messages { algorithm: Broadcast::Ring, cut: 1 }], 1, 60).0,
                ring + 59.0
            );
        }
    }

    /// Levels one after the other cost the sum of their broadcasts; blocks that overlap cost less.
    #[test]
    fn levels_add_up_and_overlap() {
        for (between, inside) in [(4, 8), (8, 8), (16, 2)] {
            let hierarchy = Hierarchy::new(between * inside, &[groups::intervals(between * inside, between)]);
            for broadcast in [Broadcast::Binomial, Broadcast::ScatterAllgather] {
                let (messages, units) = critical(&hierarchy, &[Level::whole(broadcast); 2], 5, 128);
                let [outer, inner] =
                    [between, inside].map(|members| Factors::new(broadcast, members as f64, 1));
                assert!((messages - outer.latency - inner.latency).abs() < 1e-9, "{broadcast:?}: {messages}");
                assert!(
                    (units / 128.0 - outer.bandwidth - inner.bandwidth).abs() < 1e-9,
                    "{broadcast:?}: {units}"
                );
            }
            let ring = Level::Messages { algorithm: Broadcast::Ring, cut: 1 };
            let (_, whole) = critical(&hierarchy, &[Level::whole(Broadcast::Ring); 2], 5, 128);
            let (_, cut) = critical(&hierarchy, &[ring; 2], 5, 128);
            assert!(cut < whole / 2.0, "{cut}, {whole} without blocks");
        }
    }

    /// With the blocks that the formula selects for a ring, the time equals the formula.
    #[test]
    fn lines_with_the_blocks_of_the_formula() {
        let hockney = Hockney { alpha: 1e-6, beta: 1e-9 };
        for broadcast in Broadcast::ALL {
            for (positions, divided) in [(16, 1), (16, 4), (16, 16), (1, 1)] {
                let counted = line(broadcast, (positions, divided), [64, 64], 100.0, |_, _| hockney).seconds;
                let formula: f64 = [divided, positions / divided]
                    .map(|members| hockney.broadcast(broadcast, members as f64, 6400.0, 64))
                    .iter()
                    .sum();
                // Columns that do not divide evenly into the blocks of a ring; blocks that overlap between
                // levels.
                let exact = broadcast != Broadcast::Ring;
                let near = if exact { 1e-9 } else { 0.1 };
                let ratio = if formula > 0.0 { counted / formula } else { 1.0 + counted };
                assert!((ratio - 1.0).abs() < near, "{broadcast:?}, {divided} groups: {counted}, {formula}");
            }
        }
    }

    #[test]
    fn totals_and_links() {
        let hierarchy = Hierarchy::new(4, &[vec![0, 0, 1, 1]]);
        let far = Hockney { alpha: 1.0, beta: 0.25 };
        let near = Hockney { alpha: 0.125, beta: 0.0 };
        let link = |from: usize, to: usize| if from / 2 == to / 2 { near } else { far };
        let whole = Level::whole(Broadcast::Binomial);
        let counted = count(&hierarchy, &[whole; 2], 0, (2, 4.0), link);
        assert_eq!(counted, Counted { seconds: 3.125, messages: 3, units: 6 });
        let shared = count(&hierarchy, &[whole, Level::Shared], 0, (2, 4.0), link);
        assert_eq!(shared, Counted { seconds: 3.0, messages: 1, units: 2 });
        assert_eq!(count(&Hierarchy::flat(1), &[whole], 0, (2, 4.0), link), Counted::default());
    }
}
