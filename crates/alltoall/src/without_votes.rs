//! Short exchanges that are forwarded to the MPI library without votes if that is faster, which is found by
//! timing both.
//!
//! Idea: if every rank has a core, an exchange of a few bytes takes 0.2 us, as long as a vote. Whether an
//! exchange is short is known only to all ranks together, but programs repeat exchanges. After several
//! consecutive short exchanges, the time of a batch of them is compared with the time of a batch of exchanges
//! that are forwarded without votes; this is repeated several times in turn, and the minimum of each counts.
//! A time is taken from the start of a batch to the start of the next batch, because reading a clock and
//! alternating in each exchange would take as long as the exchanges; both times include what the program does
//! between its exchanges. If the library is faster, most exchanges out of place are forwarded from then on,
//! and every 64th exchange votes. The comparison is repeated after a pause, which doubles each time. A vote
//! that finds a longer exchange begins another pause, in which all exchanges vote, and which doubles as well:
//! the loss by a few longer exchanges is as large as the gain by some ten thousand short ones.
//!
//! Ranks count the same exchanges: those out of place that hcube has performed, and those that were forwarded
//! with arguments that hcube would have accepted. Other calls do not count,: an error handler may leave by
//! longjmp, and other ranks may not have made the call.
//!
//! Restrictions: only in programs that do not use hcube's functions, because calls with invalid arguments
//! then behave as in the library; all ranks share memory and have a core each.
//! Cost: the slower method in about 1 of 30 exchanges at first, and less later. If short and longer exchanges
//! alternate, up to 63 of 64 longer exchanges have no speed-up by hcube until a vote finds one.
//! Source: our own.

use super::choice::is_library_faster;

/// Short exchanges in a row before the first comparison.
const EXCHANGES_BEFORE: u64 = 32;
/// Exchanges of a batch.
const BATCH: u64 = 32;
/// Exchanges of a cycle: a batch with votes, an exchange in which its time is stated, and a batch without
/// votes.
const CYCLE: u64 = 2 * BATCH + 1;
/// Cycles of a comparison.
const CYCLES: u64 = 4;
/// Exchanges without votes after each one with votes, where these are faster.
const FORWARDED_PER_VOTE: u64 = 63;
/// Short exchanges between two comparisons.
const MIN_PAUSE: u64 = 8 << 10;
const MAX_PAUSE: u64 = 1 << 20;

/// The treatment of an exchange out of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It is forwarded without votes; [`WithoutVotes::note_forwarded`] counts it.
    Forward,
    /// It is made with votes, in which a time in nanoseconds is stated; [`WithoutVotes::note`] counts it.
    Vote(Option<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    /// Short exchanges are counted.
    #[default]
    Counting,
    /// Batches are compared.
    Comparing,
    /// All exchanges have votes: these were faster, or not all exchanges are short.
    Voting,
    /// The library was faster.
    Forwarding,
}

/// The exchanges out of place of a communicator; the same on all ranks except the clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WithoutVotes {
    phase: Phase,
    /// Exchanges of this phase; in [`Phase::Forwarding`] those since the last one with votes.
    number: u64,
    /// Short exchanges until the next comparison.
    left: u64,
    /// Those between the last two comparisons, and those after the last longer exchange.
    pauses: [u64; 2],
    /// When this batch began, in seconds, and when the next one did whose first exchange is not made yet.
    begin: f64,
    next_begin: f64,
    /// The shortest batch with votes and without, summed over all ranks, in nanoseconds.
    shortest: [u64; 2],
}

impl WithoutVotes {
    /// Decides on the next exchange. `now` reads the clock.
    #[inline]
    pub fn next(&mut self, now: impl FnOnce() -> f64) -> Step {
        match self.phase {
            Phase::Forwarding if self.number < FORWARDED_PER_VOTE => Step::Forward,
            Phase::Comparing => self.compare(now),
            _ => Step::Vote(None),
        }
    }

    #[cold]
    fn compare(&mut self, now: impl FnOnce() -> f64) -> Step {
        match self.number % CYCLE {
            BATCH | 0 => {
                self.next_begin = now();
                let time = (1e9 * (self.next_begin - self.begin)) as u64;
                Step::Vote((self.number > 0).then_some(time))
            }
            place => {
                if place == BATCH + 1 {
                    self.begin = now();
                }
                if place > BATCH { Step::Forward } else { Step::Vote(None) }
            }
        }
    }

