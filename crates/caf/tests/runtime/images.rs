//! Images as threads: teams, coarrays, events, copies, shipped functions.

use crate::support::{everywhere, form, with_images};
use hcube_caf::coarray::Use;
use hcube_core::memory::Region;
use hcube_core::onesided::{Atomic, Shape};

#[test]
fn teams_of_teams() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        image.barrier(world).expect("a barrier");
        // By remainders, in reverse order.
        for colours in 1..=3 {
            let team = form(image, world, (own % colours) as i64, -(own as i64));
            let members: Vec<usize> =
                (0..images).rev().filter(|other| other % colours == own % colours).collect();
            let rank = members.iter().position(|&other| other == own).expect("a member");
            assert_eq!(image.with_team(team, |team| (team.rank(), team.size())), (rank, members.len()));
            for (rank, &member) in members.iter().enumerate() {
                assert_eq!(image.image_of(team, rank), Ok(member), "{rank} of {members:?}");
            }
            assert!(image.image_of(team, members.len()).is_err());
            // A team of a part of the team.
            let none = rank == 0;
            let part = image.split(team, if none { -1 } else { 5 }, rank as i64).expect("a split");
            assert_eq!(part.is_none(), none);
            if let Some(part) = part {
                for other in 0..members.len() - 1 {
                    assert_eq!(image.image_of(part, other), Ok(members[other + 1]));
                }
                image.free_team(part).expect("a team without coarrays");
            }
            image.free_team(team).expect("a team without coarrays");
            assert!(image.image_of(team, 0).is_err());
        }
        assert!(image.free_team(world).is_err());
    });
}

#[test]
fn coarrays_of_teams_that_allocate_differently() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let team = form(image, world, (own % 2) as i64, 0);
        // Offsets in teams differ from here on.
        let uneven = (own % 2 == 0).then(|| image.allocate(team, 1000, Use::Data).expect("room"));
        let coarray = image.allocate(world, 64 * 8, Use::Data).expect("room");
        let mut word = [own as u8 + 1; 8];
        for to in 0..images {
            image.put(coarray, to, 8 * own, Region::of(&mut word)).expect("a put");
        }
        image.barrier(world).expect("a barrier");
        for from in 0..images {
            for writer in 0..images {
                let mut found = [0; 8];
                image.get(coarray, from, 8 * writer, Region::of(&mut found)).expect("a get");
                assert_eq!(found, [writer as u8 + 1; 8], "{writer} at {from}");
            }
        }
        let mut bytes = [0; 9];
        assert!(image.put(coarray, 0, 504, Region::of(&mut bytes)).is_err());
        assert!(image.get(coarray, images, 0, Region::of(&mut bytes)).is_err());
        assert!(image.free(coarray, Use::Events).is_err() && image.free_team(world).is_err());
        image.free(coarray, Use::Data).expect("once");
        assert!(image.free(coarray, Use::Data).is_err() && image.address(coarray).is_err());
        if let Some(uneven) = uneven {
            image.free(uneven, Use::Data).expect("once");
        }
    });
}

#[test]
fn sections_and_words_of_coarrays() {
    everywhere(|image, images| {
        let world = image.world();
        let coarray = image.allocate(world, 8 * 100, Use::Data).expect("room");
        let next = (image.own() + 1) % images;
        let shape = Shape::strided(8, &[(5, 16), (2, 320)]).expect("a shape");
        let mut sent: Vec<u8> = (0..80).collect();
        image.put_shape(coarray, next, 80, &shape, Region::of(&mut sent)).expect("a put");
        let mut found = vec![0; 80];
        image.get_shape(coarray, next, 80, &shape, Region::of(&mut found)).expect("a get");
        assert_eq!(found, sent);
        assert!(image.put_shape(coarray, next, 480, &shape, Region::of(&mut sent)).is_err());
        image.barrier(world).expect("a barrier");
        image.atomic(coarray, 0, 0, Atomic::Swap, 0).expect("a word");
        image.barrier(world).expect("a barrier");
        image.atomic(coarray, 0, 0, Atomic::Add, 3).expect("a word");
        image.barrier(world).expect("a barrier");
        assert_eq!(image.atomic(coarray, 0, 0, Atomic::Load, 0), Ok(3 * images as u64));
        assert!(image.atomic(coarray, 0, 4, Atomic::Load, 0).is_err());
    });
}

#[test]
fn bytes_that_differ_are_an_error_on_all_members() {
    with_images(3, 2, |image| {
        let (world, own) = (image.world(), image.own());
        let error = image.allocate(world, 100 + own, Use::Data).expect_err("bytes differ").to_string();
        assert!(error.contains("bytes") && error.contains("100") && error.contains("102"), "{error}");
        let error = image.allocate(world, if own == 1 { usize::MAX } else { 1 << 60 }, Use::Data);
        assert!(error.is_err());
        image.allocate(world, 100, Use::Data).expect("room");
    });
}

