//! Shipped functions and finish blocks.

use crate::random::random;
use crate::support::{Image, PLACES, everywhere, form, with_images};
use hcube_caf::coarray::Use;
use hcube_core::memory::{Region, bytes_of};
use hcube_core::onesided::Atomic;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn words<const N: usize>(arguments: &[u8]) -> [u64; N] {
    let mut words =
        arguments.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
    std::array::from_fn(|_| words.next().expect("an argument"))
}

/// Ships itself to the next image the given number of times, and counts.
fn register_chain(image: &Image, count: &Rc<Cell<u64>>) -> usize {
    let count = Rc::clone(count);
    let images = image.with_team(image.world(), |team| team.size());
    image.register(Rc::new(move |image, _, arguments| {
        count.set(count.get() + 1);
        let [rest, function] = words(arguments);
        if rest > 0 {
            let next = (image.own() + 1) % images;
            let arguments = [rest - 1, function];
            image
                .spawn(image.world(), next, function as usize, bytes_of(&arguments), None)
                .expect("a function");
        }
    }))
}

/// All functions of a block have run at its end, after at most one reduction more than the longest chain is
/// long.
#[test]
fn chains_end_in_a_bounded_number_of_reductions() {
    for (images, per_node) in PLACES {
        for length in [0, 1, 2, 5, 30] {
            let counts = with_images(images, per_node, |image| {
                let count = Rc::new(Cell::new(0));
                let function = register_chain(image, &count);
                image.begin_finish(image.world()).expect("a block");
                if image.own() == 0 && length > 0 {
                    let arguments = [length - 1, function as u64];
                    image.spawn(image.world(), 0, function, bytes_of(&arguments), None).expect("a function");
                }
                let rounds = image.end_finish().expect("the block");
                assert!(rounds as u64 <= length + 1, "{rounds} reductions for a chain of {length}");
                image.barrier(image.world()).expect("a barrier");
                count.get()
            });
            assert_eq!(counts.iter().sum::<u64>(), length);
        }
    }
}

/// Trees of functions that ship a random number of others to random images, in blocks inside blocks of other
/// teams.
#[test]
fn random_trees_end_with_their_blocks() {
    for (images, per_node) in PLACES {
        for seed in 1..6 {
            with_images(images, per_node, |image| {
                let (world, own) = (image.world(), image.own());
                let counter = image.allocate(world, 16, Use::Data).expect("room");
                for at in [0, 8] {
                    image.atomic(counter, own, at, Atomic::Swap, 0).expect("a word");
                }
                let longest = Rc::new(Cell::new(0));
                let own_team = Rc::new(Cell::new(None));
                let function = {
                    let (longest, own_team) = (Rc::clone(&longest), Rc::clone(&own_team));
                    image.register(Rc::new(move |image, _, arguments: &[u8]| {
                        let [function, depth, seed, teams] = words(arguments);
                        longest.set(longest.get().max(depth));
                        image.atomic(counter, 0, 0, Atomic::Add, 1).expect("a word");
                        let mut state = seed;
                        let others = if depth < 6 { random(&mut state) % 4 } else { 0 };
                        for _ in 0..others {
                            // In the team of the block: this image's own team, or all images.
                            let team = if teams == 1 { own_team.get().expect("a team") } else { world };
                            let to = random(&mut state) as usize % image.with_team(team, |team| team.size());
                            let arguments = [function, depth + 1, random(&mut state), teams];
                            image.atomic(counter, 0, 8, Atomic::Add, 1).expect("a word");
                            image
                                .spawn(team, to, function as usize, bytes_of(&arguments), None)
                                .expect("a function");
                        }
                    }))
                };
                let team = form(image, world, (own % 2) as i64, 0);
                own_team.set(Some(team));
                image.barrier(world).expect("a barrier");
                let total =
                    || [0, 8].map(|word| image.atomic(counter, 0, word, Atomic::Load, 0).expect("a word"));
                let mut state = seed * 1000 + own as u64 + 7;
                let mut ship = |team, members: usize| {
                    for _ in 0..5 {
                        let to = (random(&mut state) % members as u64) as usize;
                        let arguments = [function as u64, 1, random(&mut state), u64::from(team != world)];
                        image.atomic(counter, 0, 8, Atomic::Add, 1).expect("a word");
                        image.spawn(team, to, function, bytes_of(&arguments), None).expect("a function");
                    }
                };
                for _ in 0..3 {
                    longest.set(0);
                    image.begin_finish(world).expect("a block");
                    ship(world, images);
                    image.begin_finish(team).expect("a block");
                    ship(team, image.with_team(team, |team| team.size()));
                    assert!(
                        image.spawn(world, 0, function, &[], None).is_err(),
                        "an image outside of the block"
                    );
                    image.end_finish().expect("the block");
                    let rounds = image.end_finish().expect("the block");
                    let [run, shipped] = total();
                    assert_eq!(run, shipped, "{images} images, {per_node} per node, seed {seed}");
                    assert!(rounds <= 8, "{rounds} reductions for chains of 6");
                    image.barrier(world).expect("a barrier");
                }
                image.free_team(team).expect("a team without coarrays");
            });
        }
    }
}

