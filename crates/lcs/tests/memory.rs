//! The memory of a computation: a word per symbol over all ranks, and pieces. This process has no other test, since it counts
//! all that is allocated.

use hcube_core::comm::Comm;
use hcube_core::comm::threads;
use hcube_lcs::Outcome;
use hcube_lcs::distributed::{Options, llcs};
use hcube_lcs::kernel::Kernel;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes in use, and the most that have been.
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: hands on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the contract of this function.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RANKS: usize = 4;
/// What a rank may have besides: the places of symbols, stacks' bookkeeping.
const PER_RANK: usize = 64 << 10;
/// The planes of a piece of text in registers of AVX-512.
const PLANES: usize = 640 << 10;

/// Bytes beside both strings while their length is computed.
fn peak(length: usize, alphabet: u64, kernel: Kernel) -> usize {
    let string = |seed: u64| -> Vec<u8> {
        (0..length as u64)
            .map(|at| ((at + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % alphabet)
            .map(|it| it as u8)
            .collect()
    };
    let (a, b) = (string(1), string(1 << 40));
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let options = Options { kernel: Some(kernel), ..Options::default() };
    let found = threads::run(RANKS, RANKS, |comm| {
        let part = length * comm.rank() / RANKS..length * (comm.rank() + 1) / RANKS;
        llcs(comm, &a[part.clone()], &b[part], &options, &mut |_| ControlFlow::Continue(()))
    });
    assert!(matches!(found[..], [Ok(Outcome::Length(1..)), ..]), "{found:?}");
    PEAK.load(Ordering::Relaxed) - before
}

#[test]
fn memory_is_a_word_per_symbol_and_pieces() {
    let length = 150_000;
    for (alphabet, kernel, pieces) in
        [(256, Kernel::Words, 0), (4, Kernel::Planes, PLANES), (32, Kernel::Planes, PLANES)]
    {
        let limit = length * size_of::<u64>() + RANKS * (PER_RANK + pieces);
        let peak = peak(length, alphabet, kernel);
        assert!(peak < limit, "{alphabet} symbols: {peak} bytes of {limit}");
        // A table of bits for each symbol and place would not fit.
        assert!(alphabet < 256 || limit < length * 256 / 8, "{limit}");
    }
}