#[test]
fn events_order_what_was_put_before() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let (data, events) = (image.allocate(world, 8, Use::Data), image.allocate_events(world, 3));
        let (data, events) = (data.expect("room"), events.expect("room"));
        let (next, before) = ((own + 1) % images, (own + images - 1) % images);
        for turn in 0..100_u64 {
            let mut word = (turn * 100 + own as u64).to_ne_bytes();
            image.put(data, next, 0, Region::of(&mut word)).expect("a put");
            image.notify(events, 1, next).expect("an event");
            image.wait_event(events, 1).expect("an event");
            let mut found = [0; 8];
            image.get(data, own, 0, Region::of(&mut found)).expect("a get");
            assert_eq!(u64::from_ne_bytes(found), turn * 100 + before as u64);
            image.notify(events, 2, before).expect("an event");
            assert_eq!(image.wait_any(&[(events, 0), (events, 2)]), Ok(1));
        }
        assert_eq!(image.try_event(events, 0), Ok(false));
        assert!(image.notify(events, 3, 0).is_err() && image.notify(data, 0, 0).is_err());
        assert!(image.wait_event(events, 3).is_err() && image.wait_any(&[]).is_err());
    });
}

#[test]
fn sets_of_events() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let events = image.allocate_events(world, 3).expect("room");
        let next = (own + 1) % images;
        let pair = [(events, 0), (events, 1)];
        // An event with many notifications does not starve the others.
        image
            .notify_all(&[(events, 0, own), (events, 0, own), (events, 1, own), (events, 1, own)])
            .expect("events");
        let found: Vec<_> = (0..4).map(|_| image.wait_any(&pair).expect("an event")).collect();
        assert_eq!(found, [0, 1, 0, 1]);
        image.barrier(world).expect("a barrier");
        for _ in 0..20 {
            image.notify_all(&[(events, 2, next), (events, 0, own), (events, 2, next)]).expect("events");
            image.wait_all(&[(events, 2), (events, 0), (events, 2)]).expect("events");
            let left: Vec<bool> =
                (0..3).map(|index| image.try_event(events, index).expect("an event")).collect();
            assert_eq!(left, [false; 3]);
            image.barrier(world).expect("a barrier");
        }
        assert_eq!((image.wait_all(&[]), image.notify_all(&[])), (Ok(()), Ok(())));
        assert!(image.notify_all(&[(events, 0, own), (events, 3, own)]).is_err());
        assert!(image.wait_all(&[(events, 0), (events, 3)]).is_err());
        assert_eq!(image.try_event(events, 0), Ok(false), "an event was notified in vain");
    });
}

#[test]
fn numbers_of_events_that_no_memory_has() {
    with_images(3, 2, |image| {
        let (world, own) = (image.world(), image.own());
        for count in [usize::MAX, usize::MAX / 64 + 2, 1 << 57] {
            let error = image.allocate_events(world, count).expect_err("too many").to_string();
            assert!(error.starts_with(&format!("count = {count}: expected less than")), "{error}");
            assert!(image.allocate_locks(world, count).is_err());
        }
        // Members without an own error return the error of the others.
        assert!(image.allocate_events(world, if own == 1 { usize::MAX } else { 1 }).is_err());
        let error = image.allocate_events(world, 1 + own).expect_err("counts differ").to_string();
        assert!(error.contains("count differs between ranks, from 1 to 3"), "{error}");
        let events = image.allocate_events(world, 1).expect("room");
        for index in [1, usize::MAX, usize::MAX / 64 + 1] {
            assert!(image.notify(events, index, own).is_err() && image.wait_event(events, index).is_err());
            assert!(image.barrier_async(world, Ok((events, index, own))).is_err());
        }
        assert_eq!(image.try_event(events, 0), Ok(false));
    });
}

/// As many allocations as a long program makes, of which a few live at a time, lie in the memory of those
/// few.
#[test]
fn allocations_do_not_grow() {
    with_images(2, 2, |image| {
        let world = image.world();
        let mut living = std::collections::VecDeque::new();
        let (mut state, mut lowest, mut highest) = (1_u64, usize::MAX, 0);
        for turn in 0..100_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // The same on both images; some are long enough to begin at a page.
            let bytes = (state >> 33) as usize % if turn % 50 == 0 { 100_000 } else { 1000 };
            let coarray = image.allocate(world, bytes, Use::Data).expect("room");
            let begin = image.address(coarray).expect("a coarray").addr();
            (lowest, highest) = (lowest.min(begin), highest.max(begin + bytes));
            living.push_back(coarray);
            if living.len() > 10 {
                image.free(living.pop_front().expect("several"), Use::Data).expect("a coarray");
            }
        }
        // Between them may lie what the runtime has reserved.
        assert!(highest - lowest < 8 << 20, "{} bytes for ten coarrays", highest - lowest);
        for coarray in living {
            image.free(coarray, Use::Data).expect("a coarray");
        }
    });
}

/// If one image has no memory, the others free their allocations.
#[test]
fn an_allocation_that_one_image_cannot_make_takes_no_memory() {
    const LENGTH: usize = 1 << 16;
    for per_node in [3, 1] {
        with_images(3, per_node, |image| {
            let (world, own) = (image.world(), image.own());
            let place = || {
                let coarray = image.allocate(world, LENGTH, Use::Data).expect("room");
                let address = image.address(coarray).expect("a coarray").addr();
                image.free(coarray, Use::Data).expect("a coarray");
                address
            };
            let before = place();
            for _ in 0..10 {
                let bytes = if own == 1 { 1 << 60 } else { LENGTH };
                assert!(image.allocate(world, bytes, Use::Data).is_err());
            }
            assert_eq!(place(), before);
        });
    }
}
