//! Images that fail or stop: every wait of other images returns an error, and they can query the status.

use crate::leaving::{Meetings, error_of, leave, meet, with_leaving_images};
use crate::support::{Image, PLACES, form, with_images};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_caf::copy::Side;
use hcube_caf::others::Status;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of};
use hcube_core::onesided::Atomic;
use std::cell::Cell;
use std::rc::Rc;

/// The objects that images wait with: coarrays of all images, and the image that leaves, which has the lock.
struct Case {
    team: Handle,
    data: Handle,
    events: Handle,
    locks: Handle,
    gone: usize,
}

type Wait = fn(&Image, &Case) -> Result<()>;

/// Waits that can only end with an error.
const WAITS: [(&str, Wait); 19] = [
    ("barrier", |image, case| image.barrier(image.world()).map(drop).and(image.barrier(case.team))),
    ("event", |image, case| image.wait_event(case.events, 0)),
    ("any event", |image, case| image.wait_any(&[(case.events, 0), (case.events, 1)]).map(drop)),
    ("all events", |image, case| image.wait_all(&[(case.events, 0), (case.events, 1)])),
    ("event, without waiting", |image, case| {
        while !image.try_event(case.events, 0)? {}
        Ok(())
    }),
    ("lock", |image, case| image.lock(case.locks, 0, 0)),
    ("lock, without waiting", |image, case| {
        while !image.try_lock(case.locks, 0, 0)? {}
        Ok(())
    }),
    ("locks", |image, case| image.lock_all(&[(case.locks, 1, image.own()), (case.locks, 0, 0)])),
    ("finish", |image, _| {
        image.begin_finish(image.world())?;
        image.end_finish().map(drop)
    }),
    ("allocation", |image, case| image.allocate(case.team, 100, Use::Data).map(drop)),
    ("allocation of events", |image, _| image.allocate_events(image.world(), 1).map(drop)),
    ("free", |image, case| image.free(case.data, Use::Data)),
    ("free of locks", |image, case| image.free(case.locks, Use::Locks)),
    ("split", |image, _| image.split(image.world(), 0, -(image.own() as i64)).map(drop)),
    ("free of a team", |image, case| image.free_team(case.team)),
    ("barrier without waiting", |image, case| {
        image.barrier_async(image.world(), Ok((case.events, 1, image.own())))?;
        image.wait_event(case.events, 1)
    }),
    ("copy that waits for an event", |image, case| {
        let memory = Region::of(Vec::leak(vec![0; 8]));
        let predicate = Some((case.events, 0, case.gone));
        let (to, from) = (Side::Coarray(case.data, image.own(), 0), Side::Memory(memory));
        image.copy_async(to, from, 8, None, predicate)?;
        image.cofence()
    }),
    ("shipped function", |image, case| {
        let function = image.register(Rc::new(|_: &Image, _, _: &[u8]| {}));
        image.spawn(image.world(), case.gone, function, &[], Some((case.events, 0, image.own())))?;
        image.wait_event(case.events, 0)
    }),
    ("end", |image, _| image.finalise()),
];

/// The set-up before an image leaves, known to all.
fn case(image: &Image, gone: usize, meetings: &Meetings) -> Case {
    let world = image.world();
    // All images in reverse order, so that members are not known.
    let team = form(image, world, 0, -(image.own() as i64));
    let data = image.allocate(world, 64, Use::Data).expect("room");
    let events = image.allocate_events(world, 3).expect("room");
    image.notify(events, 2, image.own()).expect("an own event");
    let locks = image.allocate_locks(world, 2).expect("room");
    if image.own() == gone {
        image.lock(locks, 0, 0).expect("a lock");
    }
    meet(image, meetings);
    Case { team, data, events, locks, gone }
}

