//! What the allowance promises, in all interleavings of threads with a communicator each.
//!
//! One communicator has it at a time; only calls on this communicator use it, no more than were given, and
//! as many as its thread has counted. When it has ended, another communicator may have it.

use super::super::call::{Call, Counts, Function, Side, Types};
use super::{Allowance, NO_COMMUNICATOR, current, take};
use hcube_core::atomic::Ordering;
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use std::ffi::c_int;

/// Calls of each allowance.
const CALLS: u64 = 1;

/// A call on a communicator, each with a datatype of its own.
fn call(comm: usize) -> Call {
    let types = Types::One((10 * comm) as MPI_Datatype);
    let side = Side { buffer: 64 as _, counts: Counts::Same(3), types };
    Call { function: Function::Alltoall, send: side, receive: side, comm: comm as MPI_Comm, guest: true }
}

/// As [`call`], with a count that is not valid.
fn negative(comm: usize) -> Call {
    static COUNTS: [c_int; 2] = [1, -1];
    let send = call(comm).send;
    let send = Side { counts: Counts::Int(COUNTS.as_ptr(), COUNTS.as_ptr()), ..send };
    Call { send, function: Function::Alltoallv, ..call(comm) }
}

/// Each thread gives its communicator this number of allowances, one after the other, and makes more calls
/// than they allow.
fn threads(scene: &mut Scene, allowances: &'static [usize]) {
    current().taken.store(false, Ordering::Relaxed);
    current().comm.store(NO_COMMUNICATOR, Ordering::Relaxed);
    for word in [&current().datatype, &current().ranks] {
        word.store(0, Ordering::Relaxed);
    }
    current().calls_left.0.store(0, Ordering::Relaxed);
    let is_alone = allowances.len() == 1;
    for (comm, &allowances) in (1..).zip(allowances) {
        scene.participant(move || {
            // SAFETY: no arrays.
            let takes = || unsafe { take(&call(comm)) };
            for _ in 0..allowances {
                let given = Allowance::give(comm as MPI_Comm, 2, (10 * comm) as MPI_Datatype, CALLS);
                assert!(given.is_some() || !is_alone, "nobody else has it");
                for number in 0..=CALLS {
                    // SAFETY: arrays of two entries.
                    assert!(!unsafe { take(&negative(comm)) }, "a count below 0");
                    if let Some(given) = &given {
                        assert_eq!(given.used(), number, "calls on {comm}");
                    }
                    assert_eq!(takes(), given.is_some() && number < CALLS, "call {number} on {comm}");
                }
                drop(given);
                assert!(!takes(), "it has ended");
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::allowance", "one thread", |scene| threads(scene, &[2])),
    Model::new("alltoall::allowance", "two threads", |scene| threads(scene, &[2, 1]))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::allowance", "three threads", |scene| threads(scene, &[1; 3]))
        .with(Extent::Preemptions(1)),
];
