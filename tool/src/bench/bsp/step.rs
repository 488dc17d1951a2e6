//! What a process does in a superstep, and the data by which it is verified.

use crate::bench::lengths::name;
use clap::ValueEnum;
use hcube_results::bsp::Superstep;
use hcube_results::measured::Place;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a word, in which data is verified.
pub const WORD: usize = size_of::<u64>();

/// What a process does in a superstep, in the order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Operation {
    /// a superstep without data
    Empty,
    /// 8 bytes to the next process
    Shift,
    /// 8 bytes to every process
    AllToAll,
    /// bsp_put
    Put,
    /// bsp_hpput
    Hpput,
    /// bsp_get
    Get,
    /// bsp_hpget
    Hpget,
    /// bsp_send and bsp_move
    Send,
}

impl Operation {
    /// Bytes and messages where they are not chosen.
    pub fn fixed_load(self, ranks: usize) -> Option<(usize, usize)> {
        match self {
            Self::Empty => Some((0, 0)),
            Self::Shift => Some((WORD, 1)),
            Self::AllToAll => Some((WORD, ranks)),
            _ => None,
        }
    }
}

/// A superstep of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub operation: Operation,
    /// Bytes of a message.
    pub bytes: usize,
    pub messages: usize,
}

/// The memory of a process: what only it knows, and what the others know. Words of known data go from one to
/// the other.
#[derive(Debug)]
pub struct Areas {
    pub own: Box<[AtomicU64]>,
    pub shared: Box<[AtomicU64]>,
}

/// What no transfer writes.
const NOTHING: u64 = u64::MAX;

/// The word that a process sends at a place.
fn word(rank: usize, place: usize) -> u64 {
    ((rank as u64) << 32 | place as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1
}

impl Step {
    /// What a process transfers.
    pub fn words(&self) -> usize {
        self.bytes * self.messages / WORD
    }

    /// What results say of it.
    pub fn described(&self, place: Place) -> Superstep {
        let Self { operation, bytes, messages } = *self;
        Superstep { place, operation: name(operation), bytes, messages }
    }

    /// Where data comes from, and where it arrives.
    fn sides<'a>(&self, areas: &'a Areas) -> [&'a [AtomicU64]; 2] {
        let (own, shared) = (&areas.own[..self.words()], &areas.shared[..self.words()]);
        if matches!(self.operation, Operation::Get | Operation::Hpget) {
            [shared, own]
        } else {
            [own, shared]
        }
    }

    /// Known data where it comes from, and none where it arrives.
    pub fn fill(&self, areas: &Areas, rank: usize) {
        let [from, to] = self.sides(areas);
        for (place, (from, to)) in from.iter().zip(to).enumerate() {
            from.store(word(rank, place), Ordering::Relaxed);
            to.store(NOTHING, Ordering::Relaxed);
        }
    }

    /// Words that have not arrived.
    pub fn wrong(&self, areas: &Areas, rank: usize, ranks: usize) -> u64 {
        let [_, to] = self.sides(areas);
        let expected = |place: usize| match self.operation {
            Operation::AllToAll => word(place, rank),
            Operation::Get | Operation::Hpget => word((rank + 1) % ranks, place),
            _ => word((rank + ranks - 1) % ranks, place),
        };
        let wrong = |(place, word): &(usize, &AtomicU64)| word.load(Ordering::Relaxed) != expected(*place);
        to.iter().enumerate().filter(wrong).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::bsp::{LATENCIES, SWEPT};

    #[test]
    fn operations_have_their_names() {
        let names = Operation::value_variants().iter().map(|&one| name(one));
        assert!(names.eq(LATENCIES.into_iter().chain(SWEPT)));
        assert_eq!(Operation::AllToAll.fixed_load(3), Some((8, 3)));
    }

    #[test]
    fn what_has_not_arrived_is_found() {
        let area = || (0..8).map(AtomicU64::new).collect();
        let all: Vec<Areas> = (0..3).map(|_| Areas { own: area(), shared: area() }).collect();
        for &operation in Operation::value_variants() {
            let (bytes, messages) = operation.fixed_load(3).unwrap_or((16, 2));
            let step = Step { operation, bytes, messages };
            all.iter().enumerate().for_each(|(rank, areas)| step.fill(areas, rank));
            let wrong = |rank: usize| step.wrong(&all[rank], rank, 3);
            assert_eq!(wrong(1), step.words() as u64, "{operation:?}");
            for (place, to) in step.sides(&all[1])[1].iter().enumerate() {
                let (rank, place) = match operation {
                    Operation::AllToAll => (place, 1),
                    Operation::Get | Operation::Hpget => (2, place),
                    _ => (0, place),
                };
                to.store(step.sides(&all[rank])[0][place].load(Ordering::Relaxed), Ordering::Relaxed);
            }
            assert_eq!(wrong(1), 0, "{operation:?}");
        }
    }
}