    /// Counts exchanges that are forwarded.
    #[inline]
    pub fn note_forwarded(&mut self, exchanges: u64) {
        self.number += exchanges;
    }

    /// How many of the next exchanges are forwarded, if the last one was; none of them needs the clock.
    #[inline]
    pub fn forwards_next(&self) -> u64 {
        match self.phase {
            Phase::Forwarding => FORWARDED_PER_VOTE - self.number,
            Phase::Comparing => (CYCLE - self.number % CYCLE) % CYCLE,
            _ => 0,
        }
    }

    /// Counts an exchange with votes: the sum of the times that the ranks have stated, if it was short.
    #[inline]
    pub fn note(&mut self, short: Option<u64>) {
        match (self.phase, short) {
            (Phase::Voting, Some(_)) if self.left > 0 => self.left -= 1,
            (Phase::Voting, None) => {}
            (Phase::Counting, None) => self.number = 0,
            (_, None) => self.pause(1),
            (_, Some(time)) => self.note_short(time),
        }
    }

    fn note_short(&mut self, time: u64) {
        match self.phase {
            Phase::Counting if self.number + 1 < EXCHANGES_BEFORE => self.number += 1,
            Phase::Comparing => self.note_compared(time),
            Phase::Forwarding if self.left > FORWARDED_PER_VOTE => {
                self.left -= FORWARDED_PER_VOTE + 1;
                self.number = 0;
            }
            _ => (self.phase, self.number, self.shortest) = (Phase::Comparing, 0, [u64::MAX; 2]),
        }
    }

    fn note_compared(&mut self, time: u64) {
        let place = self.number % CYCLE;
        if place == BATCH || place == 0 {
            self.begin = self.next_begin;
            if self.number > 0 {
                let shortest = &mut self.shortest[usize::from(place == 0)];
                *shortest = time.min(*shortest);
            }
        }
        self.number += 1;
        if self.number > CYCLES * CYCLE {
            let [votes, library] = self.shortest;
            self.pause(0);
            if is_library_faster(library, votes) {
                self.phase = Phase::Forwarding;
            }
        }
    }

