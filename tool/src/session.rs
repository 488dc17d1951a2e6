//! MPI from start to end of a subcommand, and the rule for failures: the message appears once, every
//! rank ends with the same status, and no rank waits forever.

use crate::{interrupt, launched};
use hcube_core::comm::{Comm, agree};
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::rsmpi;
use hcube_core::mpi::{handle, misspelt};
use std::process::ExitCode;

/// Exit status where the work was done and something was found wrong.
const FOUND_WRONG: u8 = 1;
/// Exit status where the work could not be done.
const REFUSED: u8 = 2;

/// What a subcommand has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Good,
    /// Something is wrong, and has been reported.
    Wrong,
    /// The user has ended it.
    Interrupted,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Good => Self::SUCCESS,
            Verdict::Wrong => Self::from(FOUND_WRONG),
            Verdict::Interrupted => Self::from(interrupt::STATUS),
        }
    }
}

/// A message for the user; under MPI the same failure has been agreed on by all ranks.
pub type Failure = String;

/// Says why the work could not be done.
pub fn report_failure(failure: &str) -> ExitCode {
    eprintln!("hcube: {failure}");
    ExitCode::from(REFUSED)
}

/// Runs a subcommand that does not use MPI.
pub fn without_mpi(work: impl FnOnce() -> Result<(), Failure>) -> ExitCode {
    work().map_or_else(|failure| report_failure(&failure), |()| ExitCode::SUCCESS)
}

/// How ranks lie, and under which MPI library: for headings.
pub fn shape(node_sizes: &[usize]) -> String {
    let (ranks, nodes) = (node_sizes.iter().sum::<usize>(), node_sizes.len());
    let sizes: Vec<String> = node_sizes.iter().take(4).map(ToString::to_string).collect();
    let more = if nodes > 4 { ", ..." } else { "" };
    format!("{ranks} rank(s) on {nodes} node(s) ({}{more} per node), {}", sizes.join(", "), library())
}

/// The MPI library's name and version; some put tabs into it.
pub fn library() -> String {
    handle::library_version().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a subcommand under MPI works with.
pub struct Session {
    /// All ranks.
    pub comm: MpiComm,
    /// Only this rank.
    pub alone: MpiComm,
}

impl Session {
    /// Whether this rank speaks to the user.
    pub fn speaks(&self) -> bool {
        self.comm.rank() == 0
    }

    /// Collective: what a check on the rank that speaks has found, before the other ranks go on; nothing on
    /// those.
    ///
    /// # Errors
    /// On all ranks where the check fails.
    pub fn checked<T>(&self, check: impl FnOnce() -> hcube_core::Result<T>) -> Result<Option<T>, Failure> {
        let local = if self.speaks() { check().map(Some) } else { Ok(None) };
        agree(&self.comm, local).map_err(|error| error.to_string())
    }

    /// Local: prints and writes on the rank that speaks; the others have another verdict. They do not know of
    /// it, so a file that cannot be written is reported but not agreed on.
    pub fn conclude(&self, others: Verdict, write: impl FnOnce() -> Result<Verdict, Failure>) -> Verdict {
        if !self.speaks() {
            return others;
        }
        write().unwrap_or_else(|failure| {
            eprintln!("hcube: {failure}");
            Verdict::Wrong
        })
    }

    /// Collective: ranks of each node, largest first.
    pub fn node_sizes(&self) -> hcube_core::Result<Vec<usize>> {
        let numbers = self.comm.node_numbers()?;
        let mut sizes: Vec<usize> = Vec::new();
        for (rank, number) in numbers.iter().enumerate() {
            if !numbers[..rank].contains(number) {
                sizes.push(numbers.iter().filter(|other| *other == number).count());
            }
        }
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        Ok(sizes)
    }
}

/// A panic on one rank would leave the others waiting: end the job.
fn abort_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        handle::abort(None);
    }));
}

fn connect() -> hcube_core::Result<Session> {
    let world = mpi::topology::SimpleCommunicator::world();
    let alone = mpi::topology::SimpleCommunicator::self_comm();
    Ok(Session { comm: rsmpi::duplicate(&world)?, alone: rsmpi::duplicate(&alone)? })
}

/// Runs a subcommand between MPI_Init and MPI_Finalize, and names misspelt variables first.
pub fn run(work: impl FnOnce(&Session) -> Result<Verdict, Failure>) -> ExitCode {
    run_in(mpi::initialize(), |session| {
        misspelt::report();
        work(session)
    })
}

/// As [`run`], with the highest level of threads that MPI provides, for a command that examines the environment itself.
pub fn run_with_threads(work: impl FnOnce(&Session) -> Result<Verdict, Failure>) -> ExitCode {
    run_in(mpi::initialize_with_threading(mpi::Threading::Multiple).map(|(universe, _)| universe), work)
}

fn run_in(
    universe: Option<mpi::environment::Universe>,
    work: impl FnOnce(&Session) -> Result<Verdict, Failure>,
) -> ExitCode {
    let Some(universe) = universe else {
        return report_failure("MPI could not be initialised");
    };
    abort_on_panic();
    let session = match connect() {
        Ok(session) => session,
        Err(error) => {
            eprintln!("hcube: {error}");
            handle::abort(None);
        }
    };
    let code = match work(&session) {
        Ok(verdict) => verdict.into(),
        Err(failure) if session.speaks() => report_failure(&failure),
        Err(_) => ExitCode::from(REFUSED),
    };
    if handle::check_state().is_err() {
        // A library that was measured has finalised MPI.
        std::mem::forget((session, universe));
        return code;
    }
    // A launcher ends the job when the first rank fails: not before rank 0 has spoken.
    drop(session.comm.barrier());
    drop(session.alone);
    drop(session.comm);
    drop(universe);
    code
}

/// Ends after a command line that was not accepted, or that asked for help: rank 0 speaks, the others
/// wait for it.
pub fn refuse(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(REFUSED));
    let speak = || drop(error.print());
    if !launched::by_launcher() {
        speak();
        return code;
    }
    let Some(universe) = mpi::initialize() else { return code };
    if let Ok(session) = connect() {
        if session.speaks() {
            speak();
        }
        drop(session.comm.barrier());
    }
    drop(universe);
    code
}
