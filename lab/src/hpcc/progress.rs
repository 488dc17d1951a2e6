//! Progress of the runs, on standard error: a bar on a terminal, else a line when a run begins and
//! ends.

use super::run::{Outcome, Run};
use hcube_tool::numbers::significant;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Progress through the runs.
pub struct Progress {
    bar: Option<ProgressBar>,
    runs: usize,
    run: usize,
}

impl Progress {
    /// Through so many runs.
    pub fn new(runs: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(runs as u64);
            let style = ProgressStyle::with_template("{spinner} [{elapsed}] {bar:24} {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            // Twice per second: the ranks need the cores.
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self { bar, runs, run: 0 }
    }

    /// A run begins.
    pub fn begin(&mut self, run: &Run) {
        self.run += 1;
        match &self.bar {
            Some(bar) => bar.set_message(run.name()),
            None => eprintln!("hcube hpcc: run {} of {}: {} ...", self.run, self.runs, run.name()),
        }
    }

    /// HPCC is in this section.
    pub fn section(&mut self, run: &Run, section: Option<&str>) {
        if let (Some(bar), Some(section)) = (&self.bar, section) {
            bar.set_message(format!("{}: {section}", run.name()));
        }
    }

    /// A run has ended.
    pub fn end(&mut self, run: &Run, outcome: &Outcome) {
        let rate = |section: Option<super::parse::Section>| {
            section.map_or("-".to_owned(), |section| significant(section.gups))
        };
        let end = match (outcome.timed_out, run.whole) {
            (true, _) => "timed out",
            (false, true) if outcome.success => "complete",
            (false, false) if outcome.lcg.is_some() => "ended after its second MPIRandomAccess",
            _ => "failed",
        };
        let line = format!(
            "{}: {} GUP/s, LCG {} GUP/s, {:.0} s, {end}",
            run.name(),
            rate(outcome.polynomial),
            rate(outcome.lcg),
            outcome.seconds
        );
        match &self.bar {
            Some(bar) => {
                bar.println(line);
                bar.inc(1);
            }
            None => eprintln!("hcube hpcc: run {} of {}: {line}", self.run, self.runs),
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
