//! A soak: for hours, all systems with random programs, sizes, ranks, nodes and disturbances; `make soak`.
//!
//! Everything about a run follows from its seed. Each must end with the right results, or, where a rank was
//! killed, with a message; no process and no shared memory may be left, and where a client repeats its work,
//! nothing may grow. A line a minute says how far it is; failures are printed at once, with the command
//! that repeats them. In `make test`, every job has one short run.
//!
//! `HCUBE_TEST_SOAK="hours=6 seed=1 runs=100 log=FILE jobs=bsp,caf"`: the length of [`hours`]; the seed of
//! the first run; the number of runs, also before the hours are over; a file of comma-separated values that
//! gets a line for each run; the jobs. All may be left out.

use hcube_testing as common;

mod jobs;
mod report;
mod run;

use jobs::{JOBS, Job};
use report::Report;
use run::Run;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is asked for.
struct Soak {
    length: Duration,
    seed: u64,
    runs: u64,
    log: Option<PathBuf>,
    jobs: Vec<&'static Job>,
}

fn job(name: &str) -> &'static Job {
    JOBS.iter().find(|job| job.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = JOBS.iter().map(|job| job.name).collect();
        panic!("there is no job {name}: choose of {}", names.join(", "))
    })
}

impl Soak {
    fn of(text: &str) -> Self {
        let mut soak = Self {
            length: Duration::from_secs(3600),
            seed: 1,
            runs: u64::MAX,
            log: None,
            jobs: JOBS.iter().collect(),
        };
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("{word}: expected NAME=VALUE"));
            let number = || value.parse::<f64>().unwrap_or_else(|_| panic!("{word}: expected a number"));
            match name {
                "hours" => soak.length = Duration::from_secs_f64(number() * 3600.0),
                "seed" => soak.seed = number() as u64,
                "runs" => soak.runs = number() as u64,
                "log" => soak.log = Some(PathBuf::from(value)),
                "jobs" => soak.jobs = value.split(',').map(job).collect(),
                _ => panic!("{word}: expected hours, seed, runs, log or jobs"),
            }
        }
        soak
    }

    /// Runs one seed after the other.
    fn run(&self) -> Report {
        let names: Vec<&str> = self.jobs.iter().map(|job| job.name).collect();
        let selection =
            if names.len() < JOBS.len() { format!(" JOBS='{}'", names.join(" ")) } else { String::new() };
        let (begin, mut report) = (Instant::now(), Report::new(selection, self.log.clone()));
        for seed in (self.seed..).take(self.runs.try_into().unwrap_or(usize::MAX)) {
            if begin.elapsed() >= self.length {
                break;
            }
            let Some(run) = Run::of(seed, &self.jobs) else { continue };
            let (job, ranks, manner, start) = (run.job, run.ranks, run.manner, Instant::now());
            let end = run.check();
            report.add(seed, job.name, ranks, manner, start.elapsed(), end);
        }
        report
    }
}

/// As long as it is told to.
#[test]
#[ignore = "takes hours: make soak"]
fn hours() {
    let report = Soak::of(&std::env::var("HCUBE_TEST_SOAK").unwrap_or_default()).run();
    report.summary();
    assert!(report.failures() == 0, "{} runs have failed", report.failures());
}

/// What is asked for in words.
#[test]
fn words() {
    let soak = Soak::of("hours=0.5 seed=7 runs=3 jobs=bsp,caf");
    assert_eq!((soak.length.as_secs(), soak.seed, soak.runs), (1800, 7, 3));
    assert_eq!(soak.jobs.iter().map(|job| job.name).collect::<Vec<_>>(), ["bsp", "caf"]);
    assert_eq!(Soak::of("").jobs.len(), JOBS.len());
    for wrong in ["hours", "hours=x", "days=1", "jobs=sap"] {
        assert!(std::panic::catch_unwind(|| Soak::of(wrong)).is_err(), "{wrong}");
    }
}

/// A seed always means the same run.
#[test]
fn seeds() {
    let jobs = [job("all-to-all"), job("bsp"), job("random-access")];
    for seed in 0..50 {
        let shown = || Run::of(seed, &jobs).map(|run| format!("{run:?}"));
        assert!(shown().is_some() && shown() == shown(), "{seed}");
    }
}

/// Every job ends as it should, in the manner of some seed.
#[test]
fn every_job_once() {
    let mut missing = Vec::new();
    for job in &JOBS {
        match (3..30).find_map(|seed| Run::of(seed, &[job])) {
            Some(run) => {
                let end = run.check();
                assert!(end.is_ok(), "{}: {end:?}", job.name);
            }
            None => missing.push(job.name),
        }
    }
    // Open MPI 4 has no persistent ones; a machine may lack FFTW, ScaLAPACK and gfortran.
    assert!(missing.len() <= 4, "{missing:?}");
}

/// A client that needs more memory in every round is found.
#[test]
fn growth_is_found() {
    let outcome = common::Launch::client("growing", 2).env("HCUBE_TEST_ROUNDS", "30").whole_lines().run();
    assert!(!outcome.status.success() && outcome.stderr.contains("grown in 20 rounds"), "{outcome:#?}");
    let text = common::Launch::client("growing", 2).env("HCUBE_TEST_ROUNDS", "2").run().success();
    assert_eq!(text, "ok\n");
}
