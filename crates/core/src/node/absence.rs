//! Ranks that have left memory which they share: the last one frees its pages.
//!
//! Idea: a cell in the memory counts the ranks that have left. The rank that makes the count complete owns
//! the pages until it has freed them: it sets a mark, and a returning rank waits while the mark is set. A
//! rank leaves only after all its accesses, and returns before any further access, so pages are freed only
//! while no rank accesses them.
//!
//! Cost: an atomic addition to leave, an exchange to return. The test below explores all interleavings of
//! small cases.
//! Source: our own.

use crate::atomic::{AtomicU64, Ordering};

/// Mark that pages are being freed; greater than all counts.
const GIVING: u64 = 1 << 63;

/// The cell, which is 0 at first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Absence<'a>(&'a AtomicU64);

impl<'a> Absence<'a> {
    pub const fn new(cell: &'a AtomicU64) -> Self {
        Self(cell)
    }

    /// This rank, which was present, leaves. The last of `ranks` frees the pages.
    pub fn leave(self, ranks: u64, give_back: impl FnOnce()) {
        let away = self.0.fetch_add(1, Ordering::AcqRel) + 1;
        // A rank may have returned meanwhile.
        if away == ranks
            && self.0.compare_exchange(ranks, ranks | GIVING, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        {
            give_back();
            // Nobody changes the cell while it has the mark.
            self.0.store(ranks, Ordering::Release);
        }
    }

    /// This rank, which had left, returns; `pause` is called while another rank frees the pages.
    pub fn come_back(self, mut pause: impl FnMut()) {
        let mut seen = self.0.load(Ordering::Acquire);
        loop {
            if seen & GIVING != 0 {
                pause();
                seen = self.0.load(Ordering::Acquire);
                continue;
            }
            match self.0.compare_exchange_weak(seen, seen - 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The next action of a rank: one access to the cell, or one use of the memory, at a time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    enum At {
        /// Uses the memory; then it goes.
        Using,
        /// Has counted itself, as the last one.
        Last,
        /// Has set the mark: the pages go.
        Giving,
        /// The mark goes.
        Given,
        Away,
        /// Has seen this value of the cell, without the mark.
        Back(u64),
        Done,
    }

    /// The cell, and the remaining steps of each rank.
    type State<const N: usize> = (u64, [(At, u32); N]);

    /// One access of a rank, as in the functions above; it leaves and returns some times.
    fn step<const N: usize>((mut cell, mut ranks): State<N>, rank: usize) -> State<N> {
        let all = N as u64;
        let (at, rounds) = ranks[rank];
        ranks[rank].0 = match at {
            At::Using if rounds == 0 => At::Done,
            At::Using => {
                ranks[rank].1 -= 1;
                cell += 1;
                if cell == all { At::Last } else { At::Away }
            }
            At::Last if cell == all => {
                cell |= GIVING;
                At::Giving
            }
            At::Last => At::Away,
            At::Giving => At::Given,
            At::Given => {
                cell = all;
                At::Away
            }
            At::Away if cell & GIVING != 0 => At::Away,
            At::Away => At::Back(cell),
            At::Back(seen) if seen == cell => {
                cell -= 1;
                At::Using
            }
            At::Back(_) if cell & GIVING != 0 => At::Away,
            At::Back(_) => At::Back(cell),
            At::Done => At::Done,
        };
        (cell, ranks)
    }

    /// All reachable states; whether pages were freed in one of them.
    fn explore<const N: usize>(rounds: u32) -> bool {
        let mut known = HashSet::new();
        let mut open: Vec<State<N>> = vec![(0, [(At::Using, rounds); N])];
        let mut gave = false;
        while let Some(state) = open.pop() {
            if !known.insert(state) {
                continue;
            }
            let (cell, ranks) = state;
            let giving = ranks.iter().filter(|(at, _)| matches!(at, At::Giving | At::Given)).count();
            let using = ranks.iter().filter(|(at, _)| matches!(at, At::Using | At::Done)).count();
            assert!(giving == 0 || giving == 1 && using == 0, "{state:?}");
            gave |= giving > 0;
            let next: Vec<State<N>> =
                (0..N).map(|rank| step(state, rank)).filter(|next| *next != state).collect();
            let done = ranks.iter().all(|(at, _)| *at == At::Done);
            assert!(done == next.is_empty(), "stuck: {state:?}");
            assert!(!done || cell == 0, "{state:?}");
            open.extend(next);
        }
        gave
    }

    #[test]
    fn pages_go_only_where_nobody_uses_them() {
        assert!(explore::<1>(3) && explore::<2>(3) && explore::<3>(2) && explore::<4>(1));
    }

    #[test]
    fn threads_come_and_go() {
        use std::sync::atomic::AtomicUsize;
        const RANKS: u64 = 3;
        let (cell, users, given) = (AtomicU64::new(0), AtomicUsize::new(RANKS as usize), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..RANKS {
                scope.spawn(|| {
                    let absence = Absence::new(&cell);
                    for _ in 0..2000 {
                        users.fetch_sub(1, Ordering::SeqCst);
                        absence.leave(RANKS, || {
                            assert_eq!(users.load(Ordering::SeqCst), 0);
                            given.fetch_add(1, Ordering::SeqCst);
                            assert_eq!(users.load(Ordering::SeqCst), 0);
                        });
                        absence.come_back(std::thread::yield_now);
                        users.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!((cell.into_inner(), users.into_inner()), (0, RANKS as usize));
    }
}
