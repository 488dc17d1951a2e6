//! Progress of the runs on standard error: a bar on a terminal, otherwise a line at the begin and the end of
//! each run.

use super::outcome::Outcome;
use super::parse::Section;
use super::plan::{Estimate, Run, cores, in_words};
use hcube_results::numbers::significant;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Progress through the runs.
pub struct Progress {
    bar: Option<ProgressBar>,
    runs: Vec<Run>,
    /// Number of the current run, from 1.
    run: usize,
    /// Begin of the current run.
    begin: Instant,
    estimate: Estimate,
    /// Seconds after which no further runs begin.
    budget: f64,
    /// Begin of the first run.
    start: Instant,
}

impl Progress {
    pub fn new(runs: &[Run], n: u32, budget: f64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(runs.len() as u64);
            let style = ProgressStyle::with_template("{spinner} [{elapsed}] {bar:24} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            // Twice per second: the ranks need the cores.
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        let (estimate, now) = (Estimate::new(cores(), n), Instant::now());
        Self { bar, runs: runs.to_vec(), run: 0, begin: now, estimate, budget, start: now }
    }

    /// Seconds that these runs will take.
    pub fn estimate(&self, runs: &[Run]) -> f64 {
        self.estimate.seconds(runs)
    }

    pub fn begin(&mut self, run: &Run) {
        self.run += 1;
        self.begin = Instant::now();
        let text = self.current(run);
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => eprintln!("hcube-lab hpcc: {text} ..."),
        }
    }

    /// HPCC is in this section.
    pub fn section(&mut self, run: &Run, section: Option<&str>) {
        if let (Some(bar), Some(section)) = (&self.bar, section) {
            bar.set_message(format!("{}: {section}", self.current(run)));
        }
    }

    /// The current run, with the estimated time until the last run ends.
    fn current(&self, run: &Run) -> String {
        let all = self.estimate.seconds(&self.runs[self.run - 1..]);
        let after = self.estimate.seconds(&self.runs[self.run..]);
        let left = after.max(all - self.begin.elapsed().as_secs_f64());
        let left = left.min(self.budget - self.start.elapsed().as_secs_f64()).max(0.0);
        describe(self.run, run, left)
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
        let line = format!(
            "{}: {}; LCG {}; {:.0} s, {end}",
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
            None => eprintln!("hcube-lab hpcc: run {}: {line}", self.run),
        }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A run, and the seconds until the last one ends.
fn describe(number: usize, run: &Run, left: f64) -> String {
    format!("run {number}: {}, about {} left", run.name(), in_words(left))
}

#[cfg(test)]
mod tests {
    use super::super::variant::Variant;
    use super::*;

    #[test]
    fn a_run_begins_with_the_remaining_time() {
        let run = |variant, ranks| Run { variant, ranks, repeat: 0, whole: false };
        let stock = run(Variant::Stock, 2);
        assert_eq!(describe(3, &stock, 130.0), "run 3: stock on 2 ranks, about 2 min 10 s left");
        let mut progress = Progress::new(&[run(Variant::Hcube, 1), stock], 4000, f64::INFINITY);
        progress.begin(&run(Variant::Hcube, 1));
        progress.end(&run(Variant::Hcube, 1), &Outcome { seconds: 10.0, ..Outcome::default() });
        progress.begin(&stock);
        let left = progress.estimate.seconds(&[stock]);
        assert_eq!(progress.current(&stock), describe(2, &stock, left));
    }
}
