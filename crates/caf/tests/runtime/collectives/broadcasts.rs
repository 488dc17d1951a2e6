//! Blocking and asynchronous broadcasts.

use super::{Group, bytes_of, in_team, in_teams, read};
use crate::support::{Image, everywhere, form};
use hcube_caf::Handle;
use hcube_core::memory::Region;
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn every_root_and_length() {
    in_teams(|group| {
        let &Group { image, team, rank, size, .. } = group;
        for length in group.lengths() {
            for root in 0..size {
                for is_coarray in [false, true] {
                    let sent = bytes_of([root, size], length);
                    let given = if rank == root { sent.clone() } else { vec![0xee; length] };
                    let region = group.holding(is_coarray, 0, &given);
                    image.broadcast(team, root, region).expect("a broadcast");
                    let found = read(region);
                    // It belongs to the program again, also if it was exposed.
                    region.write(&vec![0x55; length]);
                    assert!(found == sent, "{length} bytes from {root} to {rank} of {:?}", group.images);
                }
            }
        }
    });
}

fn of_any_life(region: Region<'_>) -> Region<'static> {
    // SAFETY: each test waits for its broadcasts before the memory is used otherwise or freed.
    unsafe { Region::new(region.address(), region.len()) }
}

/// Ships functions and waits for them, during pending broadcasts.
fn ship_to_all(image: &Image, function: usize, images: usize) {
    image.begin_finish(image.world()).expect("a block");
    for to in 0..images {
        image.spawn(image.world(), to, function, &[], None).expect("a function");
    }
    image.end_finish().expect("the block");
}

/// Several broadcasts from different roots, with everything else in between.
#[test]
fn several_at_the_same_time() {
    everywhere(|image, images| {
        let count = Rc::new(Cell::new(0));
        let function = {
            let count = Rc::clone(&count);
            image.register(Rc::new(move |_, _, _: &[u8]| count.set(count.get() + 1)))
        };
        in_team(image, image.world(), (0..images).collect(), |group| {
            let events = image.allocate_events(group.team, LENGTHS.len()).expect("room");
            for turn in 0..3 {
                several(group, turn, events, function);
            }
        });
        assert_eq!(count.get(), 3 * images);
    });
}

/// Lengths of concurrent broadcasts, each with its own buffer.
const LENGTHS: [usize; 8] = [0, 8, 511, 513, 5000, 20_000, 9000, 1];
const PLACE: usize = 20_000;

fn several(group: &Group<'_>, turn: usize, events: Handle, function: usize) {
    let &Group { image, team, rank, size, .. } = group;
    let root = |index: usize| (index * 3 + turn) % size;
    let sent = |index: usize| bytes_of([root(index), index + turn], LENGTHS[index]);
    let mut regions = Vec::new();
    for (index, length) in LENGTHS.into_iter().enumerate() {
        let given = if rank == root(index) { sent(index) } else { vec![0xee; length] };
        let region = group.holding((index + turn).is_multiple_of(2), index * PLACE, &given);
        regions.push(region);
        image.broadcast_async(team, root(index), region, Some((events, index, rank))).expect("a broadcast");
        match index {
            2 => image.barrier(team).expect("a barrier"),
            3 => {
                let (mut one, mut all) = ([rank as u8], vec![0; size]);
                let [one, into] = [Region::of(&mut one), Region::of(&mut all)];
                image.allgather(team, one, into).expect("an operation");
                assert!(all.iter().enumerate().all(|(rank, &found)| found == rank as u8));
            }
            5 => ship_to_all(image, function, size),
            _ => {}
        }
    }
    let mut word = [rank as u8; 600];
    image.broadcast(team, size - 1, Region::of(&mut word)).expect("a broadcast");
    assert_eq!(word, [size as u8 - 1; 600]);
    for (index, region) in regions.into_iter().enumerate().rev() {
        image.wait_event(events, index).expect("an event");
        let found = read(region);
        region.write(&vec![0x55; LENGTHS[index]]);
        assert!(found == sent(index), "{index} of turn {turn}, member {rank} of {size}");
    }
}

/// A fence releases the buffers, a block waits for the others, and an event may be on another image.
#[test]
fn fences_blocks_and_events_elsewhere() {
    everywhere(|image, images| {
        in_team(image, image.world(), (0..images).collect(), |group| {
            let events = image.allocate_events(group.team, 1).expect("room");
            for turn in 0..24 {
                fence(group, turn, events);
            }
            assert_eq!(image.try_event(events, 0), Ok(false));
        });
    });
}

fn fence(group: &Group<'_>, turn: usize, events: Handle) {
    let &Group { image, team, rank, size, .. } = group;
    let (root, length) = (turn % size, [8, 900, 20_000][turn % 3]);
    let given = vec![if rank == root { turn as u8 } else { 0xee }; length];
    let region = group.holding(turn.is_multiple_of(2), 0, &given);
    image.begin_finish(team).expect("a block");
    image.broadcast_async(team, root, region, Some((events, 0, (rank + 1) % size))).expect("a broadcast");
    image.cofence().expect("no image fails");
    let found = read(region);
    // It belongs to the program again, also if it was exposed.
    region.write(&vec![0x55; length]);
    assert!(found.iter().all(|&byte| byte == turn as u8), "{turn}, member {rank} of {size}");
    image.end_finish().expect("the block");
    image.wait_event(events, 0).expect("an event");
}

/// The team may be freed while its last broadcast is still sent to others.
#[test]
fn teams_are_freed_behind_their_broadcasts() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        for turn in 0..5_u8 {
            let team = form(image, world, 0, -(own as i64));
            let mut bytes = vec![if own == 0 { turn } else { 0xee }; 3000];
            image
                .broadcast_async(team, images - 1, of_any_life(Region::of(&mut bytes)), None)
                .expect("begin");
            image.free_team(team).expect("a team without coarrays");
            image.cofence().expect("no image fails");
            assert!(bytes.iter().all(|&byte| byte == turn), "{turn}");
        }
    });
}

