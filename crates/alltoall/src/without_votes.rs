//! Exchanges that are forwarded to the MPI library without votes if that is faster, which is found by timing
//! both.
//!
//! Idea: votes precede what hcube does, and no rank may omit them unless all do. Programs repeat
//! exchanges. After several consecutive exchanges of a kind, the time of a batch of them is compared with
//! the time of a batch of exchanges that are forwarded without votes; this is repeated several times in
//! turn, and the minimum of each counts. A time is taken from the start of a batch to the start of the
//! next batch, because reading a clock and alternating in each exchange may take as long as the exchanges;
//! both times include what the program does between its exchanges. If the library is faster, most
//! exchanges of the kind are forwarded from then on, and one of many votes. The comparison is repeated
//! after a pause, which doubles each time. A vote that finds an exchange for which the comparison is not
//! valid begins another pause, in which all exchanges vote, and which doubles as well: the loss by a few
//! longer exchanges is as large as the gain by some ten thousand short ones.
//!
//! Where many consecutive exchanges with votes were forwarded after them, because trials of their size class
//! have found that the library is faster, the votes only cost time, and the next comparison begins early.
//! Each time twice as many exchanges are needed for that.
//!
//! The kinds of exchanges:
//! - [`SHORT`]: out of place inside a node. If every rank has a core, an exchange of a few bytes takes 0.2
//!   us, as long as a vote. Whether it is short is known only to all ranks together.
//! - [`IN_PLACE`]: in place between nodes, of all ranks together within the memory bound. On few nodes, the
//!   votes take as long as the exchange.
//! - [`LED`]: between nodes, where node leaders pass on the votes. Without node leaders, the library makes
//!   these exchanges without votes. `MPI_Alltoall` in place and out of place, and other functions out of
//!   place, are compared separately; among the last are those that are forwarded after the votes.
//!
//! Ranks count the same exchanges of a kind: all that hcube has performed, and all that were forwarded
//! with arguments that hcube would have accepted. Other calls do not count: an error handler may leave by
//! longjmp, and other ranks may not have made the call.
//!
//! Restrictions: only where calls with invalid arguments may behave as in the library: in programs that do
//! not use hcube's functions, and for exchanges out of place that are forwarded anyway without node leaders.
//! Short ones: all ranks share memory and have a core each.
//! Cost: the slower method in about 1 of 30 exchanges at first, and less later. If short and longer exchanges
//! alternate, most longer exchanges have no speed-up by hcube until a vote finds one.
//! Source: our own.

mod pattern;

use super::choice::is_library_faster;

pub use pattern::{IN_PLACE, LED, Pattern, SHORT};

/// Consecutive exchanges that are forwarded after their votes before the first comparison that begins early.
const FORWARDED_AFTER_VOTES: u64 = 8;
/// The treatment of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It is forwarded without votes; [`WithoutVotes::note_forwarded`] counts it.
    Forward,
    /// It is made with votes, in which a time in nanoseconds is stated; [`WithoutVotes::note`] counts it.
    Vote(Option<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Exchanges in a row are counted.
    Counting,
    /// Batches are compared.
    Comparing,
    /// All exchanges have votes: these were faster, or the comparison is not valid for all exchanges.
    Voting,
    /// The library was faster.
    Forwarding,
}

