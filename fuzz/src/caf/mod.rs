//! Coarray programs with images as threads, compared with a serial model: a valid call has the result of the
//! model, an invalid call returns an error and changes nothing. Calls are separated by barriers, so that
//! there is one result.

mod program;

use arbitrary::{Arbitrary, Unstructured};
use hcube_caf::coarray::Use;
use hcube_caf::copy::Side;
use hcube_caf::options::Options;
use hcube_caf::{Handle, Runtime};
use hcube_core::comm::Comm;
use hcube_core::comm::threads::{self, ThreadComm};
use hcube_core::memory::Region;
use hcube_core::onesided::{Atomic, Shape};
use program::{Call, Coarray, EVENTS, MAX_IMAGES, MAX_STEPS, MAX_TEAMS, Model, Step, Team};
use std::rc::Rc;

fn run(steps: &[Step], comm: ThreadComm) {
    let image = Runtime::new(comm, Options::default()).expect("memory");
    let (world, own) = (image.world(), image.own());
    let images = image.with_team(world, |team| team.size());
    let events = image.allocate_events(world, EVENTS).expect("memory");
    let locks = image.allocate_locks(world, EVENTS).expect("memory");
    // Each function of a chain raises an event on its image and ships the next one.
    image.register(Rc::new(move |image: &Runtime<ThreadComm>, _, arguments: &[u8]| {
        let (index, left) = (usize::from(arguments[0]), arguments[1]);
        image.notify(events, index, image.own()).expect("an event of this image");
        if left > 0 {
            let next = (image.own() + 1) % images;
            image.spawn(world, next, 0, &[arguments[0], left - 1], None).expect("an image");
        }
    }));
    let mut model = Model {
        images,
        teams: vec![Team { members: (0..images).collect(), handle: Some(world) }],
        coarrays: Vec::new(),
        notices: vec![[0; EVENTS]; images],
        holders: vec![[None; EVENTS]; images],
    };
    for step in steps {
        let by = usize::from(step.by) % images;
        match &step.call {
            Call::Split { parent, colours, keys } => split(&image, &mut model, *parent, colours, keys),
            Call::Allocate { team, bytes } => allocate(&image, &mut model, *team, bytes.get()),
            Call::Free { coarray } if !model.coarrays.is_empty() => {
                let number = usize::from(*coarray) % model.coarrays.len();
                if let Some(handle) = model.coarrays.remove(number).handle {
                    image.free(handle, Use::Data).expect("it was not freed");
                    assert!(image.free(handle, Use::Data).is_err(), "freed twice");
                }
            }
            Call::Free { .. } => {}
            call => {
                let (is_own, finishes) = (by == own, matches!(call, Call::Copy { .. } | Call::Spawn { .. }));
                if finishes {
                    image.begin_finish(world).expect("a block");
                }
                match call {
                    Call::Notify { .. } | Call::Try { .. } | Call::Spawn { .. } => {
                        with_events(&image, &mut model, events, by, call);
                    }
                    Call::Lock { .. } | Call::Unlock { .. } => {
                        with_locks(&image, &mut model, locks, by, call)
                    }
                    _ => access(&image, &mut model, events, by, is_own, call),
                }
                if finishes {
                    image.end_finish().expect("the block");
                }
            }
        }
        image.barrier(world).expect("a barrier");
    }
    compare(&image, &model);
    image.barrier(world).expect("a barrier");
    image.finalise().expect("an end");
}

/// All bytes of this image, and all its notifications, are as in the model.
fn compare(image: &Runtime<ThreadComm>, model: &Model) {
    let own = image.own();
    for coarray in &model.coarrays {
        let Some(rank) = coarray.members.iter().position(|&member| member == own) else { continue };
        let mut found = vec![0; coarray.bytes];
        image.get(coarray.handle.expect("a member"), rank, 0, Region::of(&mut found)).expect("its own bytes");
        assert_eq!(found, coarray.data[rank]);
    }
}

