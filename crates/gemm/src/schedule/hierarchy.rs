//! Broadcast in levels along a process row or column: HSUMMA with any number of levels.
//!
//! Idea: nested partitions divide the positions of a line into groups, the groups into smaller ones, and so
//! on. Level 0 is a broadcast between the representatives of the outermost groups. Then, inside each group,
//! its representative is the root of the next level. The root represents its own group; another group is
//! represented by the member with the same index in its group as the root in its own, modulo the size of the
//! group. Without a partition this is SUMMA's broadcast, with one it is HSUMMA's; one group, or a group for
//! each position, is SUMMA again.
//!
//! A panel consists of `units` units, such as columns, to which the parts of all messages refer. A level
//! broadcasts `cut` units at a time: in HSUMMA an outer block between groups and an inner block inside a
//! group. The first units can be sent inside a group while later units are still sent between groups.
//!
//! Restrictions: none. Groups may be of different sizes, and need not be consecutive.
//! Cost: every position receives every unit once. The messages are the messages of the broadcasts of all
//! levels.
//! Memory for the partitions: O(positions * levels).
//! Source: Quintin, Hasanov and Lastovetsky, "Hierarchical parallel matrix multiplication on large-scale
//! distributed memory platforms", ICPP 2013, §III; its conclusions propose more than two levels.

use super::broadcast::Broadcast;
use super::message::Plan;
use std::collections::HashMap;

/// The broadcast of the units of a panel in one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// In messages.
    Messages {
        /// The broadcast among the members of the level.
        algorithm: Broadcast,
        /// Units that are broadcast at a time, 1 or more; the last block may have fewer. More than the panel
        /// has: all.
        cut: usize,
    },
    /// Not at all: the members share the memory of their representative. Only the innermost level.
    Shared,
}

impl Level {
    /// Messages that are not cut.
    pub const fn whole(algorithm: Broadcast) -> Self {
        Self::Messages { algorithm, cut: usize::MAX }
    }

    /// Units of a block of this level.
    fn cut(self) -> usize {
        match self {
            Self::Messages { cut, .. } => cut,
            Self::Shared => usize::MAX,
        }
    }
}

/// A partition of all positions into sets.
#[derive(Debug, Clone)]
struct Partition {
    /// Of a position: its set.
    set: Vec<usize>,
    /// Of a position: its index in its set.
    index: Vec<usize>,
    /// Of a set: its positions, ascending.
    positions: Vec<Vec<usize>>,
    /// Of a set: the sets of the next finer partition in it, by their first positions.
    parts: Vec<Vec<usize>>,
    /// Of a set: its index among the parts of the set that it is in.
    index_of_set: Vec<usize>,
}

/// The positions of a process row or column with their groups.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    /// From all positions in one set to each position in a separate set.
    partitions: Vec<Partition>,
}

/// A level as a position sees it.
struct Place<'a> {
    of_sets: &'a Partition,
    /// The sets between which the level broadcasts.
    sets: &'a [usize],
    /// Position that has the panel before this level.
    root: usize,
}

impl Place<'_> {
    /// The position that represents a set of this level.
    fn representative(&self, set: usize) -> usize {
        let Partition { set: set_of, index, positions, .. } = self.of_sets;
        let members = &positions[set];
        if set == set_of[self.root] { self.root } else { members[index[self.root] % members.len()] }
    }
}

impl Hierarchy {
    /// For a line of `positions` positions with the given partitions from the outside to the inside, each
    /// with the number of the group of every position. Positions are in one group of a level if they are in
    /// one group of all levels above as well and have the same number.
    ///
    /// # Panics
    /// Unless there is a position, and every partition has a number for each.
    pub fn new(positions: usize, partitions: &[Vec<usize>]) -> Self {
        assert!(positions > 0, "a line without positions");
        let mut made = vec![Partition::new(&vec![0; positions])];
        let all: Vec<usize> = (0..positions).collect();
        for numbers in partitions.iter().chain([&all]) {
            assert_eq!(numbers.len(), positions, "numbers of groups for {positions} positions");
            let outer = made.last_mut().expect("at least one");
            let mut known = HashMap::new();
            let number = |position: usize| {
                let next = known.len();
                *known.entry((outer.set[position], numbers[position])).or_insert(next)
            };
            let mut inner = Partition::new(&(0..positions).map(number).collect::<Vec<_>>());
            outer.divide(&mut inner);
            made.push(inner);
        }
        Self { partitions: made }
    }

