//! Divides a list of values into one list per part of a stage.

use super::kernel::{self, Bins, Level};
use super::table::{Distribution, Index};
use crate::hypercube::{Entry, Parting};

/// Most bounds that are compared one after the other; beyond, the owner is computed.
const COMPARED: usize = 16;
/// Values classified together: their part numbers stay in the first-level cache.
const BATCH: usize = 256;

/// The rule of a stage for a table of a certain size.
#[derive(Debug)]
enum Rule<'a> {
    /// Two parts, below and from a global index: the hypercube's case.
    Halves(u64),
    /// A few parts, or equal ones.
    Bins(Bins),
    /// Parts by intervals of owners.
    Owners(&'a [usize]),
    /// Parts by a table over owners.
    Entries(&'a [Entry]),
}

/// Divides lists by the rule of one stage.
#[derive(Debug)]
pub struct Divider<'a> {
    rule: Rule<'a>,
    distribution: Distribution,
    index: Index,
    level: Level,
    /// The lists, one per part.
    pub parts: Vec<Vec<u64>>,
}

impl<'a> Divider<'a> {
    /// For a stage of `parts` parts.
    pub fn new(parting: &'a Parting, parts: usize, distribution: Distribution, index: Index, level: Level) -> Self {
        let rule = match parting {
            Parting::Entries(entries) => Rule::Entries(entries),
            Parting::Ranks(ranks) => {
                let bounds: Vec<u64> = ranks.iter().map(|&rank| distribution.start(rank)).collect();
                if let [_, middle, _] = bounds[..] {
                    Rule::Halves(middle)
                } else if let Some(bins) = equal_bins(&bounds) {
                    Rule::Bins(bins)
                } else if parts <= COMPARED {
                    Rule::Bins(Bins::bounds(&bounds))
                } else {
                    Rule::Owners(ranks)
                }
            }
        };
        Self { rule, distribution, index, level, parts: vec![Vec::new(); parts] }
    }

    /// Appends every value to the list of its part.
    pub fn divide(&mut self, values: &[u64]) {
        match &self.rule {
            Rule::Halves(bound) => {
                let [low, high] = &mut self.parts[..] else { unreachable!("two parts") };
                kernel::halve(self.level, values, self.index, *bound, low, high);
            }
            Rule::Bins(bins) => {
                let mut numbers = [0; BATCH];
                for batch in values.chunks(BATCH) {
                    kernel::classify(self.level, batch, self.index, bins, &mut numbers);
                    for (&value, &part) in batch.iter().zip(&numbers) {
                        self.parts[part as usize].push(value);
                    }
                }
            }
            Rule::Owners(ranks) => {
                for &value in values {
                    let owner = self.distribution.owner(self.index.of(value));
                    self.parts[ranks.partition_point(|&rank| rank <= owner) - 1].push(value);
                }
            }
            Rule::Entries(entries) => {
                for &value in values {
                    let index = self.index.of(value);
                    let entry = entries[self.distribution.owner(index)];
                    // Neighbouring indices take the lanes in turn: even without any further state.
                    let lane = if entry.count == 1 { 0 } else { (index % u64::from(entry.count)) as u32 };
                    self.parts[(entry.first + lane) as usize].push(value);
                }
            }
        }
    }

    /// Values in all lists.
    pub fn held(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Bytes of the lists.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.capacity() * size_of::<u64>()).sum()
    }
}

/// Parts of one power of two each, aligned to it, need a shift and nothing else.
fn equal_bins(bounds: &[u64]) -> Option<Bins> {
    let length = bounds[1] - bounds[0];
    let equal = bounds.windows(2).all(|pair| pair[1] - pair[0] == length);
    (equal && length.is_power_of_two() && bounds[0].is_multiple_of(length))
        .then(|| Bins::shift(length.trailing_zeros(), bounds[0] / length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_access::stream::{lcg::Lcg, Stream, StreamKind};

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
                    let expected: Vec<u64> =
                        values.iter().copied().filter(|&value| table.owner(index.of(value)) == rank).collect();
                    assert_eq!(*list, expected, "{ranks} ranks, part {part}");
                }
            }
        }
    }
}
