//! `hcube bench alltoall`: the benchmark of Hofmann and Rünger 2013, section 4, and the other kinds of exchanges.
//!
//! | file | holds |
//! |---|---|
//! | `arguments` | the options, and the cases of the blocking exchange |
//! | `problem` | counts, what blocks hold, and whether they have arrived |
//! | `calls` | communicators, and calls by hcube and by the MPI library |
//! | `measure`, `system`, `report` | the blocking exchange |
//! | `kinds` | what the other kinds have in common |
//! | `general`, `neighbours`, `nonblocking` | one of them each |
//! | `plot` | the picture of all kinds |

mod arguments;
mod calls;
mod general;
mod kinds;
mod measure;
mod neighbours;
mod nonblocking;
mod plot;
mod problem;
mod report;
mod system;

pub use arguments::Arguments;

use crate::bench::{files, frame};
use crate::session::{self, Failure, Session, Verdict};
use arguments::ExchangeKind;
use general::General;
use hcube_results::alltoall::{Results, Run};
use kinds::{Kind, Measured};
use measure::Alltoall;
use neighbours::Neighbours;
use nonblocking::Nonblocking;
use plot::{check_plot, draw};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| measure(session, arguments));
    }
    session::without_mpi(|| join(arguments))
}

/// Collective: measures all kinds, one after the other.
fn measure(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    let common = &arguments.common;
    frame::begin(session, common, || check_plot(arguments))?;
    let (mut all, mut proved) = (Results::default(), Verdict::Good);
    for kind in arguments.kinds() {
        if !(all.runs.is_empty() && all.kinds.is_empty()) && session.speaks() && common.json.tables() {
            println!();
        }
        let (results, verdict) = match kind {
            ExchangeKind::General => measure_kind(session, arguments, General::new(session, arguments))?,
            ExchangeKind::Neighbours => {
                measure_kind(session, arguments, Neighbours::new(session, arguments))?
            }
            ExchangeKind::Nonblocking => {
                measure_kind(session, arguments, Nonblocking::new(session, arguments))?
            }
            ExchangeKind::Exchange | ExchangeKind::All => {
                let mut system = Alltoall::new(session, arguments).map_err(|error| error.to_string())?;
                frame::run(session, common, &mut system)?
            }
        };
        all.add(results);
        if verdict != Verdict::Good {
            proved = verdict;
        }
    }
    Ok(frame::finish(session, common, &all, proved, || draw(arguments, &all)))
}

/// Collective: measures a kind besides the blocking exchange.
fn measure_kind<K: Kind>(
    session: &Session,
    arguments: &Arguments,
    kind: hcube_core::Result<K>,
) -> Result<(Results, Verdict), Failure> {
    let system = kind.and_then(|kind| Measured::new(session, arguments, kind));
    frame::run(session, &arguments.common, &mut system.map_err(|error| error.to_string())?)
}

/// Joins the results of earlier runs, and draws them.
fn join(arguments: &Arguments) -> Result<(), Failure> {
    let json = &arguments.common.json;
    if arguments.plot.is_none() && !json.wanted() {
        return Err("--from: expected --plot or --json, which say what to do with the results".to_owned());
    }
    json.check().and_then(|()| check_plot(arguments)).map_err(|error| error.to_string())?;
    let wanted = |run: &Run| {
        arguments.wants(&run.algorithm)
            && (arguments.sizes.is_empty() || arguments.sizes.contains(&run.bytes_per_rank))
    };
    let mut joined = Results::default();
    for mut results in files::read::<Results>(&arguments.from)? {
        results.runs.retain(wanted);
        joined.add(results);
    }
    json.write(&joined)?;
    draw(arguments, &joined)
}
