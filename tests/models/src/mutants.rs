//! Mutations of the source, each of which a model must notice.

use crate::kept::Kept;
use crate::run::{Visited, in_parallel};
use hcube_core::atomic::model::{Extent, Model, mutation::Mutation};
use hcube_results::models::Mutated;
use std::time::Instant;

/// What has become of a mutation.
enum Fate {
    /// A model has noticed it.
    Caught(Model),
    Survived,
}

/// Runs the models that visit the site of a mutation, short ones first, until one fails.
fn fate(mutation: Mutation, visited: &[Visited]) -> Fate {
    let mut models: Vec<&Visited> = visited.iter().filter(|one| mutation.is_at(&one.sites)).collect();
    // A random schedule that fails says so on standard error, as if it were news.
    models.retain(|one| !matches!(one.model.extent, Extent::Random(_)));
    models.sort_by_key(|one| one.explored.time);
    let noticed = models.into_iter().find(|one| one.model.explore(Some(mutation)).0.is_err());
    noticed.map_or(Fate::Survived, |one| Fate::Caught(one.model))
}

/// Mutates every access that the models have visited. `all`: all models were run, so that what is listed as
/// kept must have survived. Returns what has become of each, and the number of surprises.
pub fn run(visited: &[Visited], all: bool) -> (Vec<Mutated>, usize) {
    let begin = Instant::now();
    let mut mutations: Vec<Mutation> = Vec::new();
    for mutation in visited.iter().flat_map(|one| &one.sites).flat_map(|site| site.mutations()) {
        if !mutations.contains(&mutation) {
            mutations.push(mutation);
        }
    }
    mutations.sort_by_key(|mutation| (mutation.place(), mutation.to_string()));
    let (kept, count) = (Kept::read(), mutations.len());
    println!("\n{:<52} {:<32} caught by", "place", "mutation");
    let fates = in_parallel(mutations, |mutation| {
        let (file, line) = mutation.place();
        let fate = fate(mutation, visited);
        let text = match fate {
            Fate::Caught(model) => format!("{} {}", model.protocol, model.case),
            Fate::Survived => match kept.reason(mutation) {
                Some(reason) => format!("- kept: {reason}"),
                None => "- SURVIVED".into(),
            },
        };
        println!("{:<52} {:<32} {text}", format!("{file}:{line}"), mutation.to_string());
        (fate, mutation)
    });
    let is_lost = |fate: &Fate| matches!(fate, Fate::Survived);
    let survived: Vec<Mutation> =
        fates.iter().filter(|(fate, _)| is_lost(fate)).map(|&(_, one)| one).collect();
    let listed = survived.iter().filter(|&&mutation| kept.reason(mutation).is_some()).count();
    let stale = if all { kept.without(&survived) } else { Vec::new() };
    stale.iter().for_each(|line| println!("kept.txt lists what no longer survives: {line}"));
    println!(
        "{count} mutations, {} caught, {listed} kept, {} survived, {:.1} s",
        count - survived.len(),
        survived.len() - listed,
        begin.elapsed().as_secs_f64()
    );
    let surprises = survived.len() - listed + stale.len();
    (fates.iter().map(mutated).collect(), surprises)
}

/// The row of the record.
fn mutated((fate, mutation): &(Fate, Mutation)) -> Mutated {
    let ((file, line), change) = (mutation.place(), mutation.to_string());
    let caught_by = match fate {
        Fate::Caught(model) => Some([model.protocol, model.case].map(str::to_owned)),
        Fate::Survived => None,
    };
    Mutated { file: file.into(), line, change, caught_by }
}
