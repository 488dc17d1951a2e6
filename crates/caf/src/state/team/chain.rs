//! The shortest chain of links from one member of a team to another.
//!
//! Idea: members of a team of size S are on a ring; each has links to the members at distance 2^i forward and
//! backward, for every i with 2^i < S. A chain of links leads from a member to any other. The first link is
//! its own; every further link is read at the member that the chain has reached. A distance is a sum of
//! signed powers of two; the digits are chosen from the lowest one up, by dynamic programming over the two
//! remainders that the digits so far can leave: zero, or one of the next power. The target is also searched
//! for after full turns of the ring in either direction, which shortens some chains if S is not a power of
//! two.
//!
//! Restrictions: none. Cost: about (log2 S) / 2 jumps at most; O(log S) digits per turn.
//! Source: Jin et al. 2011, §II-B; the full turns are our own.

/// Full turns of the ring that are examined in each direction: the shortest chains of all sizes up to 700
/// need two.
const TURNS: i64 = 3;

/// Links of a member in each direction.
pub fn links(size: usize) -> u32 {
    if size < 2 { 0 } else { (size - 1).ilog2() + 1 }
}

/// Jumps by signed distances, in descending order of their lengths, whose sum is `distance` modulo `size`.
/// Empty for the member itself.
///
/// # Panics
/// If `distance` is not below `size`.
pub fn shortest(size: usize, distance: usize) -> Vec<i64> {
    assert!(distance < size, "distance {distance} in a team of {size}");
    let (links, size, distance) = (links(size), size as i64, distance as i64);
    let mut best: Option<Vec<i64>> = None;
    // Nearer targets first, so that of equal chains the one with the shorter links is selected.
    let mut targets: Vec<i64> = (-TURNS..TURNS).map(|turn| distance + turn * size).collect();
    targets.sort_by_key(|target| (target.abs(), *target < 0));
    for target in targets {
        let chain = without_turns(links, target);
        if best.as_ref().is_none_or(|best| chain.len() < best.len()) {
            best = Some(chain);
        }
    }
    best.expect("there are targets")
}

/// The shortest chain of jumps by powers of two below 2^`links` whose sum is `distance`.
fn without_turns(links: u32, distance: i64) -> Vec<i64> {
    let Some(top) = links.checked_sub(1) else { return Vec::new() };
    let (magnitude, sign) = (distance.unsigned_abs(), distance.signum());
    // Jumps whose sum is the bits so far, and jumps whose sum is that less the next power.
    let (mut exact, mut less): (Vec<i64>, Option<Vec<i64>>) = (Vec::new(), None);
    for bit in 0..top {
        let power = 1_i64 << bit;
        let and = |chain: &Vec<i64>, jump: i64| [&chain[..], &[jump]].concat();
        if magnitude >> bit & 1 == 0 {
            let up = less.as_ref().map(|less| and(less, power));
            less = less.map(|less| and(&less, -power));
            exact = up.filter(|up| up.len() < exact.len()).unwrap_or(exact);
        } else {
            let down = and(&exact, -power);
            exact = and(&exact, power);
            less = Some(less.filter(|less| less.len() <= down.len()).unwrap_or(down));
        }
    }
    let whole = (magnitude >> top) as usize;
    let (mut chain, jumps) = match less {
        Some(less) if less.len() + 1 < exact.len() => (less, whole + 1),
        _ => (exact, whole),
    };
    chain.extend(std::iter::repeat_n(1_i64 << top, jumps));
    chain.iter().rev().map(|jump| sign * jump).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// Jumps to every distance, by a search of the whole ring.
    fn searched(size: usize) -> Vec<usize> {
        let mut jumps = vec![usize::MAX; size];
        jumps[0] = 0;
        let mut reached = VecDeque::from([0]);
        while let Some(from) = reached.pop_front() {
            for link in 0..links(size) {
                for to in [from + (1 << link), from + size - (1 << link)] {
                    if jumps[to % size] == usize::MAX {
                        jumps[to % size] = jumps[from] + 1;
                        reached.push_back(to % size);
                    }
                }
            }
        }
        jumps
    }

    #[test]
    fn chains_are_those_of_a_search() {
        for size in (1..=700).chain([1000, 1023, 1024, 1025, 4096, 8192, 10_000]) {
            let searched = searched(size);
            for (distance, &jumps) in searched.iter().enumerate() {
                let chain = shortest(size, distance);
                assert_eq!(chain.len(), jumps, "{distance} of {size}: {chain:?}");
                let sum: i64 = chain.iter().sum();
                assert_eq!(sum.rem_euclid(size as i64), distance as i64, "{distance} of {size}: {chain:?}");
                assert!(chain.iter().all(|jump| jump.unsigned_abs().is_power_of_two()));
                assert!(chain.iter().all(|jump| jump.unsigned_abs() < size as u64), "{chain:?} of {size}");
                assert!(jumps <= links(size) as usize / 2 + 1, "{distance} of {size}: {chain:?}");
            }
        }
    }

    #[test]
    fn the_paper_has_two_jumps_to_distance_seven() {
        assert_eq!(shortest(16, 7), [8, -1]);
        assert_eq!((shortest(16, 8), shortest(16, 15), shortest(1, 0)), (vec![8], vec![-1], vec![]));
    }
}