#[test]
fn long_arguments_events_and_errors() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let events = image.allocate_events(world, 1).expect("room");
        let seen = Rc::new(Cell::new(0));
        let function = {
            let seen = Rc::clone(&seen);
            image.register(Rc::new(move |image, from, arguments: &[u8]| {
                assert!(arguments.iter().all(|&byte| byte == from as u8));
                seen.set(seen.get() + arguments.len());
                assert!(image.begin_finish(image.world()).is_err() && image.end_finish().is_err());
            }))
        };
        let lengths = [0, 1, 24, 25, 1000, 1009, 70_000, 3 << 20];
        for length in lengths {
            let next = (own + 1) % images;
            let arguments = vec![own as u8; length];
            image.spawn(world, next, function, &arguments, Some((events, 0, own))).expect("a function");
            image.wait_event(events, 0).expect("an event");
        }
        assert!(image.end_finish().is_err() && image.spawn(world, images, function, &[], None).is_err());
        let error = image.spawn(world, 0, function + 1, &[], None).expect_err("unknown").to_string();
        assert!(error.starts_with(&format!("function = {}", function + 1)), "{error}");
        assert!(image.spawn(world, 0, function, &[], Some((events, 1, own))).is_err());
        image.barrier(world).expect("a barrier");
        assert_eq!(seen.get(), lengths.iter().sum::<usize>());
    });
}

/// Many more functions than there is room for, from all to all.
#[test]
fn updates_of_remote_words() {
    everywhere(|image, images| {
        let world = image.world();
        let table = Rc::new((0..64).map(|_| Cell::new(0)).collect::<Vec<Cell<u64>>>());
        let function = {
            let table = Rc::clone(&table);
            image.register(Rc::new(move |_, _, arguments: &[u8]| {
                let [index, value] = words(arguments);
                table[index as usize].set(table[index as usize].get() ^ value);
            }))
        };
        for _ in 0..2 {
            image.begin_finish(world).expect("a block");
            let mut state = 88_172_645_463_325_252 + image.own() as u64;
            for _ in 0..3000 {
                let value = random(&mut state);
                let arguments = [value % 64, value];
                let to = (value >> 40) as usize % images;
                image.spawn(world, to, function, bytes_of(&arguments), None).expect("a function");
            }
            image.end_finish().expect("the block");
        }
        assert!(table.iter().all(|word| word.get() == 0), "an update was lost or made twice");
    });
}

/// The event of a function is on a third image, which finds there what the function has put on a fourth.
#[test]
fn events_of_functions_are_on_any_image() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let at = move |distance| (own + distance) % images;
        let data = image.allocate(world, 8, Use::Data).expect("room");
        let events = image.allocate_events(world, 2).expect("room");
        let function = image.register(Rc::new(move |image: &Image, from, arguments: &[u8]| {
            let [turn] = words(arguments);
            let mut word = (turn * 100 + from as u64).to_ne_bytes();
            image.put(data, (from + 3) % images, 0, Region::of(&mut word)).expect("a put");
        }));
        for turn in 0..50 {
            image
                .spawn(world, at(1), function, bytes_of(&[turn]), Some((events, 1, at(2))))
                .expect("a function");
            image.wait_event(events, 1).expect("an event");
            let mut found = [0; 8];
            image.get(data, at(1), 0, Region::of(&mut found)).expect("a get");
            let shipper = (own + 2 * images - 2) % images;
            assert_eq!(u64::from_ne_bytes(found), turn * 100 + shipper as u64);
            image.barrier(world).expect("a barrier");
        }
        assert_eq!(image.try_event(events, 0), Ok(false));
        assert!(image.spawn(world, 0, function, &[], Some((events, 0, images))).is_err());
        assert!(image.spawn(world, 0, function, &[], Some((data, 0, 0))).is_err());
        image.barrier(world).expect("a barrier");
    });
}

