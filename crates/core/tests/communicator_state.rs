//! The state of systems on one communicator, with MPI: the first calls of two threads at the same time.
//! Nested calls are among the checks of tests/core-client, which run on several ranks.
//!
//! MPI can be initialised once in a process, so this is the only test here.

use hcube_core::Error;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{gate, rsmpi};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A system.
#[derive(Debug, Default)]
struct Counter {
    calls: u64,
}

/// A communicator that several threads use.
struct Shared(SimpleCommunicator);

// SAFETY: a handle of MPI, which provides MPI_THREAD_MULTIPLE where this is used.
unsafe impl Sync for Shared {}

impl Shared {
    fn handle(&self) -> Handle {
        // SAFETY: handles are used while the communicator is borrowed.
        unsafe { rsmpi::handle(&self.0) }
    }
}

/// Communicators that exist at the same time; MPICH has 2048 contexts, and each of these takes two.
const BATCH: usize = 200;
const BATCHES: usize = 10;

/// Waits for the other of two threads. Busy, because what wakes threads up lets one of them be first.
fn meet(arrived: &AtomicUsize, turn: usize) {
    arrived.fetch_add(1, Ordering::AcqRel);
    let mut looks = 0;
    while arrived.load(Ordering::Acquire) < 2 * turn {
        looks += 1;
        if looks % 1000 == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
}

fn count(comm: &Shared) {
    loop {
        let entered = gate::enter(comm.handle(), |_, kept: &mut Option<Counter>| {
            kept.get_or_insert_default().calls += 1;
            Ok(())
        });
        match entered {
            Ok(()) => return,
            Err(Error::Communicator(_)) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// On one rank no call waits for others.
#[test]
fn threads_that_meet_at_the_first_call_find_one_state() {
    let (universe, threading) =
        mpi::initialize_with_threading(mpi::Threading::Multiple).expect("the only test of this process");
    if threading != mpi::Threading::Multiple {
        hcube_testing::skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
        return;
    }
    let world = universe.world();
    assert_eq!(world.size(), 1, "started without a launcher");
    for _ in 0..BATCHES {
        let fresh: Vec<Shared> = (0..BATCH).map(|_| Shared(world.duplicate())).collect();
        let arrived = AtomicUsize::new(0);
        let turns = || {
            for (turn, comm) in fresh.iter().enumerate() {
                meet(&arrived, turn + 1);
                count(comm);
            }
        };
        std::thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(turns));
            threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        });
        for comm in &fresh {
            assert_eq!(gate::look(comm.handle(), |counter: &Counter| counter.calls), Ok(Some(2)));
        }
    }
}
