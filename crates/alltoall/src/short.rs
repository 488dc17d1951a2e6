//! Whether short exchanges in a row are faster by the MPI library's function without votes, found by using both.
//!
//! Idea: where every rank has a core, an exchange of a few bytes takes 0.2 us, and so does a vote. Only all ranks together know
//! that an exchange is short, but programs repeat what they have done. So after some short exchanges in a row, the time of a
//! batch of them is compared with that of a batch of exchanges that are forwarded without votes, whatever they are; several
//! times in turn, and the shortest time of each counts. A time is that from the begin of a batch to the begin of the next one,
//! because reading a clock in each exchange, and doing now one thing and now the other, would take as long as these themselves:
//! what the program does between its exchanges counts for both alike. Where the library is faster, most exchanges out of place
//! are forwarded from then on, and every 64th has votes, which show whether they are still short. Now and then the comparison
//! is repeated.
//!
//! Restrictions: for programs that do not know of hcube, because a call with arguments that are not valid has the effects then
//! that it has in the library; all ranks share memory and have cores of their own.
//! Cost: the slower one of the two in about 1 of 30 exchanges; after short ones, up to 63 longer exchanges without hcube's
//! speed-up. Source: our own.

use super::choice::LIBRARY_MARGIN_DIVISOR;

/// Short exchanges in a row before the comparison.
const MIN_IN_A_ROW: u64 = 32;
/// Exchanges of a batch.
const BATCH: u64 = 32;
/// A batch with votes, the exchange that tells its time, and a batch without votes.
const CYCLE: u64 = 2 * BATCH + 1;
/// Cycles of a comparison.
const CYCLES: u64 = 4;
/// Exchanges without votes after one with votes, where these are faster.
const FORWARDED: u64 = 63;
/// Exchanges after which the comparison is repeated; twice as many each time.
const FIRST_PAUSE: u64 = 8 << 10;
const LONGEST_PAUSE: u64 = 1 << 20;

/// What is done with an exchange out of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It is forwarded without votes.
    Forward,
    /// It is made with votes, with which a time in nanoseconds is told.
    Vote(Option<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Short exchanges are counted.
    #[default]
    Counting,
    /// Batches are compared.
    Comparing,
    /// The notices of hcube were faster.
    ByNotices,
    /// The library was faster.
    ByLibrary,
}

/// The exchanges out of place of a communicator; the same on all ranks but for the clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Short {
    phase: Phase,
    /// Exchanges of this phase; by the library, those that are still to be forwarded.
    number: u64,
    /// Exchanges since the comparison, and those after which it is repeated.
    since: u64,
    pause: u64,
    /// When this batch began, in seconds.
    begin: f64,
    /// The shortest batch with votes and without, summed over all ranks, in nanoseconds.
    shortest: [u64; 2],
}

impl Short {
    /// What is done with the next exchange; one that is forwarded counts. `now` reads the clock.
    #[inline]
    pub fn next(&mut self, now: impl FnOnce() -> f64) -> Step {
        match self.phase {
            Phase::Comparing => self.compare(now),
            Phase::ByLibrary if self.number > 0 => {
                self.number -= 1;
                Step::Forward
            }
            _ => Step::Vote(None),
        }
    }

    #[cold]
    fn compare(&mut self, now: impl FnOnce() -> f64) -> Step {
        let place = self.number % CYCLE;
        let ended = || {
            let now = now();
            let time = (1e9 * (now - self.begin)) as u64;
            self.begin = now;
            Some(time)
        };
        if place > BATCH {
            if place == BATCH + 1 {
                ended();
            }
            self.number += 1;
            return Step::Forward;
        }
        match place {
            0 => Step::Vote(ended().filter(|_| self.number > 0)),
            BATCH => Step::Vote(ended()),
            _ => Step::Vote(None),
        }
    }

    /// The library has refused an exchange that was forwarded: other ranks may not have called it.
    #[cold]
    pub fn refused(&mut self) {
        match self.phase {
            Phase::ByLibrary => self.number += 1,
            _ => self.number = self.number.saturating_sub(1),
        }
    }

    /// Notes an exchange with votes: the sum of the times that were told, if it was short.
    #[inline]
    pub fn note(&mut self, short: Option<u64>) {
        match (short, self.phase) {
            (None, Phase::Counting) if self.number == 0 => {}
            (None, _) => *self = Self::default(),
            (Some(_), Phase::ByNotices) if self.since < self.pause => self.since += 1,
            (Some(time), _) => self.note_time(time),
        }
    }

    fn note_time(&mut self, time: u64) {
        match self.phase {
            Phase::Counting => {
                self.number += 1;
                if self.number == MIN_IN_A_ROW {
                    self.pause = FIRST_PAUSE / 2;
                    self.begin_comparison();
                }
            }
            Phase::Comparing => {
                let batch = match self.number % CYCLE {
                    BATCH => Some(0),
                    0 if self.number > 0 => Some(1),
                    _ => None,
                };
                if let Some(batch) = batch {
                    self.shortest[batch] = self.shortest[batch].min(time);
                }
                self.number += 1;
                if self.number > CYCLES * CYCLE {
                    self.decide();
                }
            }
            Phase::ByLibrary if self.since < self.pause => {
                self.since += FORWARDED + 1;
                self.number = FORWARDED;
            }
            _ => self.begin_comparison(),
        }
    }

