//! Which of two algorithms is faster here, found by using both.
//!
//! Idea: whether slots of shared memory or single copy move large blocks faster depends on the processor, its
//! caches and the kernel, and no rule holds on all machines. So the first exchanges of a size class use both,
//! every rank states its time in its next vote, and the sum over ranks, which all ranks see, decides: the
//! algorithm with the shortest time so far. At the 8th exchange, the 16th, the 32nd and so on the other one
//! is used again, so that a disturbance during the first exchanges does not decide for ever; and after an
//! exchange that takes three times as long as before, both are tried again. All ranks have the same data and
//! make the same decision.
//!
//! Cost: about log2 of the number of exchanges by the slower algorithm; no messages. Source: our own.

use super::choice::Choice;

/// The algorithms of the first exchanges, by index. The slots are used twice, because their memory is touched
/// for the first time in one of these exchanges.
const FIRST: [usize; 3] = [0, 0, 1];

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
    best: [u64; 2],
}

/// The algorithms that are compared.
const CONTENDERS: [Choice; 2] = [Choice::Slots, Choice::SingleCopy];

/// All records of a communicator.
#[derive(Debug, Clone, Default)]
pub struct Trials {
    records: Vec<Record>,
    /// Class and algorithm of the last exchange that was decided here, whose time is not known yet.
    last: Option<(Class, usize)>,
    /// Whether it is the exchange under way.
    under_way: bool,
}

impl Trials {
    /// Notes the time that the last exchange took, summed over all ranks.
    pub fn note(&mut self, time: u64) {
        let Some((class, index)) = self.last.take() else { return };
        if let Some(record) = self.records.iter_mut().find(|record| record.class == class) {
            // Something has changed on this machine: the measurements do not hold any more.
            if time > SLOWER * record.best[index].min(u64::MAX / SLOWER) {
                (record.exchanges, record.best) = (0, [u64::MAX; 2]);
            }
            record.best[index] = record.best[index].min(time);
        }
    }

    /// Whether the exchange under way was decided here, so that its time counts. Returns true once.
    pub fn take_under_way(&mut self) -> bool {
        std::mem::take(&mut self.under_way)
    }

    /// The algorithm for the next exchange of a class.
    pub fn next(&mut self, class: Class) -> Choice {
        let position = self.records.iter().position(|record| record.class == class).unwrap_or_else(|| {
            self.records.push(Record { class, exchanges: 0, best: [u64::MAX; 2] });
            self.records.len() - 1
        });
        let record = &mut self.records[position];
        record.exchanges += 1;
        let faster = usize::from(record.best[1] < record.best[0]);
        let index = match record.exchanges {
            number @ 1..=3 => FIRST[number as usize - 1],
            number if number >= 8 && number.is_power_of_two() => 1 - faster,
            _ => faster,
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
        let first = [Slots, Slots, SingleCopy];
        assert_eq!(used(5, 9), [&first[..], &[Slots; 4], &[SingleCopy, Slots]].concat());
        assert_eq!(used(9, 5), [&first[..], &[SingleCopy; 4], &[Slots, SingleCopy]].concat());
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
