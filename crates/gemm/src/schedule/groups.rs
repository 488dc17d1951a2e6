//! Partitions of the positions of a process row or column into groups: the number of the group of every
//! position.

/// Consecutive groups of sizes as equal as possible; at least one group, at most one for each position.
pub fn intervals(positions: usize, groups: usize) -> Vec<usize> {
    let groups = groups.clamp(1, positions.max(1));
    // Group g starts at position floor(g * positions / groups).
    (0..positions).map(|position| ((position + 1) * groups - 1) / positions).collect()
}

/// One group for each number, for example the number of the node of a rank. Groups are counted in the order
/// of their first positions.
pub fn by_number(numbers: &[u32]) -> Vec<usize> {
    let mut groups = std::collections::HashMap::new();
    let group = |&number| {
        let next = groups.len();
        *groups.entry(number).or_insert(next)
    };
    numbers.iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_consecutive_and_even() {
        for positions in 1..=130 {
            for groups in 0..=positions + 1 {
                let of = intervals(positions, groups);
                let count = groups.clamp(1, positions);
                let sizes: Vec<usize> =
                    (0..count).map(|group| of.iter().filter(|&&number| number == group).count()).collect();
                assert!(of.is_sorted() && sizes.iter().sum::<usize>() == positions);
                let even = positions / count;
                assert!(sizes.iter().all(|&size| size == even || size == even + 1), "{sizes:?}");
            }
        }
        assert_eq!(intervals(0, 3), [0; 0]);
        assert_eq!(intervals(7, 3), [0, 0, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn numbers_become_groups_in_the_order_of_their_first_positions() {
        assert_eq!(by_number(&[7, 7, 3, 9, 3, 7]), [0, 0, 1, 2, 1, 0]);
        assert_eq!(by_number(&[]), [0; 0]);
    }
}
