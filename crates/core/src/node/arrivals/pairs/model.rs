//! What the pairs of the ranks of a node promise, in all interleavings.
//!
//! Of two ranks that have started an operation exactly one is the later one, and it sees what the earlier one
//! has written before it started. An offer of the earlier one is either taken by the later one, or withdrawn:
//! both ranks agree which. Where it is taken, the earlier one sees what the later one has written before it
//! started as well. No rank waits for another one, and the word of the pair is idle again when both have
//! finished, so that the operation can be started again.

use super::{IDLE, Order, Pairs};
use crate::atomic::model::{Extent, Model, Scene};
use crate::atomic::{self, AtomicU64, Ordering};
use crate::node::slots::Slots;
use std::cell::Cell;
use std::ptr::NonNull;
use std::rc::Rc;

/// What the ranks have besides the pairs: a counter, and a byte each.
#[derive(Clone, Copy)]
struct Memory {
    place: NonNull<u8>,
    ranks: usize,
}

impl Memory {
    fn byte(self, rank: usize) -> *const u8 {
        self.place.as_ptr().wrapping_add(size_of::<AtomicU64>() + rank)
    }

    /// Waits until all ranks have met as often.
    fn meet(self, times: u64) {
        // SAFETY: the first word of memory of the scene, which all access as an atomic.
        let met = unsafe { self.place.cast::<AtomicU64>().as_ref() };
        met.fetch_add(1, Ordering::Release);
        while met.load(Ordering::Acquire) < times * self.ranks as u64 {
            atomic::yield_now();
        }
    }
}

/// How the ranks behave.
#[derive(Clone, Copy)]
struct Case {
    ranks: usize,
    operations: u64,
    /// Whether a rank offers to share.
    offers: fn(usize) -> bool,
    /// Whether a rank asks for the end of its offer before it withdraws it.
    asks: bool,
}

/// The order that a rank has found for its pair with another one, and whether its own offer was taken.
type Found = (usize, usize, Option<Order>, bool);

/// One operation of one rank.
fn start(pairs: &Pairs, memory: Memory, case: Case) -> Vec<Found> {
    let own = pairs.slots.own();
    let others = (0..case.ranks).filter(|&other| other != own);
    atomic::written(memory.byte(own));
    let offers = (case.offers)(own);
    let found: Vec<(usize, Order)> = others.map(|other| (other, pairs.start(other, offers))).collect();
    let finish = |&(other, order): &(usize, Order)| {
        let is_taken = offers
            && order == Order::Earlier
            && (case.asks && pairs.taken_offer(other) || pairs.withdraw_offer(other));
        if order != Order::Earlier || is_taken {
            atomic::read(memory.byte(other));
        }
        (own, other, Some(order), is_taken)
    };
    found.iter().map(finish).collect()
}

/// Whether the two ranks of each pair agree.
fn check(found: &[Found]) {
    for &(one, other, order, is_taken) in found {
        let of_other =
            found.iter().find(|found| (found.0, found.1) == (other, one)).expect("both have started");
        let expected: &[(Option<Order>, bool)] = match (order, is_taken) {
            (Some(Order::Earlier), false) => &[(Some(Order::Later), false)],
            (Some(Order::Earlier), true) => &[(Some(Order::LaterShared), false)],
            (Some(Order::LaterShared), false) => &[(Some(Order::Earlier), true)],
            (Some(Order::Later), false) => &[(Some(Order::Earlier), false)],
            _ => &[],
        };
        assert!(expected.contains(&(of_other.2, of_other.3)), "{found:?}");
    }
}

fn operations(scene: &mut Scene, case: Case) {
    let Case { ranks, operations, .. } = case;
    let slots = Slots::of_model(scene, ranks, Pairs::layout(ranks).expect("small"));
    let place = scene.memory(size_of::<AtomicU64>() + ranks);
    let memory = Memory { place, ranks };
    let all: Vec<Pairs> = slots.into_iter().map(|slots| Pairs { slots }).collect();
    let found = Rc::new(Cell::new(vec![Vec::new(); operations as usize]));
    let words: Vec<*const AtomicU64> = (0..ranks)
        .flat_map(|one| (one + 1..ranks).map(move |other| (one, other)))
        .map(|(one, other)| std::ptr::from_ref(all[one].word(other)))
        .collect();
    for pairs in all {
        let found = found.clone();
        scene.participant(move || {
            for operation in 1..=operations {
                let new = start(&pairs, memory, case);
                let mut all = found.take();
                all[operation as usize - 1].extend(new);
                found.set(all);
                memory.meet(operation);
            }
        });
    }
    scene.finally(move || {
        found.take().iter().for_each(|found| check(found));
        for word in words {
            // SAFETY: memory of the scene; all participants have ended.
            assert_eq!(unsafe { &*word }.load(Ordering::Relaxed), IDLE);
        }
    });
}

const BASE: Case = Case { ranks: 2, operations: 2, offers: |_| true, asks: true };

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::arrivals::pairs", "two ranks that make no offers, twice", |scene| {
        operations(scene, Case { offers: |_| false, ..BASE });
    })
    .with(Extent::Preemptions(3)),
    Model::new("node::arrivals::pairs", "two ranks that make offers", |scene| {
        operations(scene, Case { operations: 1, ..BASE });
    }),
    Model::new("node::arrivals::pairs", "two ranks that make offers, twice", |scene| operations(scene, BASE))
        .with(Extent::Preemptions(4)),
    Model::new("node::arrivals::pairs", "two ranks, one of which makes offers, twice", |scene| {
        operations(scene, Case { offers: |rank| rank == 0, asks: false, ..BASE });
    })
    .with(Extent::Preemptions(4)),
    Model::new("node::arrivals::pairs", "three ranks that make offers", |scene| {
        operations(scene, Case { ranks: 3, operations: 1, asks: false, ..BASE });
    })
    .with(Extent::Preemptions(3)),
    Model::new("node::arrivals::pairs", "three ranks that make offers, twice", |scene| {
        operations(scene, Case { ranks: 3, asks: false, ..BASE });
    })
    .with(Extent::Preemptions(2)),
    Model::new("node::arrivals::pairs", "two ranks that make offers, twice, all executions", |scene| {
        operations(scene, BASE);
    })
    .long(),
];
