//! What nonblocking exchanges promise, in all interleavings.
//!
//! Of two ranks exactly one copies the blocks of both, or each copies the block that it receives; when all
//! ranks have started and a barrier is complete, all blocks have arrived, and nobody accesses buffers any
//! more. A description is freed only when nobody reads it any more. Ranks may start exchanges of different
//! communicators in different orders, any number ahead of others.

use super::Nonblocking;
use crate::single_copy::description::model::provide;
use crate::state::model::{Buffer, LINE, nodes, sent};
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::comm::Comm;
use hcube_core::node::arrivals::Arrivals;
use hcube_core::node::single_copy::{Process, model::refuse};
use hcube_core::progress::wait::Patience;
use std::collections::VecDeque;

/// Every rank starts the exchanges of each batch, in orders that the ranks have, and then waits for all.
/// `offers`: ranks offer to share the work of their pairs.
fn batches(scene: &mut Scene, ranks: usize, orders: &[&'static [&'static [usize]]], offers: bool) {
    let exchanges = orders[0].iter().map(|batch| batch.len()).max().unwrap_or_default();
    let buffers: Vec<[Vec<Buffer>; 2]> =
        (0..exchanges).map(|_| [(); 2].map(|()| Buffer::all(scene, ranks, LINE))).collect();
    provide(scene, ranks, 2 * exchanges);
    refuse(None);
    let arrivals = Arrivals::of_model(scene, ranks);
    let parts = Member::all(scene, ranks).into_iter().zip(nodes(scene, ranks, true)).zip(arrivals);
    for ((comm, mut node), arrivals) in parts {
        let own = comm.rank();
        let order = orders[own % orders.len()];
        let buffers: Vec<[Buffer; 2]> = buffers.iter().map(|pair| [pair[0][own], pair[1][own]]).collect();
        scene.participant(move || {
            let processes = vec![Process::of_model(); ranks];
            let mut exchanges = Nonblocking { arrivals, processes, under_way: VecDeque::new() };
            let mut first_key = 1;
            for batch in order {
                for &number in *batch {
                    let [send, receive] = buffers[number];
                    send.fill(|to| sent(number, own, to));
                    let (key, patience) = (first_key + number as u64, Patience::new(!offers, false));
                    let task = send.to(receive);
                    // SAFETY: memory of the scene, which is not accessed before the barrier.
                    unsafe { exchanges.start(&comm, &mut node, key, &task, patience) }.expect("no errors");
                }
                comm.barrier().expect("no errors");
                for &number in *batch {
                    buffers[number][1].check(|from| sent(number, from, own));
                }
                first_key += batch.len() as u64;
            }
        });
    }
}

/// The orders of one exchange, of one after the other, and of two at a time that the ranks start alike or in
/// different orders.
const ONE: &[&[&[usize]]] = &[&[&[0]]];
const IN_TURN: &[&[&[usize]]] = &[&[&[0], &[0], &[0]]];
const ALIKE: &[&[&[usize]]] = &[&[&[0, 1]]];
const CROSSED: &[&[&[usize]]] = &[&[&[0, 1]], &[&[1, 0]]];

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::nonblocking", "three in turn, two ranks", |scene| {
        batches(scene, 2, IN_TURN, false)
    })
    .with(Extent::Preemptions(3)),
    Model::new("alltoall::nonblocking", "two, two ranks", |scene| batches(scene, 2, ALIKE, false))
        .with(Extent::Preemptions(3)),
    Model::new("alltoall::nonblocking", "two in different orders, two ranks", |scene| {
        batches(scene, 2, CROSSED, false);
    })
    .with(Extent::Preemptions(3)),
    Model::new("alltoall::nonblocking", "one with offers, two ranks", |scene| batches(scene, 2, ONE, true)),
    Model::new("alltoall::nonblocking", "three in turn with offers, two ranks", |scene| {
        batches(scene, 2, IN_TURN, true);
    })
    .with(Extent::Preemptions(2)),
    Model::new("alltoall::nonblocking", "two in different orders with offers, two ranks", |scene| {
        batches(scene, 2, CROSSED, true);
    })
    .with(Extent::Preemptions(2)),
    Model::new("alltoall::nonblocking", "one, three ranks", |scene| batches(scene, 3, ONE, false))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::nonblocking", "one with offers, three ranks", |scene| batches(scene, 3, ONE, true))
        .with(Extent::Preemptions(1)),
];
