//! The pipelined broadcast, for long messages.
//!
//! Idea: the bytes are cut into segments, which are pipelined along a tree of ranks: while a rank forwards
//! one segment, it receives the next. Along a chain each rank sends every byte once, so the time of a very
//! long message does not depend on the number of ranks; along a binary tree it sends every byte twice, but
//! the last rank is log2 P hops away instead of P - 1. [`Plan::best`] selects the faster one by the model
//! below.
//!
//! A rank has at most [`WINDOW`] outstanding segments: it receives segment k + WINDOW only after it has
//! forwarded segment k, so a slow child delays its parents and no rank needs more than a few requests. No
//! deadlock: a segment waits only for earlier segments of its ancestors and descendants, and leaves wait for
//! no rank.
//!
//! Restrictions: all ranks pass the same length and root. A message of one segment uses [`Comm::broadcast`],
//! whose binomial tree is then faster.
//! Cost with latency a, time per byte b, n bytes in S segments of s: chain (P - 2 + S)(a + s b), binary tree
//! about 2 (log2 P - 1 + S)(a + s b); the best s is the square root of n a / b over the steps before the last
//! rank receives its first segment. Messages per rank: S received, S or 2 S sent. Extra memory: 16 bytes per
//! segment; no copy of the data.
//! Source: Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel and Dongarra, Performance analysis of MPI
//! collective operations, Cluster Computing 10 (2007), pipeline and binary tree; the window is our own.

use super::requests::{self, Requests};
use super::{Comm, tags};
use crate::error::Result;
use crate::progress::wait::Patience;

/// Outstanding segments of a rank; each of them has its own tag.
pub const WINDOW: usize = 4;
const _: () = assert!(WINDOW <= tags::PIPELINED_BROADCAST.count());

/// Bytes transferred in the time of the constant cost of a message (a / b): 1 us at 8 GB/s, as within a
/// node and in the networks of today, within a factor of two.
const LATENCY_BYTES: f64 = 8192.0;
/// Smallest segment: the latency is half of its cost then, and a smaller one gains at most that half.
const MIN_SEGMENT_BYTES: usize = 8 << 10;
/// Largest segment: the window stays in the cache of a core between receive and send, and latency is 3 % of
/// its cost, so a larger one gains nothing.
const MAX_SEGMENT_BYTES: usize = 256 << 10;
/// Segments are whole lines of the cache.
const LINE_BYTES: usize = 64;

/// The tree that segments follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tree {
    /// Rank r sends to r + 1.
    Chain,
    /// Rank r sends to 2 r + 1 and 2 r + 2.
    Binary,
}

impl Tree {
    /// The parent of a rank, counted from the root; `None` for the root.
    fn parent(self, rank: usize) -> Option<usize> {
        match self {
            Self::Chain => rank.checked_sub(1),
            Self::Binary => Some(rank.checked_sub(1)? / 2),
        }
    }

    /// The children of a rank among `size`, counted from the root.
    fn children(self, rank: usize, size: usize) -> impl Iterator<Item = usize> {
        let children = match self {
            Self::Chain => rank + 1..rank + 2,
            Self::Binary => 2 * rank + 1..2 * rank + 3,
        };
        children.filter(move |&child| child < size)
    }

    /// Messages that a rank sends one after another per segment, and hops to the last rank.
    fn shape(self, size: usize) -> (f64, f64) {
        match self {
            Self::Chain => (1.0, size.saturating_sub(1) as f64),
            Self::Binary => (2.0, f64::from(size.max(1).ilog2())),
        }
    }
}

/// How a broadcast is made; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The trees of segments.
    pub tree: Tree,
    /// Bytes of a segment, above 0; the last may be shorter.
    pub segment: usize,
}

impl Plan {
    /// The plan for `bytes` bytes among `size` ranks that the model finds fastest.
    pub fn best(size: usize, bytes: usize) -> Self {
        let [chain, binary] = [Tree::Chain, Tree::Binary].map(|tree| Self::along(tree, size, bytes));
        if chain.time(size, bytes) <= binary.time(size, bytes) { chain } else { binary }
    }

    /// The best segments along a tree.
    fn along(tree: Tree, size: usize, bytes: usize) -> Self {
        let (_, hops) = tree.shape(size);
        let best = (bytes as f64 * LATENCY_BYTES / (hops - 1.0).max(1.0)).sqrt() as usize;
        let segment = best.clamp(MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES).next_multiple_of(LINE_BYTES);
        Self { tree, segment }
    }

    /// Time by the model, in units of the time of a byte.
    fn time(self, size: usize, bytes: usize) -> f64 {
        let (sends, hops) = self.tree.shape(size);
        let segments = bytes.div_ceil(self.segment) as f64;
        sends * (hops - 1.0 + segments) * (LATENCY_BYTES + self.segment as f64)
    }
}

/// Collective: the bytes of `root` on all ranks, by the best plan.
///
/// # Errors
/// Errors of MPI, if nothing is outstanding; otherwise the job ends (see [`requests::scope`]).
pub fn broadcast<C: Comm>(comm: &C, bytes: &mut [u8], root: usize, patience: Patience) -> Result<()> {
    let plan = Plan::best(comm.size(), bytes.len());
    if bytes.len() <= plan.segment {
        return comm.broadcast(bytes, root);
    }
    broadcast_by(comm, bytes, root, patience, plan).map(drop)
}

