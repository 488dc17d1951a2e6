//! Which of two ways is faster here, found out by using both.
//!
//! Idea: whether slots of shared memory or single copy move large blocks faster depends on the
//! processor, its caches and the kernel, and no rule holds on all machines. So the first exchanges of
//! a size class take both ways, every rank tells its time with its next vote, and the sum over
//! ranks, which all ranks see, decides: the way with the shortest time so far. Now and then (at the
//! 8th exchange, the 16th, the 32nd, ...) the other one is taken again, so that a disturbance during
//! the first exchanges does not decide for ever; and where an exchange takes three times as long as
//! before, both are tried anew. All ranks know the same and decide the same.
//!
//! Cost: about log2 of the number of exchanges by the slower way; no messages.

use super::select::Choice;

/// Ways of the first exchanges, by number. The slots have two turns, because their memory is touched for
/// the first time in one of them.
const FIRST: [usize; 3] = [0, 0, 1];

/// So many times the shortest time of a way is a reason to try both again.
const SLOWER: u64 = 3;

/// Exchanges that are alike: in place or not, and the power of two of the mean bytes per rank.
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

/// What is known of one class.
#[derive(Debug, Clone)]
struct Record {
    class: Class,
    exchanges: u64,
    /// Shortest time of each way, in the order of [`WAYS`].
    best: [u64; 2],
}

/// The ways that are compared.
const WAYS: [Choice; 2] = [Choice::Shared, Choice::SingleCopy];

/// All records of a communicator.
#[derive(Debug, Clone, Default)]
pub struct Trials {
    records: Vec<Record>,
    /// Class and way of the last exchange that was decided on, whose time is not known yet.
    last: Option<(Class, usize)>,
    /// Whether that is the exchange under way.
    under_way: bool,
}

impl Trials {
    /// Notes the time that the last exchange took, summed over all ranks.
    pub fn note(&mut self, time: u64) {
        let Some((class, way)) = self.last.take() else { return };
        if let Some(record) = self.records.iter_mut().find(|record| record.class == class) {
            // Whatever has changed here, what was known no longer holds.
            if time > SLOWER * record.best[way].min(u64::MAX / SLOWER) {
                (record.exchanges, record.best) = (0, [u64::MAX; 2]);
            }
            record.best[way] = record.best[way].min(time);
        }
    }

    /// Whether the exchange under way is one that was decided on, so that its time counts. Says so once.
    pub fn take_under_way(&mut self) -> bool {
        std::mem::take(&mut self.under_way)
    }

    /// The way for the next exchange of a class.
    pub fn next(&mut self, class: Class) -> Choice {
        let index = self.records.iter().position(|record| record.class == class).unwrap_or_else(|| {
            self.records.push(Record { class, exchanges: 0, best: [u64::MAX; 2] });
            self.records.len() - 1
        });
        let record = &mut self.records[index];
        record.exchanges += 1;
        let faster = usize::from(record.best[1] < record.best[0]);
        let way = match record.exchanges {
            number @ 1..=3 => FIRST[number as usize - 1],
            number if number >= 8 && number.is_power_of_two() => 1 - faster,
            _ => faster,
        };
        (self.last, self.under_way) = (Some((class, way)), true);
        WAYS[way]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ways that are taken where an exchange takes so long by slots and by single copy.
    fn taken(slots: u64, single: u64) -> Vec<Choice> {
        let (mut trials, class) = (Trials::default(), Class::new(true, 1 << 20));
        let way = |_| {
            let way = trials.next(class);
            trials.note(if way == Choice::Shared { slots } else { single });
            way
        };
        (0..9).map(way).collect()
    }

    #[test]
    fn both_are_tried_and_the_faster_stays() {
        use Choice::{Shared, SingleCopy};
        let first = [Shared, Shared, SingleCopy];
        assert_eq!(taken(5, 9), [&first[..], &[Shared; 4], &[SingleCopy, Shared]].concat());
        assert_eq!(taken(9, 5), [&first[..], &[SingleCopy; 4], &[Shared, SingleCopy]].concat());
    }

    #[test]
    fn classes_are_tried_apart_and_other_exchanges_do_not_count() {
        let mut trials = Trials::default();
        trials.note(1);
        assert_eq!(trials.next(Class::new(true, 1 << 20)), Choice::Shared);
        trials.note(7);
        assert_eq!(trials.next(Class::new(false, 1 << 20)), Choice::Shared);
        trials.note(7);
        assert_eq!(trials.next(Class::new(true, (1 << 20) + 5)), Choice::Shared);
        trials.note(7);
        assert_eq!(trials.next(Class::new(true, 1 << 20)), Choice::SingleCopy);
    }
}
