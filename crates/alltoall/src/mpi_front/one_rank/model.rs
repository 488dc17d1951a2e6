//! What is promised about communicators of one rank, in all interleavings of threads with one each: a call is
//! forwarded at once only on a communicator that was remembered and is not dropped, also where another thread
//! has remembered its own in between.

use super::super::call::{Call, Counts, Function, Side, Types};
use super::{AtOnce, NONE, OneRank, at_once, last};
use hcube_core::atomic::Ordering;
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::mpi::MPI_Comm;

fn call(comm: usize) -> Call {
    let side = Side { buffer: 64 as _, counts: Counts::Same(0), types: Types::One(7 as _) };
    Call { function: Function::Alltoall, send: side, receive: side, comm: comm as MPI_Comm, guest: true }
}

/// Each thread remembers its communicator, and drops it; then another one may have its handle.
fn threads(scene: &mut Scene, threads: usize) {
    last().iter().for_each(|last| last.store(NONE, Ordering::Relaxed));
    for comm in 1..=threads {
        scene.participant(move || {
            // SAFETY: no arrays.
            let known = || unsafe { at_once(&call(comm)) };
            let one = OneRank { comm, served: false };
            one.remember();
            if threads == 1 {
                assert_eq!(known(), Some(AtOnce::Forwarded));
            }
            drop(one);
            assert_eq!(known(), None, "it was dropped");
        });
    }
    scene.finally(move || assert_eq!(last()[0].load(Ordering::Relaxed), NONE, "all are dropped"));
}

/// The cases. Random schedules for several threads: the model checker lets a comparison read what is older
/// than what its thread has read before.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::one_rank", "one thread", |scene| threads(scene, 1)),
    Model::new("alltoall::one_rank", "two threads", |scene| threads(scene, 2)).with(Extent::Random(200)),
    Model::new("alltoall::one_rank", "three threads", |scene| threads(scene, 3)).with(Extent::Random(500)),
];
