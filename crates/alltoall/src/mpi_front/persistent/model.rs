//! What the table of persistent exchanges promises, in all interleavings of threads: a thread that has a
//! request finds its operation until the request is freed, while others register and free their own, and
//! when all are freed, starts do not look into the table any more.

use super::super::call::Function;
use super::{Operation, count, exist, forget, operations, operations_of};
use hcube_core::atomic::Ordering;
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::mpi::MPI_Request;

/// Each thread registers an operation, starts it, and frees its request.
fn threads(scene: &mut Scene, threads: usize) {
    count().store(0, Ordering::Relaxed);
    operations().clear();
    for thread in 1..=threads {
        scene.participant(move || {
            let request = thread as MPI_Request;
            // SAFETY: an array of one request.
            let found = || unsafe { operations_of(&request, 1) };
            let bytes = thread as u64;
            assert!(found().is_empty(), "it is not registered");
            Operation::of_library(Function::Alltoall, bytes).register(request);
            assert!(found().iter().map(|operation| operation.bytes).eq([bytes]));
            forget(request);
        });
    }
    scene.finally(|| assert!(!exist(), "all are freed"));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::operations", "two threads", |scene| threads(scene, 2)),
    Model::new("alltoall::operations", "three threads", |scene| threads(scene, 3))
        .with(Extent::Preemptions(1)),
];
