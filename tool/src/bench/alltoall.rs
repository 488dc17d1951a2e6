//! `hcube bench alltoall`: the benchmark of Hofmann and Rünger 2013, section 4, and the other kinds of
//! exchanges.
//!
//! | file | holds |
//! |---|---|
//! | `arguments` | the options, and the cases of the blocking exchange |
//! | `communicators` | what exchanges at the same time: all ranks, or rows or columns of a grid |
//! | `problem` | counts, what blocks hold, and whether they have arrived |
//! | `calls` | communicators, and calls by hcube and by the MPI library |
//! | `blocking` | the blocking exchange |
//! | `kinds` | what the other kinds have in common |
//! | `general`, `neighbours`, `nonblocking` | one of them each |

mod arguments;
mod blocking;
mod calls;
mod communicators;
mod general;
mod kinds;
mod neighbours;
mod nonblocking;
mod problem;

pub use arguments::Arguments;

use super::{drawn, job};
use crate::session::{self, Failure, Session, Verdict};
use arguments::ExchangeKind;
use blocking::Blocking;
use general::General;
use hcube_results::alltoall::figure::sheet_of_all;
use hcube_results::alltoall::{Results, Run};
use hcube_results::runs::Joined;
use kinds::{Kind, Measured};
use neighbours::Neighbours;
use nonblocking::Nonblocking;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| measure(session, arguments));
    }
    session::without_mpi(|| join(arguments))
}

/// Writes the plot where it was asked for.
fn draw(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    let sheet = || sheet_of_all(arguments.over.map(Into::into), results);
    drawn::draw(arguments.plot.as_deref(), sheet, "there are no results to draw")
}

/// Collective: measures all kinds, one after the other.
fn measure(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    arguments.check()?;
    let common = &arguments.common;
    job::begin(session, common, || drawn::check(arguments.plot.as_deref()))?;
    let (mut all, mut proved) = (Results::default(), Verdict::Good);
    for kind in arguments.kinds() {
        if !(all.runs.is_empty() && all.kinds.is_empty()) && session.speaks() && common.json.tables() {
            println!();
        }
        let (results, verdict) = match kind {
            ExchangeKind::General => measure_kind(session, arguments, || General::new(session, arguments))?,
            ExchangeKind::Neighbours => {
                measure_kind(session, arguments, || Neighbours::new(session, arguments))?
            }
            ExchangeKind::Nonblocking => {
                measure_kind(session, arguments, || Nonblocking::new(session, arguments))?
            }
            ExchangeKind::Exchange | ExchangeKind::All => {
                let new = || Blocking::new(session, arguments);
                job::run(session, common, new, |blocking, rows, mut left_out| {
                    left_out.extend(blocking.left.iter().cloned());
                    Results::new(rows, left_out)
                })?
            }
        };
        all.add(results);
        if verdict != Verdict::Good {
            proved = verdict;
        }
    }
    all.date = drawn::today();
    Ok(job::finish(session, common, &all, proved, || draw(arguments, &all)))
}

/// Collective: measures a kind besides the blocking exchange.
fn measure_kind<K: Kind>(
    session: &Session,
    arguments: &Arguments,
    kind: impl FnOnce() -> hcube_core::Result<K>,
) -> Result<(Results, Verdict), Failure> {
    let new = || Measured::new(session, arguments, kind()?);
    job::run(session, &arguments.common, new, |_, rows, left_out| Results::of_kind(rows, left_out))
}

/// Joins the results of earlier runs, and draws them.
fn join(arguments: &Arguments) -> Result<(), Failure> {
    let json = &arguments.common.json;
    if arguments.plot.is_none() && !json.wanted() {
        return Err("--from: expected --plot or --json, which say what to do with the results".to_owned());
    }
    let checked = json.check().and_then(|()| drawn::check(arguments.plot.as_deref()));
    checked.map_err(|error| error.to_string())?;
    let wanted = |run: &Run| {
        arguments.wants(&run.algorithm)
            && run.communicators == arguments.communicators.name()
            && run.function.ends_with('w') == arguments.alltoallw
            && (arguments.sizes.is_empty() || arguments.sizes.contains(&run.bytes_per_rank))
    };
    let mut joined = Results::default();
    for mut results in drawn::read_results::<Results>(&arguments.from)? {
        results.runs.retain(wanted);
        joined.add(results);
    }
    json.write(&joined)?;
    draw(arguments, &joined)
}
