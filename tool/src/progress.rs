//! Progress and remaining time of measurements, on standard error of rank 0: a bar on a terminal, else
//! (launchers put a pipe there) a line every ten seconds.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two lines; shorter runs print none.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Parts of the whole that the bar can tell apart.
const PARTS: u64 = 100_000;

enum Kind {
    Bar(ProgressBar),
    Lines { next: Instant },
    Nothing,
}

/// Progress through a number of steps.
pub struct Progress {
    command: &'static str,
    kind: Kind,
    begin: Instant,
    /// Weights of all steps, of those that have ended, and of the one under way.
    all: f64,
    ended: f64,
    under_way: f64,
    name: String,
}

impl Progress {
    /// Of a subcommand; shows nothing unless `shown`.
    pub fn new(command: &'static str, shown: bool) -> Self {
        let begin = Instant::now();
        let kind = match (shown, std::io::stderr().is_terminal()) {
            (false, _) => Kind::Nothing,
            (true, false) => Kind::Lines { next: begin + LINE_INTERVAL },
            (true, true) => {
                let bar = ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr());
                let style =
                    ProgressStyle::with_template("[{elapsed}] {wide_bar} {percent}%, {eta} left: {msg}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                Kind::Bar(bar)
            }
        };
        Self { command, kind, begin, all: 0.0, ended: 0.0, under_way: 0.0, name: String::new() }
    }

    /// Whether a long step should be told in parts.
    pub fn wants_parts(&self) -> bool {
        !matches!(self.kind, Kind::Nothing)
    }

    /// Announces the number of steps, which take equally long.
    pub fn begin(&mut self, steps: usize) {
        self.begin_weighted(steps as f64);
    }

    /// Announces steps by the sum of their weights: a step takes as long as it weighs, compared with the
    /// others.
    pub fn begin_weighted(&mut self, all: f64) {
        self.all = all;
    }

    /// Says what is prepared before the next steps, which may take long.
    pub fn prepare(&mut self, name: impl FnOnce() -> String) {
        self.name = format!("{} (preparing)", name());
        self.show(1.0);
    }

    /// Begins the next step.
    pub fn step(&mut self, name: impl FnOnce() -> String) {
        self.step_weighted(1.0, name);
    }

    /// Begins the next step, of this weight.
    pub fn step_weighted(&mut self, weight: f64, name: impl FnOnce() -> String) {
        self.ended += self.under_way;
        self.under_way = weight;
        self.name = name();
        self.show(0.0);
    }

    /// Drops steps that were announced, by the sum of their weights.
    pub fn skip(&mut self, weight: f64) {
        self.all = (self.all - weight).max(0.0);
    }

    /// Prints to standard output, above the bar.
    pub fn print(&self, text: &str) {
        match &self.kind {
            Kind::Bar(bar) => bar.suspend(|| print!("{text}")),
            _ => print!("{text}"),
        }
    }

    /// Says how much of the step is done.
    pub fn part(&mut self, share: f64) {
        self.show(share);
    }

    /// As [`Self::part`], where the step has another name by now.
    pub fn part_at(&mut self, share: f64, name: impl FnOnce() -> String) {
        if self.wants_parts() {
            self.name = name();
        }
        self.show(share);
    }

    /// Says that the step goes on with something else.
    pub fn phase(&mut self, phase: &str) {
        if let Kind::Bar(bar) = &self.kind {
            bar.set_message(format!("{} ({phase})", self.name));
        }
    }

    fn show(&mut self, share: f64) {
        let done = self.ended + share * self.under_way;
        let share = if self.all > 0.0 { (done / self.all).min(1.0) } else { 0.0 };
        match &mut self.kind {
            Kind::Bar(bar) => {
                bar.set_message(self.name.clone());
                bar.set_position((share * PARTS as f64) as u64);
            }
            Kind::Lines { next } if Instant::now() >= *next => {
                let elapsed = self.begin.elapsed().as_secs_f64();
                eprintln!("hcube {}: {}; now {}", self.command, status(elapsed, share), self.name);
                *next = Instant::now() + LINE_INTERVAL;
            }
            _ => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&mut self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// What is done after some seconds, and what remains if the rest takes as long.
fn status(elapsed: f64, share: f64) -> String {
    let left =
        if share > 0.0 { format!(", about {:.0} s left", elapsed / share - elapsed) } else { String::new() };
    format!("{elapsed:.0} s, {:.0}% done{left}", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_count_by_their_weights() {
        let mut progress = Progress::new("toy", false);
        progress.begin_weighted(10.0);
        progress.skip(2.0);
        for weight in [1.0, 3.0] {
            progress.step_weighted(weight, String::new);
        }
        assert_eq!((progress.all, progress.ended, progress.under_way), (8.0, 1.0, 3.0));
    }

    #[test]
    fn the_remaining_time_is_in_proportion() {
        assert_eq!(status(10.0, 0.25), "10 s, 25% done, about 30 s left");
        assert_eq!(status(10.0, 0.0), "10 s, 0% done");
    }
}
