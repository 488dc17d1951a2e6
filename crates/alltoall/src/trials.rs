//! Selects the fastest of several algorithms by timing each of them.
//!
//! Idea: it depends on the processor, its caches and the kernel whether slots of shared memory or single copy
//! move large blocks faster; out of place the MPI library may be faster than both, above all if ranks share
//! cores. Between nodes the order of messages, their number (bundles) and the path inside the nodes matter,
//! and which is best depends on the network. The first exchanges of a size class therefore use each
//! algorithm, every rank states its time in its next vote, and the sum over all ranks decides: the algorithm
//! with the shortest mean time. (With the maximum over the ranks instead, the library loses where it is
//! faster: 4 ranks of 2 cores, 128 KiB per pair, 0.78 of its speed. Ranks that leave it early begin their
//! next exchange.) The other algorithms are retried later, in turn at exchanges 16, 32, 64 and so on, and the
//! second best at every 16th exchange if it is about as fast, so that a disturbance during the first
//! exchanges does not decide for ever. After two consecutive exchanges that take three times as long as
//! before, all are tried again. All ranks have the same data and make the same decision.
//!
//! Restriction: the library takes part only if the caller forwards exchanges and records their time.
//! Cost: about log2 of the number of exchanges by slower algorithms; no messages. Source: our own.

use super::choice::{Choice, Inside, Order, rated_library};

/// Uses of each algorithm in the first exchanges if two or three are compared: in turn and often, because the
/// times of one algorithm vary by more than the times of two differ. The first one is used twice before,
/// because memory is touched for the first time in one of these exchanges.
const ROUNDS: usize = 4;
/// The same if more are compared, so that the first exchanges remain fewer than [`EXCHANGES_PER_RETRIAL`].
const ROUNDS_OF_MANY: usize = 2;

/// Exchanges between two uses of the next best algorithm.
const EXCHANGES_PER_RETRIAL: u64 = 16;

/// The next best is about as fast if its time is at most 1/8 longer.
const CLOSE_DIVISOR: u64 = 8;

/// Two exchanges that take this multiple of the mean time of their algorithm are a reason to try all again.
const MIN_SLOWDOWN: u64 = 3;

/// Exchanges of one class are compared: in place or not, and the power of two of the mean bytes per rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    in_place: bool,
    log2: u32,
}

impl Class {
    /// The class of an exchange.
    pub fn new(in_place: bool, mean_bytes: u64) -> Self {
        Self { in_place, log2: mean_bytes.max(1).ilog2() }
    }
}

/// The measurements of one class.
#[derive(Debug, Clone)]
struct Record {
    class: Class,
    exchanges: u64,
    /// In the order of [`COMPARED`].
    times: [Time; COMPARED.len()],
    /// Whether the last exchange took much longer than before.
    slow: bool,
}

impl Record {
    fn new(class: Class) -> Self {
        Self { class, exchanges: 0, times: Default::default(), slow: false }
    }

    /// The time by which an algorithm is compared.
    fn rated(&self, choice: Choice) -> u64 {
        let mean = self.times[number(choice)].mean();
        if choice == Choice::Library { rated_library(mean) } else { mean }
    }

    /// The fastest of the contenders, and the next best.
    fn ranking(&self, contenders: &[Choice]) -> [Choice; 2] {
        let best = |except: Option<Choice>| {
            let others = contenders.iter().copied().filter(|&choice| Some(choice) != except);
            others.min_by_key(|&choice| self.rated(choice)).expect("two or more")
        };
        let fastest = best(None);
        [fastest, best(Some(fastest))]
    }

    /// Notes the time of an exchange.
    fn note(&mut self, choice: Choice, time: u64) {
        let slow = self.times[number(choice)].note(time);
        if slow && self.slow {
            // The machine's state has changed: the measurements are not valid any more.
            *self = Self::new(self.class);
        }
        self.slow = slow;
    }

    /// The algorithm of the next exchange.
    fn next(&mut self, contenders: &[Choice]) -> Choice {
        self.exchanges += 1;
        let [fastest, second] = self.ranking(contenders);
        match self.exchanges {
            number if number >= EXCHANGES_PER_RETRIAL && number.is_power_of_two() => {
                let others = contenders.iter().copied().filter(|&choice| choice != fastest);
                let turn = number.ilog2() as usize % (contenders.len() - 1);
                others.cycle().nth(turn).expect("without end")
            }
            number if number.is_multiple_of(EXCHANGES_PER_RETRIAL) && self.is_close(fastest, second) => {
                second
            }
            number => first_uses(contenders).nth(number as usize - 1).unwrap_or(fastest),
        }
    }

    fn is_close(&self, fastest: Choice, second: Choice) -> bool {
        let best = self.rated(fastest);
        self.rated(second) <= best.saturating_add(best / CLOSE_DIVISOR)
    }
}

/// The algorithms of the first exchanges.
fn first_uses(contenders: &[Choice]) -> impl Iterator<Item = Choice> + '_ {
    let rounds = if contenders.len() > 3 { ROUNDS_OF_MANY } else { ROUNDS };
    let others = contenders[1..].iter().copied();
    [contenders[0]; 2].into_iter().chain(std::iter::repeat_n(others, rounds).flatten())
}

