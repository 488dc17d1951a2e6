//! The votes, by which all ranks make the same decision before anything is written.
//!
//! Idea: every rank sums `K(i, j) * bytes` over the blocks that it sends and subtracts `K(j, i) * bytes` for
//! the blocks that it expects, with a pseudo-random odd factor K for every ordered pair. The sum over all
//! ranks is zero if all counts match. A mismatch of a single pair never gives zero; a mismatch of several
//! pairs gives zero with a probability of about 2^(v - 62), where 2^v divides all differences in bytes. The
//! factors depend on a random word of the communicator, so counts that cancel cannot be constructed. One word
//! per rank therefore tells all ranks whether all pairs match, in one round of communication. The other words
//! are sums as well: the number of ranks with a property, and bytes.
//! Cost: two multiplications per partner, and at most 4 KiB; one all-reduce, or one notice per rank of a
//! node, or the messages of node leaders.
//! Source: our own; universal hashing by random multipliers: Carter and Wegman.

use super::factors::Factors;
use super::task::Task;

/// Bits of a counter of ranks.
const BITS: u32 = 21;
/// Counters in a word.
const COUNTERS: u32 = 3;
/// Words of counters.
const COUNTER_WORDS: usize = PROPERTIES.len().div_ceil(COUNTERS as usize);

/// A property of a rank; all ranks learn how many ranks have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// The rank's arguments were refused.
    Refused,
    /// The exchange is in place.
    InPlace,
    /// Blocks are non-contiguous, or their bytes have another order.
    Packed,
    /// Memory that other processes and plain copies cannot reach.
    Unreachable,
    /// The MPI library's function cannot represent the counts.
    BeyondLibrary,
    /// The blocks for other ranks are part of the notice.
    Enclosed,
    /// All blocks are small enough to be bundled along the hypercube.
    Small,
    /// The rank has pieces of blocks for node leaders.
    Led,
    /// A block is too large for that.
    Large,
    /// Node leaders pass on a block in further rounds.
    Long,
}

/// All properties, by number.
const PROPERTIES: [Property; 10] = [
    Property::Refused,
    Property::InPlace,
    Property::Packed,
    Property::Unreachable,
    Property::BeyondLibrary,
    Property::Enclosed,
    Property::Small,
    Property::Led,
    Property::Large,
    Property::Long,
];

/// The bits of one rank's properties.
const FLAGS: u64 = (1 << PROPERTIES.len()) - 1;

/// The words of one rank, and their sum over all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vote {
    signature: u64,
    counters: [u64; COUNTER_WORDS],
    /// Bytes for other ranks.
    pub bytes: u64,
    /// Time of the rank's last exchange in nanoseconds.
    pub time: u64,
}

impl Vote {
    /// Number of 64-bit words of a vote.
    pub const WORDS: usize = 3 + COUNTER_WORDS;
    /// Largest number of ranks whose properties can be counted.
    pub const MAX_RANKS: usize = (1 << BITS) - 1;

    /// The vote of a rank with this task, and the size of its largest block.
    #[inline(always)]
    pub fn of(task: &Task<'_>, factors: &Factors) -> (Self, usize) {
        if let Some([out, into]) = task.even().filter(|[out, into]| out == into) {
            return (Self::of_even(out as u64, task.ranks(), factors, task.is_in_place()), out.max(into));
        }
        let (mut vote, mut largest, mut contiguous) = (Self::default(), 0, true);
        for other in 0..task.ranks() {
            let (out, into) = (task.outgoing(other), task.incoming(other));
            contiguous &= into.region().is_some() && (task.is_in_place() || out.region().is_some());
            let (out, into) = (out.bytes(), into.bytes());
            if other != factors.own {
                vote.bytes += out as u64;
                largest = largest.max(out).max(into);
            } else if out == into {
                continue;
            }
            let [to, from] = factors.of(other);
            vote.signature = vote
                .signature
                .wrapping_add(to.wrapping_mul(out as u64))
                .wrapping_sub(from.wrapping_mul(into as u64));
        }
        (vote.with(Property::InPlace, task.is_in_place()).with(Property::Packed, !contiguous), largest)
    }

