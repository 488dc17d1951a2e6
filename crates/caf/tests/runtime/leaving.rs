//! Images as threads; some of them leave before the others.

use hcube_caf::Runtime;
use hcube_caf::options::Options;
use hcube_caf::others::Status;
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Where the images of a run meet, twice. After a barrier nobody could leave at once, because others are still inside.
#[derive(Default)]
pub struct Meetings {
    arrived: [AtomicUsize; 2],
    has_panicked: AtomicBool,
}

impl Meetings {
    /// Returns when as many images have come here, and meanwhile does what the caller says.
    pub fn meet(&self, number: usize, images: usize, meanwhile: impl Fn()) {
        self.arrived[number].fetch_add(1, Ordering::AcqRel);
        while self.arrived[number].load(Ordering::Acquire) < images {
            meanwhile();
            std::thread::yield_now();
            assert!(!self.has_panicked.load(Ordering::Acquire), "another image has panicked");
        }
    }
}

/// Runs `work` on each image, which ends without the others.
pub fn with_leaving_images<T: Send>(
    images: usize,
    per_node: usize,
    work: impl Fn(&Runtime<ThreadComm>, &Meetings) -> T + Sync,
) -> Vec<T> {
    let meetings = Meetings::default();
    threads::run(images, per_node, |comm| {
        let own = comm.split(Some(0), comm.rank() as i32).expect("no MPI").expect("a colour");
        let image = Runtime::new(own, Options::default()).expect("shared memory");
        catch_unwind(AssertUnwindSafe(|| work(&image, &meetings))).unwrap_or_else(|panic| {
            meetings.has_panicked.store(true, Ordering::Release);
            let _ = image.fail();
            resume_unwind(panic)
        })
    })
}

/// All images meet, and serve each other meanwhile.
pub fn meet(image: &Runtime<ThreadComm>, meetings: &Meetings) {
    let images = image.with_team(image.world(), |team| team.size());
    meetings.meet(0, images, || image.progress().expect("no MPI"));
}

pub fn leave(image: &Runtime<ThreadComm>, status: Status) {
    match status {
        Status::Stopped => image.stop(),
        _ => image.fail(),
    }
    .expect("once");
}

pub fn error_of<T>(image: usize, status: Status) -> Result<T> {
    Err(match status {
        Status::Stopped => Error::StoppedImage { image },
        _ => Error::FailedImage { image },
    })
}