/// The mean time of one algorithm, in which later exchanges count more than earlier ones.
#[derive(Debug, Clone, Copy, Default)]
struct Time {
    samples: u32,
    mean: u64,
}

impl Time {
    /// An algorithm that was not used yet is no choice.
    fn mean(self) -> u64 {
        if self.samples == 0 { u64::MAX } else { self.mean }
    }

    /// Whether the time is much longer than before.
    fn note(&mut self, time: u64) -> bool {
        let before = *self;
        self.samples = before.samples.saturating_add(1);
        self.mean = match before.samples {
            0 => time,
            // The first one touches memory for the first time.
            1 => time.min(before.mean),
            // A single exchange that was disturbed moves the mean by at most a quarter.
            _ => before.mean - before.mean / 4 + time.min(before.mean.saturating_mul(2)) / 4,
        };
        before.samples > 1 && time > before.mean.saturating_mul(MIN_SLOWDOWN)
    }
}

/// The algorithms that may be compared, inside a node and between nodes.
const COMPARED: [Choice; 9] = [
    Choice::Slots,
    Choice::SingleCopy,
    Choice::Library,
    Choice::Messages(Order::Usual, Inside::Slots),
    Choice::Messages(Order::Usual, Inside::SingleCopy),
    Choice::Messages(Order::Shifted, Inside::Slots),
    Choice::Messages(Order::Shifted, Inside::SingleCopy),
    Choice::Hypercube,
    Choice::Leaders,
];

/// The index in [`COMPARED`].
fn number(choice: Choice) -> usize {
    COMPARED.iter().position(|&compared| compared == choice).expect("an algorithm that is compared")
}

/// All records of a communicator.
#[derive(Debug, Clone, Default)]
pub struct Trials {
    records: Vec<Record>,
    /// Class and algorithm of the last exchange that was decided here, whose time is not known yet.
    last: Option<(Class, Choice)>,
    /// Whether it is the current exchange.
    under_way: bool,
}

impl Trials {
    /// Notes the time that the last exchange took, summed over all ranks.
    pub fn note(&mut self, time: u64) {
        let Some((class, choice)) = self.last.take() else { return };
        if let Some(record) = self.records.iter_mut().find(|record| record.class == class) {
            record.note(choice, time);
        }
    }

    /// Whether the current exchange was decided here, so that its time counts. Returns true once.
    pub fn take_under_way(&mut self) -> bool {
        std::mem::take(&mut self.under_way)
    }

    /// What [`Self::next`] would return, unless times that are noted before change it.
    pub fn expected(&self, class: Class, contenders: &[Choice]) -> Choice {
        if let [choice] = contenders {
            return *choice;
        }
        let known = self.records.iter().find(|record| record.class == class).cloned();
        known.unwrap_or_else(|| Record::new(class)).next(contenders)
    }

