//! `hcube-lab simulate`: runs the library on simulated machines and compares the results with published ones.
//!
//! This subcommand starts smpirun itself, so it never initialises MPI. Results are in
//! the order of the sections, and do not depend on the speed of this machine.

pub mod alltoall;
pub mod alltoallv;
pub mod arguments;
pub mod bsp;
pub mod bsp_programs;
mod buckets;
pub mod caf;
mod calls;
pub mod columns;
pub mod fft;
pub mod gemm;
pub mod hosts;
pub mod hpl;
pub mod lcs;
mod place;
pub mod platform;
mod published;
mod random_access;
pub mod results;
pub mod row;
mod sections;
pub mod smpirun;
pub mod spent;

pub use alltoall::Alltoall;
pub use arguments::Arguments;
pub use buckets::Buckets;
pub use random_access::RandomAccess;

use crate::hpcc::launch;
use crate::records;
use hcube_core::machine::work::{COPY, REST};
use hcube_fft::work::LEVEL;
use hcube_gemm::COPY_BYTE;
use hcube_lcs::work::ENTRY;
use hcube_random_access::work::{DIVIDE, GENERATE, UPDATE};
use hcube_results::machine::Costs;
use hcube_tool::output;
use hcube_tool::progress::Progress;
use hcube_tool::session;
use platform::{Platform, Sharing};
use results::{Case, Results};
use row::{Row, take};
use smpirun::{INTERRUPTED, Runner, Simulation};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Cases of one simulation.
type Batch = row::Batch<Case>;

/// Runs the selected sections.
pub fn run(arguments: &Arguments) -> ExitCode {
    match simulate(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => session::report_failure(&failure),
    }
}