#[test]
fn every_wait_ends_when_an_image_leaves() {
    for (place, (images, per_node)) in PLACES.into_iter().enumerate().skip(1) {
        for (number, (name, wait)) in WAITS.into_iter().enumerate() {
            let status = [Status::Failed, Status::Stopped][(number + place) % 2];
            let gone = (number + place / 2) % images;
            with_leaving_images(images, per_node, |image, meetings| {
                let case = case(image, gone, meetings);
                if image.own() == gone {
                    // Others wait already, or not yet.
                    (0..number % 4 * 50).for_each(|_| std::thread::yield_now());
                    return leave(image, status);
                }
                let expected = error_of(gone, status);
                assert_eq!(wait(image, &case), expected, "{name}, {images} images, {per_node} per node");
                assert_eq!(image.barrier(image.world()), expected, "after {name}");
            });
        }
    }
}

/// Accesses to an image that is gone: performed in a node, an error elsewhere.
#[test]
fn accesses_to_an_image_that_is_gone() {
    for (images, per_node) in PLACES.into_iter().filter(|&(images, _)| images > 1) {
        for status in [Status::Failed, Status::Stopped] {
            with_leaving_images(images, per_node, |image, meetings| {
                let case = case(image, 1, meetings);
                if image.own() == 1 {
                    return leave(image, status);
                }
                assert_eq!(image.barrier(image.world()), error_of(1, status));
                let is_here = image.own() / per_node == 1 / per_node;
                let expected = || if is_here { Ok(()) } else { error_of(1, status) };
                let mut bytes = [0; 8];
                assert_eq!(image.get(case.data, 1, 0, Region::of(&mut bytes)), expected());
                assert_eq!(image.atomic(case.data, 1, 8, Atomic::Add, 1).map(drop), expected());
                let copointer = image.copointer(case.data, 1, 0).expect("a coarray");
                assert_eq!(image.get_from(copointer, 0, Region::of(&mut bytes)), expected());
                // A condition that holds at the first poll is not an error, although it is known that an
                // image is gone.
                image.put(case.data, image.own(), 0, Region::of(&mut bytes)).expect("own memory");
                assert_eq!(image.wait_event(case.events, 2), Ok(()));
                image.lock(case.locks, 1, image.own()).expect("an own lock");
            });
        }
    }
}

#[test]
fn every_call_of_an_image_that_is_gone_is_an_error() {
    for status in [Status::Failed, Status::Stopped] {
        with_leaving_images(3, 2, |image, meetings| {
            let case = case(image, 1, meetings);
            let expected = || error_of(image.own(), status);
            if image.own() == 0 {
                assert_eq!(image.barrier(image.world()), error_of(1, status));
                meetings.meet(1, 2, || {});
            }
            if image.own() == 2 {
                meetings.meet(1, 2, || image.progress().expect("no MPI"));
            }
            leave(image, status);
            let mut bytes = [0; 8];
            let function = image.register(Rc::new(|_: &Image, _, _: &[u8]| {}));
            let results = [
                image.barrier(image.world()),
                image.put(case.data, image.own(), 0, Region::of(&mut bytes)),
                image.get(case.data, image.own(), 0, Region::of(&mut bytes)),
                image.notify(case.events, 0, image.own()),
                image.try_event(case.events, 0).map(drop),
                image.lock(case.locks, 1, image.own()),
                image.spawn(image.world(), 0, function, &[], None),
                image.push_team(case.team),
                image.status(image.world(), 0).map(drop),
                image.progress(),
                image.finalise(),
                image.fail(),
                image.stop(),
            ];
            for (number, result) in results.into_iter().enumerate() {
                assert_eq!(result, expected(), "call {number}");
            }
        });
    }
}

#[test]
fn an_image_has_stopped_after_the_end_of_the_program() {
    for (images, per_node) in PLACES {
        with_leaving_images(images, per_node, |image, _| {
            image.finalise().expect("an end");
            assert_eq!(image.barrier(image.world()), error_of(image.own(), Status::Stopped));
        });
    }
}

#[test]
fn a_function_can_fail_the_image_that_runs_it() {
    with_leaving_images(3, 2, |image, meetings| {
        let world = image.world();
        let function = image.register(Rc::new(|image: &Image, _, _: &[u8]| {
            image.fail().expect("once");
        }));
        let events = image.allocate_events(world, 1).expect("room");
        meet(image, meetings);
        // The function runs in the wait, not before.
        meetings.meet(1, 3, || {});
        if image.own() == 2 {
            image.spawn(world, 1, function, &[], None).expect("a function");
        }
        assert_eq!(image.wait_event(events, 0), error_of(1, Status::Failed));
    });
}

