//! What ranks tell each other before anything is written, so that all of them decide the same.
//!
//! Idea: every rank sums `K(i, j) * bytes` over what it sends to others and subtracts it for what it
//! expects, with a pseudo-random odd factor K for every ordered pair. Summed over all ranks that is
//! zero where all counts match, and where they do not, it is not: never for a single pair, and
//! otherwise but for a chance of about 2^-60. So one word per rank tells all ranks whether all pairs
//! match, in one round of communication. The other words are sums as well: how many ranks have a
//! property, and bytes.
//! Cost: two multiplications per partner; one all-reduce, or one notice per rank of a node.

use super::task::Task;

/// Bits of a counter of ranks.
const BITS: u32 = 16;
/// Counters in a word.
const COUNTERS: u32 = 4;

/// A property of which all ranks must know how many have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// The rank's arguments were refused.
    Refused,
    /// The exchange is in place.
    InPlace,
    /// Blocks have gaps or another order.
    Packed,
    /// Memory that other processes and plain copies cannot reach.
    Unreachable,
    /// The library's own function cannot take the counts.
    BeyondLibrary,
    /// The blocks for other ranks are part of the notice.
    Enclosed,
    /// No block is larger than what the hypercube bundles.
    Small,
}

/// The words of one rank, and their sum over all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vote {
    signature: u64,
    counters: [u64; 2],
    /// Bytes for other ranks.
    pub bytes: u64,
    /// Time of the rank's last exchange in nanoseconds.
    pub time: u64,
}

/// A pseudo-random odd factor for what goes from one rank to another.
fn factor(from: usize, to: usize) -> u64 {
    // Steele, Lea and Flood's finaliser (SplitMix64).
    let mut value = ((from as u64) << 32 | to as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ value >> 31) | 1
}

impl Vote {
    /// Number of words.
    pub const WORDS: usize = 5;
    /// Most ranks of which properties can be counted.
    pub const MOST_RANKS: usize = (1 << BITS) - 1;

    /// The vote of a rank that has this to do.
    pub fn of(task: &Task<'_>, own: usize) -> Self {
        let mut vote = Self::default();
        // In place the block for itself matches itself.
        for other in (0..task.ranks()).filter(|&other| other != own || !task.is_in_place()) {
            let (out, into) = (task.outgoing(other).bytes() as u64, task.incoming(other).bytes() as u64);
            vote.signature = vote
                .signature
                .wrapping_add(factor(own, other).wrapping_mul(out))
                .wrapping_sub(factor(other, own).wrapping_mul(into));
            if other != own {
                vote.bytes += out;
            }
        }
        vote.with(Property::InPlace, task.is_in_place()).with(Property::Packed, !task.is_contiguous())
    }

    /// With a property, or without.
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
        (self.counters[word] >> shift) as usize & Self::MOST_RANKS
    }

    /// Whether any rank has a property.
    pub fn any(&self, property: Property) -> bool {
        self.count(property) > 0
    }

    /// Whether what every rank sends is what its partner expects.
    pub fn matches(&self) -> bool {
        self.signature == 0
    }

    /// As words.
    pub fn words(&self) -> [u64; Self::WORDS] {
        [self.signature, self.counters[0], self.counters[1], self.bytes, self.time]
    }

    /// From words.
    pub fn from_words([signature, first, second, bytes, time]: [u64; Self::WORDS]) -> Self {
        Self { signature, counters: [first, second], bytes, time }
    }

    /// The sum of two.
    pub fn plus(&self, other: &Self) -> Self {
        let (mine, theirs) = (self.words(), other.words());
        Self::from_words(std::array::from_fn(|index| mine[index].wrapping_add(theirs[index])))
    }
}
