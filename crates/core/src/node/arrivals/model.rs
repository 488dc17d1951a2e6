//! What the table of arrivals promises, in all interleavings, with one row for all operations.
//!
//! Of two ranks that have started an operation exactly one finds the other one, with the word that this has
//! entered, and sees what it has written before; in any order of the operations, for any number of operations
//! that a rank is ahead. No rank waits for another one to start an operation. When all have started all
//! operations, no entry is left in a list. A rank that has started all operations may leave, and nobody reads
//! its lists after it has freed them. An offer is taken by the later rank of a pair or withdrawn by the
//! earlier one: both agree which, and the earlier one gets the word of the later one, once, and sees what it
//! has written before. An offer that is not withdrawn is taken.
//!
//! Not promised: anything about a rank that is killed inside [`Arrivals::enter`], which may hold the lock.

use super::{Arrivals, FIRST_KEY, LOCK, QUEUED};
use crate::atomic::model::{Extent, Model, Scene};
use crate::atomic::{self, AtomicU64, Ordering};
use crate::node::single_copy::Process;
use crate::node::slots::Slots;
use std::cell::RefCell;
use std::ptr::NonNull;
use std::rc::Rc;

/// Operations are 1 to this number.
const OPERATIONS: u64 = 8;

/// A byte of each rank for each operation.
fn byte(memory: NonNull<u8>, rank: usize, operation: u64) -> *const u8 {
    memory.as_ptr().wrapping_add(rank * (OPERATIONS as usize + 1) + operation as usize)
}

/// The word of a rank for an operation.
fn word(rank: usize, operation: u64) -> u64 {
    100 * operation + rank as u64 + 1
}

/// What the ranks have found.
#[derive(Debug, Default)]
struct Found {
    /// The operation, the later rank, and the earlier one.
    pairs: Vec<(u64, usize, usize)>,
    /// The operation, the rank whose offer was taken, and the one that has taken it, as each of them says.
    offered: Vec<(u64, usize, usize)>,
    taken: Vec<(u64, usize, usize)>,
}

/// How a rank ends its offers.
enum EndOfOffer {
    Withdrawn,
    /// It asks first whether it was taken.
    AskedAndWithdrawn,
    /// It waits until it is taken.
    Taken,
}

/// One rank.
struct Rank {
    arrivals: Arrivals,
    memory: NonNull<u8>,
    processes: Vec<Process>,
    found: Rc<RefCell<Found>>,
}

impl Rank {
    /// Starts an operation: the later ranks.
    fn enter(&mut self, operation: u64) -> Vec<usize> {
        let (own, ranks) = (self.arrivals.slots.own(), self.processes.len());
        atomic::written(byte(self.memory, own, operation));
        let before = self.arrivals.enter(operation, word(own, operation), &self.processes).expect("no error");
        for &(rank, its_word) in &before {
            assert_eq!(its_word, word(rank, operation));
            atomic::read(byte(self.memory, rank, operation));
            self.found.borrow_mut().pairs.push((operation, own, rank));
        }
        (0..ranks).filter(|&rank| rank != own && before.iter().all(|&(other, _)| other != rank)).collect()
    }

    /// Starts an operation with offers to all others, and ends the offers as told.
    fn enter_with_offers(&mut self, operation: u64, end: EndOfOffer) {
        let (own, ranks) = (self.arrivals.slots.own(), self.processes.len());
        let others = || (0..ranks).filter(|&other| other != own);
        others().for_each(|other| self.arrivals.make_offer(other, operation));
        let later = self.enter(operation);
        for earlier in others().filter(|other| !later.contains(other)) {
            assert_eq!(self.arrivals.withdraw_offer(earlier, operation), None);
            if self.arrivals.take_offer(earlier, operation, word(own, operation)) {
                self.found.borrow_mut().taken.push((operation, earlier, own));
            }
        }
        for later in later {
            let found = match end {
                EndOfOffer::Withdrawn => self.arrivals.withdraw_offer(later, operation),
                EndOfOffer::AskedAndWithdrawn => {
                    let asked = self.arrivals.taken_offer(later);
                    asked.or_else(|| self.arrivals.withdraw_offer(later, operation))
                }
                EndOfOffer::Taken => loop {
                    match self.arrivals.taken_offer(later) {
                        None => atomic::yield_now(),
                        found => break found,
                    }
                },
            };
            if let Some(its_word) = found {
                assert_eq!((its_word, self.arrivals.taken_offer(later)), (word(later, operation), None));
                atomic::read(byte(self.memory, later, operation));
                self.found.borrow_mut().offered.push((operation, own, later));
            }
        }
    }
}