    /// The vote of a rank whose blocks are contiguous and have the same length.
    fn of_even(bytes: u64, ranks: usize, factors: &Factors, in_place: bool) -> Self {
        let vote = Self {
            signature: bytes.wrapping_mul(factors.out).wrapping_sub(bytes.wrapping_mul(factors.into)),
            bytes: bytes * (ranks as u64 - 1),
            ..Self::default()
        };
        vote.with(Property::InPlace, in_place)
    }

    /// With a value that must be the same on all ranks: the next rank subtracts what this rank adds.
    pub fn agreeing(mut self, value: u64, ranks: usize, factors: &Factors) -> Self {
        let (before, after) = ((factors.own + ranks - 1) % ranks, (factors.own + 1) % ranks);
        let ([to, _], [_, from]) = (factors.of(after), factors.of(before));
        let difference = to.wrapping_sub(from);
        self.signature = self.signature.wrapping_add(value.wrapping_mul(difference));
        self
    }

    /// With a property if `has`.
    pub fn with(mut self, property: Property, has: bool) -> Self {
        let (word, shift) = Self::place(property);
        self.counters[word] += u64::from(has) << shift;
        self
    }

    fn place(property: Property) -> (usize, u32) {
        let number = property as u32;
        ((number / COUNTERS) as usize, number % COUNTERS * BITS)
    }

    /// How many ranks have a property.
    pub fn count(&self, property: Property) -> usize {
        let (word, shift) = Self::place(property);
        (self.counters[word] >> shift) as usize & Self::MAX_RANKS
    }

    /// Whether any rank has a property.
    pub fn any(&self, property: Property) -> bool {
        self.count(property) > 0
    }

    /// Whether every rank sends what its partner expects.
    pub fn matches(&self) -> bool {
        self.signature == 0
    }

    /// The words that are added up over the ranks.
    pub fn words(&self) -> [u64; Self::WORDS] {
        let [first, second, third, fourth] = self.counters;
        [self.signature, first, second, third, fourth, self.bytes, self.time]
    }

    /// The vote, or the sum of votes, whose words these are.
    pub fn from_words([signature, first, second, third, fourth, bytes, time]: [u64; Self::WORDS]) -> Self {
        Self { signature, counters: [first, second, third, fourth], bytes, time }
    }

    /// Adds the sum of other votes.
    pub fn add(&mut self, other: &Self) {
        self.signature = self.signature.wrapping_add(other.signature);
        for (own, other) in self.counters.iter_mut().zip(other.counters) {
            *own = own.wrapping_add(other);
        }
        self.bytes = self.bytes.wrapping_add(other.bytes);
        self.time = self.time.wrapping_add(other.time);
    }

    /// The vote of one rank in two words, without its time.
    pub fn brief(&self) -> [u64; 2] {
        let flags =
            PROPERTIES.iter().rev().fold(0, |flags, &property| flags << 1 | self.count(property) as u64);
        [self.signature, self.bytes << PROPERTIES.len() | flags]
    }

    /// Adds the vote of one rank.
    pub fn add_brief(&mut self, [signature, rest]: [u64; 2]) {
        self.signature = self.signature.wrapping_add(signature);
        self.bytes += rest >> PROPERTIES.len();
        // The bits of the first properties go to the counters of the first word, and so on.
        for (word, counters) in self.counters.iter_mut().enumerate() {
            *counters += spread((rest & FLAGS) >> (word as u32 * COUNTERS) & ((1 << COUNTERS) - 1));
        }
    }
}

/// The bits of a number of [`COUNTERS`] bits, each in a separate counter: copies of the number are shifted by
/// one bit less than the distance of the counters, so that each counter begins with its bit.
#[inline(always)]
fn spread(flags: u64) -> u64 {
    const COPIES: u64 = 1 | 1 << (BITS - 1) | 1 << (2 * (BITS - 1));
    const FIRST_BITS: u64 = 1 | 1 << BITS | 1 << (2 * BITS);
    (flags * COPIES) & FIRST_BITS
}

#[cfg(test)]
mod tests {
    use super::super::factors::MAX_KEPT_RANKS;
    use super::*;
    use hcube_core::memory::blocks::Blocks;
    use std::ffi::c_int;

    const SEED: u64 = 0x1234_5678_9abc_def0;

