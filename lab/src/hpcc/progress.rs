//! Progress of the runs on standard error: a bar on a terminal, otherwise a line at the begin and the end of
//! each run.

use super::outcome::Outcome;
use super::parse::Section;
use super::plan::{Estimate, Run, cores, in_words};
use hcube_results::numbers::significant;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Progress through the runs.
pub struct Progress {
    bar: Option<ProgressBar>,
    runs: Vec<Run>,
    /// Number of the current run, from 1.
    run: usize,
    estimate: Estimate,
}

impl Progress {
    /// Through these runs.
    pub fn new(runs: &[Run]) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(runs.len() as u64);
            let style = ProgressStyle::with_template("{spinner} [{elapsed}] {bar:24} {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            // Twice per second: the ranks need the cores.
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Self { bar, runs: runs.to_vec(), run: 0, estimate: Estimate::new(cores()) }
    }

    /// A run begins.
    pub fn begin(&mut self, run: &Run) {
        self.run += 1;
        match &self.bar {
            Some(bar) => bar.set_message(run.name()),
            None => eprintln!("hcube-lab hpcc: run {} of {}: {} ...", self.run, self.runs.len(), run.name()),
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
        self.estimate.add(*run, outcome.seconds);
        let rate = |section: Option<Section>| {
            section.map_or("-".to_owned(), |section| {
                format!("{} GUP/s, {} errors", significant(section.gups), section.errors)
            })
        };
        let end = match (outcome.timed_out, run.whole) {
            (true, _) => "timed out",
            (false, true) if outcome.success => "complete",
            (false, false) if outcome.lcg.is_some() => "stopped after MPIRandomAccess",
            _ => "failed",
        };
        let rest = self.estimate.seconds(&self.runs[self.run..]);
        let left = if rest > 0.0 { format!("; about {} left", in_words(rest)) } else { String::new() };
        let line = format!(
            "{}: {}; LCG {}; {:.0} s, {end}{left}",
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
            None => eprintln!("hcube-lab hpcc: run {} of {}: {line}", self.run, self.runs.len()),
        }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
