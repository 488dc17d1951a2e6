//! Asynchronous copies, with predicates and events on any image.

use crate::random::random;
use crate::support::{Image, everywhere, form, with_images};
use hcube_caf::coarray::Use;
use hcube_caf::copointer::Copointer;
use hcube_caf::copy::Side;
use hcube_core::memory::{Region, bytes_of};
use hcube_core::onesided::Atomic;
use std::rc::Rc;

/// A region of memory that outlives the test's copies.
fn lent(bytes: &mut Vec<u8>) -> Region<'static> {
    // SAFETY: each test waits for its copies before the memory is used otherwise or freed.
    unsafe { Region::new(bytes.as_mut_ptr(), bytes.len()) }
}

/// A chain of copies through coarrays of random images, each of which begins when the one before has ended.
#[test]
fn chains_of_copies() {
    everywhere(|image, images| {
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
        assert!(last == expected, "{images} images");
    });
}

#[test]
fn a_fence_waits_for_sources_and_a_block_for_copies() {
    everywhere(|image, images| {
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

#[test]
fn barriers_that_nobody_waits_in() {
    everywhere(|image, _| {
        let world = image.world();
        let events = image.allocate_events(world, 2).expect("room");
        for _ in 0..50 {
            image.barrier_async(world, Ok((events, 0, image.own()))).expect("a barrier");
            image.barrier_async(world, Ok((events, 1, image.own()))).expect("a barrier");
            image.wait_event(events, 1).expect("an event");
            assert_eq!(image.try_event(events, 0), Ok(true));
            image.barrier(world).expect("a barrier");
        }
    });
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

/// A copointer is passed around as the argument of shipped functions; each image that receives it writes
/// through it.
#[test]
fn copointers_are_handed_on() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let team = form(image, world, (own % 2) as i64, -(own as i64));
        // Offsets of both teams differ.
        let uneven = image.allocate(team, 1000 * (own % 2 + 1), Use::Data).expect("room");
        let data = image.allocate(team, 24 + 8 * images, Use::Data).expect("room");
        image
            .put(data, image.with_team(team, |team| team.rank()), 0, Region::of(&mut [0; 24]))
            .expect("a put");
        let function = image.register(Rc::new(move |image: &Image, from, arguments: &[u8]| {
            let words =
                [0, 8].map(|at| u64::from_ne_bytes(arguments[at..at + 8].try_into().expect("eight bytes")));
            let copointer = Copointer::from_words(words);
            assert_eq!((copointer.image(), copointer.bytes()), (from, 8 + 8 * images as u64));
            let mut mark = [image.own() as u8 + 1; 8];
            image.put_to(copointer, 8 + 8 * image.own(), Region::of(&mut mark)).expect("a put");
            image.atomic_at(copointer, 0, Atomic::Add, 1).expect("a word");
        }));
        image.barrier(world).expect("a barrier");
        let rank = image.with_team(team, |team| team.rank());
        let copointer = image.copointer(data, rank, 16).expect("a coarray");
        image.begin_finish(world).expect("a block");
        for to in 0..images {
            image.spawn(world, to, function, bytes_of(&copointer.words()), None).expect("a function");
        }
        image.end_finish().expect("the block");
        let mut found = vec![0; 8 + 8 * images];
        image.get_from(copointer, 0, Region::of(&mut found)).expect("a get");
        assert_eq!(found[..8], (images as u64).to_ne_bytes());
        for writer in 0..images {
            assert!(found[8 + 8 * writer..16 + 8 * writer].iter().all(|&byte| byte == writer as u8 + 1));
        }
        image.barrier(world).expect("a barrier");
        image.free(data, Use::Data).expect("once");
        image.free(uneven, Use::Data).expect("once");
    });
}

#[test]
fn copies_through_copointers_and_their_bounds() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let data = image.allocate(world, 4096, Use::Data).expect("room");
        let events = image.allocate_events(world, 1).expect("room");
        let next = (own + 1) % images;
        let [to, from] = [next, own].map(|rank| image.copointer(data, rank, 96).expect("a coarray"));
        let mut source: Vec<u8> = (0..1000).map(|at| (at * 3 + own) as u8).collect();
        image.put_to(from, 0, Region::of(&mut source)).expect("a put");
        image
            .copy_async(
                Side::Copointer(to, 2000),
                Side::Copointer(from, 0),
                1000,
                Some((events, 0, next)),
                None,
            )
            .expect("a copy");
        image.wait_event(events, 0).expect("an event");
        let before = (own + images - 1) % images;
        let mut found = vec![0; 1000];
        image.get_from(from, 2000, Region::of(&mut found)).expect("a get");
        assert!(found.iter().enumerate().all(|(at, &byte)| byte == (at * 3 + before) as u8));

        let mut byte = [0; 8];
        let byte = Region::of(&mut byte);
        assert!(image.put_to(to, 4000, byte).is_err() && image.get_from(to, usize::MAX, byte).is_err());
        assert!(
            image.copy_async(Side::Copointer(to, 3900), Side::Copointer(from, 0), 101, None, None).is_err()
        );
        assert!(image.atomic_at(to, 4, Atomic::Load, 0).is_err());
        assert!(image.copointer(data, images, 0).is_err() && image.copointer(data, own, 4097).is_err());
        assert_eq!(image.copointer(data, own, 4096).map(Copointer::bytes), Ok(0));
        let refused = |words, text: &str| {
            let error = image.get_from(Copointer::from_words(words), 0, byte).expect_err(text).to_string();
            assert!(error.starts_with("copointer = ") && error.contains(text), "{error}");
        };
        refused([images as u64, 8], &format!("one of image {images}"));
        refused([own as u64 | u64::MAX << 24, 8], "a range of the heap that programs have");
        let wide = Copointer::from_words([own as u64 | u64::MAX << 24, u64::MAX]);
        assert!(image.get_from(wide, usize::MAX - 1, byte).is_err());
        image.barrier(world).expect("a barrier");
    });
}

/// A block ends although a copy from before it waits for an event that is notified after it.
#[test]
fn a_block_waits_only_for_what_was_started_in_it() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let last = images - 1;
        let data = image.allocate(world, 8, Use::Data).expect("room");
        let events = image.allocate_events(world, 2).expect("room");
        let mut source = vec![5; 8];
        if own == 0 {
            let (done, predicate) = (Some((events, 1, 0)), Some((events, 0, last)));
            let (to, from) = (Side::Coarray(data, last, 0), Side::Memory(lent(&mut source)));
            image.copy_async(to, from, 8, done, predicate).expect("a copy");
        }
        image.begin_finish(world).expect("a block");
        image.end_finish().expect("the block");
        if own == last {
            image.notify(events, 0, last).expect("an event");
        }
        if own == 0 {
            image.wait_event(events, 1).expect("the copy");
        }
        image.barrier(world).expect("a barrier");
    });
}

/// The team of a barrier is freed immediately, and its event is notified nevertheless.
#[test]
fn a_barrier_outlives_its_team() {
    everywhere(|image, _| {
        let (world, own) = (image.world(), image.own());
        let events = image.allocate_events(world, 1).expect("room");
        for _ in 0..50 {
            let team = form(image, world, 0, 0);
            image.begin_finish(team).expect("a block");
            assert!(image.free_team(team).is_err(), "a team with a block");
            image.end_finish().expect("the block");
            image.barrier_async(team, Ok((events, 0, own))).expect("a barrier");
            image.free_team(team).expect("a team");
            image.wait_event(events, 0).expect("an event");
        }
    });
}