    #[test]
    fn a_value_that_differs_on_one_rank_is_noticed() {
        for ranks in 1..20 {
            for changed in 0..ranks {
                let sum = |other: u64| {
                    let value = |rank| if rank == changed { other } else { 0x1234_5677 };
                    let vote =
                        |rank| Vote::default().agreeing(value(rank), ranks, &Factors::new(SEED, rank, ranks));
                    (0..ranks).fold(0u64, |sum, rank| sum.wrapping_add(vote(rank).signature))
                };
                assert_eq!(sum(0x1234_5677), 0, "{ranks} ranks");
                assert!(ranks == 1 || sum(0x1234_5679) != 0, "rank {changed} of {ranks}");
            }
        }
    }

    /// Counts of what every rank sends to every other, `table[from][to]`, without a pattern.
    fn table(ranks: usize, symmetric: bool) -> Vec<Vec<c_int>> {
        let count = |from: usize, to: usize| {
            let (low, high) = if symmetric { (from.min(to), from.max(to)) } else { (from, to) };
            let noise = ((low * 64 + high + 1) as u64).wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23);
            // All orders of magnitude, zero among them.
            (noise as c_int & c_int::MAX) >> (noise >> 59)
        };
        (0..ranks).map(|from| (0..ranks).map(|to| count(from, to)).collect()).collect()
    }

    fn counted<'a>(counts: &'a [c_int], displacements: &'a [c_int]) -> Blocks<'a> {
        // SAFETY: no vote accesses the memory.
        unsafe { Blocks::counted(std::ptr::null_mut(), counts, displacements, 1) }.expect("valid counts")
    }

    /// The vote of a rank that sends and expects these counts; in place they are one.
    fn vote(own: usize, send: Option<&[c_int]>, receive: &[c_int]) -> (Vote, usize) {
        seeded(SEED, own, send, receive)
    }

    /// As [`vote`], with other factors.
    fn seeded(seed: u64, own: usize, send: Option<&[c_int]>, receive: &[c_int]) -> (Vote, usize) {
        let displacements = vec![0; receive.len()];
        let into = counted(receive, &displacements);
        let task = match send {
            Some(send) => Task::between(counted(send, &displacements), into),
            None => Task::in_place(into),
        };
        Vote::of(&task, &Factors::new(seed, own, receive.len()))
    }

    /// The votes of all ranks, where rank `changed` has `change` more in what it sends to (or, in place,
    /// exchanges with) `partner`.
    fn sum(table: &[Vec<c_int>], in_place: bool, changed: usize, partner: usize, change: c_int) -> Vote {
        let mut sum = Vote::default();
        for own in 0..table.len() {
            let mut send = table[own].clone();
            if own == changed {
                send[partner] = send[partner].wrapping_add(change) & c_int::MAX;
            }
            let receive: Vec<c_int> = table.iter().map(|row| row[own]).collect();
            let (vote, _) = if in_place { vote(own, None, &send) } else { vote(own, Some(&send), &receive) };
            sum.add_brief(vote.brief());
        }
        sum
    }

    #[test]
    fn counts_that_match_sum_to_zero() {
        for ranks in (1..=20).chain([MAX_KEPT_RANKS + 3]) {
            for in_place in [true, false] {
                let table = table(ranks, in_place);
                let sum = sum(&table, in_place, 0, 0, 0);
                assert!(sum.matches(), "{ranks} ranks, in place {in_place}");
                let others = |from: usize| (0..ranks).filter(move |&to| to != from);
                let bytes = |from: usize| others(from).map(|to| table[from][to] as u64).sum::<u64>();
                assert_eq!(sum.bytes, (0..ranks).map(bytes).sum::<u64>(), "{ranks} ranks");
            }
        }
    }

    #[test]
    fn no_single_count_can_be_changed() {
        for ranks in (1..=8).chain([20]) {
            for in_place in [true, false] {
                let table = table(ranks, in_place);
                for changed in 0..ranks {
                    // In place a rank has one count for itself.
                    for partner in (0..ranks).filter(|&partner| !in_place || partner != changed) {
                        for change in [1, -1, 1 << 16, 1 << 30] {
                            let sum = sum(&table, in_place, changed, partner, change);
                            assert!(!sum.matches(), "{ranks} ranks: {changed} to {partner}, {change}");
                        }
                    }
                }
            }
        }
    }

    /// One pair has more and another one less: nothing cancels.
    #[test]
    fn changes_of_two_pairs_do_not_cancel() {
        let ranks = 5;
        let table = table(ranks, false);
        let pairs = || (0..ranks).flat_map(move |from| (0..ranks).map(move |to| (from, to)));
        let own = |(from, to): (usize, usize), change| {
            let base = sum(&table, false, 0, 0, 0).signature;
            sum(&table, false, from, to, change).signature.wrapping_sub(base)
        };
        for first in pairs() {
            for second in pairs().filter(|&second| second > first) {
                for change in [1, -1] {
                    assert_ne!(own(first, 1).wrapping_add(own(second, change)), 0, "{first:?} {second:?}");
                }
            }
        }
    }

    /// The shortest vector of the lattice of all changes of three pairs that cancel for the seed 0.
    #[test]
    fn counts_that_cancel_for_one_seed_do_not_for_others() {
        const CHANGES: [c_int; 3] = [1_446_583, -608_599, -1_873_344];
        let sum = |seed: u64| {
            let receive = [1 << 22; 3];
            let vote = |own: usize| {
                let mut send = receive;
                send[(own + 1) % 3] += CHANGES[own];
                seeded(seed, own, Some(&send), &receive).0.signature
            };
            (0..3).map(vote).fold(0, u64::wrapping_add)
        };
        assert_eq!(sum(0), 0, "constructed to cancel");
        assert!((1..100).all(|seed| sum(seed) != 0 && sum(u64::MAX / seed) != 0));
    }

    #[test]
    fn two_words_say_what_all_do() {
        let (mut brief, mut words) = (Vote::default(), [0u64; Vote::WORDS]);
        for set in 0..1u64 << PROPERTIES.len() {
            let has = |number: usize| set >> number & 1 == 1;
            let mut vote = Vote { signature: !set << 50 | 3, bytes: set << 40 | 5, ..Vote::default() };
            for (number, &property) in PROPERTIES.iter().enumerate() {
                assert_eq!(property as usize, number, "the order of the bits");
                vote = vote.with(property, has(number));
            }
            let mut without = Vote::default();
            without.add_brief(vote.brief());
            assert_eq!(without, vote, "set {set:08b}");
            assert!((0..PROPERTIES.len()).all(|number| vote.any(PROPERTIES[number]) == has(number)));
            brief.add_brief(vote.brief());
            for (sum, word) in words.iter_mut().zip(vote.words()) {
                *sum = sum.wrapping_add(word);
            }
        }
        assert_eq!(Vote::from_words(words), brief);
        let mut twice = brief;
        twice.add(&brief);
        assert_eq!(twice.words(), words.map(|word| word.wrapping_mul(2)));
        assert!(PROPERTIES.iter().all(|&property| brief.count(property) == 512), "half of 1024 have each");
    }

    #[test]
    fn the_largest_number_of_ranks_can_be_counted() {
        let (mut sum, vote) = (Vote::default(), Vote::default().with(Property::InPlace, true));
        (0..Vote::MAX_RANKS).for_each(|_| sum.add_brief(vote.brief()));
        let counts = PROPERTIES.map(|property| sum.count(property));
        assert_eq!(counts, [0, Vote::MAX_RANKS, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn the_short_cut_for_equal_blocks_is_one() {
        // SAFETY: no vote accesses the memory.
        let even = |bytes, ranks| unsafe { Blocks::even(std::ptr::null_mut(), bytes, ranks) }.expect("small");
        for ranks in 2..=20 {
            for bytes in [0, 1, 77, c_int::MAX] {
                let counts = vec![bytes; ranks];
                for own in 0..ranks {
                    let factors = &Factors::new(SEED, own, ranks);
                    let block = || even(bytes as usize, ranks);
                    let long = vote(own, None, &counts);
                    assert_eq!(Vote::of(&Task::in_place(block()), factors), long, "{own} of {ranks}");
                    let long = vote(own, Some(&counts), &counts);
                    assert_eq!(Vote::of(&Task::between(block(), block()), factors), long);
                }
                // Equal blocks of other lengths than the partners': the long form, too.
                let (more, own) = (vec![bytes / 2 + 1; ranks], ranks - 1);
                let task = Task::between(even(bytes as usize, ranks), even(bytes as usize / 2 + 1, ranks));
                let found = Vote::of(&task, &Factors::new(SEED, own, ranks));
                assert_eq!(found, vote(own, Some(&counts), &more));
            }
        }
    }
}
