//! Coarrays by hcube: the C functions of libhcube.so.

use super::functions::{Coarrays, Event, Side, Statistics};
use super::{Calls, Place, address, back_and_forth, check, completed, repeated};
use crate::bench::caf::task::{ELEMENTS, Operation, STRIDE, Stream, Task, WORD};
use hcube_core::mpi::handle;
use hcube_core::options::RANKS_PER_NODE;
use hcube_core::{Error, Result};
use mpi::ffi::{RSMPI_SUM, RSMPI_UINT64_T};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The team of all images.
const WORLD: u64 = 0;
/// Events of an image: of notices that go back and forth, and of copies.
const NOTICE: i64 = 0;
const COPIED: i64 = 1;
/// Operations of `hcube_caf_atomic`.
const ADD: c_int = 2;
const COMPARE_SWAP: c_int = 6;

/// The words of this image that shipped functions change.
static TABLE: AtomicPtr<AtomicU64> = AtomicPtr::new(null_mut());

/// The function that is shipped: an exclusive-or on a word. Only this image changes its words, so nothing has
/// to be atomic.
unsafe extern "C-unwind" fn exclusive_or(_: i32, arguments: *const c_void, _: u64) {
    // SAFETY: the arguments are two words, the first one an index of the table, whose memory lives as long as
    // the runtime.
    let (word, value) = unsafe {
        let [index, value] = *arguments.cast::<[u64; 2]>();
        (&*TABLE.load(Ordering::Relaxed).add(index as usize), value)
    };
    word.store(word.load(Ordering::Relaxed) ^ value, Ordering::Relaxed);
}

/// Ends the job where a call has failed.
#[inline]
fn succeed(code: c_int) {
    assert!(code == 0, "a function of hcube_caf has returned the error code {code}");
}

/// An image.
pub struct Images {
    functions: Coarrays,
    place: Place,
    coarray: u64,
    shared: *const AtomicU64,
    words: usize,
    events: u64,
    locks: u64,
    /// The number of [`exclusive_or`].
    function: i32,
}

impl Images {
    /// Collective: makes the ranks of the job images, with a coarray of `words` words each.
    ///
    /// # Errors
    /// Where a function refuses; its message.
    pub fn begin(functions: Coarrays, place: Place, words: usize) -> Result<Self> {
        let mut error = [0_u8; 512];
        let failed = |what: &str, code: c_int, error: &[u8]| {
            let text = error[4..].split(|&byte| byte == 0).next().unwrap_or_default();
            let text = String::from_utf8_lossy(text).into_owned();
            if code == 0 { Ok(()) } else { Err(Error::Unsupported(format!("hcube_caf_{what}: {text}"))) }
        };
        let (mut coarray, mut shared, mut events, mut locks, mut function) = (0, null_mut(), 0, 0, 0);
        // SAFETY: the functions of hcube/caf.h, called by all ranks in this order; `error` is as long as
        // hcube_error.
        unsafe {
            let out = error.as_mut_ptr().cast();
            failed("init", (functions.init)(out), &error)?;
            let bytes = (words * WORD) as u64;
            let code = (functions.coarray_alloc)(WORLD, bytes, &mut coarray, &mut shared, out);
            failed("coarray_alloc", code, &error)?;
            failed("event_alloc", (functions.event_alloc)(WORLD, 2, &mut events, out), &error)?;
            failed("lock_alloc", (functions.lock_alloc)(WORLD, 1, &mut locks, out), &error)?;
            failed("register", (functions.register)(exclusive_or, &mut function, out), &error)?;
        }
        let shared = shared.cast::<AtomicU64>();
        TABLE.store(shared, Ordering::Relaxed);
        Ok(Self { functions, place, coarray, shared, words, events, locks, function })
    }

    /// What this image has done so far.
    pub fn counts(functions: &Coarrays) -> [u64; 5] {
        let mut statistics = Statistics::new();
        // SAFETY: a structure that says its size.
        succeed(unsafe { (functions.last_statistics)(&mut statistics, null_mut()) });
        statistics.counts()
    }

    /// One-sided operations of this image.
    fn access(&self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        let Self { functions: call, coarray, locks, .. } = *self;
        let (target, memory, bytes) = (self.place.target(), address(own).cast::<c_void>(), task.bytes as u64);
        let (count, stride) = ([ELEMENTS as i64], [(STRIDE * WORD) as i64]);
        let mut word = 0;
        // SAFETY: the operation lies in the memory, as `run` has checked.
        unsafe {
            // What was put is there before what is read afterwards.
            let read = || {
                let mut word = 0_u64;
                let into = (&raw mut word).cast();
                succeed((call.get)(coarray, target, 0, into, WORD as u64, null_mut()));
                word
            };
            match task.operation {
                Operation::Put => completed(
                    times,
                    || succeed((call.put)(coarray, target, 0, memory, bytes, null_mut())),
                    || {
                        read();
                    },
                ),
                Operation::Get => repeated(times, || {
                    succeed((call.get)(coarray, target, 0, memory, bytes, null_mut()));
                }),
                Operation::PutStrided => completed(
                    times,
                    || {
                        let (element, strides) = (WORD as u64, stride.as_ptr());
                        let counts = count.as_ptr();
                        succeed((call.put_strided)(
                            coarray,
                            target,
                            0,
                            element,
                            1,
                            counts,
                            strides,
                            memory,
                            null(),
                            null_mut(),
                        ));
                    },
                    || {
                        read();
                    },
                ),
                Operation::FetchAdd => repeated(times, || {
                    succeed((call.atomic)(coarray, target, 0, ADD, 1, 0, &mut word, null_mut()));
                }),
                Operation::CompareSwap => {
                    let mut expected = read();
                    repeated(times, || {
                        let (new, old) = (expected + 1, expected);
                        succeed((call.atomic)(
                            coarray,
                            target,
                            0,
                            COMPARE_SWAP,
                            new,
                            old,
                            &mut word,
                            null_mut(),
                        ));
                        expected = new;
                    })
                }
                Operation::Lock => repeated(times, || {
                    succeed((call.lock)(locks, 0, target, null_mut()));
                    succeed((call.unlock)(locks, 0, target, null_mut()));
                }),
                _ => repeated(times, || self.copy(memory, bytes)),
            }
        }
    }

