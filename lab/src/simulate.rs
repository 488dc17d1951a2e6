//! `hcube-lab simulate`: runs the library on simulated machines and compares the results with published ones.
//!
//! This subcommand starts smpirun itself, so it never initialises MPI. Results are in
//! the order of the sections, and do not depend on the speed of this machine.

mod arguments;
mod bsp;
mod bsp_programs;
mod caf;
mod calls;
mod fft;
mod gemm;
mod hpl;
mod lcs;
mod out_of_place;
mod place;
mod platform;
mod published;
mod report;
mod results;
mod sections;
mod smpirun;

pub use arguments::Arguments;

use crate::hpcc::launch;
use crate::records;
use hcube_core::machine::work::{COPY, REST};
use hcube_fft::work::LEVEL;
use hcube_gemm::COPY_BYTE;
use hcube_lcs::work::ENTRY;
use hcube_random_access::work::{DIVIDE, GENERATE, UPDATE};
use hcube_results::machine::Costs;
use hcube_tool::progress::Progress;
use hcube_tool::session::{self, Failure};
use platform::{Platform, Sharing};
use results::{Batch, Case, Results};
use smpirun::{INTERRUPTED, Runner, Simulation};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Runs the selected sections.
pub fn run(arguments: &Arguments) -> ExitCode {
    match simulate(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => session::report_failure(&failure),
    }
}

