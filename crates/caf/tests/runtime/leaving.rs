//! Images as threads; some of them end before the others.

use crate::support::{Image, run};
use hcube_caf::others::Status;
use hcube_core::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Meeting points of the images of a run, two of them. After a barrier no image could leave immediately,
/// because others are still inside.
#[derive(Default)]
pub struct Meetings {
    arrived: [AtomicUsize; 2],
    has_panicked: AtomicBool,
}

impl Meetings {
    /// Returns when the given number of images have arrived here, and meanwhile calls the caller's function.
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
    work: impl Fn(&Image, &Meetings) -> T + Sync,
) -> Vec<T> {
    let meetings = Meetings::default();
    run(
        images,
        per_node,
        |image| work(image, &meetings),
        |image| {
            meetings.has_panicked.store(true, Ordering::Release);
            let _ = image.fail();
        },
    )
}

/// All images meet, and serve each other meanwhile.
pub fn meet(image: &Image, meetings: &Meetings) {
    let images = image.with_team(image.world(), |team| team.size());
    meetings.meet(0, images, || image.progress().expect("no MPI"));
}

pub fn leave(image: &Image, status: Status) {
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