    /// An asynchronous copy to the target, until its event.
    fn copy(&self, memory: *mut c_void, bytes: u64) {
        let Self { functions: call, coarray, events, place, .. } = *self;
        let none =
            Side { coarray: 0, copointer: [0; 2], memory: null_mut(), offset: 0, image: 0, reserved: 0 };
        let destination = Side { coarray, image: place.target(), ..none };
        let source = Side { memory, ..none };
        let done = Event { events, index: COPIED, image: place.rank as i32, reserved: 0 };
        // SAFETY: both sides are valid, as `run` has checked, until the event was notified.
        unsafe {
            succeed((call.copy_async)(&destination, &source, bytes, &done, null(), null_mut()));
            succeed((call.event_wait)(events, COPIED, null_mut()));
        }
    }

    /// Ships functions to random images.
    fn spawn(&self, times: u32) -> f64 {
        let Self { functions: call, function, place: Place { rank, ranks }, .. } = *self;
        let mut stream = Stream::new(rank);
        let ship = || {
            let (to, index, value) = stream.next(ranks);
            let arguments = [index as u64, value];
            let bytes = size_of_val(&arguments) as u64;
            // SAFETY: a registered function and its arguments.
            unsafe {
                let arguments = arguments.as_ptr().cast();
                succeed((call.spawn)(WORLD, to as i32, function, arguments, bytes, null(), null_mut()));
            }
        };
        // SAFETY: all images call it, outside of shipped functions.
        succeed(unsafe { (call.finish_begin)(WORLD, null_mut()) });
        // SAFETY: all images end the block that they have begun above, outside of shipped functions.
        completed(times, ship, || succeed(unsafe { (call.finish_end)(null_mut()) }))
    }

    fn barrier(&self) {
        // SAFETY: all images call it.
        succeed(unsafe { (self.functions.barrier)(WORLD, null_mut()) });
    }
}

impl Calls for Images {
    fn has(&self, _: Operation) -> bool {
        true
    }

    fn shared(&self) -> &[AtomicU64] {
        // SAFETY: this image's part of the coarray, which lives as long as this value.
        unsafe { std::slice::from_raw_parts(self.shared, self.words) }
    }

    fn run(&mut self, task: &Task, times: u32, own: &[AtomicU64]) -> f64 {
        check(task, own, self.shared());
        let (call, memory) = (self.functions, address(own).cast::<c_void>());
        let into = address(self.shared()).cast::<c_void>();
        // SAFETY: all images do the same; the operation lies in the memory, as checked.
        let seconds = unsafe {
            match task.operation {
                Operation::Barrier => repeated(times, || self.barrier()),
                Operation::Finish => repeated(times, || {
                    succeed((call.finish_begin)(WORLD, null_mut()));
                    succeed((call.finish_end)(null_mut()));
                }),
                Operation::SpawnXor => self.spawn(times),
                Operation::Broadcast => repeated(times, || {
                    succeed((call.broadcast)(WORLD, 0, memory, task.bytes as u64, null_mut()));
                }),
                Operation::Allreduce => repeated(times, || {
                    let (count, kind) = ((task.bytes / WORD) as i64, RSMPI_UINT64_T);
                    succeed((call.allreduce)(WORLD, memory, into, count, kind, RSMPI_SUM, null_mut()));
                }),
                Operation::Event => {
                    let events = self.events;
                    let notify = |to| succeed((call.event_notify)(events, NOTICE, to, null_mut()));
                    let wait = || succeed((call.event_wait)(events, NOTICE, null_mut()));
                    back_and_forth(self.place, times, notify, wait)
                }
                _ if self.place.is_origin() => self.access(task, times, own),
                _ => 0.0,
            }
        };
        // The others serve what goes to them while they wait here.
        self.barrier();
        seconds
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        if handle::check_state().is_ok() {
            // SAFETY: all images call it; the memory of the coarray is not used any more.
            succeed(unsafe { (self.functions.finalize)(null_mut()) });
        }
    }
}

/// Lets hcube assume this number of ranks on each node, before any of its functions is called.
pub fn assume_ranks_per_node(count: u32) {
    // SAFETY: no thread has been started that may read the environment meanwhile.
    unsafe { std::env::set_var(RANKS_PER_NODE.variable, count.to_string()) };
}
