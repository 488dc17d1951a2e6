//! Waiting for another rank: first a spin, or yields if ranks share cores; after some microseconds every poll
//! includes an MPI call for progress, so that a message or a reply that another rank needs first is not
//! delayed.
//!
//! Idea: most waits of small exchanges end within microseconds, and an MPI call in them (30 to 100 ns) would
//! delay the reply. In a longer wait the delay does not matter, and others may need this rank: MPI serves
//! one-sided operations on its memory only while it makes progress, one after the other. Progress therefore
//! depends on the time of the wait, not on the number of polls, whose time depends on the path. The pollers
//! are driven from the start.
//!
//! Cost: a reading of the clock (25 ns) every `POLLS_PER_LOOK` polls, or with every yield, until MPI makes
//! progress; none after that. Source: our own; the loops of MPI libraries always call the progress engine.

use super::Progress;
use crate::atomic;
use std::time::{Duration, Instant};

/// Polls between two yields if every rank has a core.
const SPINS_ALONE: u32 = 1000;
/// Polls between two hints to the processor that this is a loop that waits.
const POLLS_PER_HINT: u32 = 8;
/// Polls between two readings of the clock: about half a microsecond.
const POLLS_PER_LOOK: u32 = 64;
/// Polls between two yields if ranks share cores: the awaited rank may need this core.
const SPINS_SHARED: u32 = 0;
/// The length of a wait from which MPI makes progress with every poll.
const UNTIL_PROGRESS: Duration = Duration::from_micros(10);
/// Polls with progress between two yields if every rank has a core: a yield takes as long as some MPI calls.
const SPINS_IN_PROGRESS: u32 = 64;
/// Polls between two yields where a poll is itself some calls of MPI.
const SPINS_COSTLY: u32 = 8;
/// Nanoseconds between the first two polls of a simulated rank, and the share of the time waited so far
/// between later ones: this bounds the delay until the event is noticed, and the simulator need not process
/// an event for every poll of a real rank.
const FIRST_REST: f64 = 100.0;
const REST_SHARE: f64 = 1.0 / 64.0;
/// The same for ranks that wait for messages between nodes, one after the other: some tenths of the latency
/// of a message, and some eight polls for it instead of eighty; fewer in longer waits.
const LONG_FIRST_REST: f64 = 1000.0;
const LONG_REST_SHARE: f64 = 1.0 / 16.0;

/// How the ranks of a node wait for each other.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Polls between two yields.
    spins: u32,
    simulated: bool,
    /// Whether simulated ranks rest for long.
    rests_long: bool,
}

impl Patience {
    /// `crowded`: cores are oversubscribed; `simulated`: all ranks share one thread, so every poll must enter
    /// the simulator.
    pub fn new(crowded: bool, simulated: bool) -> Self {
        let spins = if crowded { SPINS_SHARED } else { SPINS_ALONE };
        Self { spins, simulated, rests_long: false }
    }

    /// Whether ranks share cores, so that every wait costs a turn of others.
    pub fn shares_cores(self) -> bool {
        self.spins == SPINS_SHARED
    }

    /// The same where a poll is itself some calls of MPI.
    pub fn for_costly_polls(self) -> Self {
        Self { spins: self.spins.min(SPINS_COSTLY), ..self }
    }

    /// The same with longer rests of simulated ranks; nothing else changes.
    pub fn with_long_rests(self) -> Self {
        Self { rests_long: true, ..self }
    }

    /// Starts a wait.
    pub fn wait(self) -> Wait {
        Wait { patience: self, polls: 0, begin: None, in_progress: false, rested: 0.0 }
    }
}

/// One wait: call [`Wait::pause`] after every poll that found nothing.
#[derive(Debug)]
pub struct Wait {
    patience: Patience,
    /// Polls since the last yield.
    polls: u32,
    /// The first reading of the clock.
    begin: Option<Instant>,
    /// Whether MPI makes progress with every poll.
    in_progress: bool,
    /// Simulated nanoseconds.
    rested: f64,
}

impl Wait {
    /// Waits a little: some polls, then the core is yielded; drives the pollers with every yield, and with
    /// every hint to the processor before. After `UNTIL_PROGRESS` drives them and MPI each time.
    #[inline]
    pub fn pause<P: Progress + ?Sized>(&mut self, comm: &P) {
        if cfg!(hcube_model) {
            // In a model time does not pass, and there is no MPI.
            return atomic::yield_now();
        }
        self.pause_by(comm, Instant::now, std::thread::yield_now);
    }

    /// As [`Self::pause`], with this clock, and this function that yields.
    #[inline]
    fn pause_by<P: Progress + ?Sized>(
        &mut self,
        comm: &P,
        clock: impl FnOnce() -> Instant,
        yield_core: impl FnOnce(),
    ) {
        if self.patience.simulated {
            return self.rest(comm);
        }
        if self.in_progress {
            return self.make_progress(comm, yield_core);
        }
        if self.polls < self.patience.spins {
            self.polls += 1;
            // The hint costs some 20 ns, in which a flag would not be polled.
            if self.polls.is_multiple_of(POLLS_PER_HINT) {
                std::hint::spin_loop();
                comm.drive();
                if self.polls.is_multiple_of(POLLS_PER_LOOK) {
                    self.look_at(clock());
                }
            }
            return;
        }
        self.polls = 0;
        comm.drive();
        self.look_at(clock());
        yield_core();
    }