    /// The algorithm for the next exchange of a class: one of these, which are the same on all ranks and
    /// differ from each other. Trials begin with the first one.
    pub fn next(&mut self, class: Class, contenders: &[Choice]) -> Choice {
        if let [choice] = contenders {
            return *choice;
        }
        let position = self.records.iter().position(|record| record.class == class).unwrap_or_else(|| {
            self.records.push(Record::new(class));
            self.records.len() - 1
        });
        let choice = self.records[position].next(contenders);
        (self.last, self.under_way) = (Some((class, choice)), true);
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: [Choice; 3] = [Choice::Slots, Choice::SingleCopy, Choice::Library];
    const CLASS: Class = Class { in_place: true, log2: 20 };

    /// The algorithms used in exchanges for which they take these times.
    fn used_of(compared: &[(Choice, u64)], exchanges: usize) -> Vec<Choice> {
        let contenders: Vec<Choice> = compared.iter().map(|&(choice, _)| choice).collect();
        let mut trials = Trials::default();
        let exchange = |_| {
            let choice = trials.next(CLASS, &contenders);
            let (_, time) = compared.iter().find(|&&(other, _)| other == choice).expect("one of them");
            trials.note(*time);
            choice
        };
        (0..exchanges).map(exchange).collect()
    }

    /// The algorithms used inside a node for which they take these times.
    fn used(times: [u64; 3], library: bool, exchanges: usize) -> Vec<Choice> {
        let compared: Vec<(Choice, u64)> = NODE.into_iter().zip(times).collect();
        used_of(&compared[..if library { 3 } else { 2 }], exchanges)
    }

    /// All that are compared between nodes, with their times.
    fn between(times: [u64; 6]) -> Vec<(Choice, u64)> {
        let library = COMPARED.iter().position(|&choice| choice == Choice::Library).expect("one of them");
        COMPARED[library + 1..COMPARED.len() - 1]
            .iter()
            .chain([&Choice::Library])
            .copied()
            .zip(times)
            .collect()
    }

    #[test]
    fn each_of_many_is_tried_and_the_fastest_stays() {
        for fastest in 0..6 {
            let mut times = [500; 6];
            times[fastest] = 300;
            let compared = between(times);
            let used = used_of(&compared, 15);
            for &(choice, _) in &compared {
                let uses = used[..12].iter().filter(|&&other| other == choice).count();
                assert_eq!(uses, ROUNDS_OF_MANY, "{choice:?}: {used:?}");
            }
            assert_eq!(used[12..], [compared[fastest].0; 3], "{used:?}");
        }
    }

    /// Retrials reach each of the others.
    #[test]
    fn each_of_many_is_tried_again() {
        let compared = between([100, 500, 500, 500, 500, 500]);
        let used = used_of(&compared, 1 << 9);
        let again: Vec<Choice> = (4..=9).map(|log2: u32| used[(1 << log2) - 1]).collect();
        for &(choice, _) in &compared[1..] {
            assert!(again.contains(&choice), "{choice:?}: {again:?}");
        }
        assert_eq!(used[12..].iter().filter(|&&choice| choice != compared[0].0).count(), again.len());
    }

    /// Whether an algorithm takes part depends on the exchange; its time counts in all of them.
    #[test]
    fn an_algorithm_that_is_not_a_contender_is_not_used() {
        let compared: Vec<Choice> = between([0; 6]).into_iter().map(|(choice, _)| choice).collect();
        let mut trials = Trials::default();
        for number in 0..200 {
            let contenders = if number % 2 == 0 { &compared[..2] } else { &compared[..5] };
            let choice = trials.next(CLASS, contenders);
            assert!(contenders.contains(&choice), "exchange {number}");
            trials.note(if choice == Choice::Hypercube { 10 } else { 20 });
        }
        assert_eq!(trials.next(CLASS, &compared[..5]), Choice::Hypercube);
    }

    #[test]
    fn one_contender_is_not_timed() {
        let mut trials = Trials::default();
        assert_eq!(trials.next(CLASS, &[Choice::Hypercube]), Choice::Hypercube);
        assert!(!trials.take_under_way() && trials.records.is_empty());
        trials.next(CLASS, &NODE);
        assert!(trials.take_under_way());
    }

    #[test]
    fn both_are_tried_and_the_faster_stays() {
        use Choice::{SingleCopy, Slots};
        let first = [Slots, Slots, SingleCopy, SingleCopy, SingleCopy, SingleCopy];
        let slots = [&first[..], &[Slots; 9], &[SingleCopy], &[Slots; 4]].concat();
        assert_eq!(used([5, 9, 0], false, 20), slots);
        let single_copy = [&first[..], &[SingleCopy; 9], &[Slots], &[SingleCopy; 4]].concat();
        assert_eq!(used([9, 5, 0], false, 20), single_copy);
    }

    #[test]
    fn the_library_is_tried_where_it_is_admitted_and_stays_if_it_is_fastest() {
        use Choice::{Library, SingleCopy, Slots};
        let used = used([900, 500, 400], true, 64);
        let first = [Slots, Slots, SingleCopy, Library, SingleCopy, Library];
        assert_eq!(used[..6], first);
        assert_eq!(used[10..20], [&[Library; 5][..], &[Slots], &[Library; 4]].concat());
        assert_eq!([used[31], used[47], used[63]], [SingleCopy, Library, Slots], "the others in turn");
    }

    #[test]
    fn the_next_best_is_used_again_where_it_is_close() {
        assert_eq!(
            used([900, 410, 400], true, 48)[47],
            Choice::Library,
            "by the margin single copy is fastest"
        );
        assert_eq!(used([900, 300, 320], true, 48)[47], Choice::Library);
        assert_eq!(used([900, 300, 400], true, 48)[47], Choice::SingleCopy);
    }

    #[test]
    fn two_slow_exchanges_in_a_row_are_a_reason_to_try_again() {
        let mut trials = Trials::default();
        let mut exchange = |time| {
            let choice = trials.next(CLASS, &NODE[..2]);
            trials.note(if choice == Choice::Slots { time } else { 9000 });
            choice
        };
        assert_eq!([100; 8].map(&mut exchange)[6..], [Choice::Slots; 2]);
        assert_eq!([1000, 100, 1000, 1000].map(&mut exchange), [Choice::Slots; 4]);
        assert_eq!([1000; 3].map(exchange), [Choice::Slots, Choice::Slots, Choice::SingleCopy]);
    }

    #[test]
    fn the_library_must_be_faster_by_a_margin() {
        assert_eq!(used([100, 200, 99], true, 15)[12], Choice::Slots);
        assert_eq!(used([100, 200, 90], true, 15)[12], Choice::Library);
    }

    #[test]
    fn classes_are_tried_apart_and_other_exchanges_do_not_count() {
        let mut trials = Trials::default();
        let mut next = |in_place, bytes| {
            trials.note(7);
            trials.next(Class::new(in_place, bytes), &NODE[..2])
        };
        assert_eq!(next(true, 1 << 20), Choice::Slots);
        assert_eq!(next(false, 1 << 20), Choice::Slots);
        assert_eq!(next(true, (1 << 20) + 5), Choice::Slots);
        assert_eq!(next(true, 1 << 20), Choice::SingleCopy);
    }
}
