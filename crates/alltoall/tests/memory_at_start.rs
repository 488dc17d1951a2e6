//! The memory of a rank at the start of a program: when the state of a communicator is created, and at its
//! first exchange, which node leaders make. This process has no other tests, since it counts all that its
//! threads allocate.

use hcube_alltoall::select::Blocks as Known;
use hcube_alltoall::{Conditions, ExchangeState, Options, Outcome, Task, UsedPath, exchange};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::memory::blocks::Blocks;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_int;

thread_local! {
    /// Bytes that this thread has allocated and not freed, and the most that there have been.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Allocations from this size on are reserved memory: scratch memory, of which pages are resident once they
/// are used.
const RESERVED_BYTES: usize = 64 << 10;

fn add(layout: Layout, sign: isize) {
    if layout.size() >= RESERVED_BYTES {
        return;
    }
    let now = NOW.get() + sign * layout.size() as isize;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

struct Counting;

// SAFETY: hands on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout, 1);
        // SAFETY: the layout has bytes, as `GlobalAlloc` demands of its callers.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout, 1);
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        add(layout, -1);
        // SAFETY: the memory came from the system with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ranks of a node.
const PER_NODE: usize = 16;
/// Bytes of a block, as of a number.
const BLOCK: c_int = 8;

/// Bytes of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    /// Allocated for the state, without slots and scratch memory, which are reserved.
    lists: isize,
    /// Most in addition to that while the state is created.
    creation: isize,
    /// Most in addition to the state during the first exchange.
    exchange: isize,
    /// Extra memory after it, by hcube's own count: also what it has touched of slots and scratch memory.
    memory: isize,
}

/// Of what has been allocated since there were `before` bytes: what is left, and the peak over that.
fn since(before: isize) -> (isize, isize) {
    (NOW.get() - before, PEAK.get() - NOW.get())
}

fn start(comm: &ThreadComm) -> Start {
    let options = Options::default();
    let counts = vec![BLOCK; comm.size()];
    let places: Vec<c_int> = (0..comm.size() as c_int).map(|rank| rank * BLOCK).collect();
    let [mut send, mut receive] = [(); 2].map(|()| vec![0_u8; comm.size() * BLOCK as usize]);
    send.fill(comm.rank() as u8);
    let before = NOW.get();
    PEAK.set(before);
    let mut state = ExchangeState::new(comm, &options).expect("memory");
    let (lists, creation) = since(before);
    let blocks = |buffer: &mut Vec<u8>| {
        // SAFETY: the blocks are in the buffer, which nothing else uses until the exchange has ended.
        unsafe { Blocks::counted(buffer.as_mut_ptr(), &counts, &places, 1) }.expect("valid counts")
    };
    let before = NOW.get();
    PEAK.set(before);
    let task = Ok(Task::between(blocks(&mut send), blocks(&mut receive)));
    let conditions =
        Conditions { led: state.situation().leads(false).then_some(Known::Any), ..Conditions::default() };
    let outcome = exchange(comm, &mut state, &task, conditions, None).expect("valid arguments");
    let exchange = PEAK.get() - before;
    assert!(
        matches!(&outcome, Outcome::Done(report) if report.path == UsedPath::NodeLeaders),
        "{outcome:?} on {} ranks",
        comm.size()
    );
    assert!((0..comm.size()).all(|rank| receive[rank * BLOCK as usize] == rank as u8));
    Start { lists, creation, exchange, memory: state.memory() as isize }
}

/// The median of the ranks, since some of them allocate what the threads share.
fn median(ranks: usize) -> Start {
    let all = threads::run(ranks, PER_NODE, start);
    let of = |field: fn(&Start) -> isize| {
        let mut values: Vec<isize> = all.iter().map(field).collect();
        values.sort_unstable();
        values[ranks / 2]
    };
    Start {
        lists: of(|start| start.lists),
        creation: of(|start| start.creation),
        exchange: of(|start| start.exchange),
        memory: of(|start| start.memory),
    }
}

#[test]
fn memory_at_the_start_grows_by_few_bytes_per_rank() {
    let all = [256, 512].map(|ranks| (ranks as isize, median(ranks)));
    for (ranks, Start { lists, creation, exchange, memory }) in all {
        let bound = |fixed: isize, per_rank: isize| fixed + ranks * per_rank;
        assert!(lists <= bound(5_000, 2), "{all:?}");
        assert!(creation <= bound(1_000, 60), "{all:?}");
        assert!(exchange <= bound(2_000, 14), "{all:?}");
        assert!(memory <= Options::default().memory as isize / 4, "{all:?}");
    }
    let [(few, first), (many, second)] = all;
    let grows = |of: fn(&Start) -> isize| (of(&second) - of(&first)) as f64 / (many - few) as f64;
    // A node of 16 ranks more is a route of 16 bytes and a number of 4, in vectors that may have reserved
    // twice that.
    assert!(grows(|start| start.lists) <= 2.5, "{all:?}");
    // Seven words by which ranks share memory, and a number of their nodes.
    assert!(grows(|start| start.creation) <= 60.5, "{all:?}");
}
