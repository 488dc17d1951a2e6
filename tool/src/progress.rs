//! Progress of measurements, on standard error of rank 0: a bar on a terminal, else (launchers put a
//! pipe there) a line now and then.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Time between two lines; so short runs print none.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

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
            (true, false) => Kind::Lines { next: begin + BETWEEN_LINES },
            (true, true) => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                let style = ProgressStyle::with_template("[{elapsed}] {wide_bar} {percent}% {msg}");
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

    /// Begins the next step.
    pub fn step(&mut self, name: impl FnOnce() -> String) {
        self.step += 1;
        self.name = name();
        self.show(0.0);
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
                let percent = 100 * done / (self.steps * PARTS).max(1);
                eprintln!(
                    "hcube {}: {:.0} s, {percent}% done; now {}",
                    self.command,
                    self.begin.elapsed().as_secs_f64(),
                    self.name
                );
                *next = Instant::now() + BETWEEN_LINES;
            }
            _ => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}
