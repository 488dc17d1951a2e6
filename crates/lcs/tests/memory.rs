//! The memory of a computation: a word per symbol over all ranks, and pieces; and its lack. This process has
//! no other tests, since it counts all that is allocated.

use hcube_core::Error;
use hcube_core::comm::Comm;
use hcube_core::comm::threads;
use hcube_lcs::distributed::{Options, llcs};
use hcube_lcs::kernel::Kernel;
use hcube_lcs::{Outcome, Symbol};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes in use, the most that have been, and what large blocks may bring them to.
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Blocks below this are always granted: those of pieces, of messages and of the test itself.
const LARGE: usize = PLANES;

struct Counting;

// SAFETY: hands on to the system's allocator, or has no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        if layout.size() >= LARGE && now > LIMIT.load(Ordering::Relaxed) {
            NOW.fetch_sub(layout.size(), Ordering::Relaxed);
            return std::ptr::null_mut();
        }
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the layout has bytes, as `GlobalAlloc` demands of its callers.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the memory came from `alloc` with this layout.
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

fn strings<S: Symbol>(length: usize, alphabet: u64) -> [Vec<S>; 2] {
    [1, 1 << 40].map(|seed: u64| {
        let numbers = (0..length as u64).map(|at| (at + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33);
        numbers.map(|number| S::from_value((number % alphabet) as u32)).collect()
    })
}

/// Bytes beside both strings while their length is computed.
fn peak(length: usize, alphabet: u64, kernel: Kernel) -> usize {
    let [a, b] = strings::<u8>(length, alphabet);
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

/// What a computation says with `room` bytes beside both strings.
fn within<T>(room: usize, run: impl FnOnce() -> T) -> T {
    LIMIT.store(NOW.load(Ordering::Relaxed) + room, Ordering::Relaxed);
    let result = run();
    LIMIT.store(usize::MAX, Ordering::Relaxed);
    result
}

/// From no room to enough: each computation ends with the length or with an error.
fn lack<S: Symbol>(length: usize, alphabet: u64) {
    let [a, mut b] = strings::<S>(length, alphabet);
    b.truncate(300);
    let expected = hcube_lcs::llcs(&a, &b).expect("memory");
    let mut lacked = 0;
    for step in 0.. {
        match within(step * length, || hcube_lcs::llcs(&a, &b)) {
            Ok(found) => {
                assert_eq!(found, expected);
                break;
            }
            Err(Error::Memory(_)) => lacked += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(lacked > 1, "{lacked} errors");
    let found = within(0, || {
        threads::run(RANKS, RANKS, |comm| {
            let (rank, part) = (comm.rank(), length / RANKS);
            let b = if rank == 0 { &b[..] } else { &[] };
            let a = &a[part * rank..part * (rank + 1)];
            llcs(comm, a, b, &Options::default(), &mut |_| ControlFlow::Continue(()))
        })
    });
    let all_refused =
        found.iter().all(|result| matches!(result, Err(Error::Memory(_) | Error::Remote { .. })));
    assert!(all_refused, "{found:?}");
}

#[test]
fn memory_is_a_word_per_symbol_and_pieces_and_its_lack_is_an_error() {
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
    lack::<u8>(24_000_000, 256);
    lack::<u32>(4_000_000, 1 << 31);
}