/// Returns whether no run had errors.
fn simulate(arguments: &Arguments) -> Result<bool, Failure> {
    arguments.json.check().map_err(|error| error.to_string())?;
    let batches = batches(arguments)?;
    let platforms = batches
        .iter()
        .map(|batch| {
            Platform::new(&batch.machine, batch.ranks, batch.ranks_per_node)
                .map(|one| one.scaled(batch.scale).sharing_at_most(batch.sharing()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    smpirun::check(&arguments.root)?;
    let most = batches.iter().map(|batch| batch.ranks).max().unwrap_or(1);
    smpirun::check_room(most, files(&batches), memory(&batches, arguments.jobs()))?;
    launch::end_children_on_signals()?;
    let (filled, failures) = run_all(arguments, &batches, &platforms)?;
    let nothing = filled.iter().all(Vec::is_empty);
    if let (true, Some(failure)) = (nothing, failures.first()) {
        return Err(failure.clone());
    }
    // The results of the others are written.
    for failure in &failures {
        eprintln!("hcube-lab simulate: {failure}");
    }
    let errors: u64 = filled.iter().flatten().map(Case::errors).sum();
    let results = collect(&batches, &platforms, filled, failures);
    if arguments.json.tables() {
        print!("{}", report::text(&results, &arguments.sections));
    }
    arguments.json.write(&results)?;
    if errors > 0 {
        eprintln!("hcube-lab simulate: {errors} error(s) in the data: see the column errors");
    }
    Ok(errors == 0 && results.failures.is_empty())
}

/// The selected simulations.
fn batches(arguments: &Arguments) -> Result<Vec<Batch>, Failure> {
    let mut batches: Vec<Batch> = Vec::new();
    for &section in &arguments.sections {
        for batch in sections::batches(section, arguments)? {
            // With --ranks or --machine parts of a section may be equal.
            if !batches.contains(&batch) {
                batches.push(batch);
            }
        }
    }
    Ok(batches)
}

/// The rows of all simulations, and every machine once.
fn collect(
    batches: &[Batch],
    platforms: &[Platform<'_>],
    filled: Vec<Vec<Case>>,
    failures: Vec<Failure>,
) -> Results {
    let mut results = Results { failures, ..Results::default() };
    for ((batch, platform), cases) in batches.iter().zip(platforms).zip(filled) {
        if !results.machines.contains(&batch.machine) {
            results.machines.push(batch.machine.clone());
        }
        let links_shared = platform.sharing() == Sharing::Links;
        for case in cases {
            match case {
                Case::RandomAccess(row) => {
                    results.random_access.push(results::RandomAccess { links_shared, ..row });
                }
                Case::Alltoall(row) => results.alltoall.push(results::Alltoall { links_shared, ..row }),
                Case::Gemm(row) => results.gemm.push(gemm::Gemm { links_shared, ..row }),
                Case::Bsp(row) => results.bsp.push(bsp::Superstep { links_shared, ..row }),
                Case::Team(row) => results.teams.push(caf::Team { links_shared, ..row }),
                Case::Updates(row) => results.coarray_updates.push(caf::Updates { links_shared, ..row }),
                Case::Fft(row) => results.fft.push(fft::Transform { links_shared, ..row }),
                Case::Hpl(row) => results.hpl.push(hpl::Panels { links_shared, ..row }),
                Case::Lcs(row) => results.lcs.push(lcs::Subsequence { links_shared, ..row }),
                Case::BspProgram(row) => {
                    results.bsp_programs.push(bsp_programs::BspProgram { links_shared, ..row });
                }
            }
        }
    }
    results
}

/// Files that a simulation opens at the same time: one for the memory of each node of a coarray program.
fn files(batches: &[Batch]) -> usize {
    let of_batch = |batch: &Batch| match batch.cases.first() {
        Some(Case::Team(_) | Case::Updates(_) | Case::Fft(_) | Case::Hpl(_)) => {
            batch.ranks.div_ceil(batch.ranks_per_node)
        }
        _ => 0,
    };
    batches.iter().map(of_batch).max().unwrap_or(0)
}

/// Bytes of the concurrent simulations that need most.
fn memory(batches: &[Batch], jobs: usize) -> u64 {
    let of_case = |case: &Case| match case {
        Case::RandomAccess(_) => 0,
        Case::Team(case) => case.bytes_per_rank(),
        // The data; and a second copy for the exchange of the simulator's library.
        Case::Alltoall(case) if case.algorithm.starts_with("library") || case.block.is_some() => {
            case.bytes_per_rank.saturating_mul(2)
        }
        Case::Alltoall(case) => case.bytes_per_rank.saturating_add(case.memory.min(case.bytes_per_rank)),
        Case::Gemm(case) => case.bytes_per_rank(),
        Case::Bsp(case) => case.bytes_per_rank(),
        Case::Updates(case) => case.bytes_per_rank(),
        Case::Fft(case) => case.bytes_per_rank(),
        Case::Hpl(case) => case.bytes_per_rank(),
        Case::Lcs(case) => case.bytes_per_rank(),
        Case::BspProgram(case) => case.bytes_per_rank(),
    };
    let of_batch = |batch: &Batch| {
        let most = batch.cases.iter().map(of_case).max().unwrap_or(0);
        most.saturating_add(smpirun::MEMORY_PER_RANK).saturating_mul(batch.ranks as u64)
    };
    let mut all: Vec<u64> = batches.iter().map(of_batch).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.iter().take(jobs).fold(0, |sum, &bytes| sum.saturating_add(bytes))
}

/// The costs as the library reads them, by the names of the units that the systems declare. That of local products by SUMMA
/// is an argument of their driver. All copies of a transform are of its data.
fn costs(batch: &Batch) -> String {
    let &Costs { generate_ns, update_ns, divide_ns, copy_ns, level_ns, .. } = &batch.machine.costs;
    let scale = batch.scale;
    let (of_data, rest_ns) = match batch.cases.first() {
        Some(Case::Fft(row)) => (scale, row.rest_ns(batch.machine.network.bandwidth_gb_s)),
        Some(Case::BspProgram(row)) => (1, row.rest_ns(batch.machine.network.bandwidth_gb_s)),
        _ => (1, 0.0),
    };
    let mut units = vec![
        (GENERATE, generate_ns),
        (UPDATE, update_ns),
        (DIVIDE, divide_ns),
        (COPY, copy_ns * of_data as f64),
        (COPY_BYTE, copy_ns * scale as f64),
        (LEVEL, level_ns * scale as f64),
        (REST, rest_ns),
    ];
    match batch.cases.first() {
        Some(Case::BspProgram(program)) => units.push(program.operation()),
        _ => units.push((ENTRY, lcs::entry_ns(&batch.machine) * scale as f64)),
    }
    let texts: Vec<String> = units.iter().map(|(unit, cost)| format!("{}={cost}", unit.name())).collect();
    texts.join(",")
}

/// Runs the batches, several concurrently; returns the cases with their figures, in the order of the batches, and
/// the failures.
fn run_all(
    arguments: &Arguments,
    batches: &[Batch],
    platforms: &[Platform<'_>],
) -> Result<(Vec<Vec<Case>>, Vec<Failure>), Failure> {
    let root = arguments.root.canonicalize().map_err(|error| format!("--root: {error}"))?;
    let runner = Runner { root, limit: arguments.limit() };
    let mut progress = Progress::new("simulate", true);
    progress.begin(batches.len());
    let progress = Mutex::new(progress);
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Result<Vec<Case>, Failure>>> =
        batches.iter().map(|_| Mutex::new(Ok(Vec::new()))).collect();
    let work = || {
        while !launch::interrupted() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(number) else { return };
            if let Ok(mut progress) = progress.lock() {
                progress.step(|| format!("{} on {} ranks", batch.machine.name, batch.ranks));
            }
            let result = run_batch(&runner, number, batch, &platforms[number]);
            *done[number].lock().unwrap_or_else(PoisonError::into_inner) = result;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs() {
            scope.spawn(work);
        }
    });
    progress.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
    let mut failures = Vec::new();
    let done = done.into_iter().map(|result| {
        result.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|failure| {
            failures.push(failure);
            Vec::new()
        })
    });
    let done = done.collect();
    if launch::interrupted() {
        // Results of hours are kept.
        failures.retain(|failure| failure != INTERRUPTED);
        failures.push(format!("{INTERRUPTED}: simulations that had not ended are missing"));
    }
    Ok((done, failures))
}

fn run_batch(
    runner: &Runner,
    number: usize,
    batch: &Batch,
    platform: &Platform<'_>,
) -> Result<Vec<Case>, Failure> {
    let (driver, arguments) = match batch.cases.first() {
        Some(Case::RandomAccess(_)) => ("random_access", vec![place::LOG2_WORDS.to_string()]),
        Some(Case::Gemm(_)) => ("gemm", Vec::new()),
        Some(Case::Bsp(_)) => ("bsp", Vec::new()),
        Some(Case::Team(_) | Case::Updates(_)) => ("caf", Vec::new()),
        Some(Case::Fft(_)) => ("fft", Vec::new()),
        Some(Case::Hpl(_)) => ("panels", Vec::new()),
        Some(Case::Lcs(_)) => ("lcs", Vec::new()),
        Some(Case::BspProgram(program)) => (program.driver(), Vec::new()),
        _ => ("alltoall", Vec::new()),
    };
    let driver = runner.root.join(driver);
    let case_texts = batch.cases.iter().map(Case::text).collect();
    let simulation = Simulation {
        platform,
        ranks: batch.ranks,
        driver,
        arguments,
        cases: case_texts,
        costs: costs(batch),
        collectives: batch.cases.first().map_or(&[], out_of_place::collectives),
    };
    let output = runner.run(number, &simulation)?;
    let records = records::parse(&output).map_err(|error| format!("output of a driver: {error}"))?;
    let mut cases = batch.cases.clone();
    if records.len() != cases.len() {
        return Err(format!(
            "a driver has printed {} records for {} cases: {output}",
            records.len(),
            cases.len()
        ));
    }
    for (case, record) in cases.iter_mut().zip(&records) {
        case.fill(record)?;
    }
    Ok(cases)
}
