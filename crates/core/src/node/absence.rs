//! Ranks that have left memory which they share: the last one frees its pages.
//!
//! Idea: a cell in the memory counts the ranks that have left. The rank that makes the count complete owns
//! the pages until it has freed them: it sets a mark, and a returning rank waits while the mark is set. A
//! rank leaves only after all its accesses, and returns before any further access, so pages are freed only
//! while no rank accesses them.
//!
//! Cost: an atomic addition to leave, an exchange to return.
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
        // Release: the accesses of this rank come before those of the rank that frees the pages.
        let away = self.0.fetch_add(1, Ordering::Release) + 1;
        // A rank may have returned meanwhile. Acquire: see above; all others that have left have added to the
        // value that is exchanged.
        if away == ranks
            && self.0.compare_exchange(ranks, ranks | GIVING, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            give_back();
            // Nobody changes the cell while it has the mark. Release: who returns finds the pages freed.
            self.0.store(ranks, Ordering::Release);
        }
    }

    /// This rank, which had left, returns; `pause` is called while another rank frees the pages.
    pub fn come_back(self, mut pause: impl FnMut()) {
        let mut seen = self.0.load(Ordering::Relaxed);
        loop {
            if seen & GIVING != 0 {
                pause();
                seen = self.0.load(Ordering::Relaxed);
                continue;
            }
            // Acquire: see above. This rank has nothing to publish.
            match self.0.compare_exchange_weak(seen, seen - 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests {
    use super::*;

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
