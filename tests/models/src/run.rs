//! All models in turn.

use crate::{examples, mutants, record, sources};
use hcube_core::atomic::model::mutation::Site;
use hcube_core::atomic::model::{Explored, Failure, Model};
use hcube_results::models::Record;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// What was asked for.
#[derive(Default)]
struct Asked {
    record: bool,
    long: bool,
    mutations: bool,
    list: bool,
    texts: Vec<String>,
}

/// A model that was explored without mutations.
pub struct Visited {
    /// The model.
    pub model: Model,
    /// The accesses that it has visited.
    pub sites: Vec<Site>,
    /// What was covered.
    pub explored: Explored,
}

/// The models of all crates.
fn models() -> Vec<Model> {
    let crates = [
        hcube_core::MODELS,
        hcube_alltoall::MODELS,
        hcube_transpose::MODELS,
        hcube_fft::MODELS,
        hcube_gemm::MODELS,
        hcube_bsp::MODELS,
        hcube_caf::MODELS,
        hcube_hpl::MODELS,
    ];
    crates.into_iter().flatten().copied().flatten().copied().collect()
}

fn asked() -> Result<Asked, String> {
    let mut asked = Asked::default();
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--record" => asked = Asked { record: true, long: true, mutations: true, ..asked },
            "--long" => asked.long = true,
            "--mutations" => asked.mutations = true,
            "--list" => asked.list = true,
            word if word.starts_with('-') => return Err(format!("unknown option {word}")),
            _ => asked.texts.push(word),
        }
    }
    if asked.record && !asked.texts.is_empty() {
        return Err("--record is of all models".into());
    }
    Ok(asked)
}

/// Works through a list by as many threads as there are cores; results in the order of the list.
pub fn in_parallel<T: Send, R: Send>(all: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let count = all.len();
    let (open, done) = (Mutex::new(all.into_iter().enumerate()), Mutex::new(Vec::with_capacity(count)));
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                loop {
                    let next = open.lock().expect("no panic").next();
                    let Some((number, one)) = next else { return };
                    let result = work(one);
                    done.lock().expect("no panic").push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no panic");
    done.sort_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

fn name(model: Model) -> String {
    format!("{} {}", model.protocol, model.case)
}

/// The line of a model.
fn print(model: Model, end: &Result<Explored, Failure>) {
    let Model { protocol, case, .. } = model;
    match end {
        Ok(Explored { executions, participants, time }) => println!(
            "{protocol:<24} {case:<52} {participants:>12} {executions:>10} {:>8.2}",
            time.as_secs_f64()
        ),
        Err(failure) => println!("{protocol:<24} {case:<52} FAILED\n  {failure}"),
    }
}

/// Explores all models that were asked for, then mutations of what they have visited.
pub fn main() -> ExitCode {
    let asked = match asked() {
        Ok(asked) => asked,
        Err(message) => {
            eprintln!("hcube-models: {message}: [--long] [--mutations] [--record] [--list] [TEXT...]");
            return ExitCode::from(2);
        }
    };
    let is_asked = |model: &Model| {
        let name = name(*model);
        asked.texts.is_empty() || asked.texts.iter().any(|text| name.contains(text.as_str()))
    };
    let chosen: Vec<Model> =
        models().into_iter().filter(|model| (asked.long || !model.is_long) && is_asked(model)).collect();
    if asked.list {
        chosen.iter().for_each(|&model| println!("{}", name(model)));
        return ExitCode::SUCCESS;
    }
    let begin = Instant::now();
    let surprises = examples::surprises();
    surprises.iter().for_each(|surprise| println!("the explorer is wrong about {surprise}"));
    println!(
        "{:<24} {:<52} {:>12} {:>10} {:>8}",
        "protocol", "case", "participants", "executions", "seconds"
    );
    let visited = in_parallel(chosen, |model| {
        let (end, sites) = model.explore(None);
        print(model, &end);
        end.ok().map(|explored| Visited { model, sites, explored })
    });
    let count = visited.len();
    let visited: Vec<Visited> = visited.into_iter().flatten().collect();
    let failed = count - visited.len();
    println!("{count} models, {failed} failed, {:.1} s", begin.elapsed().as_secs_f64());
    let is_all = asked.texts.is_empty();
    let (mutated, mut wrong) = if asked.mutations && failed == 0 {
        mutants::run(&visited, is_all && asked.long)
    } else {
        (Vec::new(), 0)
    };
    wrong += failed + surprises.len();
    if is_all && failed == 0 {
        let found = sources::wrong(&visited);
        found.iter().for_each(|line| println!("{line}"));
        wrong += found.len();
    }
    if asked.record && wrong == 0 {
        let made = Record { models: visited.iter().map(record::row).collect(), mutations: mutated };
        if let Err(error) = record::write(&made) {
            eprintln!("hcube-models: {error}");
            return ExitCode::FAILURE;
        }
    } else if failed == 0 {
        wrong += differences(&visited, is_all);
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints what is not as recorded.
fn differences(visited: &[Visited], is_all: bool) -> usize {
    let found = match record::read() {
        Ok(made) => record::differences(&made, visited, is_all),
        Err(error) => vec![error],
    };
    found.iter().for_each(|line| println!("{line}"));
    if !found.is_empty() {
        println!("the record is made by: make models RECORD=1");
    }
    found.len()
}
