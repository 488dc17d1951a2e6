//! Random programs compared with a serial model: teams of teams, and copies that wait for each other.

use crate::random::random;
use crate::support::{Image, PLACES, with_images};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_caf::copy::Side;
use hcube_core::memory::{Region, bytes_of_mut};

/// Numbers that are the same on all images that begin with the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        (random(&mut self.0) >> 11) as usize % limit
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        (1..all.len()).for_each(|last| all.swap(last, self.below(last + 1)));
    }
}

/// The members of a team, by rank, and its handle on those.
struct Team {
    members: Vec<usize>,
    handle: Option<Handle>,
}

/// The teams into which a random split divides a team.
fn split(image: &Image, parent: &Team, random: &mut Random) -> Vec<Team> {
    let drawn: Vec<(i64, i64)> =
        parent.members.iter().map(|_| (random.below(4) as i64 - 1, random.below(3) as i64 - 1)).collect();
    let own = parent.members.iter().position(|&member| member == image.own());
    let handle = parent.handle.and_then(|handle| {
        let (colour, key) = drawn[own.expect("a member")];
        let new = image.split(handle, colour, key).expect("a split");
        assert_eq!(new.is_some(), colour >= 0);
        new
    });
    let teams = (0..3).map(|colour| {
        let mut ranks: Vec<usize> = (0..drawn.len()).filter(|&rank| drawn[rank].0 == colour).collect();
        // A stable sort: members with the same key keep their order.
        ranks.sort_by_key(|&rank| drawn[rank].1);
        let handle = handle.filter(|_| own.is_some_and(|own| drawn[own].0 == colour));
        Team { members: ranks.into_iter().map(|rank| parent.members[rank]).collect(), handle }
    });
    teams.filter(|team| !team.members.is_empty()).collect()
}

/// A team is as in the model, and its members access each other's memory by their ranks.
fn check(image: &Image, team: &Team) {
    let Some(handle) = team.handle else { return };
    let (rank, size) = image.with_team(handle, |team| (team.rank(), team.size()));
    assert_eq!((team.members[rank], size), (image.own(), team.members.len()));
    let data = image.allocate(handle, 8, Use::Data).expect("room");
    let mut word = image.own() as u64;
    image.put(data, rank, 0, Region::of(bytes_of_mut(std::slice::from_mut(&mut word)))).expect("own memory");
    image.barrier(handle).expect("a barrier");
    for (rank, &member) in team.members.iter().enumerate() {
        assert_eq!(image.image_of(handle, rank), Ok(member));
        image.get(data, rank, 0, Region::of(bytes_of_mut(std::slice::from_mut(&mut word)))).expect("a get");
        assert_eq!(word, member as u64);
    }
    image.free(data, Use::Data).expect("a coarray");
}

#[test]
fn random_teams_of_teams() {
    for (images, per_node) in PLACES {
        for seed in 1..9 {
            with_images(images, per_node, |image| {
                let mut random = Random(seed << 40 | 0x9e37_79b9);
                let mut teams = vec![Team { members: (0..images).collect(), handle: Some(image.world()) }];
                for _ in 0..12 {
                    let parent = random.below(teams.len());
                    let new = split(image, &teams[parent], &mut random);
                    new.iter().for_each(|team| check(image, team));
                    teams.extend(new);
                    // Parents may go before the teams that were split from them.
                    if teams.len() > 6 {
                        let freed = teams.remove(1 + random.below(teams.len() - 1));
                        freed.handle.into_iter().for_each(|team| image.free_team(team).expect("a team"));
                    }
                    teams.iter().for_each(|team| check(image, team));
                }
            });
        }
    }
}

/// Bytes that a chain of copies has on each image.
const ROOM: usize = 5000;
/// Chains, and copies of each.
const CHAINS: usize = 3;
const COPIES: usize = 20;

/// A copy of a chain: the image that starts it, and from where to where the bytes go.
struct Copy {
    by: usize,
    bytes: usize,
    /// Image and offset.
    from: (usize, usize),
    to: (usize, usize),
}

