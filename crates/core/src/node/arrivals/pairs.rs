//! Determines which of two ranks of a node is the later one to start an operation, for persistent operations.
//!
//! Idea: every pair of ranks has a word in shared memory. The rank that finds it idle is the earlier one and
//! marks it; the other one finds the mark, makes the word idle again, and is the later one. The earlier rank
//! may offer to share the work of the pair: the later rank takes the offer, unless it was withdrawn before.
//! The first of these two actions wins.
//!
//! Restrictions: a rank starts the operation again only after all ranks have started it, so that the word is
//! idle then.
//! Cost: one atomic operation per pair and start. Memory: 8 bytes per pair, at least a page per rank. Source:
//! our own.

use crate::atomic::{AtomicU64, Ordering};
use crate::comm::Comm;
use crate::error::Result;
use crate::node::slots::{self, Slots};

/// States of a word. No rank of the pair has started the operation, or both have.
const IDLE: u64 = 0;
/// The earlier one has, and makes no offer.
const STARTED: u64 = 1;
/// The earlier one has, and offers to share.
const OFFERED: u64 = 2;
/// The later one has taken the offer; the earlier one makes the word idle.
const TAKEN: u64 = 3;

/// The pairs of the ranks of a node, seen from one of the ranks.
#[derive(Debug)]
pub struct Pairs {
    slots: Slots,
}

/// Which of the two ranks of a pair has started first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It is the earlier one.
    Earlier,
    /// It is the later one.
    Later,
    /// It is the later one and has taken the offer of the other one.
    LaterShared,
}

impl Pairs {
    /// Collective over `comm`: the pairs of each node; `ranks` are the ranks of this rank's node in ascending
    /// order.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize]) -> Result<Self> {
        Ok(Self { slots: Slots::create(comm, ranks, Self::layout(ranks.len())?)? })
    }

    /// The pairs of some ranks in the memory of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut crate::atomic::model::Scene, ranks: usize) -> Vec<Self> {
        let slots = Slots::of_model(scene, ranks, Self::layout(ranks).expect("small"));
        slots.into_iter().map(|slots| Self { slots }).collect()
    }

    fn layout(ranks: usize) -> Result<slots::Layout> {
        slots::Layout::new(crate::node::LINE_PAIR, ranks, 1, 0)
    }

    /// Bytes of this rank's part of the memory.
    pub fn bytes(&self) -> usize {
        self.slots.bytes_per_rank()
    }

    fn word(&self, other: usize) -> &AtomicU64 {
        let own = self.slots.own();
        self.slots.counter(own.min(other), own.max(other))
    }

    /// Records that this rank has started the operation, for its pair with another rank of the node. The
    /// later rank sees everything that the earlier one has written before.
    pub fn start(&self, other: usize, offers: bool) -> Order {
        let word = self.word(other);
        let first = if offers { OFFERED } else { STARTED };
        // Release: for the later rank, which acquires it where it finds the word in use.
        let state = match word.compare_exchange(IDLE, first, Ordering::Release, Ordering::Acquire) {
            Ok(_) => return Order::Earlier,
            Err(state) => state,
        };
        // Release: for the rank that has made the offer. Where it is withdrawn meanwhile, nothing else
        // changes the word any more.
        if state == OFFERED
            && word.compare_exchange(OFFERED, TAKEN, Ordering::Release, Ordering::Relaxed).is_ok()
        {
            return Order::LaterShared;
        }
        // Relaxed: both start again only after all ranks have started and met.
        word.store(IDLE, Ordering::Relaxed);
        Order::Later
    }

    /// Whether the later rank has taken this rank's offer; that ends the offer. This rank then sees
    /// everything that the later one has written before it started.
    pub fn taken_offer(&self, other: usize) -> bool {
        let word = self.word(other);
        let taken = word.load(Ordering::Acquire) == TAKEN;
        if taken {
            word.store(IDLE, Ordering::Relaxed);
        }
        taken
    }

    /// Ends this rank's offer; whether the other one has taken it before.
    pub fn withdraw_offer(&self, other: usize) -> bool {
        let word = self.word(other);
        // Relaxed: the later rank still acquires what the start has released, as the exchange continues its
        // release sequence; and `taken_offer` acquires what the later rank has released.
        let withdrawn = word.compare_exchange(OFFERED, STARTED, Ordering::Relaxed, Ordering::Relaxed);
        withdrawn.is_err() && self.taken_offer(other)
    }
}

#[cfg(hcube_model)]
pub mod model;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;

    /// Counts how the pairs of all ranks were found in every operation, with and without offers.
    #[test]
    fn of_two_ranks_exactly_one_is_the_later_one() {
        const OPERATIONS: usize = 1000;
        for ranks in [2, 3, 5] {
            let all: Vec<usize> = (0..ranks).collect();
            let found = threads::run(ranks, ranks, |comm| -> Result<_> {
                let pairs = Pairs::create(comm, &all)?;
                let (mut later, mut shared, mut accepted) = (0, 0, 0);
                let others = || all.iter().copied().filter(|&other| other != comm.rank());
                for operation in 0..OPERATIONS {
                    let offers = operation % 3 > 0;
                    let found: Vec<_> = others().map(|other| (other, pairs.start(other, offers))).collect();
                    later += found.iter().filter(|(_, found)| *found == Order::Later).count();
                    shared += found.iter().filter(|(_, found)| *found == Order::LaterShared).count();
                    let earlier = found.iter().filter(|(_, found)| offers && *found == Order::Earlier);
                    for &(other, _) in earlier {
                        std::thread::yield_now();
                        accepted += usize::from(pairs.taken_offer(other) || pairs.withdraw_offer(other));
                    }
                    comm.barrier()?;
                }
                Ok([later + shared, shared, accepted])
            });
            let sums = found.into_iter().map(|found| found.expect("no errors"));
            let sums = sums.fold([0; 3], |sums, found| std::array::from_fn(|at| sums[at] + found[at]));
            assert_eq!(sums[0], OPERATIONS * ranks * (ranks - 1) / 2, "{ranks} ranks");
            assert_eq!(sums[1], sums[2], "offers taken and accepted, {ranks} ranks");
        }
    }
}
