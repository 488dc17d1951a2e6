//! Divides a list of values into one list per part of a stage.
//!
//! Idea: parts that are intervals of the table are halved repeatedly, by comparison with one bound each time,
//! as in the hypercube, but in registers. Each pass is a compress per vector without a branch, so that eight
//! parts cost less than computing and using eight part numbers. Other parts are looked up by owner.
//! Restrictions: none. Cost: ceil(log2 parts) passes over the list, or one look-up per value. Extra memory: a
//! pair of lists per pass.

use super::kernel;
use super::table::{Distribution, Index};
use hcube_core::machine::instructions::Level;
use hcube_core::plan::{Entry, Parting};

/// The rule of a stage for a table of a certain size.
#[derive(Debug)]
enum Rule<'a> {
    /// Part i takes the global indices `bounds[i] .. bounds[i + 1]`.
    Intervals(Vec<u64>),
    /// Parts by a table over owners.
    Entries(&'a [Entry]),
}

/// Divides lists by the rule of one stage.
#[derive(Debug)]
pub struct Divider<'a> {
    rule: Rule<'a>,
    distribution: Distribution,
    halver: Halver,
    /// Lists between two halvings, a pair per level of the tree.
    scratch: Vec<[Vec<u64>; 2]>,
    /// The lists, one per part.
    pub parts: Vec<Vec<u64>>,
}

impl<'a> Divider<'a> {
    /// For a stage of `parts` parts.
    pub fn new(
        parting: &'a Parting,
        parts: usize,
        distribution: Distribution,
        index: Index,
        level: Level,
    ) -> Self {
        let rule = match parting {
            Parting::Entries(entries) => Rule::Entries(entries),
            Parting::Ranks(ranks) => {
                Rule::Intervals(ranks.iter().map(|&rank| distribution.start(rank)).collect())
            }
        };
        let depth = parts.next_power_of_two().trailing_zeros() as usize;
        let scratch = vec![Default::default(); depth];
        Self { rule, distribution, halver: Halver { index, level }, scratch, parts: vec![Vec::new(); parts] }
    }

    /// Appends every value to the list of its part.
    pub fn divide(&mut self, values: &[u64]) {
        match &self.rule {
            Rule::Intervals(bounds) => self.halver.divide(values, bounds, &mut self.parts, &mut self.scratch),
            Rule::Entries(entries) => {
                for &value in values {
                    let index = self.halver.index.of(value);
                    let entry = entries[self.distribution.owner(index)];
                    // Neighbouring indices take the lanes in turn: an even distribution without further
                    // state.
                    let lane = if entry.count == 1 { 0 } else { (index % u64::from(entry.count)) as u32 };
                    self.parts[(entry.first + lane) as usize].push(value);
                }
            }
        }
    }

    /// Number of lists that a value is put on, one after the other.
    pub fn passes(&self) -> usize {
        match self.rule {
            Rule::Intervals(_) => self.scratch.len(),
            Rule::Entries(_) => 1,
        }
    }

    /// Values in all lists.
    pub fn held(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        let lists = self.parts.iter().chain(self.scratch.iter().flatten());
        lists.map(|list| list.capacity() * size_of::<u64>()).sum()
    }
}

/// Halves lists repeatedly.
#[derive(Debug, Clone, Copy)]
struct Halver {
    index: Index,
    level: Level,
}

impl Halver {
    /// Part i of `parts` takes the indices `bounds[i] .. bounds[i + 1]`.
    fn divide(self, values: &[u64], bounds: &[u64], parts: &mut [Vec<u64>], scratch: &mut [[Vec<u64>; 2]]) {
        match parts {
            _ if values.is_empty() => {}
            [] => unreachable!("values, but no part for them"),
            [all] => all.extend_from_slice(values),
            [low, high] => kernel::halve(self.level, values, self.index, bounds[1], low, high),
            _ => {
                let middle = parts.len() / 2;
                let ([low, high], scratch) = scratch.split_first_mut().expect("a pair of lists per level");
                low.clear();
                high.clear();
                kernel::halve(self.level, values, self.index, bounds[middle], low, high);
                let (low_parts, high_parts) = parts.split_at_mut(middle);
                self.divide(low, &bounds[..=middle], low_parts, scratch);
                self.divide(high, &bounds[middle..], high_parts, scratch);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Stream, StreamKind, lcg::Lcg};

    #[test]
    fn every_rule_puts_values_where_the_owner_is() {
        let mut values = vec![0; 2000];
        Stream::<Lcg>::new(5).fill(&mut values);
        for ranks in [1usize, 2, 3, 4, 5, 8, 17, 64, 100] {
            let table = Distribution::new(20, ranks);
            let index = table.index(StreamKind::Lcg);
            let each = Parting::Ranks((0..=ranks).collect());
            let entry = |rank| Entry { first: (ranks - 1 - rank) as u32, count: 1 };
            let reversed = Parting::Entries((0..ranks).map(entry).collect());
            for (parting, place) in [(each, false), (reversed, true)] {
                let mut divider = Divider::new(&parting, ranks, table, index, Level::detect());
                divider.divide(&values);
                assert_eq!(divider.held(), values.len());
                for (part, list) in divider.parts.iter().enumerate() {
                    let rank = if place { ranks - 1 - part } else { part };
                    let expected: Vec<u64> = values
                        .iter()
                        .copied()
                        .filter(|&value| table.owner(index.of(value)) == rank)
                        .collect();
                    assert_eq!(*list, expected, "{ranks} ranks, part {part}");
                }
            }
        }
    }
}