    /// SUMMA: without groups.
    pub fn flat(positions: usize) -> Self {
        Self::new(positions, &[])
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.partitions[0].set.len()
    }

    /// Number of levels: broadcasts by which the panel reaches a position.
    pub fn levels(&self) -> usize {
        self.partitions.len() - 1
    }

    /// A level as position `me` sees it.
    fn place(&self, level: usize, root: usize, me: usize) -> Place<'_> {
        let outer = &self.partitions[level];
        Place { of_sets: &self.partitions[level + 1], sets: &outer.parts[outer.set[me]], root }
    }

    /// The position that receives a panel of `root` for the innermost group of `position`: the one that the
    /// group shares it with if the innermost level is [`Level::Shared`].
    ///
    /// # Panics
    /// Unless `root` and `position` are positions of the line.
    #[cfg(test)]
    pub(super) fn representative(&self, root: usize, position: usize) -> usize {
        (0..self.levels() - 1).fold(root, |root, level| {
            let place = self.place(level, root, position);
            place.representative(place.of_sets.set[position])
        })
    }

    /// The messages of position `me` when `root` broadcasts a panel of `units` units, with one entry of
    /// `levels` for each level from the outside to the inside. Partners are positions.
    ///
    /// # Panics
    /// Unless `root` and `me` are positions, every level has its entry, cuts are positive, and only the last
    /// level is shared.
    pub fn plan(&self, root: usize, me: usize, units: usize, levels: &[Level]) -> Plan {
        assert_eq!(levels.len(), self.levels(), "levels");
        assert!(
            !levels[..levels.len() - 1].contains(&Level::Shared),
            "only the innermost level can be shared"
        );
        let (mut receives, mut sends) = (Vec::new(), Vec::new());
        let mut root = root;
        for (number, &level) in levels.iter().enumerate() {
            let place = self.place(number, root, me);
            let own = place.of_sets.set[me];
            let representative = place.representative(own);
            if let (Level::Messages { algorithm, cut }, true) = (level, me == representative) {
                let index = |position: usize| place.of_sets.index_of_set[place.of_sets.set[position]];
                let (root, me) = (index(root), index(me));
                for start in (0..units).step_by(cut) {
                    let end = start.saturating_add(cut).min(units);
                    let plan = algorithm.block(place.sets.len(), root, me, start..end);
                    let plan = plan.renumbered(|member| place.representative(place.sets[member]));
                    let key = (needed(&levels[..number], end, units), number);
                    receives.extend(plan.receives.into_iter().map(|message| (key, message)));
                    sends.extend(plan.sends.into_iter().map(|message| (key, message)));
                }
            }
            root = representative;
        }
        let sorted = |mut keyed: Vec<((usize, usize), _)>| {
            keyed.sort_by_key(|(key, _)| *key);
            let message = |((_, level), message)| super::Message { level, ..message };
            keyed.into_iter().map(message).collect()
        };
        Plan { receives: sorted(receives), sends: sorted(sends) }
    }
}

/// Units from the start of the panel that the levels above must have brought before the units below `end` are
/// there. Messages are in the order of this number, then from the outside to the inside: each one follows
/// those that bring its units, in the same order at all positions.
fn needed(above: &[Level], end: usize, units: usize) -> usize {
    above.iter().rev().fold(end, |end, level| match level.cut() {
        cut if cut < units => end.next_multiple_of(cut).min(units),
        _ => units,
    })
}

impl Partition {
    fn new(set: &[usize]) -> Self {
        let sets = set.iter().max().map_or(0, |largest| largest + 1);
        let mut positions = vec![Vec::new(); sets];
        let index = |(position, &set): (usize, &usize)| {
            positions[set].push(position);
            positions[set].len() - 1
        };
        let index = set.iter().enumerate().map(index).collect();
        Self {
            set: set.to_vec(),
            index,
            positions,
            parts: vec![Vec::new(); sets],
            index_of_set: vec![0; sets],
        }
    }

    /// Enters the sets of a finer partition, which are counted in the order of their first positions.
    fn divide(&mut self, inner: &mut Self) {
        for (number, positions) in inner.positions.iter().enumerate() {
            let parts = &mut self.parts[self.set[positions[0]]];
            inner.index_of_set[number] = parts.len();
            parts.push(number);
        }
    }
}
