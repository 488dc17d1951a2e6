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

/// The first of some models that notices a mutation: models that visit its site, short ones first.
fn first_to_notice<'a>(mutation: Mutation, models: impl Iterator<Item = &'a Visited>) -> Option<Model> {
    // A random schedule that fails says so on standard error, as if it were news.
    let is_random = |one: &Visited| matches!(one.model.extent, Extent::Random(_));
    let mut models: Vec<_> = models.filter(|one| mutation.is_at(&one.sites) && !is_random(one)).collect();
    models.sort_by_key(|one| one.explored.time);
    let noticed = models.into_iter().find(|one| one.model.explore(Some(mutation)).0.is_err());
    noticed.map(|one| one.model)
}

fn fate(mutation: Mutation, visited: &[Visited]) -> Fate {
    first_to_notice(mutation, visited.iter()).map_or(Fate::Survived, Fate::Caught)
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
    let mut rows: Vec<Mutated> = fates.iter().map(mutated).collect();
    also(visited, &fates, &mut rows);
    (rows, surprises)
}

fn names(model: Model) -> [String; 2] {
    [model.protocol, model.case].map(str::to_owned)
}

/// For each protocol whose models have noticed nothing first, a mutation that one of them notices as well.
fn also(visited: &[Visited], fates: &[(Fate, Mutation)], rows: &mut [Mutated]) {
    let mut protocols: Vec<&str> = visited.iter().map(|one| one.model.protocol).collect();
    protocols.dedup();
    protocols.retain(|name| rows.iter().all(|row| row.caught_by.iter().all(|[by, _]| by != name)));
    let found = in_parallel(protocols, |protocol| {
        let own: Vec<&Visited> = visited.iter().filter(|one| one.model.protocol == protocol).collect();
        fates.iter().enumerate().find_map(|(number, (fate, mutation))| match fate {
            Fate::Caught(_) => Some((number, first_to_notice(*mutation, own.iter().copied())?)),
            Fate::Survived => None,
        })
    });
    for (number, model) in found.into_iter().flatten() {
        rows[number].caught_by.push(names(model));
    }
}

/// The row of the record.
fn mutated((fate, mutation): &(Fate, Mutation)) -> Mutated {
    let ((file, line), change) = (mutation.place(), mutation.to_string());
    let caught_by = match fate {
        Fate::Caught(model) => vec![names(*model)],
        Fate::Survived => Vec::new(),
    };
    Mutated { file: file.into(), line, change, caught_by }
}
