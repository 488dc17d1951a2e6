//! One run of a soak. Its seed determines everything about it.

use crate::common::chance::Chance;
use crate::common::{
    Disturbance, Launch, Outcome, Signal, by_mpi, left_in_shared_memory, named_shared_memory,
};
use crate::jobs::Job;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// What is done to a job while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Nothing.
    Once,
    /// It does its work this number of times in the same processes, whose use of memory, files and mappings
    /// must not grow.
    Rounds(usize),
    /// A rank is killed or stopped.
    Disturbed(Disturbance),
}

impl fmt::Display for Manner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Once => write!(formatter, "once"),
            Self::Rounds(rounds) => write!(formatter, "{rounds} rounds"),
            Self::Disturbed(Disturbance { rank, after, what }) => {
                let what = if *what == Signal::Kill { "killed" } else { "stopped" };
                write!(formatter, "rank {rank} {what} after {} ms", after.as_millis())
            }
        }
    }
}

/// How a run has ended that is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With the right results.
    Right,
    /// With a message and a status that says so, after a rank was killed.
    Told,
}

impl End {
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Told => "told",
        }
    }
}

/// A run.
#[derive(Debug)]
pub struct Run<'a> {
    pub job: &'a Job,
    pub ranks: usize,
    pub manner: Manner,
    launch: Launch,
}

impl<'a> Run<'a> {
    /// The run of a seed, of one of these jobs; none if the machine lacks what it needs.
    pub fn of(seed: u64, jobs: &[&'a Job]) -> Option<Self> {
        let mut chance = Chance::new(seed);
        let job = *chance.one(jobs);
        // Waiting ranks of MPICH never yield.
        let ranks = *chance.one(by_mpi(&[1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9], &[1, 2, 2, 2, 3]));
        let per_node = chance.from(1, ranks as i64) as usize;
        let several_nodes = chance.is(60);
        let manner = manner(&mut chance, job, ranks);
        let mut launch = (job.launch)(&mut chance, ranks)?.limit(1500).whole_lines();
        if several_nodes {
            launch = launch.per_node(per_node);
        }
        launch = match manner {
            Manner::Once => launch,
            Manner::Rounds(rounds) => launch.env("HCUBE_TEST_ROUNDS", &rounds.to_string()),
            Manner::Disturbed(disturbance) => launch.disturb(disturbance),
        };
        Some(Self { job, ranks, manner, launch })
    }

    /// Runs it.
    pub fn check(self) -> Result<End, String> {
        let Self { manner, launch, .. } = self;
        let shown = format!("{launch:?}");
        let before = named_shared_memory();
        // A job that does not end makes the supervision panic.
        let outcome = catch_unwind(AssertUnwindSafe(|| launch.run())).map_err(|cause| {
            cause.downcast::<String>().map_or_else(|_| "does not end".to_owned(), |text| *text)
        })?;
        let left = left_in_shared_memory(&before);
        if !left.is_empty() {
            return Err(format!("shared memory is left: {left:?}\n{shown}\n{outcome:#?}"));
        }
        end_of(manner, &outcome).map_err(|wrong| format!("{wrong}\n{shown}\n{outcome:#?}"))
    }
}

/// One run in five repeats its work, and one in four is disturbed.
fn manner(chance: &mut Chance, job: &Job, ranks: usize) -> Manner {
    match chance.below(20) {
        0..4 if job.repeats => Manner::Rounds(3 * chance.from(3, 10) as usize),
        4..9 => {
            let (rank, after) = (chance.below(ranks), Duration::from_millis(chance.from(20, 1500) as u64));
            let stop = Signal::Stop(Duration::from_millis(chance.from(100, 4000) as u64));
            let what = if chance.is(70) { Signal::Kill } else { stop };
            Manner::Disturbed(Disturbance { rank, after, what })
        }
        _ => Manner::Once,
    }
}

/// How a job has ended, if it has kept its promises.
fn end_of(manner: Manner, outcome: &Outcome) -> Result<End, &'static str> {
    let Outcome { status, stdout, stderr, left, disturbed, .. } = outcome;
    let says = |line: &str| ["ok", "passed"].iter().any(|word| line.split(' ').next() == Some(word));
    let right = outcome.ended_well() && stdout.lines().any(says);
    let was_killed =
        *disturbed && matches!(manner, Manner::Disturbed(Disturbance { what: Signal::Kill, .. }));
    let says_something = !stdout.is_empty() || !stderr.is_empty();
    if !left.is_empty() {
        return Err("processes are left");
    }
    if matches!(manner, Manner::Rounds(_)) && right && !stdout.contains("flat rounds=") {
        return Err("the client has not repeated its work");
    }
    match (right, was_killed) {
        (true, _) => Ok(End::Right),
        (false, true) if !status.success() && says_something => Ok(End::Told),
        (false, true) => Err("a rank was killed, and nothing says so"),
        (false, false) => Err("the results are wrong"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn outcome(code: i32, stdout: &str, stderr: &str, disturbed: bool) -> Outcome {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        let status = ExitStatus::from_raw(code << 8);
        Outcome { status, stdout, stderr, left: Vec::new(), disturbed, lasted: Duration::ZERO }
    }

    #[test]
    fn ends() {
        let disturbed =
            |what| Manner::Disturbed(Disturbance { rank: 0, after: Duration::from_secs(1), what });
        let killed = disturbed(Signal::Kill);
        let stopped = disturbed(Signal::Stop(Duration::from_secs(1)));
        assert_eq!(end_of(Manner::Once, &outcome(0, "ok 3\n", "", false)), Ok(End::Right));
        assert_eq!(end_of(Manner::Once, &outcome(0, "okay\n", "", false)), Err("the results are wrong"));
        assert!(end_of(Manner::Once, &outcome(1, "ok 3\n", "", false)).is_err());
        assert!(end_of(Manner::Rounds(9), &outcome(0, "ok 3\n", "", false)).is_err());
        assert_eq!(
            end_of(Manner::Rounds(9), &outcome(0, "flat rounds=6\nok 3\n", "", false)),
            Ok(End::Right)
        );
        assert_eq!(end_of(killed, &outcome(137, "", "signal 9", true)), Ok(End::Told));
        assert!(end_of(killed, &outcome(137, "", "", true)).is_err());
        // Before the signal was sent, it was no reason to fail.
        assert!(end_of(killed, &outcome(1, "", "wrong", false)).is_err());
        assert!(end_of(stopped, &outcome(1, "", "wrong", true)).is_err());
        let mut left = outcome(0, "ok\n", "", false);
        left.left.push(1);
        assert_eq!(end_of(Manner::Once, &left), Err("processes are left"));
    }
}