#[test]
fn functions_see_the_default_team_and_keep_it() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let team = form(image, world, (own % 2) as i64, 0);
        let function = image.register(Rc::new(move |image: &Image, _, _: &[u8]| {
            assert_eq!(image.team(), Ok(team));
            assert!(image.push_team(world).is_err() && image.pop_team().is_err());
        }));
        assert!(image.pop_team().is_err(), "the team of all images");
        assert_eq!(image.team(), Ok(world));
        image.push_team(world).expect("a team");
        image.push_team(team).expect("a team");
        image.barrier(world).expect("a barrier");
        image.begin_finish(world).expect("a block");
        image.spawn(world, (own + 1) % images, function, &[], None).expect("a function");
        image.end_finish().expect("the block");
        assert!(image.free_team(team).is_err(), "a default team");
        assert_eq!((image.pop_team(), image.team()), (Ok(team), Ok(world)));
        assert_eq!(image.pop_team(), Ok(world));
        assert!(image.pop_team().is_err(), "the team of all images");
        image.free_team(team).expect("a team without coarrays");
        assert!(image.push_team(team).is_err() && image.team() == Ok(world));
    });
}

/// An allocation that is refused in a shipped function takes no memory: the next one gets the place that it
/// would have got.
#[test]
fn allocations_that_are_refused_take_no_memory() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let place = || {
            let coarray = image.allocate(world, 1 << 16, Use::Data).expect("room");
            let address = image.address(coarray).expect("a coarray");
            image.free(coarray, Use::Data).expect("a coarray");
            address
        };
        let before = place();
        let function = image.register(Rc::new(move |image: &Image, _, _: &[u8]| {
            let error = image.allocate(world, 1 << 16, Use::Data).expect_err("collective").to_string();
            assert!(error.contains("called in a shipped function"), "{error}");
        }));
        image.begin_finish(world).expect("a block");
        for _ in 0..10 {
            image.spawn(world, (own + 1) % images, function, &[], None).expect("a function");
        }
        image.end_finish().expect("the block");
        let after = place();
        assert!(after.addr().abs_diff(before.addr()) < 1 << 16, "{before:?}, then {after:?}");
    });
}

/// All members learn that one of them was shipped a function that it has not registered, which one, and to
/// whom; when it is registered, the block ends, and so does the program.
#[test]
fn functions_that_are_registered_too_late() {
    for (images, per_node) in PLACES.into_iter().filter(|&(images, _)| images > 1) {
        for is_in_block in [true, false] {
            let (runs, all) = (Arc::new(AtomicUsize::new(0)), 2 * images - 1);
            with_images(images, per_node, |image| {
                let (world, last) = (image.world(), images - 1);
                let function = {
                    let runs = Arc::clone(&runs);
                    move |_: &Image, _: usize, _: &[u8]| {
                        runs.fetch_add(1, Ordering::Relaxed);
                    }
                };
                image.register(Rc::new(function.clone()));
                let late = (image.own() < last).then(|| image.register(Rc::new(function.clone())));
                if is_in_block {
                    image.begin_finish(world).expect("a block");
                }
                image.spawn(world, last, 0, &[], None).expect("a function");
                if let Some(late) = late {
                    image.spawn(world, last, late, &[], None).expect("a function");
                }
                let end = || if is_in_block { image.end_finish().map(drop) } else { image.finalise() };
                for _ in 0..2 {
                    let text = end().expect_err("not registered").to_string();
                    let expected = match late {
                        Some(_) => {
                            format!("function 1 was shipped to image {last}, where it is not registered")
                        }
                        None => "has shipped function 1, which is not registered here".to_owned(),
                    };
                    assert!(text.contains(&expected), "{text}");
                }
                if late.is_none() {
                    image.register(Rc::new(function));
                }
                if is_in_block {
                    end().expect("the block");
                    assert!(late.is_some() || runs.load(Ordering::Relaxed) == all);
                }
            });
            // The end of the program has run what was shipped outside of blocks.
            assert_eq!(runs.load(Ordering::Relaxed), all);
        }
    }
}