/// Ranks that are to start operations in these orders.
fn all(scene: &mut Scene, orders: &'static [&'static [u64]]) -> Vec<Rank> {
    let count = orders.len();
    let slots = Slots::of_model(scene, count, Arrivals::layout(count).expect("small"));
    let memory = scene.memory(count * (OPERATIONS as usize + 1));
    let found = Rc::new(RefCell::new(Found::default()));
    let all: Vec<Arrivals> = slots.into_iter().map(Arrivals::on).collect();
    let at_end =
        [LOCK, QUEUED, FIRST_KEY].map(|number| std::ptr::from_ref::<AtomicU64>(all[0].word(0, number)));
    let of_rank = |arrivals| {
        let processes = vec![Process::of_model(); count];
        Rank { arrivals, memory, processes, found: found.clone() }
    };
    let ranks = all.into_iter().map(of_rank).collect();
    scene.finally(move || {
        let Found { pairs, mut offered, mut taken } = found.take();
        for operation in orders[0] {
            for one in 0..count {
                for other in one + 1..count {
                    let both = [(*operation, one, other), (*operation, other, one)];
                    assert_eq!(
                        pairs.iter().filter(|pair| both.contains(pair)).count(),
                        1,
                        "{both:?}: {pairs:?}"
                    );
                }
            }
        }
        offered.sort_unstable();
        taken.sort_unstable();
        assert_eq!(offered, taken, "offers");
        for word in at_end {
            // SAFETY: memory of the scene; all participants have ended.
            assert_eq!(unsafe { &*word }.load(Ordering::Relaxed), 0);
        }
    });
    ranks
}

/// Ranks that start operations in these orders, and leave.
fn ranks(scene: &mut Scene, orders: &'static [&'static [u64]], start: fn(&mut Rank, u64)) {
    for (mut rank, order) in all(scene, orders).into_iter().zip(orders) {
        scene.participant(move || order.iter().for_each(|&operation| start(&mut rank, operation)));
    }
}

/// The same by one participant, which takes the next operation of these ranks in turn.
fn in_turn(scene: &mut Scene, orders: &'static [&'static [u64]], turns: &'static [usize]) {
    let mut ranks = all(scene, orders);
    scene.participant(move || {
        let mut orders = orders.to_vec();
        for &turn in turns {
            let (first, rest) = orders[turn].split_first().expect("a turn for each operation");
            ranks[turn].enter(*first);
            orders[turn] = rest;
        }
    });
}

fn enter(rank: &mut Rank, operation: u64) {
    rank.enter(operation);
}

fn offer(rank: &mut Rank, operation: u64) {
    rank.enter_with_offers(operation, EndOfOffer::AskedAndWithdrawn);
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::arrivals", "two ranks, rows used again", |scene| {
        ranks(scene, &[&[1, 2], &[1, 2]], enter)
    }),
    Model::new("node::arrivals", "two ranks in different orders, with lists", |scene| {
        ranks(scene, &[&[1, 2, 3], &[3, 2, 1]], enter);
    }),
    Model::new("node::arrivals", "two ranks, a list that is used again", |scene| {
        ranks(scene, &[&[1, 2, 3, 4], &[2, 3, 4, 1]], enter);
    }),
    Model::new("node::arrivals", "two ranks, lists that grow", |scene| {
        ranks(scene, &[&[1, 2, 3, 4, 5], &[4, 3, 5, 1, 2]], enter);
    })
    .with(Extent::Preemptions(3)),
    Model::new("node::arrivals", "three ranks, lists and rows", |scene| {
        ranks(scene, &[&[1, 2], &[2, 1], &[1, 2]], enter);
    })
    .with(Extent::Preemptions(2)),
    Model::new("node::arrivals", "three ranks, three orders", |scene| {
        ranks(scene, &[&[1, 2, 3], &[2, 3, 1], &[3, 1, 2]], enter);
    })
    .with(Extent::Preemptions(2)),
    // The list of rank 0 is freed where its first entries were removed last; then rank 2 searches it.
    Model::new("node::arrivals", "three ranks in turn, a list that is freed", |scene| {
        const ORDERS: &[&[u64]] = &[&[2, 4, 1, 3], &[1, 4, 2, 3], &[4, 2, 3, 1]];
        in_turn(scene, ORDERS, &[1, 0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 2]);
    }),
    Model::new("node::arrivals", "an offer of two ranks", |scene| ranks(scene, &[&[1], &[1]], offer)),
    Model::new("node::arrivals", "an offer that stays until it is taken", |scene| {
        ranks(scene, &[&[1], &[1]], |rank, operation| rank.enter_with_offers(operation, EndOfOffer::Taken));
    }),
    Model::new("node::arrivals", "offers of two ranks, twice", |scene| {
        ranks(scene, &[&[1, 2], &[1, 2]], offer);
    })
    .with(Extent::Preemptions(2)),
    Model::new("node::arrivals", "offers of two ranks in different orders", |scene| {
        ranks(scene, &[&[1, 2], &[2, 1]], |rank, operation| {
            rank.enter_with_offers(operation, EndOfOffer::Withdrawn)
        });
    })
    .with(Extent::Preemptions(2)),
    Model::new("node::arrivals", "three ranks, lists and rows, more executions", |scene| {
        ranks(scene, &[&[1, 2], &[2, 1], &[1, 2]], enter);
    })
    .with(Extent::Preemptions(4))
    .long(),
    Model::new("node::arrivals", "many operations of four ranks", |scene| {
        ranks(scene, &[&[1, 2, 3, 4], &[4, 3, 2, 1], &[3, 1, 4, 2], &[2, 4, 1, 3]], enter);
    })
    .with(Extent::Random(100)),
];
