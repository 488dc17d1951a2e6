//! The network by which the members of a team sort.
//!
//! Idea: in each step a member and a partner exchange their values, and the lower member keeps the smaller
//! one. Partners are at distances of powers of two, and never across the end of the ring, so each is one link
//! away.
//!
//! Restrictions: none. Cost: at most p (p + 1) / 2 steps for up to 2^p members.
//! Source: Batcher 1968, "Sorting networks and their applications": odd-even merge sort, which works for any
//! number of members.

/// A comparison of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The step of the network.
    pub round: usize,
    /// The other position.
    pub partner: usize,
    /// Whether this position keeps the smaller entry: it is the lower one of the two.
    pub keeps_smaller: bool,
}

/// More steps than any network has.
pub(crate) const STEPS: usize = 1 << 12;

/// The comparisons of a position, in order.
pub(crate) fn comparisons(position: usize, size: usize) -> Vec<Comparison> {
    let (mut all, mut round, mut block) = (Vec::new(), 0, 1);
    while block < size {
        let mut distance = block;
        while distance >= 1 {
            // Whether a position is compared with the one at the distance above it.
            let is_lower = |low: usize| {
                let begin = distance % block;
                low >= begin
                    && (low - begin) % (2 * distance) < distance
                    && low + distance < size
                    && low / (2 * block) == (low + distance) / (2 * block)
            };
            if is_lower(position) {
                all.push(Comparison { round, partner: position + distance, keeps_smaller: true });
            } else if position >= distance && is_lower(position - distance) {
                all.push(Comparison { round, partner: position - distance, keeps_smaller: false });
            }
            distance /= 2;
            round += 1;
        }
        block *= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the principle of zeros and ones a network that sorts all of those sorts everything.
    #[test]
    fn the_network_sorts() {
        for size in 1..=14_usize {
            for bits in 0..1_u32 << size {
                let mut values: Vec<u32> = (0..size).map(|position| bits >> position & 1).collect();
                let all: Vec<Vec<Comparison>> =
                    (0..size).map(|position| comparisons(position, size)).collect();
                let rounds = all.iter().flatten().map(|comparison| comparison.round + 1).max().unwrap_or(0);
                for round in 0..rounds {
                    let before = values.clone();
                    for (position, comparisons) in all.iter().enumerate() {
                        for own in comparisons.iter().filter(|own| own.round == round) {
                            let other = before[own.partner];
                            let pair = [before[position].min(other), before[position].max(other)];
                            values[position] = pair[usize::from(!own.keeps_smaller)];
                        }
                    }
                }
                assert!(values.is_sorted(), "{size} positions, {bits:b}: {values:?}");
            }
        }
    }

    #[test]
    fn both_sides_of_a_comparison_agree_and_are_linked() {
        for size in (1..=130).chain([1000, 8192]) {
            for position in 0..size.min(200) {
                for Comparison { round, partner, keeps_smaller } in comparisons(position, size) {
                    assert!(partner.abs_diff(position).is_power_of_two() && partner < size && round < STEPS);
                    assert_eq!(keeps_smaller, position < partner);
                    let other = Comparison { round, partner: position, keeps_smaller: !keeps_smaller };
                    assert!(comparisons(partner, size).contains(&other));
                }
            }
        }
    }
}