/// Two images are gone; the others find them by their ranks in teams whose members they do not know yet.
#[test]
fn images_know_who_is_gone() {
    for (images, per_node) in [(4, 4), (4, 1), (5, 2), (7, 3), (8, 2), (8, 8)] {
        for (failed, stopped) in [(2, 3), (images - 1, 1)] {
            with_leaving_images(images, per_node, |image, meetings| {
                let (world, own) = (image.world(), image.own());
                let teams = [2, 1].map(|colours| form(image, world, (own % colours) as i64, -(own as i64)));
                assert_eq!(image.images_with(teams[1], Status::Alive), Ok((0..images).collect()));
                meet(image, meetings);
                if own == failed || own == stopped {
                    return leave(image, if own == failed { Status::Failed } else { Status::Stopped });
                }
                for (number, status) in [(failed, Status::Failed), (stopped, Status::Stopped)] {
                    while image.status(world, number).expect("known") == Status::Alive {}
                    assert_eq!(image.images_with(world, status), Ok(vec![number]));
                }
                for (team, colours) in [(teams[0], 2), (teams[1], 1)] {
                    let members: Vec<usize> =
                        (0..images).rev().filter(|other| other % colours == own % colours).collect();
                    let mut alive = Vec::new();
                    for (rank, &member) in members.iter().enumerate() {
                        let expected = match member {
                            _ if member == failed => Status::Failed,
                            _ if member == stopped => Status::Stopped,
                            _ => Status::Alive,
                        };
                        assert_eq!(image.status(team, rank), Ok(expected), "{member} of {images} images");
                        if expected == Status::Alive {
                            alive.push(rank);
                        }
                    }
                    assert_eq!(image.images_with(team, Status::Alive), Ok(alive));
                    assert!(image.status(team, members.len()).is_err());
                }
                assert_eq!(image.has_died(failed), Ok(false), "its process goes on");
                // The others read links here.
                meetings.meet(1, images - 2, || image.progress().expect("no MPI"));
            });
        }
    }
}

/// An image that ships functions to itself all the time never waits without result, and still learns of a
/// failure.
#[test]
fn an_image_that_is_kept_busy_learns_of_a_failure() {
    for (images, per_node) in [(2, 2), (2, 1)] {
        with_leaving_images(images, per_node, |image, meetings| {
            let (world, goes_on) = (image.world(), Rc::new(Cell::new(true)));
            let function = {
                let goes_on = Rc::clone(&goes_on);
                image.register(Rc::new(move |image: &Image, _, arguments: &[u8]| {
                    let function = u64::from_ne_bytes(arguments.try_into().expect("eight bytes"));
                    if goes_on.get() {
                        image
                            .spawn(image.world(), image.own(), function as usize, arguments, None)
                            .expect("room");
                    }
                }))
            };
            meet(image, meetings);
            if image.own() == 1 {
                return image.fail().expect("once");
            }
            image.spawn(world, 0, function, bytes_of(&[function as u64]), None).expect("room");
            assert_eq!(image.barrier(world), error_of(1, Status::Failed));
            goes_on.set(false);
        });
    }
}

/// Many images fail at the same time.
#[test]
fn several_images_fail_together() {
    for (images, per_node) in [(4, 4), (5, 2), (7, 3), (8, 1)] {
        with_leaving_images(images, per_node, |image, meetings| {
            let world = image.world();
            meet(image, meetings);
            if image.own() % 2 == 1 {
                return image.fail().expect("once");
            }
            let error = image.barrier(world).expect_err("images have failed");
            assert!(matches!(error, Error::FailedImage { image } if image % 2 == 1), "{error}");
        });
    }
}

/// Nobody learns of an end of the program that all take part in.
#[test]
fn the_end_of_the_program_is_no_failure() {
    for (images, per_node) in PLACES {
        for _ in 0..20 {
            with_images(images, per_node, |image| image.barrier(image.world()).expect("a barrier"));
        }
    }
}
