//! Asynchronous copies, with predicates and events on any image.

mod support;

use hcube_caf::coarray::Use;
use hcube_caf::copy::Side;
use hcube_core::memory::Region;
use support::{PLACES, with_images};

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// A region of memory that outlives the test's copies.
fn lent(bytes: &mut Vec<u8>) -> Region<'static> {
    // SAFETY: each test waits for its copies before the memory is used otherwise or freed.
    unsafe { Region::new(bytes.as_mut_ptr(), bytes.len()) }
}

/// A chain of copies through coarrays of random images, each of which begins when the one before has ended.
#[test]
fn chains_of_copies() {
    for (images, per_node) in PLACES {
        with_images(images, per_node, |image| {
            let (world, own) = (image.world(), image.own());
            const LENGTH: usize = 3000;
            let data = image.allocate(world, images * 10 * LENGTH, Use::Data).expect("room");
            let events = image.allocate_events(world, images * 12).expect("room");
            let mut state = 12_345 + own as u64;
            let mut first: Vec<u8> = (0..LENGTH).map(|at| (at * 7 + own) as u8).collect();
            let expected = first.clone();
            // Every image has a place for each turn on every image, and an event.
            let place = |turn: usize| (own * 10 + turn) * LENGTH;
            let event = |turn: usize| own * 12 + turn;
            let mut path = Vec::new();
            for _ in 0..10 {
                path.push((random(&mut state) as usize % images, random(&mut state) as usize % images));
            }
            let start = (event(11), random(&mut state) as usize % images);
            let mut source = Side::Memory(lent(&mut first));
            let mut before = (start.0, start.1);
            for (turn, &(to, notified)) in path.iter().enumerate() {
                let destination = Side::Coarray(data, to, place(turn));
                let done = (events, event(turn), notified);
                image
                    .copy_async(destination, source, LENGTH, Some(done), Some((events, before.0, before.1)))
                    .expect("a copy");
                (source, before) = (destination, (event(turn), notified));
            }
            let mut last = vec![0; LENGTH];
            let done = (events, event(10), own);
            image
                .copy_async(
                    Side::Memory(lent(&mut last)),
                    source,
                    LENGTH,
                    Some(done),
                    Some((events, before.0, before.1)),
                )
                .expect("a copy");
            image.notify(events, start.0, start.1).expect("an event");
            image.wait_event(events, event(10)).expect("an event");
            image.cofence().expect("no image fails");
            assert!(last == expected, "{images} images, {per_node} per node");
        });
    }
}

#[test]
fn a_fence_waits_for_sources_and_a_block_for_copies() {
    for (images, per_node) in PLACES {
        with_images(images, per_node, |image| {
            let (world, own) = (image.world(), image.own());
            let data = image.allocate(world, 8 * images, Use::Data).expect("room");
            for turn in 0..20_u8 {
                let mut source = vec![turn; 8];
                image.begin_finish(world).expect("a block");
                for to in 0..images {
                    let destination = Side::Coarray(data, to, 8 * own);
                    image
                        .copy_async(destination, Side::Memory(lent(&mut source)), 8, None, None)
                        .expect("a copy");
                }
                image.cofence().expect("no image fails");
                source.fill(99);
                image.end_finish().expect("the block");
                let mut found = vec![0; 8 * images];
                image.get(data, own, 0, Region::of(&mut found)).expect("a get");
                assert!(found.iter().all(|&byte| byte == turn), "{turn}: {found:?}");
                image.barrier(world).expect("a barrier");
            }
        });
    }
}

#[test]
fn barriers_that_nobody_waits_in() {
    for (images, per_node) in PLACES {
        with_images(images, per_node, |image| {
            let world = image.world();
            let events = image.allocate_events(world, 2).expect("room");
            for _ in 0..50 {
                image.barrier_async(world, events, 0).expect("a barrier");
                image.barrier_async(world, events, 1).expect("a barrier");
                image.wait_event(events, 1).expect("an event");
                assert_eq!(image.try_event(events, 0), Ok(true));
                image.barrier(world).expect("a barrier");
            }
        });
    }
}

#[test]
fn wrong_copies_copy_nothing() {
    with_images(2, 1, |image| {
        let world = image.world();
        let data = image.allocate(world, 16, Use::Data).expect("room");
        let events = image.allocate_events(world, 1).expect("room");
        let mut source = vec![7; 16];
        let mut refused = |to, at, done, predicate| {
            let (to, from) = (Side::Coarray(data, to, at), Side::Memory(lent(&mut source)));
            assert!(image.copy_async(to, from, 16, done, predicate).is_err());
        };
        refused(2, 0, None, None);
        refused(1, 1, None, None);
        refused(1, 0, Some((events, 1, 0)), None);
        refused(1, 0, None, Some((events, 0, 2)));
        refused(1, 0, Some((data, 0, 0)), None);
        image.barrier(world).expect("a barrier");
    });
}