/// The exchanges of a kind on a communicator; the same on all ranks except the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithoutVotes {
    pattern: &'static Pattern,
    phase: Phase,
    /// Exchanges of this phase; where it forwards, those since the last one with votes.
    number: u64,
    /// Consecutive exchanges with votes that were forwarded after them, and how many begin a comparison.
    forwarded_after: u64,
    needed: u64,
    /// Whether the pause was begun by an exchange for which the comparison is not valid.
    excluded: bool,
    /// Exchanges until the next comparison.
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
    /// Before the first exchange.
    pub const fn new(pattern: &'static Pattern) -> Self {
        let (phase, pauses, shortest) = (Phase::Counting, [0; 2], [0; 2]);
        Self {
            pattern,
            phase,
            number: 0,
            forwarded_after: 0,
            needed: FORWARDED_AFTER_VOTES,
            excluded: false,
            left: 0,
            pauses,
            begin: 0.0,
            next_begin: 0.0,
            shortest,
        }
    }

    /// Decides on the next exchange. `now` reads the clock.
    #[inline]
    pub fn next(&mut self, now: impl FnOnce() -> f64) -> Step {
        match self.phase {
            Phase::Forwarding if self.number < self.pattern.forwarded_per_vote => Step::Forward,
            Phase::Comparing => self.compare(now),
            _ => Step::Vote(None),
        }
    }

    #[cold]
    fn compare(&mut self, now: impl FnOnce() -> f64) -> Step {
        let batch = self.pattern.batch;
        match self.number % self.pattern.cycle() {
            place if place == batch || place == 0 => {
                self.next_begin = now();
                let time = (1e9 * (self.next_begin - self.begin)) as u64;
                Step::Vote((self.number > 0).then_some(time))
            }
            place => {
                if place == batch + 1 {
                    self.begin = now();
                }
                if place > batch { Step::Forward } else { Step::Vote(None) }
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
            Phase::Forwarding => self.pattern.forwarded_per_vote - self.number,
            Phase::Comparing => {
                let cycle = self.pattern.cycle();
                (cycle - self.number % cycle) % cycle
            }
            _ => 0,
        }
    }

    /// Counts an exchange with votes: the sum of the times that the ranks have stated, if the comparison is
    /// valid for it, and whether it was forwarded after its votes because the library is faster.
    #[inline]
    pub fn note(&mut self, times: Option<u64>, forwarded: bool) {
        self.forwarded_after = if forwarded { self.forwarded_after + 1 } else { 0 };
        match (self.phase, times) {
            (Phase::Voting, Some(_)) if self.left > 0 => {
                self.left -= 1;
                if self.forwarded_after >= self.needed && !self.excluded {
                    (self.left, self.needed) = (0, 2 * self.needed);
                }
            }
            (Phase::Voting, None) => {}
            (Phase::Counting, None) => self.number = 0,
            (_, None) => self.pause(1),
            (_, Some(time)) => self.note_valid(time),
        }
    }

    fn note_valid(&mut self, time: u64) {
        let per_vote = self.pattern.forwarded_per_vote;
        match self.phase {
            Phase::Counting if self.number + 1 < self.pattern.before => self.number += 1,
            Phase::Comparing => self.note_compared(time),
            Phase::Forwarding if self.left > per_vote => {
                self.left -= per_vote + 1;
                self.number = 0;
            }
            _ => (self.phase, self.number, self.shortest) = (Phase::Comparing, 0, [u64::MAX; 2]),
        }
    }

    fn note_compared(&mut self, time: u64) {
        let Pattern { batch, cycles, .. } = *self.pattern;
        let place = self.number % self.pattern.cycle();
        if place == batch || place == 0 {
            self.begin = self.next_begin;
            if self.number > 0 {
                let shortest = &mut self.shortest[usize::from(place == 0)];
                *shortest = time.min(*shortest);
            }
        }
        self.number += 1;
        if self.number > cycles * self.pattern.cycle() {
            let [votes, library] = self.shortest;
            self.pause(0);
            if is_library_faster(library, votes) {
                self.phase = Phase::Forwarding;
            }
        }
    }

    /// Begins a pause, after a comparison or after an exchange for which it is not valid.
    fn pause(&mut self, which: usize) {
        let Pattern { min_pause, max_pause, .. } = *self.pattern;
        self.pauses[which] = (2 * self.pauses[which]).clamp(min_pause, max_pause);
        (self.phase, self.number, self.left) = (Phase::Voting, 0, self.pauses[which]);
        (self.forwarded_after, self.excluded) = (0, which == 1);
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
            Self::with(&SHORT, times)
        }

        fn with(pattern: &'static Pattern, times: [u64; 2]) -> Self {
            Self { state: WithoutVotes::new(pattern), times, clock: 5_000, stated: Vec::new() }
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
                    self.state.note(short.then_some(time.unwrap_or(0)), false);
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

    /// Exchanges until the first comparison has ended.
    const fn first(pattern: &Pattern) -> u64 {
        pattern.before + comparison(pattern)
    }

    const fn comparison(pattern: &Pattern) -> u64 {
        pattern.cycles * pattern.cycle() + 1
    }

    #[test]
    fn batches_are_compared() {
        for pattern in [&SHORT, &IN_PLACE, &LED] {
            let mut program = Program::with(pattern, [300, 200]);
            let Pattern { before, batch, cycles, .. } = *pattern;
            assert_eq!(program.forwarded(true, before), 0);
            for _ in 0..cycles {
                assert_eq!([program.forwarded(true, batch + 1), program.forwarded(true, batch)], [0, batch]);
            }
            program.exchanges(1);
            let close = |stated: u64, expected: u64| stated.abs_diff(expected) <= 1;
            assert_eq!(program.stated.len(), 2 * cycles as usize);
            for pair in program.stated.chunks(2) {
                assert!(close(pair[0], 300 * batch) && close(pair[1], 200 * batch), "{:?}", program.stated);
            }
            assert_eq!(program.state.phase, Phase::Forwarding);
        }
    }

    /// What the slower one of both costs: how many of many exchanges are made by it.
    #[test]
    fn the_slower_one_is_rarely_used() {
        const EXCHANGES: u64 = 100_000;
        for pattern in [&SHORT, &IN_PLACE, &LED] {
            let library = Program::with(pattern, [300, 200]).forwarded(true, EXCHANGES);
            assert!(EXCHANGES - library < EXCHANGES / 40, "{pattern:?}: {library} forwarded");
            let library = Program::with(pattern, [200, 300]).forwarded(true, EXCHANGES);
            assert!(library < EXCHANGES / 100, "{pattern:?}: {library} forwarded");
        }
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
        program.exchanges(first(&SHORT));
        let used = program.exchanges(2 * (SHORT.forwarded_per_vote + 1));
        assert_eq!(used.iter().filter(|&&forwarded| !forwarded).count(), 2);
        assert!(!used[SHORT.forwarded_per_vote as usize]);
        let mut program = Program::new([200, 199]);
        program.exchanges(first(&SHORT));
        assert_eq!(program.forwarded(true, SHORT.min_pause + 1), 0);
        program.times = [200, 100];
        assert_eq!(program.state.phase, Phase::Comparing);
        program.exchanges(comparison(&SHORT));
        assert_eq!(
            (program.state.phase, program.state.pauses),
            (Phase::Forwarding, [2 * SHORT.min_pause, 0])
        );
    }

    #[test]
    fn a_longer_one_ends_it_for_a_pause() {
        let mut program = Program::new([300, 200]);
        for _ in 0..20 {
            assert_eq!(program.forwarded(true, SHORT.before - 1), 0);
            assert!(!program.exchange(false));
        }
        program.exchanges(first(&SHORT));
        assert_eq!(program.forwarded(false, 500), SHORT.forwarded_per_vote);
        // Neither longer nor short ones are forwarded until the pause has ended.
        assert_eq!([program.forwarded(true, SHORT.min_pause), program.forwarded(false, 100)], [0, 0]);
        assert!(program.forwarded(true, first(&SHORT)) > 0);
        assert_eq!(program.state.pauses, [2 * SHORT.min_pause, SHORT.min_pause]);
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
        for _ in 0..first(&SHORT) + 200 {
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
        program.exchanges(SHORT.before + SHORT.batch);
        let stated = |program: &mut Program| {
            let clock = program.clock as f64 * 1e-9;
            let Step::Vote(Some(time)) = program.state.next(|| clock) else { panic!("no time") };
            time
        };
        let before = stated(&mut program);
        program.clock += 100;
        assert!(stated(&mut program).abs_diff(before + 100) <= 1);
    }

    /// After a comparison in which hcube was faster, sizes change to those for which trials use the library.
    #[test]
    fn a_comparison_begins_early_where_trials_use_the_library() {
        let mut program = Program::with(&LED, [200, 300]);
        program.exchanges(first(&LED));
        assert_eq!(program.state.phase, Phase::Voting);
        let vote = |program: &mut Program, forwarded| {
            assert!(matches!(program.state.next(|| 0.0), Step::Vote(_)));
            program.state.note(Some(0), forwarded);
        };
        // Sizes that change each time.
        (0..100).for_each(|number| vote(&mut program, number % 2 == 0));
        (0..FORWARDED_AFTER_VOTES).for_each(|_| vote(&mut program, true));
        assert_eq!((program.state.phase, program.state.left), (Phase::Voting, 0));
        vote(&mut program, true);
        assert_eq!(program.state.phase, Phase::Comparing);
        // Then twice as many are needed.
        program.exchanges(comparison(&LED));
        (0..FORWARDED_AFTER_VOTES).for_each(|_| vote(&mut program, true));
        assert!(program.state.left > 0);
    }

    /// It does not while exchanges have been found for which the comparison is not valid.
    #[test]
    fn no_comparison_begins_early_after_a_longer_exchange() {
        let mut program = Program::with(&IN_PLACE, [200, 300]);
        program.exchanges(first(&IN_PLACE));
        assert!(!program.exchange(false));
        program.state.pause(1);
        for _ in 0..4 * FORWARDED_AFTER_VOTES {
            assert!(matches!(program.state.next(|| 0.0), Step::Vote(_)));
            program.state.note(Some(0), true);
        }
        assert!(program.state.phase == Phase::Voting && program.state.left > 0);
    }
}
