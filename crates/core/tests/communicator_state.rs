//! What systems keep on a communicator, with MPI: a call of one inside a call of another one, by all ranks.
//!
//! MPI can be initialised once in a process, so one test calls all. It runs as a job of one rank, and under
//! `mpirun` as a job of several.

#![cfg(feature = "rsmpi")]

use hcube_core::Error;
use hcube_core::comm::{Comm, agree_on};
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{gate, rsmpi};
use mpi::topology::{Communicator, SimpleCommunicator};

/// Two systems.
#[derive(Debug, Default)]
struct Outer {
    calls: u64,
}
#[derive(Debug, Default)]
struct Inner {
    sum: u64,
}

#[test]
fn systems_share_a_communicator() {
    let (universe, threading) =
        mpi::initialize_with_threading(mpi::Threading::Multiple).expect("the only test of this process");
    let comm = universe.world().duplicate();
    one_calls_another(&comm);
    one_does_not_call_itself(&comm);
    if threading == mpi::Threading::Multiple {
        threads_at_once(&comm);
    }
}

fn handle(comm: &SimpleCommunicator) -> Handle {
    // SAFETY: each test uses the handle while it borrows the communicator.
    unsafe { rsmpi::handle(comm) }
}

/// The inner call is collective and goes over the same private duplicate.
fn one_calls_another(comm: &SimpleCommunicator) {
    let inner = || {
        gate::enter(handle(comm), |private, kept: &mut Option<Inner>| {
            let kept = kept.get_or_insert_default();
            let mut sum = [private.rank() as u64 + 1];
            private.all_reduce_sum(&mut sum)?;
            kept.sum += sum[0];
            Ok(kept.sum)
        })
    };
    let ranks = comm.size() as u64;
    for call in 1..=3 {
        let result = gate::enter(handle(comm), |private, kept: &mut Option<Outer>| {
            let kept = kept.get_or_insert_default();
            kept.calls += 1;
            let nested = inner()?;
            agree_on(private, &[("nested", nested as i64)])?;
            Ok((kept.calls, nested))
        });
        assert_eq!(result, Ok((call, call * ranks * (ranks + 1) / 2)));
    }
    assert_eq!(gate::look(handle(comm), |outer: &Outer| outer.calls), Ok(Some(3)));
}

fn one_does_not_call_itself(comm: &SimpleCommunicator) {
    let result = gate::enter(handle(comm), |_, _: &mut Option<Outer>| {
        gate::enter(handle(comm), |_, _: &mut Option<Outer>| Ok(()))
    });
    assert!(matches!(&result, Err(Error::Communicator(text)) if text.contains("in use")), "{result:?}");
    assert_eq!(gate::enter(handle(comm), |_, _: &mut Option<Outer>| Ok(())), Ok(()));
}

/// A communicator that several threads use.
struct Shared(SimpleCommunicator);

// SAFETY: a handle of MPI, which provides MPI_THREAD_MULTIPLE where this is used.
unsafe impl Sync for Shared {}

impl Shared {
    fn handle(&self) -> Handle {
        handle(&self.0)
    }
}

/// Two threads that meet at the first call find one state: on one rank nobody waits for others.
fn threads_at_once(comm: &SimpleCommunicator) {
    for _ in 0..if comm.size() == 1 { 200 } else { 0 } {
        let fresh = Shared(comm.duplicate());
        let start = std::sync::Barrier::new(2);
        let turn = || {
            start.wait();
            loop {
                let entered = gate::enter(fresh.handle(), |_, kept: &mut Option<Outer>| {
                    kept.get_or_insert_default().calls += 1;
                    Ok(())
                });
                match entered {
                    Ok(()) => return,
                    Err(Error::Communicator(_)) => std::thread::yield_now(),
                    Err(error) => panic!("{error}"),
                }
            }
        };
        std::thread::scope(|scope| {
            [(); 2].map(|()| scope.spawn(turn)).map(|thread| thread.join().expect("no panic"))
        });
        assert_eq!(gate::look(fresh.handle(), |outer: &Outer| outer.calls), Ok(Some(2)));
    }
}
