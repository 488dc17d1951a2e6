//! A benchmark from the check of the files that it is to write to its results: it prints the rows of a size
//! as soon as it was measured and the verdict of the verification at the end, writes JSON, and ends all ranks
//! with the same status.

use super::frame::{Measured, System, measure};
use crate::choices::number;
use crate::output::JsonOption;
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_results::measured::Place;
use hcube_results::runs::{Report, verification};
use hcube_results::table::Growing;

/// A number for the life of the process. (`default_value_t` keeps its text in a static variable, which all
/// systems would share.)
fn text(number: u32) -> &'static str {
    number.to_string().leak()
}

/// The options that all systems have which measure under MPI.
#[derive(Debug, Clone, clap::Args)]
pub struct Common<const REPEAT: u32> {
    /// Measurements of each case, alternating; the table shows the median and (largest - smallest) / median
    #[arg(long, value_name = "TIMES", default_value = text(REPEAT), value_parser = number::<u32>(1..=1000))]
    pub repeat: u32,
    /// Do not verify (by default each case is verified once for each size)
    #[arg(long)]
    pub no_verify: bool,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub json: JsonOption,
}

/// Collective: where a benchmark runs.
pub fn place(session: &Session, ranks_per_node: usize) -> Result<Place> {
    Ok(Place {
        mpi: session::library(),
        ranks: session.comm.size(),
        ranks_per_node,
        nodes: session.node_sizes()?.len(),
        cores: hcube_core::node::processor::cores(),
    })
}

/// How ranks lie, and under which MPI library: for headings.
pub fn shape(place: &Place) -> String {
    let nodes = match place.ranks_per_node {
        0 => String::new(),
        count => format!("; hcube takes each {count} rank(s) for a node"),
    };
    format!("{} rank(s) on {} node(s), {}{nodes}", place.ranks, place.nodes, place.mpi)
}

/// Whether nothing is wrong in results.
pub fn verdict(results: &impl Report) -> Verdict {
    let wrong = results.errors().into_iter().flatten().any(|errors| errors > 0);
    if wrong { Verdict::Wrong } else { Verdict::Good }
}

/// Collective: a benchmark from the check of the files that it is to write to its results. `new` makes the
/// system, `results` all rows and what was left out, `write` writes what was asked for besides JSON.
pub fn start<S: System, R: Report, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    check: impl FnOnce() -> Result<()>,
    new: impl FnOnce() -> Result<S>,
    results: impl Fn(&S, Vec<S::Row>, Vec<String>) -> R,
    write: impl FnOnce(&R) -> std::result::Result<(), Failure>,
) -> std::result::Result<Verdict, Failure> {
    begin(session, common, check)?;
    let (results, proved) = run(session, common, new, results)?;
    Ok(finish(session, common, &results, proved, || write(&results)))
}

/// Collective: checks the files that a benchmark is to write.
pub fn begin<const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    check: impl FnOnce() -> Result<()>,
) -> std::result::Result<(), Failure> {
    session.checked(|| common.json.check().and_then(|()| check())).map(drop)
}

/// What a benchmark prints where it prints tables: its heading, the rows of a size as soon as it was
/// measured, and the lines below them.
pub struct Printed {
    has_tables: bool,
    growing: Growing,
}

impl Printed {
    pub fn begin(has_tables: bool, heading: impl FnOnce() -> String) -> Self {
        if has_tables {
            print!("{}", heading());
        }
        Self { has_tables, growing: Growing::default() }
    }

    /// Prints the rows that are new.
    pub fn add<R: Report>(&mut self, results: impl FnOnce() -> R, progress: &Progress) {
        if self.has_tables {
            progress.print(&self.growing.add(&results().tables()));
        }
    }

    pub fn end(self, results: &impl Report) {
        if self.has_tables {
            print!("{}{}{}", results.below(), verification(&results.errors()), results.noise());
        }
    }
}

/// Collective: measures a system, from its heading to the lines below its tables. Whether all claims have
/// held.
pub fn run<S: System, R: Report, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    new: impl FnOnce() -> Result<S>,
    results: impl Fn(&S, Vec<S::Row>, Vec<String>) -> R,
) -> std::result::Result<(R, Verdict), Failure> {
    let mut system = new().map_err(|error| error.to_string())?;
    let has_tables = session.speaks() && common.json.tables();
    let mut printed = Printed::begin(has_tables, || system.heading(common.repeat));
    let mut progress = Progress::new(S::NAME, session.speaks() && !common.no_progress);
    let show = |system: &S, rows: &[S::Row], progress: &Progress| {
        printed.add(|| results(system, rows.to_vec(), Vec::new()), progress);
    };
    let how = (common.repeat, !common.no_verify);
    let measured = measure(&session.comm, &mut system, how, &mut progress, show);
    let Measured { rows, left_out, refuted } = measured.map_err(|error| error.to_string())?;
    progress.finish();
    let results = results(&system, rows, left_out);
    printed.end(&results);
    if session.speaks() {
        refuted.iter().for_each(|reason| eprintln!("hcube: {reason}"));
    }
    Ok((results, if refuted.is_empty() { Verdict::Good } else { Verdict::Wrong }))
}

/// Local: writes JSON, and by `write` what else was asked for. `proved` is what [`run`] has found.
pub fn finish<R: Report, const REPEAT: u32>(
    session: &Session,
    common: &Common<REPEAT>,
    results: &R,
    proved: Verdict,
    write: impl FnOnce() -> std::result::Result<(), Failure>,
) -> Verdict {
    let verdict = if proved == Verdict::Good { verdict(results) } else { proved };
    session.conclude(verdict, || common.json.write(results).and_then(|()| write()).map(|()| verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::panels::{Results, Run};

    #[test]
    fn every_system_has_its_own_number_of_measurements() {
        #[derive(clap::Parser)]
        struct Line<const REPEAT: u32> {
            #[command(flatten)]
            common: Common<REPEAT>,
        }
        assert_eq!(<Line<3> as clap::Parser>::parse_from(["x"]).common.repeat, 3);
        assert_eq!(<Line<21> as clap::Parser>::parse_from(["x"]).common.repeat, 21);
    }

    #[test]
    fn errors_decide_the_verdict() {
        let results = |errors: [Option<u64>; 2]| Results {
            runs: errors.map(|errors| Run { errors, ..Run::default() }).to_vec(),
            ..Results::default()
        };
        assert_eq!(verdict(&results([None, Some(7)])), Verdict::Wrong);
        assert_eq!(verdict(&results([None, Some(0)])), Verdict::Good);
    }
}