/// Collective: the bytes of `root` on all ranks, by a given plan, and also if they are one segment. How many
/// segments this rank had.
///
/// # Errors
/// As [`broadcast`].
///
/// # Panics
/// Where the segments have no bytes.
pub fn broadcast_by<C: Comm>(
    comm: &C,
    bytes: &mut [u8],
    root: usize,
    patience: Patience,
    plan: Plan,
) -> Result<usize> {
    let size = comm.size();
    // Ranks counted from the root, and back.
    let own = (comm.rank() + size - root) % size;
    let rank_of = |counted: usize| (counted + root) % size;
    let children: Vec<usize> = plan.tree.children(own, size).map(rank_of).collect();
    let relay = Relay { children, unsent: [0; WINDOW] };
    match plan.tree.parent(own).map(rank_of) {
        None => requests::scope(comm, patience, |requests| {
            let mut segments = bytes.chunks(plan.segment).map(Some).collect::<Vec<_>>();
            relay.run(requests, &mut segments, Relay::pass_on)
        }),
        Some(parent) => requests::scope(comm, patience, |requests| {
            let mut segments = bytes.chunks_mut(plan.segment).map(Some).collect::<Vec<_>>();
            relay.run(requests, &mut segments, |_, requests, segment, memory| {
                requests.receive(segment, memory, parent, tag(segment))
            })
        }),
    }
}

/// The tag of a segment: no two outstanding segments between two ranks have the same.
fn tag(segment: usize) -> i32 {
    tags::PIPELINED_BROADCAST.tag(segment % WINDOW)
}

/// The action of a rank on segments.
struct Relay {
    children: Vec<usize>,
    /// Outstanding sends of each segment in the window.
    unsent: [usize; WINDOW],
}

impl Relay {
    /// Begins with the segments of the first window, passes on what has been received, and begins with the
    /// segment one window ahead of each that has left. `begin` sends a segment at the root, receives it
    /// elsewhere. The number of segments that were begun.
    fn run<'env, C: Comm, Memory>(
        mut self,
        requests: &mut Requests<'env, C>,
        segments: &mut [Option<Memory>],
        begin: impl Fn(&mut Self, &mut Requests<'env, C>, usize, Memory) -> Result<()>,
    ) -> Result<usize> {
        let mut begin_next =
            |relay: &mut Self, requests: &mut Requests<'env, C>, segment: usize| match segments
                .get_mut(segment)
                .and_then(Option::take)
            {
                Some(memory) => begin(relay, requests, segment, memory),
                None => Ok(()),
            };
        for segment in 0..WINDOW {
            begin_next(&mut self, requests, segment)?;
        }
        while let Some(finished) = requests.wait_any()? {
            let segment = finished.label;
            match finished.received {
                Some(memory) => self.pass_on(requests, segment, memory)?,
                None => self.unsent[segment % WINDOW] -= 1,
            }
            if self.unsent[segment % WINDOW] == 0 {
                begin_next(&mut self, requests, segment + WINDOW)?;
            }
        }
        Ok(segments.iter().filter(|segment| segment.is_none()).count())
    }

    /// Sends a segment to all children.
    fn pass_on<'env, C: Comm>(
        &mut self,
        requests: &mut Requests<'env, C>,
        segment: usize,
        memory: &'env [u8],
    ) -> Result<()> {
        for &child in &self.children {
            requests.send(segment, memory, child, tag(segment))?;
        }
        self.unsent[segment % WINDOW] = self.children.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_reach_every_rank_once() {
        for size in 1..=130 {
            for tree in [Tree::Chain, Tree::Binary] {
                let mut reached = vec![0; size];
                for rank in 0..size {
                    for child in tree.children(rank, size) {
                        assert_eq!(tree.parent(child), Some(rank), "{tree:?} of {size}");
                        assert!(rank < child, "no circle");
                        reached[child] += 1;
                    }
                }
                assert_eq!((tree.parent(0), reached[0]), (None, 0));
                assert!(reached[1..].iter().all(|&times| times == 1), "{tree:?} of {size}: {reached:?}");
            }
        }
    }

    #[test]
    fn segments_keep_their_bounds() {
        for size in 1..=130 {
            for bytes in [0, 1, 4096, 100_001, 1 << 20, 1 << 30] {
                let Plan { segment, .. } = Plan::best(size, bytes);
                assert!((MIN_SEGMENT_BYTES..=MAX_SEGMENT_BYTES).contains(&segment), "{segment}");
                assert!(segment.is_multiple_of(LINE_BYTES));
            }
        }
    }

    #[test]
    fn long_messages_follow_the_chain_and_many_ranks_the_tree() {
        assert_eq!(Plan::best(8, 64 << 20).tree, Tree::Chain);
        assert_eq!(Plan::best(128, 64 << 10).tree, Tree::Binary);
        assert_eq!(Plan::best(128, 1 << 30).tree, Tree::Chain);
        // The more hops, the shorter the segments.
        let [few, many] = [4, 64].map(|size| Plan::along(Tree::Chain, size, 4 << 20).segment);
        assert!(many < few, "{many} and {few} bytes");
    }
}
