//! What a job promises when one of its ranks fails.
//!
//! - Killed: the launcher ends in time, with a message and a status that says so. Well only where all results
//!   were there before.
//! - Stopped, or interrupted by signals: the job goes on, with the right results.
//! - Without further memory: the right results, or an end as of a rank that is killed.
//!
//! In all cases no process of the job remains, and no shared memory. [`BROKEN`] has what MPI libraries break.

use crate::common::{Mpi, Outcome, left_in_shared_memory, named_shared_memory};
use crate::steps::{Step, Steps};
use crate::systems::System;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What happens to a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Kill,
    Stop,
    /// The same for much longer.
    LongStop,
    Memory,
    Interrupt,
}

impl Fault {
    pub const ALL: [Self; 5] = [Self::Kill, Self::Stop, Self::LongStop, Self::Memory, Self::Interrupt];

    /// As the library calls it (`HCUBE_FAULT`).
    fn kind(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::Stop | Self::LongStop => "stop",
            Self::Memory => "memory",
            Self::Interrupt => "interrupt",
        }
    }

    /// How long a rank is stopped, where a long stop takes these seconds.
    fn seconds(self, long: u64) -> u64 {
        match self {
            Self::LongStop => long,
            _ => 2,
        }
    }

    /// The steps at which it happens, where a rank is killed after `kills` steps of each source, 0 for all.
    pub fn tried(self, all: &Steps, kills: u64) -> Vec<Step> {
        match self {
            Self::Kill => all.spread(kills),
            Self::Memory | Self::Interrupt => all.spread(kills.div_ceil(3)),
            // Each of them takes the time for which a rank is stopped.
            Self::Stop => all.spread(1),
            Self::LongStop => all.busiest(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(if *self == Self::LongStop { "long stop" } else { self.kind() })
    }
}

/// How a job has ended that has kept its promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With the right results.
    Well,
    /// With a message.
    Told,
    /// Well, before that step: the number of steps of a run varies where ranks wait for each other.
    Before,
    /// Not at all, for a reason of [`BROKEN`].
    Never,
}

/// A promise that an MPI library breaks, also in programs without hcube.
struct Broken {
    mpi: Mpi,
    fault: Fault,
    /// What the job prints that does not end.
    said: &'static str,
}

/// All of them, with the reason.
const BROKEN: [Broken; 1] = [
    // A rank that cannot attach the memory of UCX's transport when the first long message of another one
    // arrives drops the request: both wait for ever (doc/troubleshooting.md, "MPICH does not end").
    Broken { mpi: Mpi::Mpich, fault: Fault::Memory, said: "UCX  ERROR shmat(" },
];

/// Seconds after which such a job is ended.
const SECONDS_IN_VAIN: u64 = 10;

impl Broken {
    /// What may be broken where this happens with the selected MPI library.
    fn of(fault: Fault) -> Option<&'static Self> {
        BROKEN.iter().find(|broken| broken.mpi == Mpi::selected() && broken.fault == fault)
    }
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Well => "ended with the right results",
            Self::Told => "ended with a message",
            Self::Before => "ended before the step",
            Self::Never => "did not end, which the MPI library causes",
        })
    }
}

fn end_of(system: &System, fault: Fault, outcome: &Outcome) -> Result<End, String> {
    let all = || format!("{outcome:#?}");
    let (well, happened) =
        (outcome.ended_well(), outcome.stderr.contains(&format!("fault: {} of rank", fault.kind())));
    // Apart from the message of the fault itself.
    let told = outcome.stderr.lines().chain(outcome.stdout.lines()).any(|line| !line.starts_with("fault: "));
    let right = well && outcome.stdout.contains(system.said);
    if !outcome.left.is_empty() {
        return Err(format!("processes are left: {}", all()));
    }
    match (happened, fault) {
        (false, _) if right => Ok(End::Before),
        (true, Fault::Stop | Fault::LongStop | Fault::Interrupt | Fault::Memory) if right => Ok(End::Well),
        (true, Fault::Kill | Fault::Memory) if !well && told => Ok(End::Told),
        // All results were there before.
        (true, Fault::Kill) if right => Ok(End::Well),
        _ => Err(all()),
    }
}

/// Seconds that a job may take beside the time for which a rank is stopped. Far more than any of them needs:
/// a limit for a hang, not for slowness.
const MAX_SECONDS: u64 = 120;

/// Runs a system with a fault of one rank, which a long stop stops for `long` seconds.
pub fn verdict(system: &System, fault: Fault, step: &Step, long: u64) -> Result<End, String> {
    let (before, broken, seconds) = (named_shared_memory(), Broken::of(fault), fault.seconds(long));
    let mut launch = system
        .launch()
        .env("HCUBE_FAULT", &format!("{}:{}:{}", fault.kind(), step.source, step.after))
        .env("HCUBE_FAULT_RANK", &step.rank.to_string())
        .env("HCUBE_FAULT_SECONDS", &seconds.to_string())
        .limit(MAX_SECONDS + seconds);
    if let Some(broken) = broken {
        launch = launch.hopeless_after(broken.said, SECONDS_IN_VAIN);
    }
    // A job that does not end makes the supervision panic.
    let (end, text) = match catch_unwind(AssertUnwindSafe(|| launch.run())) {
        Ok(outcome) => (end_of(system, fault, &outcome)?, format!("{outcome:#?}")),
        Err(cause) => {
            let text = cause.downcast::<String>().map_or_else(|_| "does not end".to_owned(), |text| *text);
            match broken {
                Some(broken) if text.contains(broken.said) => (End::Never, text),
                _ => return Err(text),
            }
        }
    };
    let left = left_in_shared_memory(&before);
    if left.is_empty() { Ok(end) } else { Err(format!("shared memory is left: {left:?}: {text}")) }
}
