//! Which of several algorithms is fastest here, found by using all of them.
//!
//! Idea: whether slots of shared memory or single copy move large blocks faster depends on the processor, its
//! caches and the kernel, and no rule holds on all machines; out of place the MPI library's own function may be
//! faster than both, above all where ranks share cores. So the first exchanges of a size class use each of
//! them, every rank states its time in its next vote, and the sum over ranks, which all ranks see, decides: the
//! algorithm with the shortest time so far. At the 8th exchange, the 16th, the 32nd and so on one of the others
//! is used again, in turn, so that a disturbance during the first exchanges does not decide for ever; and after
//! an exchange that takes three times as long as before, all are tried again. All ranks have the same data and
//! make the same decision.
//!
//! Restriction: the library takes part where whoever calls forwards exchanges and notes their time.
//! Cost: about log2 of the number of exchanges by slower algorithms; no messages. Source: our own.

use super::choice::Choice;

/// The algorithms of the first exchanges, by index. The slots are used twice, because their memory is touched
/// for the first time in one of these exchanges; so are the others, because the times of one algorithm differ by
/// more than those of two.
const FIRST: [usize; 6] = [0, 0, 1, 2, 1, 2];

/// The library has to be faster by this part of its time. Its time seems shorter than it is: a rank leaves its
/// function when its own blocks are done, and waits for the others in what comes next, where single copy waits at its
/// end; and the votes come on top of it (on 8 ranks of 2 cores, 128 KiB to 512 KiB per pair, the library was
/// kept with 1/32 although exchanges took 1.1 times as long as by single copy).
const MARGIN: u64 = 8;

/// An exchange that takes this multiple of the shortest time of its algorithm is a reason to try both again.
const SLOWER: u64 = 3;

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
    /// Shortest time of each algorithm, in the order of [`CONTENDERS`].
    best: [u64; CONTENDERS.len()],
}

impl Record {
    /// The time by which an algorithm is compared.
    fn rated(&self, index: usize) -> u64 {
        let best = self.best[index];
        if CONTENDERS[index] == Choice::Library { best.saturating_add(best / MARGIN) } else { best }
    }
}

/// The algorithms that are compared.
const CONTENDERS: [Choice; 3] = [Choice::Slots, Choice::SingleCopy, Choice::Library];

/// All records of a communicator.
#[derive(Debug, Clone, Default)]
pub struct Trials {
    records: Vec<Record>,
    /// Class and algorithm of the last exchange that was decided here, whose time is not known yet.
    last: Option<(Class, usize)>,
    /// Whether it is the exchange under way.
    under_way: bool,
    /// Whether the library takes part in the next decision.
    library: bool,
}

impl Trials {
    /// Notes the time that the last exchange took, summed over all ranks.
    pub fn note(&mut self, time: u64) {
        let Some((class, index)) = self.last.take() else { return };
        if let Some(record) = self.records.iter_mut().find(|record| record.class == class) {
            // Something has changed on this machine: the measurements do not hold any more.
            if time > SLOWER * record.best[index].min(u64::MAX / SLOWER) {
                (record.exchanges, record.best) = (0, [u64::MAX; CONTENDERS.len()]);
            }
            record.best[index] = record.best[index].min(time);
        }
    }

    /// Whether the library takes part from now on; the same on all ranks.
    pub fn admit_library(&mut self, admitted: bool) {
        self.library = admitted;
    }

    /// Whether the exchange under way was decided here, so that its time counts. Returns true once.
    pub fn take_under_way(&mut self) -> bool {
        std::mem::take(&mut self.under_way)
    }

    /// The algorithm for the next exchange of a class.
    pub fn next(&mut self, class: Class) -> Choice {
        let position = self.records.iter().position(|record| record.class == class).unwrap_or_else(|| {
            self.records.push(Record { class, exchanges: 0, best: [u64::MAX; CONTENDERS.len()] });
            self.records.len() - 1
        });
        let record = &mut self.records[position];
        record.exchanges += 1;
        let contenders = if self.library { CONTENDERS.len() } else { CONTENDERS.len() - 1 };
        let fastest = (0..contenders).min_by_key(|&index| record.rated(index)).expect("several");
        let first = FIRST.iter().filter(|&&index| index < contenders);
        let index = match record.exchanges {
            number if number.is_power_of_two() && number >= 8 => {
                let others = (0..contenders).filter(|&index| index != fastest);
                others.cycle().nth(number.ilog2() as usize % (contenders - 1)).expect("without end")
            }
            number => first.copied().nth(number as usize - 1).unwrap_or(fastest),
        };
        (self.last, self.under_way) = (Some((class, index)), true);
        CONTENDERS[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The algorithms used where exchanges take `slots` and `single`.
    fn used(slots: u64, single: u64) -> Vec<Choice> {
        let (mut trials, class) = (Trials::default(), Class::new(true, 1 << 20));
        let exchange = |_| {
            let choice = trials.next(class);
            trials.note(if choice == Choice::Slots { slots } else { single });
            choice
        };
        (0..9).map(exchange).collect()
    }

    #[test]
    fn both_are_tried_and_the_faster_stays() {
        use Choice::{SingleCopy, Slots};
        let first = [Slots, Slots, SingleCopy, SingleCopy];
        assert_eq!(used(5, 9), [&first[..], &[Slots; 3], &[SingleCopy, Slots]].concat());
        assert_eq!(used(9, 5), [&first[..], &[SingleCopy; 3], &[Slots, SingleCopy]].concat());
    }

    #[test]
    fn the_library_is_tried_where_it_is_admitted_and_stays_if_it_is_fastest() {
        use Choice::{Library, SingleCopy, Slots};
        let (mut trials, class) = (Trials::default(), Class::new(false, 1 << 20));
        let mut exchange = |admitted| {
            trials.admit_library(admitted);
            let choice = trials.next(class);
            trials.note(match choice {
                Slots => 900,
                SingleCopy => 500,
                _ => 400,
            });
            choice
        };
        let first = [(); 8].map(|()| exchange(true));
        assert_eq!(first, [Slots, Slots, SingleCopy, Library, SingleCopy, Library, Library, SingleCopy]);
        let later: Vec<Choice> = (0..8).map(|_| exchange(true)).collect();
        assert_eq!(later, [&[Library; 7][..], &[Slots]].concat(), "the others in turn");
        assert_eq!([exchange(false), exchange(true)], [SingleCopy, Library]);
    }

    #[test]
    fn the_library_must_be_faster_by_a_margin() {
        let (mut trials, class) = (Trials::default(), Class::new(false, 1 << 20));
        trials.admit_library(true);
        let mut last = Choice::Slots;
        for _ in 0..7 {
            last = trials.next(class);
            trials.note(if last == Choice::Library { 99 } else { 100 });
        }
        assert_eq!(last, Choice::Slots);
    }

    #[test]
    fn classes_are_tried_apart_and_other_exchanges_do_not_count() {
        let mut trials = Trials::default();
        trials.note(1);
        assert_eq!(trials.next(Class::new(true, 1 << 20)), Choice::Slots);
        trials.note(7);
        assert_eq!(trials.next(Class::new(false, 1 << 20)), Choice::Slots);
        trials.note(7);
        assert_eq!(trials.next(Class::new(true, (1 << 20) + 5)), Choice::Slots);
        trials.note(7);
        assert_eq!(trials.next(Class::new(true, 1 << 20)), Choice::SingleCopy);
    }
}