fn split(
    image: &Runtime<ThreadComm>,
    model: &mut Model,
    parent: u8,
    colours: &[i8; MAX_IMAGES],
    keys: &[i8; MAX_IMAGES],
) {
    if model.teams.len() >= MAX_TEAMS {
        return;
    }
    let own = image.own();
    let parent = &model.teams[usize::from(parent) % model.teams.len()];
    let made = parent.handle.map(|handle| {
        let (colour, key) = (colours[own], keys[own]);
        image.split(handle, i64::from(colour), i64::from(key)).expect("a team")
    });
    let members = parent.members.clone();
    let mut groups: Vec<i8> = members.iter().map(|&member| colours[member]).collect();
    groups.sort_unstable();
    groups.dedup();
    for colour in groups.into_iter().filter(|&colour| colour >= 0) {
        let mut group: Vec<usize> =
            members.iter().copied().filter(|&member| colours[member] == colour).collect();
        // A stable sort: members with the same key keep their order.
        group.sort_by_key(|&member| keys[member]);
        let rank = group.iter().position(|&member| member == own);
        let handle = rank.map(|rank| {
            let handle = made.flatten().expect("a member of a team with this colour");
            image.with_team(handle, |team| assert_eq!((team.rank(), team.size()), (rank, group.len())));
            handle
        });
        model.teams.push(Team { members: group, handle });
    }
    assert!(made.is_none_or(|made| made.is_some() == (colours[own] >= 0)));
}

fn allocate(image: &Runtime<ThreadComm>, model: &mut Model, team: u8, bytes: usize) {
    if model.coarrays.len() >= MAX_TEAMS {
        return;
    }
    let team = &model.teams[usize::from(team) % model.teams.len()];
    let handle = team.handle.map(|team| image.allocate(team, bytes, Use::Data).expect("memory"));
    if let Some(handle) = handle {
        let rank = team.members.iter().position(|&member| member == image.own()).expect("a member");
        image.put(handle, rank, 0, Region::of(&mut vec![0; bytes])).expect("its own bytes");
    }
    let (members, data) = (team.members.clone(), vec![vec![0; bytes]; team.members.len()]);
    model.coarrays.push(Coarray { members, bytes, handle, data });
}

/// A region of memory that is never freed.
fn lent(bytes: Vec<u8>) -> Region<'static> {
    Region::of(Box::leak(bytes.into_boxed_slice()))
}