/// Arguments that differ are found by all members in a wait, and the runtime works on.
#[test]
fn wrong_arguments_are_found_by_all_members() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let events = image.allocate_events(world, 1).expect("room");
        for (wrong, (root, length)) in [(images, 8), (1, 8), (0, 700)].into_iter().enumerate() {
            if images == 1 && wrong > 0 {
                continue;
            }
            let (root, length) = if own == wrong % images { (root, length) } else { (0, 600) };
            let mut bytes = vec![0; length];
            let buffer = of_any_life(Region::of(&mut bytes));
            let own_error = image.broadcast_async(world, root, buffer, None).err();
            // Nobody notifies the event.
            let error = match own_error {
                Some(error) => error,
                None => image.wait_event(events, 0).expect_err("arguments differ"),
            };
            let text = error.to_string();
            assert!(["root", "bytes", "refused"].iter().any(|name| text.contains(name)), "{text}");
            image.barrier(world).expect("a barrier");
        }
    });
}

/// The error of a nonblocking broadcast is not returned by other collective functions, whose other members
/// would wait for the members that have received it.
#[test]
fn an_error_is_kept_for_who_waits_for_it() {
    everywhere(|image, images| {
        let (world, own) = (image.world(), image.own());
        let events = image.allocate_events(world, 1).expect("room");
        for _ in 0..20 {
            let mut bytes = vec![0; if own == 0 { 600 } else { 700 }];
            let buffer = of_any_life(Region::of(&mut bytes));
            let early = image.broadcast_async(world, 0, buffer, None).err();
            let (mut own_word, mut all) = ([own as u8; 8], vec![0; 8 * images]);
            for _ in 0..3 {
                image.allgather(world, Region::of(&mut own_word), Region::of(&mut all)).expect("no error");
                image.barrier(world).expect("no error");
            }
            assert!(all.iter().enumerate().all(|(at, &byte)| usize::from(byte) == at / 8));
            if images > 1 {
                assert!(early.is_some() || image.wait_event(events, 0).is_err());
            }
            image.cofence().expect("it was told once");
        }
    });
}
