//! The message tags of all systems.
//!
//! Systems that are called with the same communicator share its private communicator for messages, so their
//! tags must differ: an outstanding message of one call could otherwise match a receive of the next system.
//! Every system has a range of tags; a new system adds one.

/// The smallest upper bound of tags that the MPI standard permits (`MPI_TAG_UB`).
pub const SMALLEST_UPPER_BOUND: i32 = 32767;

/// Tags `first..first + count` of one kind of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagRange {
    first: i32,
    count: i32,
}

/// Most stages of a plan: one per bit of a rank, and two inside the node.
const STAGES: i32 = 64;

/// RandomAccess: one tag per stage of the plan.
pub const RANDOM_ACCESS: TagRange = TagRange { first: 0, count: STAGES };
/// All-to-all: pieces of blocks. Messages of one pair keep their order.
pub const ALLTOALL_PIECES: TagRange = TagRange { first: 64, count: 1 };
/// All-to-all, the general exchange in place: questions and answers. Messages of one pair with one tag keep
/// their order.
pub const ALLTOALL_GENERAL: TagRange = TagRange { first: 65, count: 2 };
/// All-to-all: bundles of small blocks, one tag per stage of the plan.
pub const ALLTOALL_BUNDLES: TagRange = TagRange { first: 128, count: STAGES };
/// All-to-all: what node leaders exchange. Messages of one pair keep their order.
pub const ALLTOALL_LEADERS: TagRange = TagRange { first: 67, count: 1 };
/// The pipelined broadcast: one tag per outstanding segment.
pub const PIPELINED_BROADCAST: TagRange = TagRange { first: 192, count: 16 };
/// Measurement of links (`hcube probe`).
pub const LINKS: TagRange = TagRange { first: 208, count: 1 };

/// Matrix products: panels. Messages of one pair with one tag keep their order.
pub const GEMM_PANELS: TagRange = TagRange { first: 256, count: 1024 };
/// Matrix products: shares of panels for the line that needs them.
pub const GEMM_SHARES: TagRange = TagRange { first: 1280, count: 8 };
/// Matrix products: messages by which the network is measured.
pub const GEMM_NETWORK: TagRange = TagRange { first: 1288, count: 1 };
/// Matrix products: partial products.
pub const GEMM_PARTIALS: TagRange = TagRange { first: 1289, count: 4 };

/// BSP: records between nodes, one tag per stage of the plan.
pub const BSP: TagRange = TagRange { first: 1344, count: STAGES };

/// Active messages between nodes. Messages of one pair keep their order.
pub const ACTIVE: TagRange = TagRange { first: 1408, count: 1 };

/// Panels of LU factorisations between nodes: one tag per outstanding panel.
pub const HPL_PANELS: TagRange = TagRange { first: 1409, count: 1024 };

/// Longest common subsequences: what crosses the boundaries of blocks, and pieces of text for the first block
/// column. Messages of one pair with one tag keep their order.
pub const LCS: TagRange = TagRange { first: 2433, count: 2 };

/// All tags are below this one. Communicators that share a private communicator have tags at multiples of it.
pub const TAGS: i32 = 4096;

/// All ranges, in ascending order.
const ALL: [TagRange; 15] = [
    RANDOM_ACCESS,
    ALLTOALL_PIECES,
    ALLTOALL_GENERAL,
    ALLTOALL_LEADERS,
    ALLTOALL_BUNDLES,
    PIPELINED_BROADCAST,
    LINKS,
    GEMM_PANELS,
    GEMM_SHARES,
    GEMM_NETWORK,
    GEMM_PARTIALS,
    BSP,
    ACTIVE,
    HPL_PANELS,
    LCS,
];

/// Whether the ranges ascend, do not overlap, and lie within what every MPI library has.
const fn are_apart(ranges: &[TagRange]) -> bool {
    let (mut end, mut index) = (0, 0);
    while index < ranges.len() {
        let TagRange { first, count } = ranges[index];
        if first < end || count <= 0 || first > SMALLEST_UPPER_BOUND - (count - 1) {
            return false;
        }
        end = first + count;
        index += 1;
    }
    true
}

const _: () = assert!(LCS.first + LCS.count <= TAGS, "the tags of two communicators overlap");
const _: () = assert!(are_apart(&ALL), "ranges of tags overlap or exceed what MPI guarantees");

impl TagRange {
    /// The tag with this number.
    ///
    /// # Panics
    /// Where the range has no such tag.
    pub const fn tag(self, number: usize) -> i32 {
        assert!(number < self.count as usize, "a tag outside the range of its system");
        self.first + number as i32
    }

    /// Number of tags.
    pub const fn count(self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_or_exceed_the_bound_are_noticed() {
        let range = |first, count| TagRange { first, count };
        assert!(are_apart(&[range(0, 4), range(4, 1), range(32_767, 1)]));
        assert!(!are_apart(&[range(0, 5), range(4, 1)]));
        assert!(!are_apart(&[range(4, 1), range(0, 4)]));
        assert!(!are_apart(&[range(32_767, 2)]));
        assert!(!are_apart(&[range(0, 0)]));
        assert!(!are_apart(&[range(-1, 4)]));
    }

    #[test]
    fn tags_are_those_of_the_range() {
        let [first, last] = [0, RANDOM_ACCESS.count() - 1].map(|number| RANDOM_ACCESS.tag(number));
        assert_eq!((first, last, ALLTOALL_PIECES.tag(0)), (0, 63, 64));
    }

    #[test]
    #[should_panic(expected = "outside the range")]
    fn a_tag_outside_is_refused() {
        ALLTOALL_PIECES.tag(1);
    }
}
