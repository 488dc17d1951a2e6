//! Locks: mutual exclusion, FIFO order, sets of locks.

use crate::random::random;
use crate::support::{Image, PLACES, everywhere, with_images};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_core::error::Error;
use hcube_core::memory::Region;
use hcube_core::onesided::Atomic;
use std::rc::Rc;

fn word(image: &Image, data: Handle, rank: usize, at: usize) -> u64 {
    let mut found = [0; 8];
    image.get(data, rank, at, Region::of(&mut found)).expect("a get");
    u64::from_ne_bytes(found)
}

/// Adds to a word in two accesses, between which others have time.
fn raise(image: &Image, data: Handle, rank: usize, at: usize) {
    let mut raised = (word(image, data, rank, at) + 1).to_ne_bytes();
    image.progress().expect("no image fails");
    std::thread::yield_now();
    image.put(data, rank, at, Region::of(&mut raised)).expect("a put");
}

/// A coarray of zeros.
fn zeros(image: &Image, bytes: usize) -> Handle {
    let data = image.allocate(image.world(), bytes, Use::Data).expect("room");
    image.put(data, image.own(), 0, Region::of(&mut vec![0; bytes])).expect("a put");
    image.barrier(image.world()).expect("a barrier");
    data
}

/// The word that a lock guards is on another image than the lock.
#[test]
fn one_image_at_a_time() {
    const TURNS: usize = 80;
    for (images, per_node) in PLACES {
        let totals = with_images(images, per_node, |image| {
            let world = image.world();
            let (data, locks) = (zeros(image, 16), image.allocate_locks(world, 2).expect("room"));
            let mut state = 77 + image.own() as u64;
            for _ in 0..TURNS {
                let (rank, index) =
                    (random(&mut state) as usize % images.min(3), random(&mut state) as usize % 2);
                if random(&mut state).is_multiple_of(4) {
                    while !image.try_lock(locks, index, rank).expect("a lock") {
                        std::thread::yield_now();
                    }
                } else {
                    image.lock(locks, index, rank).expect("a lock");
                }
                raise(image, data, (rank + 1) % images, 8 * index);
                image.unlock(locks, index, rank).expect("a lock");
            }
            image.barrier(world).expect("a barrier");
            let total = word(image, data, image.own(), 0) + word(image, data, image.own(), 8);
            image.free(locks, Use::Locks).expect("locks that no image has");
            total
        });
        assert_eq!(
            totals.iter().sum::<u64>(),
            (TURNS * images) as u64,
            "{images} images, {per_node} per node"
        );
    }
}

/// Images ask one after the other, each when the one before is in the queue.
#[test]
fn images_have_a_lock_in_the_order_in_which_they_came() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let (data, locks) = (zeros(image, 8), image.allocate_locks(world, 1).expect("room"));
        let events = image.allocate_events(world, 1).expect("room");
        let home = images - 1;
        // Not in the order of their numbers.
        let order: Vec<usize> = (0..images).step_by(2).chain((0..images).skip(1).step_by(2)).collect();
        if own == order[0] {
            image.lock(locks, 0, home).expect("a lock");
            let tail = || image.atomic(locks, home, 0, Atomic::Load, 0).expect("a word");
            let mut last = tail();
            for &next in &order[1..] {
                image.notify(events, 0, next).expect("an event");
                while tail() == last {
                    image.progress().expect("no image fails");
                }
                last = tail();
            }
        } else {
            image.wait_event(events, 0).expect("an event");
            image.lock(locks, 0, home).expect("a lock");
        }
        let turn = word(image, data, 0, 0) as usize;
        raise(image, data, 0, 0);
        image.unlock(locks, 0, home).expect("a lock");
        assert_eq!(order[turn], own, "turn {turn}");
    });
}

#[test]
fn functions_run_where_an_image_waits_for_a_lock() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let locks = image.allocate_locks(world, 1).expect("room");
        let events = image.allocate_events(world, 1).expect("room");
        let function = image.register(Rc::new(move |image: &Image, _, _: &[u8]| {
            let error = image.lock(locks, 0, 0).expect_err("a lock that the image waits for").to_string();
            assert!(error.starts_with("locks = lock "), "{error}");
            assert!(image.try_lock(locks, 0, 0).is_err() && image.unlock(locks, 0, 0).is_err());
        }));
        if own == 0 {
            image.lock(locks, 0, 0).expect("a lock");
        }
        image.barrier(world).expect("a barrier");
        if own == 0 {
            let tail = || image.atomic(locks, 0, 0, Atomic::Load, 0).expect("a word");
            for to in 1..images {
                let last = tail();
                image.notify(events, 0, to).expect("an event");
                while tail() == last {
                    image.progress().expect("no image fails");
                }
                image.spawn(world, to, function, &[], Some((events, 0, 0))).expect("a function");
                image.wait_event(events, 0).expect("an event");
            }
        } else {
            image.wait_event(events, 0).expect("an event");
            image.lock(locks, 0, 0).expect("a lock");
        }
        image.unlock(locks, 0, 0).expect("a lock");
    });
}

