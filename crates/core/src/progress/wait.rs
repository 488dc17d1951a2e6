//! Waiting for another rank: a short spin, then the core is yielded, and MPI and the pollers make progress
//! now and then, so that a message or an answer that another rank needs first is not held up.

use super::Progress;
use std::time::Instant;

/// Polls between two yields where every rank has a core of its own.
const SPINS_ALONE: u32 = 1000;
/// Polls between two hints to the processor that this is a loop that waits.
const POLLS_PER_HINT: u32 = 8;
/// Polls between two yields if ranks share cores: the awaited rank may need this core.
const SPINS_SHARED: u32 = 0;
/// Yields before MPI is called for progress (a call costs some 30 to 100 ns); after them it is called
/// at every yield, since after so long a wait its cost does not matter, and an outstanding message of the program
/// may consist of many pieces.
const YIELDS_BEFORE_PROGRESS: u32 = 32;
/// Polls between two yields where a poll is itself some calls of MPI.
const SPINS_COSTLY: u32 = 8;
/// Nanoseconds between the first two polls of a simulated rank, and the share of the time waited so far
/// between later ones: this bounds the delay until the event is noticed, and the simulator need not process an
/// event for every poll of a real rank.
const FIRST_REST: f64 = 100.0;
const REST_SHARE: f64 = 1.0 / 64.0;

/// How the ranks of a node wait for each other.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    spins: u32,
    yields_before_progress: u32,
    simulated: bool,
}

impl Patience {
    /// `crowded`: more ranks than cores; `simulated`: all ranks share one thread, so every poll must
    /// enter the simulator.
    pub fn new(crowded: bool, simulated: bool) -> Self {
        let spins = if crowded { SPINS_SHARED } else { SPINS_ALONE };
        Self { spins, yields_before_progress: YIELDS_BEFORE_PROGRESS, simulated }
    }

    /// Whether ranks share cores, so that every wait costs a turn of others.
    pub fn shares_cores(self) -> bool {
        self.spins == SPINS_SHARED
    }

    /// The same where a poll is itself some calls of MPI.
    pub fn for_costly_polls(self) -> Self {
        Self { spins: self.spins.min(SPINS_COSTLY), ..self }
    }

    /// Starts a wait.
    pub fn wait(self) -> Wait {
        Wait { patience: self, spins: 0, yields: 0, rested: 0.0 }
    }
}

/// One wait: call [`Wait::pause`] after every poll that found nothing.
#[derive(Debug)]
pub struct Wait {
    patience: Patience,
    spins: u32,
    yields: u32,
    /// Simulated nanoseconds.
    rested: f64,
}

impl Wait {
    /// Waits a little: some polls, then the core is yielded; drives the pollers with every yield, and with
    /// every hint to the processor before, and MPI after some yields.
    pub fn pause<P: Progress + ?Sized>(&mut self, comm: &P) {
        if self.patience.simulated {
            comm.drive();
            let rest = FIRST_REST.max(REST_SHARE * self.rested);
            comm.rest(rest);
            self.rested += rest;
            return;
        }
        if self.spins < self.patience.spins {
            self.spins += 1;
            // The hint costs some 20 ns, in which a notice would go unseen.
            if self.spins.is_multiple_of(POLLS_PER_HINT) {
                std::hint::spin_loop();
                comm.drive();
            }
            return;
        }
        self.spins = 0;
        comm.drive();
        if self.yields >= self.patience.yields_before_progress {
            comm.progress();
        } else {
            self.yields += 1;
        }
        std::thread::yield_now();
    }
}

/// A clock that is read only in a sample of the rounds, so that reading it costs nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts, if this round is in the sample.
    pub fn start(sampled: bool) -> Self {
        Self(sampled.then(Instant::now))
    }

    /// Seconds since the start or the last lap; 0 outside the sample.
    pub fn lap(&mut self) -> f64 {
        self.0.as_mut().map_or(0.0, |last| {
            let now = Instant::now();
            now.duration_since(std::mem::replace(last, now)).as_secs_f64()
        })
    }
}