impl Copy {
    fn draw(random: &mut Random, images: usize) -> Self {
        let bytes = 1 + random.below(ROOM / 3);
        let mut place = || (random.below(images), random.below(ROOM - bytes + 1));
        let (from, mut to) = (place(), place());
        if from.0 == to.0 && from.1.abs_diff(to.1) < bytes {
            // Bytes that overlap have no order.
            to.1 = if from.1 >= bytes { from.1 - bytes } else { from.1 + bytes };
        }
        Self { by: random.below(images), bytes, from, to }
    }
}

/// Chains of copies between random places, which overlap, of random images. Each copy is started by a random
/// image, in any order, and its predicate is notified when the one before has ended. The result equals the
/// result of the chain in order.
#[test]
fn random_schedules_of_copies() {
    for (images, per_node) in PLACES {
        for seed in 1..7 {
            with_images(images, per_node, |image| run_schedule(image, images, seed));
        }
    }
}

fn run_schedule(image: &Image, images: usize, seed: u64) {
    let (world, own) = (image.world(), image.own());
    let mut random = Random(seed << 40 | 0x9e37_79b9);
    let chains: Vec<Vec<Copy>> =
        (0..CHAINS).map(|_| (0..COPIES).map(|_| Copy::draw(&mut random, images)).collect()).collect();
    // The image of each event: the one before the first copy of a chain, and one after each copy.
    let places: Vec<Vec<usize>> =
        (0..CHAINS).map(|_| (0..=COPIES).map(|_| random.below(images)).collect()).collect();
    let mut model: Vec<Vec<u8>> =
        (0..images).map(|_| (0..CHAINS * ROOM).map(|_| random.below(256) as u8).collect()).collect();

    let data = image.allocate(world, CHAINS * ROOM, Use::Data).expect("room");
    let events = image.allocate_events(world, CHAINS * (COPIES + 1)).expect("room");
    image.put(data, own, 0, Region::of(&mut model[own].clone())).expect("own memory");
    image.barrier(world).expect("a barrier");
    let event = |chain: usize, number: usize| (events, chain * (COPIES + 1) + number, places[chain][number]);
    let begin = |chain: usize| {
        let (events, index, at) = event(chain, 0);
        image.notify(events, index, at).expect("an event");
    };
    if own == 0 {
        begin(0);
    }
    let mut mine: Vec<(usize, usize)> = (0..CHAINS)
        .flat_map(|chain| (0..COPIES).map(move |number| (chain, number)))
        .filter(|&(chain, number)| chains[chain][number].by == own)
        .collect();
    let mut order = Random(seed * 1000 + own as u64 + 1);
    order.shuffle(&mut mine);
    for (chain, number) in mine {
        let Copy { bytes, from, to, .. } = chains[chain][number];
        let mut side = |(rank, offset): (usize, usize)| {
            let at = chain * ROOM + offset;
            match order.below(2) {
                0 => Side::Coarray(data, rank, at),
                _ => Side::Copointer(image.copointer(data, rank, chain * ROOM).expect("a coarray"), offset),
            }
        };
        let (from, to) = (side(from), side(to));
        let (predicate, done) = (event(chain, number), event(chain, number + 1));
        image.copy_async(to, from, bytes, Some(done), Some(predicate)).expect("a copy");
    }
    if own == images - 1 {
        (1..CHAINS).for_each(begin);
    }
    for chain in 0..CHAINS {
        let (events, index, at) = event(chain, COPIES);
        if at == own {
            image.wait_event(events, index).expect("an event");
        }
        for &Copy { bytes, from, to, .. } in &chains[chain] {
            let copied = model[from.0][chain * ROOM + from.1..][..bytes].to_vec();
            model[to.0][chain * ROOM + to.1..][..bytes].copy_from_slice(&copied);
        }
    }
    image.barrier(world).expect("a barrier");
    let mut found = vec![0; CHAINS * ROOM];
    image.get(data, own, 0, Region::of(&mut found)).expect("own memory");
    assert!(found == model[own], "{images} images, seed {seed}: not the result of the chains in order");
    for index in 0..CHAINS * (COPIES + 1) {
        assert_eq!(image.try_event(events, index), Ok(false), "a notice that no copy has taken");
    }
    image.barrier(world).expect("a barrier");
}