/// Sets of locks in random order: no deadlock, and the guarded data is changed by one image at a time.
#[test]
fn sets_of_locks() {
    const TURNS: usize = 40;
    const LOCKS: usize = 2;
    everywhere(|image, images| {
        let world = image.world();
        let (data, locks) = (zeros(image, 8 * LOCKS), image.allocate_locks(world, LOCKS).expect("room"));
        let taken = zeros(image, 8);
        let mut state = 991 + image.own() as u64;
        let mut raised = 0;
        for _ in 0..TURNS {
            let mut all: Vec<_> =
                (0..images * LOCKS).map(|number| (locks, number / images, number % images)).collect();
            let mut wanted = Vec::new();
            for _ in 0..(random(&mut state) as usize % 4).min(all.len()) {
                wanted.push(all.swap_remove(random(&mut state) as usize % all.len()));
            }
            image.lock_all(&wanted).expect("locks");
            for &(_, index, rank) in &wanted {
                raise(image, data, rank, 8 * index);
                raised += 1;
            }
            image.unlock_all(&wanted).expect("locks");
        }
        image.atomic(taken, 0, 0, Atomic::Add, raised).expect("a word");
        image.barrier(world).expect("a barrier");
        let mut total = 0;
        for rank in 0..images {
            total += (0..LOCKS).map(|index| word(image, data, rank, 8 * index)).sum::<u64>();
        }
        assert_eq!(total, word(image, taken, 0, 0), "{images} images");
        image.barrier(world).expect("a barrier");
    });
}

#[test]
fn wrong_calls_change_nothing() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let locks = image.allocate_locks(world, 2).expect("room");
        let events = image.allocate_events(world, 1).expect("room");
        let next = (own + 1) % images;
        image.lock(locks, 1, next).expect("a lock");
        assert!(image.lock(locks, 1, next).is_err() && image.try_lock(locks, 1, next).is_err());
        assert!(image.unlock(locks, 0, next).is_err());
        for (handle, index, rank) in
            [(locks, 2, 0), (locks, usize::MAX, 0), (locks, 0, images), (events, 0, 0)]
        {
            assert!(image.lock(handle, index, rank).is_err() && image.unlock(handle, index, rank).is_err());
            assert!(image.try_lock(handle, index, rank).is_err());
            assert!(image.lock_all(&[(locks, 0, next), (handle, index, rank)]).is_err());
            assert!(image.unlock_all(&[(locks, 1, next), (handle, index, rank)]).is_err());
        }
        assert!(image.lock_all(&[(locks, 0, next), (locks, 0, next)]).is_err());
        assert!(image.lock_all(&[(locks, 0, next), (locks, 1, next)]).is_err());
        assert!(image.unlock_all(&[(locks, 0, next), (locks, 1, next)]).is_err());
        // This image has the second one still, and not the first.
        let before = (own + images - 1) % images;
        image.barrier(world).expect("a barrier");
        assert_eq!(image.try_lock(locks, 0, own), Ok(true));
        assert_eq!(image.try_lock(locks, 1, own).ok(), (before != own).then_some(false));
        image.unlock(locks, 0, own).expect("a lock");
        image.barrier(world).expect("a barrier");
        let error = image.free(locks, Use::Locks).expect_err("locks that images have").to_string();
        assert!(error.starts_with("locks = 0x"), "{error}");
        if own > 0 {
            image.unlock(locks, 1, next).expect("a lock");
        }
        let expected = if own == 0 { "this image has one" } else { "another image has one" };
        let error = image.free(locks, Use::Locks).expect_err("locks that an image has");
        assert!(matches!(error, Error::Argument { value, .. } if value.contains(expected)));
        if own == 0 {
            image.unlock_all(&[(locks, 1, next)]).expect("a lock");
        }
        image.free(locks, Use::Locks).expect("locks that no image has");
        assert!(image.lock(locks, 0, 0).is_err() && image.unlock(locks, 0, 0).is_err());
        assert!(image.free(locks, Use::Locks).is_err());
    });
}
