//! Progress and remaining time of measurements, on standard error of rank 0: a bar on a terminal, else (launchers
//! put a pipe there) a line every ten seconds.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two lines; shorter runs print none.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Parts of a step that the bar can tell apart.
const PARTS: u64 = 1000;

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
    steps: u64,
    step: u64,
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
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                let style =
                    ProgressStyle::with_template("[{elapsed}] {wide_bar} {percent}%, {eta} left: {msg}");
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                Kind::Bar(bar)
            }
        };
        Self { command, kind, begin, steps: 0, step: 0, name: String::new() }
    }

    /// Whether a long step should be told in parts.
    pub fn wants_parts(&self) -> bool {
        !matches!(self.kind, Kind::Nothing)
    }

    /// Announces the number of steps.
    pub fn begin(&mut self, steps: usize) {
        self.steps = steps as u64;
        if let Kind::Bar(bar) = &self.kind {
            bar.set_length(self.steps * PARTS);
        }
    }

    /// Says what is prepared before the next steps, which may take long.
    pub fn prepare(&mut self, name: impl FnOnce() -> String) {
        self.name = format!("{} (preparing)", name());
        self.show(if self.step == 0 { 0.0 } else { 1.0 });
    }

    /// Begins the next step.
    pub fn step(&mut self, name: impl FnOnce() -> String) {
        self.step += 1;
        self.name = name();
        self.show(0.0);
    }

    /// Drops steps that were announced.
    pub fn skip(&mut self, steps: usize) {
        let steps = self.steps.saturating_sub(steps as u64);
        self.begin(steps as usize);
    }

    /// Says how much of the step is done.
    pub fn part(&mut self, share: f64) {
        self.show(share);
    }

    /// Says that the step goes on with something else.
    pub fn phase(&mut self, phase: &str) {
        if let Kind::Bar(bar) = &self.kind {
            bar.set_message(format!("{} ({phase})", self.name));
        }
    }

    fn show(&mut self, share: f64) {
        let done = (self.step.saturating_sub(1) * PARTS) + (share * PARTS as f64) as u64;
        match &mut self.kind {
            Kind::Bar(bar) => {
                bar.set_message(self.name.clone());
                bar.set_position(done);
            }
            Kind::Lines { next } if Instant::now() >= *next => {
                let elapsed = self.begin.elapsed().as_secs_f64();
                let share = done as f64 / (self.steps * PARTS).max(1) as f64;
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
    fn the_remaining_time_is_in_proportion() {
        assert_eq!(status(10.0, 0.25), "10 s, 25% done, about 30 s left");
        assert_eq!(status(10.0, 0.0), "10 s, 0% done");
    }
}
