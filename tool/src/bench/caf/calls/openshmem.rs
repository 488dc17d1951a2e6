//! The same operations by OpenSHMEM, in the same processes: Open MPI's library is loaded and started beside
//! MPI.
//!
//! Restrictions: its shmem_finalize, which also runs when a process ends, crashes in Open MPI 4.1 with UCX.
//! So it is not called, and a process in which OpenSHMEM was started ends by [`leave`], after MPI_Finalize.

use super::functions::Openshmem;
use super::{Calls, Place, address, back_and_forth, check, completed, repeated};
use crate::bench::caf::task::{ELEMENTS, Operation, STRIDE, Stream, Task, WORD};
use hcube_core::node::loader;
use std::ffi::{c_long, c_void};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// `SHMEM_CMP_GE`.
const GREATER_OR_EQUAL: i32 = 5;
/// Words of their own behind the memory that is accessed, each on another line of the cache: a lock and a
/// counter of notices.
const LOCK: usize = 0;
const NOTICES: usize = 16;
const FURTHER_WORDS: usize = 32;

/// Whether a process has started OpenSHMEM.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Ends a process that has started OpenSHMEM without what crashes then; returns in others.
pub fn leave(code: ExitCode) {
    if !STARTED.load(Ordering::Relaxed) {
        return;
    }
    drop(std::io::stdout().flush());
    let number = (0..=u8::MAX).find(|&number| code == ExitCode::from(number)).unwrap_or(u8::MAX);
    // SAFETY: ends the process; MPI is finalised, and everything is written.
    unsafe { libc::_exit(i32::from(number)) };
}

/// A process of OpenSHMEM.
pub struct Elements {
    functions: Openshmem,
    place: Place,
    shared: *mut u64,
    words: usize,
    /// Notices that this process has waited for.
    taken: u64,
}

unsafe extern "C" {
    /// The end of this program's data, as the linker defines it.
    #[link_name = "_end"]
    static END: u8;
}

/// Why OpenSHMEM cannot be started in this program.
///
/// Open MPI's library takes the program's data up to the symbol `_end` for symmetric memory, and crashes
/// where it finds another library's symbol of that name, because the program does not export its own.
pub fn refusal() -> Option<&'static str> {
    let exported = loader::global(c"_end");
    (exported != Some((&raw const END).cast())).then_some("the tool does not export its symbol _end")
}

impl Elements {
    /// Collective: starts OpenSHMEM and allocates `words` words of each process. MPI is active.
    ///
    /// # Errors
    /// Where OpenSHMEM and MPI have different processes, or the memory is missing; ranks may differ.
    pub fn begin(functions: Openshmem, place: Place, words: usize) -> Result<Self, String> {
        STARTED.store(true, Ordering::Relaxed);
        // SAFETY: functions of OpenSHMEM, called by all processes in this order.
        let (rank, ranks, shared) = unsafe {
            (functions.init)();
            let place = ((functions.my_pe)(), (functions.n_pes)());
            (place.0, place.1, (functions.malloc)((words + FURTHER_WORDS) * WORD).cast::<u64>())
        };
        if (rank as usize, ranks as usize) != (place.rank, place.ranks) {
            return Err(format!("its processes differ from MPI's processes: {rank} of {ranks}"));
        }
        if shared.is_null() {
            let bytes = words * WORD;
            return Err(format!(
                "shmem_malloc has no {bytes} bytes; SHMEM_SYMMETRIC_SIZE sets how many there are"
            ));
        }
        // SAFETY: memory of this process, which others do not access before the barrier.
        unsafe {
            shared.add(words).write_bytes(0, FURTHER_WORDS);
            (functions.barrier_all)();
        }
        Ok(Self { functions, place, shared, words, taken: 0 })
    }

    /// One of the words behind the memory.
    fn further(&self, which: usize) -> *mut u64 {
        self.shared.wrapping_add(self.words + which)
    }

    /// One-sided operations of this process.
    fn access(&self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        let Self { functions: call, shared, .. } = *self;
        let (target, memory, bytes) = (self.place.target(), address(own), task.bytes);
        let (there, here) = (shared.cast::<c_void>(), memory.cast::<c_void>());
        // SAFETY: the operation lies in the memory, as `run` has checked.
        unsafe {
            let quiet = || (call.quiet)();
            match task.operation {
                Operation::Put => completed(times, || (call.putmem)(there, here, bytes, target), quiet),
                Operation::Get => repeated(times, || (call.getmem)(here, there, bytes, target)),
                Operation::PutStrided => completed(
                    times,
                    || {
                        let (to, from) = (shared.cast::<c_long>(), memory.cast::<c_long>());
                        (call.long_iput)(to, from, STRIDE as isize, 1, ELEMENTS, target);
                    },
                    quiet,
                ),
                Operation::FetchAdd => repeated(times, || {
                    (call.ulong_atomic_fetch_add)(shared, 1, target);
                }),
                Operation::CompareSwap => {
                    let mut expected = (call.ulong_atomic_fetch_add)(shared, 0, target);
                    repeated(times, || {
                        (call.ulong_atomic_compare_swap)(shared, expected, expected + 1, target);
                        expected += 1;
                    })
                }
                Operation::Lock => {
                    let lock = self.further(LOCK).cast::<c_long>();
                    repeated(times, || {
                        (call.set_lock)(lock);
                        (call.clear_lock)(lock);
                    })
                }
                _ => repeated(times, || {
                    (call.putmem_nbi)(there, here, bytes, target);
                    (call.quiet)();
                }),
            }
        }
    }

    /// Changes random words of random processes.
    fn exclusive_or(&self, times: u32) -> f64 {
        let Self { functions: call, shared, place: Place { rank, ranks }, .. } = *self;
        let mut stream = Stream::new(rank);
        let change = || {
            let (to, index, value) = stream.next(ranks);
            // SAFETY: a word of the memory, as `run` has checked.
            unsafe { (call.uint64_atomic_xor)(shared.add(index), value, to as i32) };
        };
        // SAFETY: all processes call it; it completes what they have asked for.
        completed(times, change, || unsafe { (call.barrier_all)() })
    }
}

impl Calls for Elements {
    fn has(&self, operation: Operation) -> bool {
        !matches!(operation, Operation::Finish | Operation::Broadcast | Operation::Allreduce)
    }

    fn shared(&self) -> &[AtomicU64] {
        // SAFETY: this process's part of the symmetric memory, which is never freed.
        unsafe { std::slice::from_raw_parts(self.shared.cast::<AtomicU64>(), self.words) }
    }

    fn run(&mut self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        check(task, own, self.shared());
        let call = self.functions;
        let seconds = match task.operation {
            // SAFETY: all processes call it.
            Operation::Barrier => repeated(times, || unsafe { (call.barrier_all)() }),
            Operation::SpawnXor => self.exclusive_or(times),
            Operation::Event => {
                let counter = self.further(NOTICES);
                let (place, taken) = (self.place, &mut self.taken);
                // SAFETY: a word that only these two functions use.
                let notify = |to| unsafe { (call.ulong_atomic_inc)(counter, to) };
                let wait = || {
                    *taken += 1;
                    // SAFETY: a word of this process, which only these two functions use.
                    unsafe { (call.ulong_wait_until)(counter, GREATER_OR_EQUAL, *taken) };
                };
                back_and_forth(place, times, notify, wait)
            }
            _ if self.place.is_origin() => self.access(task, times, own),
            _ => 0.0,
        };
        // SAFETY: all processes call it.
        unsafe { (call.barrier_all)() };
        seconds
    }
}