    /// Begins a pause, after a comparison or after a longer exchange.
    fn pause(&mut self, which: usize) {
        self.pauses[which] = (2 * self.pauses[which]).clamp(MIN_PAUSE, MAX_PAUSE);
        (self.phase, self.number, self.left) = (Phase::Voting, 0, self.pauses[which]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that makes exchanges, with the times in nanoseconds that one takes with votes and without.
    struct Program {
        state: WithoutVotes,
        times: [u64; 2],
        clock: u64,
        stated: Vec<u64>,
    }

    impl Program {
        fn new(times: [u64; 2]) -> Self {
            Self { state: WithoutVotes::default(), times, clock: 5_000, stated: Vec::new() }
        }

        /// Whether the exchange was forwarded.
        fn exchange(&mut self, short: bool) -> bool {
            let clock = self.clock as f64 * 1e-9;
            match self.state.next(|| clock) {
                Step::Forward => {
                    self.state.note_forwarded(1);
                    self.clock += self.times[1];
                    true
                }
                Step::Vote(time) => {
                    self.stated.extend(time);
                    self.clock += self.times[0];
                    self.state.note(short.then_some(time.unwrap_or(0)));
                    false
                }
            }
        }

        fn exchanges(&mut self, count: u64) -> Vec<bool> {
            (0..count).map(|_| self.exchange(true)).collect()
        }

        /// How many of the exchanges were forwarded.
        fn forwarded(&mut self, short: bool, count: u64) -> u64 {
            (0..count).map(|_| u64::from(self.exchange(short))).sum()
        }
    }

    const COMPARISON: u64 = CYCLES * CYCLE + 1;
    const FIRST: u64 = EXCHANGES_BEFORE + COMPARISON;

    #[test]
    fn batches_are_compared() {
        let mut program = Program::new([300, 200]);
        assert_eq!(program.forwarded(true, EXCHANGES_BEFORE), 0);
        for _ in 0..CYCLES {
            assert_eq!([program.forwarded(true, BATCH + 1), program.forwarded(true, BATCH)], [0, BATCH]);
        }
        program.exchanges(1);
        let close = |stated: u64, expected: u64| stated.abs_diff(expected) <= 1;
        assert_eq!(program.stated.len(), 2 * CYCLES as usize);
        for pair in program.stated.chunks(2) {
            assert!(close(pair[0], 300 * BATCH) && close(pair[1], 200 * BATCH), "{:?}", program.stated);
        }
        assert_eq!(program.state.phase, Phase::Forwarding);
    }

    /// Ranks may count each forwarded exchange immediately, or the exchanges of an allowance together.
    #[test]
    fn an_allowance_changes_no_decision() {
        let (mut one, mut other) = (Program::new([300, 200]), Program::new([300, 200]));
        let (mut allowed, mut used, mut allowances) = (0, 0, 0);
        for number in 0..20_000 {
            let short = number % 5_000 != 4_999;
            let ended = allowed == 0 || number % 1_000 == 0;
            let forwarded = if ended {
                other.state.note_forwarded(used);
                (allowed, used) = (0, 0);
                let forwarded = other.exchange(short);
                if forwarded {
                    allowed = other.state.forwards_next();
                    allowances += u64::from(allowed > 0);
                }
                forwarded
            } else {
                other.clock += other.times[1];
                (allowed, used) = (allowed - 1, used + 1);
                true
            };
            assert_eq!(one.exchange(short), forwarded, "exchange {number}");
        }
        assert!(allowances > 50, "{allowances}");
        assert_eq!(one.stated, other.stated);
    }

    #[test]
    fn the_faster_one_stays_until_the_next_comparison() {
        let mut program = Program::new([300, 200]);
        program.exchanges(FIRST);
        let used = program.exchanges(2 * (FORWARDED_PER_VOTE + 1));
        assert_eq!(used.iter().filter(|&&forwarded| !forwarded).count(), 2);
        assert!(!used[FORWARDED_PER_VOTE as usize]);
        let mut program = Program::new([200, 199]);
        program.exchanges(FIRST);
        assert_eq!(program.forwarded(true, MIN_PAUSE + 1), 0);
        program.times = [200, 100];
        assert_eq!(program.state.phase, Phase::Comparing);
        program.exchanges(COMPARISON);
        assert_eq!((program.state.phase, program.state.pauses), (Phase::Forwarding, [2 * MIN_PAUSE, 0]));
    }

    #[test]
    fn a_longer_one_ends_it_for_a_pause() {
        let mut program = Program::new([300, 200]);
        for _ in 0..20 {
            assert_eq!(program.forwarded(true, EXCHANGES_BEFORE - 1), 0);
            assert!(!program.exchange(false));
        }
        program.exchanges(FIRST);
        assert_eq!(program.forwarded(false, 500), FORWARDED_PER_VOTE);
        // Neither longer nor short ones are forwarded until the pause has ended.
        assert_eq!([program.forwarded(true, MIN_PAUSE), program.forwarded(false, 100)], [0, 0]);
        assert!(program.forwarded(true, FIRST) > 0);
        assert_eq!(program.state.pauses, [2 * MIN_PAUSE, MIN_PAUSE]);
    }

    #[test]
    fn programs_with_longer_ones_now_and_then_are_left_alone() {
        let mut program = Program::new([200, 300]);
        let (mut forwarded, steps) = (0, 100);
        for _ in 0..steps {
            forwarded += program.forwarded(true, 200) + program.forwarded(false, 1);
        }
        assert!(forwarded < 201 * steps / 30, "{forwarded}");
    }

    #[test]
    fn what_is_refused_does_not_count() {
        // One rank in all phases with calls that are refused; another one without.
        let (mut one, mut other) = (Program::new([300, 200]), Program::new([300, 200]));
        for _ in 0..FIRST + 200 {
            for _ in 0..2 {
                one.state.next(|| 0.0);
            }
            assert_eq!(one.exchange(true), other.exchange(true));
        }
        assert_eq!(one.state.phase, Phase::Forwarding);
    }

    #[test]
    fn a_time_that_was_stated_in_vain_is_stated_again() {
        let mut program = Program::new([300, 200]);
        program.exchanges(EXCHANGES_BEFORE + BATCH);
        let stated = |program: &mut Program| {
            let clock = program.clock as f64 * 1e-9;
            let Step::Vote(Some(time)) = program.state.next(|| clock) else { panic!("no time") };
            time
        };
        let before = stated(&mut program);
        program.clock += 100;
        assert!(stated(&mut program).abs_diff(before + 100) <= 1);
    }
}
