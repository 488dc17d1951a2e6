//! The calls that are measured, by one file per library, and what all libraries have in common.

pub mod functions;
pub mod hcube;
pub mod memcpy;
pub mod one_sided;
pub mod openshmem;

use super::task::{Operation, Task};
use std::ffi::c_int;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// A library that carries out the operations.
pub trait Calls {
    /// Whether it has an operation.
    fn has(&self, operation: Operation) -> bool;

    /// The memory of this rank that others access.
    fn shared(&self) -> &[AtomicU64];

    /// Collective: an operation so often, with memory that only this rank uses. The seconds until all of them
    /// are complete; 0 on ranks that have no part in it. A call that fails ends the job.
    fn run(&mut self, task: &Task, times: u32, own: &[AtomicU64]) -> f64;
}

/// Where a rank is.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub rank: usize,
    pub ranks: usize,
}

impl Place {
    /// Whether this is the rank from which one-sided operations go.
    pub fn is_origin(self) -> bool {
        self.rank == 0
    }

    /// The rank to which they go.
    pub fn target(self) -> c_int {
        int(1 % self.ranks)
    }

    /// The other one of the two between which notices go, if this is one of them.
    pub fn partner(self) -> Option<c_int> {
        (self.rank < 2 && self.ranks > 1).then(|| int(1 - self.rank))
    }
}

/// As C passes a number.
pub fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("sizes are below 2 GiB")
}

/// The address of an area; what others do to its words is atomic, or ordered by synchronisation.
pub fn address(area: &[AtomicU64]) -> *mut u64 {
    area.as_ptr().cast_mut().cast()
}

/// That an operation lies in the memory.
pub fn check(task: &Task, own: &[AtomicU64], shared: &[AtomicU64]) {
    let fits = task.own_words() <= own.len() && task.shared_words() <= shared.len();
    assert!(fits, "the operation lies in the memory");
}

/// Seconds of a call repeated.
#[inline]
pub fn repeated(times: u32, mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    for _ in 0..times {
        call();
    }
    begin.elapsed().as_secs_f64()
}

/// Seconds of calls with what completes them.
#[inline]
pub fn completed(times: u32, call: impl FnMut(), complete: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    repeated(times, call);
    complete();
    begin.elapsed().as_secs_f64()
}

/// Seconds of one way of notices that go back and forth: the first rank begins. Without a second one, it
/// notifies itself.
pub fn back_and_forth(
    place: Place,
    times: u32,
    mut notify: impl FnMut(c_int),
    mut wait: impl FnMut(),
) -> f64 {
    match place.partner() {
        None if place.ranks > 1 => 0.0,
        None => repeated(times, || {
            notify(0);
            wait();
        }),
        Some(other) if place.is_origin() => {
            let both_ways = repeated(times, || {
                notify(other);
                wait();
            });
            both_ways / 2.0
        }
        Some(other) => {
            repeated(times, || {
                wait();
                notify(other);
            });
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn notices_go_back_and_forth() {
        let counts = [AtomicU32::new(0), AtomicU32::new(0)];
        let run = |rank: usize| {
            let mut taken = 0;
            let notify = |to: c_int| {
                counts[to as usize].fetch_add(1, Ordering::AcqRel);
            };
            let wait = || {
                taken += 1;
                while counts[rank].load(Ordering::Acquire) < taken {
                    std::thread::yield_now();
                }
            };
            back_and_forth(Place { rank, ranks: 2 }, 50, notify, wait)
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| run(1));
            assert!(run(0) > 0.0);
            assert_eq!(other.join().expect("no panic"), 0.0);
        });
        assert_eq!(counts.each_ref().map(|count| count.load(Ordering::Relaxed)), [50, 50]);
        let nothing = |_: c_int| panic!("no part in it");
        assert_eq!(back_and_forth(Place { rank: 2, ranks: 3 }, 5, nothing, || ()), 0.0);
    }
}