/// Accesses of one image to coarrays. The others follow in the model; whether the coarray is known depends on
/// the image that makes the call, so all of them decide by its team.
fn access(
    image: &Runtime<ThreadComm>,
    model: &mut Model,
    events: Handle,
    by: usize,
    is_own: bool,
    call: &Call,
) {
    let (Call::Put { at, .. }
    | Call::Get { at, .. }
    | Call::PutSection { at, .. }
    | Call::GetIndexed { at, .. }
    | Call::Atomic { at, .. }
    | Call::Copy { from: at, .. }) = call
    else {
        return;
    };
    let number = usize::from(at.coarray) % model.coarrays.len().max(1);
    if model.coarrays.get(number).is_none_or(|coarray| !coarray.members.contains(&by)) {
        return;
    }
    let handle = model.coarray(*at).map(|(_, handle)| handle).filter(|_| is_own);
    let (rank, offset) = (at.rank.get(), at.offset.get());
    match call {
        Call::Put { bytes, first, .. } => {
            let data: Vec<u8> = (0..bytes.0).map(|byte| byte.wrapping_add(*first)).collect();
            let place = model.place(number, *at, 0..data.len() as i64);
            if let Some(handle) = handle {
                let done = image.put(handle, rank, offset, Region::of(&mut data.clone()));
                assert_eq!(done.is_ok(), place.is_some(), "{call:?}: {done:?}");
            }
            if let Some(place) = place {
                model.bytes(place, data.len()).copy_from_slice(&data);
            }
        }
        Call::Get { bytes, .. } => {
            let mut found = vec![0; bytes.get()];
            let place = model.place(number, *at, 0..bytes.get() as i64);
            if let Some(handle) = handle {
                let done = image.get(handle, rank, offset, Region::of(&mut found));
                assert_eq!(done.is_ok(), place.is_some(), "{call:?}: {done:?}");
                assert!(
                    place.is_none_or(|place| model.bytes(place, found.len()) == found),
                    "{call:?}: {found:?}"
                );
            }
        }
        Call::PutSection { element, shape, .. } => {
            let element = element.get();
            let dimensions = shape.map(|(count, stride)| (count.get(), i64::from(stride)));
            let shape = Shape::strided(element, &dimensions).expect("a small one");
            let place = model.place(number, *at, shape.bounds());
            let data: Vec<u8> = (0..shape.bytes()).map(|byte| byte as u8 ^ at.offset.0).collect();
            // Elements that overlap have no order.
            let mut starts = Vec::new();
            shape.for_each(|begin| starts.extend(begin..begin + shape.run() as i64));
            let all = starts.len();
            starts.sort_unstable();
            starts.dedup();
            if starts.len() < all {
                return;
            }
            if let Some(handle) = handle {
                let done = image.put_shape(handle, rank, offset, &shape, Region::of(&mut data.clone()));
                assert_eq!(done.is_ok(), place.is_some(), "{call:?}: {done:?}");
            }
            if let Some((number, rank, _)) = place {
                let (mut packed, mut begins) = (data.chunks(shape.run().max(1)), Vec::new());
                shape.for_each(|begin| begins.push((offset as i64 + begin) as usize));
                for begin in begins {
                    let run = packed.next().expect("as many as runs");
                    model.bytes((number, rank, begin), run.len()).copy_from_slice(run);
                }
            }
        }
        Call::GetIndexed { element, indices, .. } => {
            let element = element.get();
            let distances = indices.iter().map(|index| (index.get() * element) as i64).collect();
            let shape = Shape::indexed(element, distances).expect("a small one");
            let place = model.place(number, *at, shape.bounds());
            let mut found = vec![0; shape.bytes()];
            if let Some(handle) = handle {
                let done = image.get_shape(handle, rank, offset, &shape, Region::of(&mut found));
                assert_eq!(done.is_ok(), place.is_some(), "{call:?}: {done:?}");
                let Some((number, rank, at)) = place.filter(|_| element > 0) else { return };
                for (index, part) in indices.iter().zip(found.chunks(element)) {
                    let begin = at + index.get() * element;
                    assert_eq!(model.bytes((number, rank, begin), element), part, "{call:?}");
                }
            }
        }
        Call::Atomic { operation, operand, compare, .. } => {
            let place = model.place(number, *at, 0..8).filter(|_| offset % 8 == 0);
            let word =
                place.map(|place| u64::from_ne_bytes(model.bytes(place, 8).try_into().expect("8 bytes")));
            let before = word.unwrap_or(0);
            let (operation, after) = match operation % 7 {
                0 => (Atomic::Load, before),
                1 => (Atomic::Swap, *operand),
                2 => (Atomic::Add, before.wrapping_add(*operand)),
                3 => (Atomic::And, before & operand),
                4 => (Atomic::Or, before | operand),
                5 => (Atomic::Xor, before ^ operand),
                _ => (Atomic::CompareSwap(*compare), if before == *compare { *operand } else { before }),
            };
            if let Some(handle) = handle {
                let found = image.atomic(handle, rank, offset, operation, *operand);
                assert_eq!(found.as_ref().ok(), word.as_ref(), "{call:?}: {found:?}");
            }
            if let Some(place) = place {
                model.bytes(place, 8).copy_from_slice(&after.to_ne_bytes());
            }
        }
        Call::Copy { to, bytes, done, predicate, .. } => {
            let target = usize::from(to.coarray) % model.coarrays.len();
            if !model.coarrays[target].members.contains(&by) {
                return;
            }
            let length = bytes.get();
            let (source, place) =
                (model.place(number, *at, 0..length as i64), model.place(target, *to, 0..length as i64));
            let [event, predicate] =
                [done, predicate].map(|event| event.map(|(index, image)| (index.get(), image.get())));
            let exists = |(index, image): (usize, usize)| index < EVENTS && image < model.images;
            let are_events = event.is_none_or(exists) && predicate.is_none_or(exists);
            let is_valid = source.is_some() && place.is_some() && are_events;
            // Bytes that overlap have no order.
            let distance = offset.abs_diff(to.offset.get());
            if rank == to.rank.get() && number == target && distance < length {
                return;
            }
            if let Some(handle) = handle {
                let to_handle = model.coarrays[target].handle.expect("a member");
                let (from, to) = (
                    Side::Coarray(handle, rank, offset),
                    Side::Coarray(to_handle, to.rank.get(), to.offset.get()),
                );
                let [event, begin] =
                    [event, predicate].map(|event| event.map(|(index, image)| (events, index, image)));
                let done = image.copy_async(to, from, length, event, begin);
                assert_eq!(done.is_ok(), is_valid, "{call:?}: {done:?}");
                // One additional notification for the copy to consume: the number of notifications is
                // unchanged.
                if let (true, Some((events, index, image_of))) = (is_valid, begin) {
                    image.notify(events, index, image_of).expect("an event");
                }
                // Through memory of this image, which is not checked.
                image.copy_async(Side::Memory(lent(vec![0; length])), from, length, None, None).ok();
                image.cofence().expect("no image fails");
            }
            if let (true, Some(source), Some(place)) = (is_valid, source, place) {
                let copied = model.bytes(source, length).to_vec();
                model.bytes(place, length).copy_from_slice(&copied);
                if let Some((index, image)) = event {
                    model.notices[image][index] += 1;
                }
            }
        }
        _ => {}
    }
}

