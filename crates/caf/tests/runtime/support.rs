//! Images as threads.

use hcube_caf::Runtime;
use hcube_caf::options::Options;
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Numbers of images, and how many of them count as one node.
pub const PLACES: [(usize, usize); 8] = [(1, 1), (2, 2), (2, 1), (3, 2), (4, 4), (5, 2), (7, 3), (8, 8)];

/// Runs `work` on each image, and ends the program as hcube_caf_finalize does.
pub fn with_images<T: Send>(
    images: usize,
    per_node: usize,
    work: impl Fn(&Runtime<ThreadComm>) -> T + Sync,
) -> Vec<T> {
    threads::run(images, per_node, |comm| {
        let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
        let image = Runtime::new(own, Options::default()).expect("shared memory");
        // The others would wait for ever for an image that has panicked.
        let result = catch_unwind(AssertUnwindSafe(|| work(&image))).unwrap_or_else(|panic| {
            let _ = image.fail();
            resume_unwind(panic)
        });
        image.finalise().expect("an end");
        result
    })
}
