//! Which of two ways is faster here, found out by using both.
//!
//! Idea: whether slots of shared memory or single copy move large blocks faster depends on the
//! processor, its caches and the kernel, and no rule holds on all machines. So the first exchanges of
//! a size class take the ways in turn, every rank tells its time with its next vote, and the sum over
//! ranks, which all ranks see, decides for the rest. All ranks know the same and decide the same.
//!
//! Cost: [`TURNS`] exchanges of each way per size class, of which one is the slower; no messages.

use super::select::Choice;

/// Exchanges of each way before the decision; the fastest of each counts.
const TURNS: usize = 3;

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

/// Times of one class: those taken so far of each way, in the order of [`WAYS`].
#[derive(Debug, Clone)]
struct Record {
    class: Class,
    times: [Vec<u64>; 2],
}

/// The ways that are compared.
const WAYS: [Choice; 2] = [Choice::Shared, Choice::SingleCopy];

/// All records of a communicator.
#[derive(Debug, Clone, Default)]
pub struct Trials {
    records: Vec<Record>,
    /// The trial of the last exchange, whose time is not known yet.
    last: Option<(Class, usize)>,
}

impl Trials {
    /// Notes the time that the last exchange took, summed over all ranks, if it was a trial.
    pub fn note(&mut self, time: u64) {
        let Some((class, way)) = self.last.take() else { return };
        if let Some(record) = self.records.iter_mut().find(|record| record.class == class) {
            record.times[way].push(time);
        }
    }

    /// The way for the next exchange of a class.
    pub fn next(&mut self, class: Class) -> Choice {
        let index = self.records.iter().position(|record| record.class == class).unwrap_or_else(|| {
            self.records.push(Record { class, times: [Vec::new(), Vec::new()] });
            self.records.len() - 1
        });
        let [slots, single] = &self.records[index].times;
        let way = if single.len() < slots.len() {
            1
        } else if slots.len() < TURNS {
            0
        } else {
            usize::from(single.iter().min() < slots.iter().min())
        };
        if slots.len() < TURNS || single.len() < TURNS {
            self.last = Some((class, way));
        }
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
        (0..12).map(way).collect()
    }

    #[test]
    fn both_are_tried_and_the_faster_stays() {
        use Choice::{Shared, SingleCopy};
        let trial = [Shared, SingleCopy, Shared, SingleCopy, Shared, SingleCopy];
        assert_eq!(taken(5, 9), [&trial[..], &[Shared; 6]].concat());
        assert_eq!(taken(9, 5), [&trial[..], &[SingleCopy; 6]].concat());
    }

    #[test]
    fn classes_are_tried_apart_and_other_exchanges_do_not_count() {
        let mut trials = Trials::default();
        trials.note(1);
        assert_eq!(trials.next(Class::new(true, 1 << 20)), Choice::Shared);
        trials.note(7);
        assert_eq!(trials.next(Class::new(false, 1 << 20)), Choice::Shared);
        trials.note(7);
        assert_eq!(trials.next(Class::new(true, (1 << 20) + 5)), Choice::SingleCopy);
    }
}