fn with_events(image: &Runtime<ThreadComm>, model: &mut Model, events: Handle, by: usize, call: &Call) {
    let is_own = by == image.own();
    match *call {
        Call::Notify { index, image: to } => {
            let (index, to) = (index.get(), to.get());
            let is_valid = index < EVENTS && to < model.images;
            if is_own {
                assert_eq!(image.notify(events, index, to).is_ok(), is_valid, "{call:?}");
            }
            if is_valid {
                model.notices[to][index] += 1;
            }
        }
        Call::Try { index } => {
            let index = index.get();
            let expected = (index < EVENTS).then(|| model.notices[by][index] > 0);
            if is_own {
                assert_eq!(image.try_event(events, index).ok(), expected, "{call:?}");
            }
            if expected == Some(true) {
                model.notices[by][index] -= 1;
            }
        }
        Call::Spawn { to, chain, index } => {
            let (to, chain, index) = (to.get(), chain.get(), index.get() % EVENTS);
            let is_valid = to < model.images;
            if is_own {
                let done = image.spawn(image.world(), to, 0, &[index as u8, chain as u8], None);
                assert_eq!(done.is_ok(), is_valid, "{call:?}: {done:?}");
                assert!(image.spawn(image.world(), 0, 1, &[], None).is_err(), "not registered");
            }
            for hop in (0..=chain).filter(|_| is_valid) {
                model.notices[(to + hop) % model.images][index] += 1;
            }
        }
        _ => {}
    }
}

fn with_locks(image: &Runtime<ThreadComm>, model: &mut Model, locks: Handle, by: usize, call: &Call) {
    let (Call::Lock { index, image: of } | Call::Unlock { index, image: of }) = *call else { return };
    let (is_own, index, of) = (by == image.own(), index.get(), of.get());
    let exists = index < EVENTS && of < model.images;
    let holder = if exists { model.holders[of][index] } else { None };
    if matches!(call, Call::Lock { .. }) {
        let expected = (exists && holder != Some(by)).then_some(holder.is_none());
        if is_own {
            assert_eq!(image.try_lock(locks, index, of).ok(), expected, "{call:?}");
        }
        if expected == Some(true) {
            model.holders[of][index] = Some(by);
        }
    } else {
        let is_valid = holder == Some(by);
        if is_own {
            assert_eq!(image.unlock(locks, index, of).is_ok(), is_valid, "{call:?}");
        }
        if is_valid {
            model.holders[of][index] = None;
        }
    }
}

/// The steps of a program.
pub fn caf(data: &[u8]) {
    let mut data = Unstructured::new(data);
    let Ok((images, per_node)) = <(u8, u8)>::arbitrary(&mut data) else { return };
    let mut steps = Vec::new();
    while !data.is_empty() && steps.len() < MAX_STEPS {
        steps.extend(Step::arbitrary(&mut data));
    }
    let images = 1 + usize::from(images) % MAX_IMAGES;
    threads::run(images, 1 + usize::from(per_node) % images, |comm| {
        run(&steps, comm.split(Some(0), comm.rank() as i32).expect("no error").expect("a part"));
    });
}
