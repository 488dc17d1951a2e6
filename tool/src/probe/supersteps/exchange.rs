//! Supersteps in which all processes exchange equal messages, by the functions of a BSPlib.
//!
//! In a random permutation a process has one partner, which is another process where there is one; every
//! repetition has its own permutation. In an all-to-all exchange all other processes are partners.
//!
//! Source: Krusche 2005, §3.2.

use crate::bench::bsp::calls::functions::Functions;
use crate::bench::bsp::calls::{self, BspLibrary, Transfer};
use crate::bench::bsp::{Areas, WORD};
use hcube_results::machine::bsp::{GapOperation, Pattern};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all processes do in a superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub pattern: Pattern,
    pub operation: GapOperation,
    /// Words of a message.
    pub words: usize,
    /// Messages to a partner.
    pub count: usize,
}

impl Case {
    /// Words to or from a partner.
    pub fn per_partner(&self) -> usize {
        self.words * self.count
    }

    fn reads(&self) -> bool {
        matches!(self.operation, GapOperation::Get | GapOperation::HpGet)
    }
}

/// What a process sends in a latency measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    Empty,
    Shift,
    AllToAll,
}

impl Latency {
    /// In the order of their names.
    pub const ALL: [Self; 3] = [Self::Empty, Self::Shift, Self::AllToAll];
}

/// Another process, and the first word of what it and this process exchange, in the memory of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Partner {
    /// To which this one sends, or from which it gets.
    to: usize,
    /// Whose data arrives here.
    from: usize,
    place: usize,
}

/// The words that a process sends: who, and where.
fn word(process: usize, place: usize) -> u64 {
    (process as u64) << 40 | place as u64
}

const NOTHING: u64 = u64::MAX;

/// A permutation of processes without fixed points where there are several, from a seed that all processes
/// have.
pub fn permutation(processes: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % bound
    };
    // Sattolo's shuffle: a cycle through all of them.
    let mut all: Vec<usize> = (0..processes).collect();
    for last in (1..processes).rev() {
        all.swap(last, below(last));
    }
    all
}

/// The SPMD part of a library, in which exchanges are measured.
pub struct Spmd {
    library: BspLibrary,
    process: usize,
    processes: usize,
    areas: Rc<Areas>,
    permutation: Vec<usize>,
}

impl Spmd {
    /// Collective: begins the SPMD part on all processes of the job, with memory for exchanges; it ends where
    /// this is dropped. Nothing where the library has another number of processes.
    pub fn begin(
        functions: Functions,
        (process, processes): (usize, usize),
        areas: [Vec<u64>; 2],
    ) -> Option<Self> {
        let [own, shared] = areas.map(|words| words.into_iter().map(AtomicU64::new).collect());
        let areas = Rc::new(Areas { own, shared });
        let library = BspLibrary::begin(functions, Rc::clone(&areas))?;
        Some(Self { library, process, processes, areas, permutation: permutation(processes, 0) })
    }

    /// Words that each area needs for exchanges of `words` words to all partners together.
    pub fn area(words: usize, processes: usize) -> usize {
        words.max(processes)
    }

    /// Further exchanges use another permutation.
    pub fn permute(&mut self, seed: u64) {
        self.permutation = permutation(self.processes, seed);
    }

    fn partners(&self, case: &Case) -> Vec<Partner> {
        let (process, processes) = (self.process, self.processes);
        match case.pattern {
            Pattern::AllToAll if processes > 1 => (1..processes)
                .map(|distance| Partner {
                    to: (process + distance) % processes,
                    from: (process + processes - distance) % processes,
                    place: (distance - 1) * case.per_partner(),
                })
                .collect(),
            _ => {
                let from = self.permutation.iter().position(|&to| to == process).unwrap_or(process);
                vec![Partner { to: self.permutation[process], from, place: 0 }]
            }
        }
    }

    /// Collective: supersteps of a latency measurement.
    pub fn idle(&self, latency: Latency, times: u32) {
        // A process that is alone sends to itself.
        let others = match latency {
            Latency::Empty => 0..0,
            Latency::Shift => 1..2,
            Latency::AllToAll => 1..self.processes.max(2),
        };
        let partner = |distance| calls::Partner {
            to: (self.process + distance) % self.processes,
            own: 0,
            shared: self.process * WORD,
        };
        let partners: Vec<_> = others.map(partner).collect();
        let put = GapOperation::Put;
        self.library
            .transfer(&Transfer { operation: put, bytes: WORD, messages: 1, partners: &partners }, times);
    }

    /// Collective: supersteps.
    pub fn run(&self, case: &Case, times: u32) {
        let partner = |partner: Partner| {
            let first = partner.place * WORD;
            calls::Partner { to: partner.to, own: first, shared: first }
        };
        let partners: Vec<_> = self.partners(case).into_iter().map(partner).collect();
        let &Case { operation, words, count: messages, .. } = case;
        self.library
            .transfer(&Transfer { operation, bytes: words * WORD, messages, partners: &partners }, times);
    }

    /// Known data where it comes from, and none where it arrives.
    pub fn fill(&self) {
        for (place, (own, shared)) in self.areas.own.iter().zip(&self.areas.shared).enumerate() {
            own.store(word(self.process, place), Ordering::Relaxed);
            shared.store(NOTHING, Ordering::Relaxed);
        }
    }

    /// As [`Self::fill`] for a case.
    pub fn fill_for(&self, case: &Case) {
        self.fill();
        if case.reads() {
            for (own, shared) in self.areas.own.iter().zip(&self.areas.shared) {
                let known = own.swap(NOTHING, Ordering::Relaxed);
                shared.store(known, Ordering::Relaxed);
            }
        }
    }

    /// Messages that have not arrived as they were sent.
    pub fn wrong(&self, case: &Case) -> u64 {
        let partners = self.partners(case);
        let messages = || {
            let of = |partner: Partner| {
                let sender = if case.reads() { partner.to } else { partner.from };
                (0..case.count).map(move |message| (sender, partner.place + message * case.words))
            };
            partners.iter().copied().flat_map(of)
        };
        let mut expected: Vec<u64> = messages().map(|(sender, place)| word(sender, place)).collect();
        let area = if case.reads() { &self.areas.own } else { &self.areas.shared };
        let found = |place: usize| area[place].load(Ordering::Relaxed);
        let mut first: Vec<u64> = messages().map(|(_, place)| found(place)).collect();
        if case.operation == GapOperation::Send {
            // Messages come in any order.
            expected.sort_unstable();
            first.sort_unstable();
        }
        let differ = expected.iter().zip(&first).filter(|(one, other)| one != other).count();
        let broken = |&(_, place): &(usize, usize)| {
            (1..case.words).any(|next| found(place + next) != found(place).wrapping_add(next as u64))
        };
        (differ + messages().filter(broken).count()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_have_no_fixed_point() {
        assert_eq!(permutation(1, 5), [0]);
        for processes in 2..=130 {
            for seed in 0..5 {
                let mut all = permutation(processes, seed);
                assert!(all.iter().enumerate().all(|(process, &to)| process != to), "{processes}");
                all.sort_unstable();
                assert!(all.into_iter().eq(0..processes));
            }
        }
        assert_ne!(permutation(50, 1), permutation(50, 2));
    }
}
