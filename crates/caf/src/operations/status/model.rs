//! What the statuses of images promise, in all interleavings.
//!
//! What an image has done before it stops or fails counts: others that wait for it get it and no error. What
//! it has not done is the error that names this image, or the one that had failed before and is the reason.
//! Images that end one by one all come to their end.

use crate::operations::model::{Image, coarray, images, watch};
use crate::operations::reduction::Combination;
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::error::Error;
use std::cell::Cell;
use std::rc::Rc;

/// What an image does before it stops, and another one waits for.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Barrier,
    Reduction,
    Notification,
    Unlocking,
    Function,
    /// Nothing, while the other one waits for a barrier.
    Nothing,
}

use Deed::{Barrier, Function, Nothing, Notification, Reduction, Unlocking};

/// What images use for their deeds.
#[derive(Debug, Clone)]
struct Means {
    events: Handle,
    locks: Handle,
    has_run: Rc<Cell<bool>>,
}

impl Means {
    fn of(images: &[Image]) -> Self {
        let [events, locks] = [Use::Events, Use::Locks].map(|purpose| coarray(images, 64, purpose));
        let has_run = Rc::new(Cell::new(false));
        for image in images {
            let ran = has_run.clone();
            image.register(Rc::new(move |_: &Image, _, _: &[u8]| ran.set(true)));
        }
        Self { events, locks, has_run }
    }

    /// The first image does it.
    fn perform(&self, deed: Deed, image: &Image) {
        let (world, own) = (image.world(), image.own());
        let done = match deed {
            Barrier => image.barrier(world),
            Reduction => image.combine(world, [own as i64], Combination::Sum).map(drop),
            Notification => image.notify(self.events, 0, 1 - own),
            Unlocking => image.lock(self.locks, 0, 0).and_then(|()| image.unlock(self.locks, 0, 0)),
            Function => image.spawn(world, 1 - own, 0, &[], None),
            Nothing => Ok(()),
        };
        done.expect("the other one ends later");
    }

    /// The other one waits for it.
    fn wait(&self, deed: Deed, image: &Image) -> Result<(), Error> {
        match deed {
            Barrier | Nothing => image.barrier(image.world()),
            Reduction => {
                let all = image.combine(image.world(), [image.own() as i64], Combination::Sum)?;
                assert_eq!(all, [1]);
                Ok(())
            }
            Notification => image.wait_event(self.events, 0),
            Unlocking => image.lock(self.locks, 0, 0).and_then(|()| image.unlock(self.locks, 0, 0)),
            Function => image.wait_until(|| self.has_run.get()),
        }
    }
}

/// An image does something and stops, or fails.
fn stops(scene: &mut Scene, fails: bool) {
    let deeds = [Barrier, Reduction, Notification, Unlocking, Function, Nothing];
    let deed = deeds[scene.choose(deeds.len())];
    let mut images = images(scene, 2, true);
    let means = Means::of(&images);
    let (last, first) = (images.pop().expect("two"), images.pop().expect("two"));
    let its = means.clone();
    scene.participant(move || {
        its.perform(deed, &last);
        if fails { last.fail() } else { last.stop() }.expect("it is alive");
    });
    scene.participant(move || {
        let error = if fails { Error::FailedImage { image: 1 } } else { Error::StoppedImage { image: 1 } };
        let expected = if matches!(deed, Nothing) { Err(error) } else { Ok(()) };
        assert_eq!(means.wait(deed, &first), expected, "{deed:?}");
    });
}

/// An image calls a barrier and stops, and its process ends at some step.
fn stops_and_ends(scene: &mut Scene, steps: usize) {
    let mut images = images(scene, 2, true);
    let (step, last) = (scene.choose(steps), images.pop().expect("two"));
    let end = scene.participant_that_ends(step, move || {
        last.barrier(last.world()).expect("the other one ends later");
        last.stop().expect("it is alive");
    });
    watch(&images, 1, &end);
    let first = images.pop().expect("two");
    scene.participant(move || match first.barrier(first.world()) {
        Ok(()) | Err(Error::FailedImage { image: 1 }) => {}
        Err(error) => panic!("it had called the barrier before it stopped: {error}"),
    });
}

/// An image fails; another one learns of it, and stops; the third one learns the reason.
fn reason(scene: &mut Scene) {
    for image in images(scene, 3, false) {
        scene.participant(move || {
            let failed = Err(Error::FailedImage { image: 2 });
            match image.own() {
                2 => image.fail().expect("it is alive"),
                1 => {
                    assert_eq!(image.barrier(image.world()), failed);
                    image.stop().expect("it is alive");
                }
                _ => assert_eq!(image.barrier(image.world()), failed),
            }
        });
    }
}

/// Images that end one by one, after a barrier or, the first one, without it.
fn one_by_one(scene: &mut Scene) {
    let calls = scene.choose(2) == 0;
    for image in images(scene, 2, true) {
        image.tolerate();
        scene.participant(move || {
            if calls || image.own() == 0 {
                let expected = if calls { Ok(()) } else { Err(Error::StoppedImage { image: 1 }) };
                assert_eq!(image.barrier(image.world()), expected);
            }
            image.end(false).expect("it is alive");
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("caf::status", "an image stops after what others wait for", |scene| stops(scene, false))
        .with(Extent::Preemptions(2)),
    Model::new("caf::status", "an image fails after what others wait for", |scene| stops(scene, true))
        .with(Extent::Preemptions(2)),
    Model::new("caf::status", "an image stops, then its process ends", |scene| stops_and_ends(scene, 20))
        .with(Extent::Preemptions(2)),
    Model::new("caf::status", "an image stops because one has failed", reason).with(Extent::Preemptions(1)),
    Model::new("caf::status", "images end one by one", one_by_one).with(Extent::Preemptions(2)),
];
