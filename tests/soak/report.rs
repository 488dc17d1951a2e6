//! What a soak has run, and what failed.

use crate::common::Mpi;
use crate::run::{End, Manner};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The runs of a job.
#[derive(Default)]
struct Runs {
    once: u64,
    rounds: u64,
    disturbed: u64,
    told: u64,
    failed: u64,
    time: Duration,
}

/// All runs.
pub struct Report {
    /// What else selects the jobs, on the command line.
    selection: String,
    log: Option<PathBuf>,
    jobs: BTreeMap<&'static str, Runs>,
    begin: Instant,
    said: Instant,
    failed: Vec<u64>,
}

/// Past the test harness, which captures the output of a test.
fn say(line: &str) {
    let _ = std::io::stderr().write_all(format!("soak: {line}\n").as_bytes());
}

fn clock(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    format!("{}:{:02} h", minutes / 60, minutes % 60)
}

impl Report {
    pub fn new(selection: String, log: Option<PathBuf>) -> Self {
        let now = Instant::now();
        Self { selection, log, jobs: BTreeMap::new(), begin: now, said: now, failed: Vec::new() }
    }

    /// Counts a run, and says what is worth saying.
    pub fn add(
        &mut self,
        seed: u64,
        job: &'static str,
        ranks: usize,
        manner: Manner,
        time: Duration,
        end: Result<End, String>,
    ) {
        let runs = self.jobs.entry(job).or_default();
        runs.time += time;
        match manner {
            Manner::Once => runs.once += 1,
            Manner::Rounds(_) => runs.rounds += 1,
            Manner::Disturbed(_) => runs.disturbed += 1,
        }
        let word = end.as_ref().map_or("failed", |end| end.name());
        let library = Mpi::selected().name();
        if let Some(log) = &self.log {
            let seconds = time.as_secs_f64();
            let line = format!("{library},{seed},{job},{ranks},{manner},{word},{seconds:.2}\n");
            let file = OpenOptions::new().create(true).append(true).open(log);
            file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the log is writable");
        }
        match end {
            Ok(End::Told) => runs.told += 1,
            Ok(End::Right) => {}
            Err(text) => {
                runs.failed += 1;
                self.failed.push(seed);
                say(&format!("FAILED: seed {seed}: {job}, {ranks} ranks, {manner}: {text}"));
                say(&format!("again: make soak LIBRARIES={library} SEED={seed} RUNS=1{}", self.selection));
            }
        }
        if self.said.elapsed() >= Duration::from_secs(60) {
            self.said = Instant::now();
            let all: u64 = self.jobs.values().map(|runs| runs.once + runs.rounds + runs.disturbed).sum();
            let failed = self.failed.len();
            say(&format!("{}, {library}: {all} runs, {failed} failed", clock(self.begin.elapsed())));
        }
    }

    pub fn failures(&self) -> usize {
        self.failed.len()
    }

    /// A table of all jobs.
    pub fn summary(&self) {
        let columns = |name: &str, values: [&str; 6]| {
            let cells: String = values.iter().map(|value| format!("{value:>11}")).collect();
            say(&format!("{name:<26}{cells}"));
        };
        say(&format!("{}, {}", clock(self.begin.elapsed()), Mpi::selected().name()));
        columns("job", ["once", "in rounds", "disturbed", "told", "failed", "seconds"]);
        for (name, runs) in &self.jobs {
            let Runs { once, rounds, disturbed, told, failed, time } = runs;
            let texts = [once, rounds, disturbed, told, failed].map(|number| number.to_string());
            let seconds = format!("{:.0}", time.as_secs_f64());
            columns(name, [&texts[0], &texts[1], &texts[2], &texts[3], &texts[4], &seconds]);
        }
        for seed in &self.failed {
            say(&format!("failed: seed {seed}"));
        }
    }
}