    fn begin_comparison(&mut self) {
        (self.phase, self.number, self.shortest) = (Phase::Comparing, 0, [u64::MAX; 2]);
    }

    fn decide(&mut self) {
        let [votes, library] = self.shortest;
        let faster = library.saturating_add(library / LIBRARY_MARGIN_DIVISOR) < votes;
        (self.phase, self.number) =
            if faster { (Phase::ByLibrary, FORWARDED) } else { (Phase::ByNotices, 0) };
        (self.since, self.pause) = (0, (2 * self.pause).min(LONGEST_PAUSE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that makes exchanges, with the times in nanoseconds that one takes with votes and without.
    struct Program {
        state: Short,
        times: [u64; 2],
        clock: u64,
        told: Vec<u64>,
    }

    impl Program {
        fn new(times: [u64; 2]) -> Self {
            Self { state: Short::default(), times, clock: 5_000, told: Vec::new() }
        }

        /// Whether the exchange was forwarded.
        fn exchange(&mut self, short: bool) -> bool {
            let clock = self.clock as f64 * 1e-9;
            match self.state.next(|| clock) {
                Step::Forward => {
                    self.clock += self.times[1];
                    return true;
                }
                Step::Vote(told) => {
                    self.told.extend(told);
                    self.clock += self.times[0];
                    self.state.note(short.then_some(told.unwrap_or(0)));
                }
            }
            false
        }

        fn exchanges(&mut self, count: u64) -> Vec<bool> {
            (0..count).map(|_| self.exchange(true)).collect()
        }
    }

    const COMPARISON: u64 = CYCLES * CYCLE + 1;

    #[test]
    fn batches_are_compared() {
        let mut program = Program::new([300, 200]);
        assert!(program.exchanges(MIN_IN_A_ROW).iter().all(|&forwarded| !forwarded));
        for _ in 0..CYCLES {
            assert!(program.exchanges(BATCH + 1).iter().all(|&forwarded| !forwarded));
            assert!(program.exchanges(BATCH).iter().all(|&forwarded| forwarded));
        }
        program.exchanges(1);
        let close = |told: u64, expected: u64| told.abs_diff(expected) <= 1;
        assert_eq!(program.told.len(), 2 * CYCLES as usize);
        for pair in program.told.chunks(2) {
            assert!(close(pair[0], 300 * BATCH) && close(pair[1], 200 * BATCH), "{:?}", program.told);
        }
        assert_eq!(program.state.phase, Phase::ByLibrary);
    }

    #[test]
    fn the_faster_one_stays_until_the_next_comparison() {
        let mut program = Program::new([300, 200]);
        program.exchanges(MIN_IN_A_ROW + COMPARISON);
        let used = program.exchanges(2 * (FORWARDED + 1));
        assert_eq!(used.iter().filter(|&&forwarded| !forwarded).count(), 2);
        assert!(!used[FORWARDED as usize]);
        let mut program = Program::new([200, 199]);
        program.exchanges(MIN_IN_A_ROW + COMPARISON);
        assert!(program.exchanges(FIRST_PAUSE + 1).iter().all(|&forwarded| !forwarded));
        program.times = [200, 100];
        assert_eq!(program.state.phase, Phase::Comparing);
        program.exchanges(COMPARISON);
        assert_eq!((program.state.phase, program.state.pause), (Phase::ByLibrary, 2 * FIRST_PAUSE));
    }

    #[test]
    fn a_longer_one_ends_it() {
        let mut program = Program::new([300, 200]);
        for _ in 0..20 {
            program.exchanges(MIN_IN_A_ROW - 1);
            assert!(!program.exchange(false));
        }
        program.exchanges(MIN_IN_A_ROW + COMPARISON);
        let used: Vec<bool> = (0..500).map(|_| program.exchange(false)).collect();
        assert_eq!(used.iter().filter(|&&forwarded| forwarded).count(), FORWARDED as usize);
        assert_eq!(program.state, Short::default());
    }

    #[test]
    fn a_call_that_was_refused_does_not_count() {
        // One rank in the middle of each phase with calls that are forwarded; another one is never refused.
        for before in [MIN_IN_A_ROW + BATCH + 4, MIN_IN_A_ROW + CYCLE, MIN_IN_A_ROW + COMPARISON + 7] {
            let (mut one, mut other) = (Program::new([300, 200]), Program::new([300, 200]));
            assert_eq!(one.exchanges(before), other.exchanges(before));
            for _ in 0..3 {
                if one.state.next(|| 0.0) == Step::Forward {
                    one.state.refused();
                }
            }
            assert_eq!(one.exchanges(500), other.exchanges(500), "after {before}");
        }
    }
}