/// Returns whether no run had errors.
fn simulate(arguments: &Arguments) -> Result<bool, String> {
    arguments.json.check().map_err(|error| error.to_string())?;
    let batches = batches(arguments)?;
    let platforms = batches
        .iter()
        .map(|batch| {
            let first = batch.cases.first().map(Case::row);
            let (sharing, scale) = first.map_or((Sharing::Links, 1), |row| (row.sharing(), row.scale()));
            let is_cyclic = first.is_some_and(Row::is_cyclic);
            Platform::new(&batch.machine, batch.ranks, batch.ranks_per_node)
                .map(|one| one.scaled(scale).sharing_at_most(sharing).placed_in_turn(is_cyclic))
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
    let errors: u64 = filled.iter().flatten().map(|case| case.row().place().1.errors).sum();
    let results = collect(&batches, filled, failures);
    if arguments.json.tables() {
        print!("{}", sections::text(&results, &arguments.sections));
    }
    arguments.json.write(&results)?;
    if errors > 0 {
        eprintln!("hcube-lab simulate: {errors} error(s) in the data: see the column errors");
    }
    Ok(errors == 0 && results.failures.is_empty())
}

/// The selected simulations.
fn batches(arguments: &Arguments) -> Result<Vec<Batch>, String> {
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
fn collect(batches: &[Batch], filled: Vec<Vec<Case>>, failures: Vec<String>) -> Results {
    let mut results = Results { failures, ..Results::default() };
    for (batch, cases) in batches.iter().zip(filled) {
        if !results.machines.contains(&batch.machine) {
            results.machines.push(batch.machine.clone());
        }
        cases.into_iter().for_each(|case| results.add(case));
    }
    results
}

/// Files that a simulation opens at the same time: one for the memory of each node of a coarray program.
fn files(batches: &[Batch]) -> usize {
    let open =
        batches.iter().filter(|batch| batch.cases.first().is_some_and(|case| case.row().opens_files()));
    open.map(|batch| batch.ranks.div_ceil(batch.ranks_per_node)).max().unwrap_or(0)
}

/// Bytes of the concurrent simulations that need most.
fn memory(batches: &[Batch], jobs: usize) -> u64 {
    let of_batch = |batch: &Batch| {
        let most = batch.cases.iter().map(|case| case.row().bytes_per_rank()).max().unwrap_or(0);
        most.saturating_add(smpirun::MEMORY_PER_RANK).saturating_mul(batch.ranks as u64)
    };
    let mut all: Vec<u64> = batches.iter().map(of_batch).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all.iter().take(jobs).fold(0, |sum, &bytes| sum.saturating_add(bytes))
}

/// The costs as the library reads them, by the names of the units that the systems declare. The cost of
/// local products by SUMMA is an argument of their driver.
fn costs(batch: &Batch, row: &dyn Row) -> String {
    let &Costs { generate_ns, update_ns, divide_ns, copy_ns, level_ns, .. } = &batch.machine.costs;
    let scale = row.scale() as f64;
    let mut units = vec![
        (GENERATE, generate_ns),
        (UPDATE, update_ns),
        (DIVIDE, divide_ns),
        (COPY, copy_ns),
        (COPY_BYTE, copy_ns * scale),
        (LEVEL, level_ns * scale),
        (REST, 0.0),
        (ENTRY, lcs::entry_ns(&batch.machine) * scale),
    ];
    for (unit, cost) in row.costs(&batch.machine, scale) {
        match units.iter_mut().find(|(other, _)| *other == unit) {
            Some(own) => own.1 = cost,
            None => units.push((unit, cost)),
        }
    }
    let texts: Vec<String> = units.iter().map(|(unit, cost)| format!("{}={cost}", unit.name())).collect();
    texts.join(",")
}

/// Runs the batches, several concurrently; returns the cases with their figures, in the order of the batches,
/// and the failures.
fn run_all(
    arguments: &Arguments,
    batches: &[Batch],
    platforms: &[Platform<'_>],
) -> Result<(Vec<Vec<Case>>, Vec<String>), String> {
    let root = arguments
        .root
        .canonicalize()
        .map_err(|error| format!("--root {}", output::failure(&arguments.root)(error)))?;
    let runner = Runner { root, limit: arguments.limit(), spent: Mutex::default() };
    let mut progress = Progress::new("simulate", true);
    progress.begin(batches.len());
    let progress = Mutex::new(progress);
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Result<Vec<Case>, String>>> =
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
    eprint!("{}", runner.spent.into_inner().unwrap_or_else(PoisonError::into_inner).text());
    let mut failures = Vec::new();
    let done = done.into_iter().map(|result| {
        result.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|failure| {
            failures.push(failure);
            Vec::new()
        })
    });
    let done = done.collect();
    if launch::interrupted() {
        // The results so far are written.
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
) -> Result<Vec<Case>, String> {
    let Some(first) = batch.cases.first().map(Case::row) else { return Ok(Vec::new()) };
    let (driver, argument) = first.driver();
    let simulation = Simulation {
        section: &first.place().0.section,
        platform,
        ranks: batch.ranks,
        driver: runner.root.join(driver),
        arguments: argument.into_iter().collect(),
        cases: batch.cases.iter().map(|case| case.row().text()).collect(),
        costs: costs(batch, first),
        collectives: first.collectives(),
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
        take(case.row_mut(), record, platform.sharing() == Sharing::Links)?;
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// Fields that drivers print, with invented values.
    const TIMES: [&str; 7] =
        ["seconds", "communication", "split", "barrier", "lookup", "access", "exchanges"];
    const COUNTS: [&str; 10] = [
        "updates",
        "errors",
        "messages",
        "message_bytes",
        "members",
        "words",
        "lookups",
        "reads",
        "reductions",
        "subsequence",
    ];

    /// A row of every kind, by all sections.
    #[test]
    fn results_are_read_as_they_were_written() {
        let arguments = Line::try_parse_from(["x"]).expect("defaults").arguments;
        let all = batches(&arguments).expect("machines of hcube");
        let mut filled: Vec<Vec<Case>> = all.iter().map(|batch| batch.cases.clone()).collect();
        for case in filled.iter_mut().flatten() {
            let mut text = format!("case\t{}\nplan\ta plan\nway\ta way\npath\tsumma\n", case.row().text());
            text.extend(TIMES.map(|name| format!("{name}\t0.125\n")));
            text.extend(COUNTS.map(|name| format!("{name}\t7\n")));
            let records = records::parse(&(text + "\n")).expect("a record");
            take(case.row_mut(), &records[0], true).expect("all fields");
            assert_eq!(case.row().place().1.errors, 7);
        }
        let results = collect(&all, filled, vec!["a failure".to_owned()]);
        let text = hcube_results::json::text(&results).expect("JSON");
        let read: Results = serde_json::from_str(&text).expect("results");
        assert!(read.lists().iter().all(|(_, rows)| !rows.is_empty()));
        // Parsed in the same way: numbers may differ in their last digit from those that were written.
        let written: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert!(serde_json::to_value(&read).expect("JSON") == written, "a row is not read as it was written");
    }
}
