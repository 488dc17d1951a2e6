//! The teams and the updates of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::{Team, Updates};
use hcube_results::published;

/// Values of a round: the look-ahead of HPCC's rules.
const VALUES: usize = 1024;
/// Images up to which functions are shipped. On more, nearly each of the functions of a round is a message of its own: 64
/// images take the simulator 12 s of a core, 1024 more than five minutes.
const MAX_IMAGES_SPAWN: usize = 64;

/// Images up to which teams are split: 512 take two minutes of a core, and as many more as log2^2 P times P says.
const MAX_IMAGES_SPLIT: usize = 512;

/// The teams of a number of images. Each is a simulation of its own: of thousands of images it takes minutes.
pub fn teams(place: &Place<'_>, full: bool) -> Vec<Batch> {
    let of = |team: &'static str| {
        place.batches(|place, ranks| {
            vec![Case::Team(Team {
                section: place.section.name(),
                machine: place.machine.name.clone(),
                ranks,
                ranks_per_node: place.ranks_per_node,
                team,
                members: 0,
                words: 0,
                split_seconds: 0.0,
                barrier_seconds: 0.0,
                lookup_seconds: 0.0,
                access_seconds: 0.0,
                lookups: 0,
                reads: 0,
                errors: 0,
                links_shared: true,
            })]
        })
    };
    let fits = |team: &str, batch: &Batch| team == "world" || full || batch.ranks <= MAX_IMAGES_SPLIT;
    let all = ["world", "all", "row", "column"];
    all.into_iter().flat_map(|team| of(team).into_iter().filter(move |batch| fits(team, batch))).collect()
}

/// RandomAccess on a number of images, which is a power of two.
pub fn updates(place: &Place<'_>, full: bool) -> Vec<Batch> {
    let of = |by| {
        let all = place.batches(|place, ranks| {
            let is_published = place.machine.name == published::COARRAY_MACHINE;
            let published = Some(published::COARRAYS).filter(|&(images, _)| is_published && images == ranks);
            vec![Case::Updates(Updates {
                section: place.section.name(),
                machine: place.machine.name.clone(),
                ranks,
                ranks_per_node: place.ranks_per_node,
                by,
                values: VALUES,
                updates: 0,
                seconds: 0.0,
                gups: 0.0,
                reductions: 0,
                errors: 0,
                links_shared: true,
                published_gups: published.map(|(_, gups)| gups),
                costs: place.machine.costs,
            })]
        });
        let fits = move |batch: &Batch| {
            batch.ranks.is_power_of_two() && (by == "events" || full || batch.ranks <= MAX_IMAGES_SPAWN)
        };
        all.into_iter().filter(fits)
    };
    ["events", "spawn"].into_iter().flat_map(of).collect()
}
