//! What a job promises when one of its ranks fails.
//!
//! - Killed: the launcher ends in time, with a message and a status that says so. Well only where all results
//!   were there before.
//! - Stopped, or interrupted by signals: the job goes on, with the right results.
//! - Without further memory: the right results, or an end as of a rank that is killed.
//!
//! In all cases no process of the job remains, and no shared memory.

use crate::common::{Outcome, left_in_shared_memory, named_shared_memory};
use crate::steps::Step;
use crate::systems::System;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What happens to a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Kill,
    Stop,
    Memory,
    Interrupt,
}

impl Fault {
    pub const ALL: [Self; 4] = [Self::Kill, Self::Stop, Self::Memory, Self::Interrupt];

    /// The number of steps of a source that are tried, where a rank is killed after `kills` of them; 0 for
    /// all.
    pub fn tried(self, kills: u64) -> u64 {
        match self {
            Self::Kill => kills,
            Self::Memory | Self::Interrupt => kills.div_ceil(3),
            // Each of them takes the time for which a rank is stopped.
            Self::Stop => 1,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Memory => "memory",
            Self::Interrupt => "interrupt",
        })
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
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Well => "ended with the right results",
            Self::Told => "ended with a message",
            Self::Before => "ended before the step",
        })
    }
}

fn end_of(system: &System, fault: Fault, outcome: &Outcome) -> Result<End, String> {
    let all = || format!("{outcome:#?}");
    let (well, happened) =
        (outcome.status.success(), outcome.stderr.contains(&format!("fault: {fault} of rank")));
    // Apart from the message of the fault itself.
    let told = outcome.stderr.lines().chain(outcome.stdout.lines()).any(|line| !line.starts_with("fault: "));
    let right = well && outcome.stdout.contains(system.said);
    if !outcome.left.is_empty() {
        return Err(format!("processes are left: {}", all()));
    }
    match (happened, fault) {
        (false, _) if right => Ok(End::Before),
        (true, Fault::Stop | Fault::Interrupt | Fault::Memory) if right => Ok(End::Well),
        (true, Fault::Kill | Fault::Memory) if !well && told => Ok(End::Told),
        // All results were there before.
        (true, Fault::Kill) if right => Ok(End::Well),
        _ => Err(all()),
    }
}

/// Runs a system with a fault of one rank.
pub fn verdict(system: &System, fault: Fault, step: &Step, seconds: u64) -> Result<End, String> {
    let before = named_shared_memory();
    let launch = system
        .launch()
        .env("HCUBE_FAULT", &format!("{fault}:{}:{}", step.source, step.after))
        .env("HCUBE_FAULT_RANK", &step.rank.to_string())
        .env("HCUBE_FAULT_SECONDS", &seconds.to_string())
        .limit(60 + seconds);
    // A job that does not end makes the supervision panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| launch.run())).map_err(|cause| {
        cause.downcast::<String>().map_or_else(|_| "does not end".to_owned(), |text| *text)
    })?;
    let end = end_of(system, fault, &outcome)?;
    let left = left_in_shared_memory(&before);
    if left.is_empty() { Ok(end) } else { Err(format!("shared memory is left: {left:?}: {outcome:#?}")) }
}