    /// Records the time. The wait counts from the first poll: this rank has hardly waited before.
    fn look_at(&mut self, now: Instant) {
        let begin = *self.begin.get_or_insert(now);
        self.in_progress = now.duration_since(begin) >= UNTIL_PROGRESS;
    }

    /// A pause of a long wait.
    fn make_progress<P: Progress + ?Sized>(&mut self, comm: &P, yield_core: impl FnOnce()) {
        comm.drive();
        comm.progress();
        self.polls += 1;
        if self.polls >= self.patience.spins.min(SPINS_IN_PROGRESS) {
            self.polls = 0;
            yield_core();
        }
    }

    /// A pause of a simulated rank.
    fn rest<P: Progress + ?Sized>(&mut self, comm: &P) {
        comm.drive();
        let long = self.patience.rests_long;
        let (first, share) = if long { (LONG_FIRST_REST, LONG_REST_SHARE) } else { (FIRST_REST, REST_SHARE) };
        let rest = first.max(share * self.rested);
        comm.rest(rest);
        self.rested += rest;
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

#[cfg(test)]
mod tests {
    use super::super::pollers::Pollers;
    use super::*;
    use crate::error::Error;
    use std::cell::Cell;
    use std::sync::Arc;

    /// Counts what is called.
    #[derive(Default)]
    struct Counting {
        progress: Cell<u32>,
        yields: Cell<u32>,
        looks: Cell<u32>,
        pollers: Arc<Pollers>,
    }

    // SAFETY: `abort` panics, and nobody else uses memory of these tests.
    unsafe impl Progress for Counting {
        fn progress(&self) {
            self.progress.set(self.progress.get() + 1);
        }

        fn pollers(&self) -> &Arc<Pollers> {
            &self.pollers
        }

        fn abort(&self, error: &Error) -> ! {
            panic!("{error}")
        }
    }

    /// Pauses of a wait in which every poll takes this time, until the given time: what was called.
    fn calls(patience: Patience, poll: Duration, until: Duration) -> (u32, Counting) {
        let (comm, begin, mut wait, mut polls) = (Counting::default(), Instant::now(), patience.wait(), 0);
        while poll * polls < until {
            polls += 1;
            let clock = || {
                comm.looks.set(comm.looks.get() + 1);
                begin + poll * polls
            };
            wait.pause_by(&comm, clock, || comm.yields.set(comm.yields.get() + 1));
        }
        (polls, comm)
    }

    fn patiences() -> [Patience; 4] {
        let [alone, crowded] = [false, true].map(|crowded| Patience::new(crowded, false));
        [alone, crowded, alone.for_costly_polls(), crowded.for_costly_polls()]
    }

    #[test]
    fn a_short_wait_does_not_call_mpi() {
        for patience in patiences() {
            for nanoseconds in [5, 100, 900] {
                let (_, comm) = calls(patience, Duration::from_nanos(nanoseconds), UNTIL_PROGRESS);
                assert_eq!(comm.progress.get(), 0, "{patience:?}, polls of {nanoseconds} ns");
            }
        }
    }

    #[test]
    fn a_long_wait_calls_mpi_with_every_poll_and_yields() {
        for patience in patiences() {
            for nanoseconds in [5, 100, 900] {
                let poll = Duration::from_nanos(nanoseconds);
                let until = 10 * UNTIL_PROGRESS;
                let (polls, comm) = calls(patience, poll, until);
                // Two readings of the clock are needed: the first one and the one that detects the end of the
                // time.
                let without = (UNTIL_PROGRESS + 2 * POLLS_PER_LOOK * poll).div_duration_f64(poll) as u32;
                let [progress, looks, yields] = [&comm.progress, &comm.looks, &comm.yields].map(Cell::get);
                assert!(progress >= polls.saturating_sub(without + 1), "{patience:?}: {progress} of {polls}");
                // The clock is not read any more if MPI makes progress.
                assert!(looks <= polls - progress, "{patience:?}: {looks} of {polls}");
                assert!(yields >= progress / SPINS_IN_PROGRESS, "{patience:?}: {yields} of {polls}");
                assert!(!patience.shares_cores() || yields == polls, "{patience:?}: {yields} of {polls}");
            }
        }
    }

    #[test]
    fn the_clock_is_read_once_in_many_spins() {
        let (polls, comm) = calls(Patience::new(false, false), Duration::from_nanos(5), UNTIL_PROGRESS);
        assert!(comm.looks.get() <= polls / POLLS_PER_LOOK + 1, "{} of {polls}", comm.looks.get());
    }
}
