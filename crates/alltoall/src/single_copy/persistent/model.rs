//! What persistent exchanges promise, in all interleavings.
//!
//! In each start exactly one rank of a pair copies the blocks of both, or each copies the block that it
//! receives; after a barrier all blocks have arrived, nobody accesses buffers any more, and the next start
//! finds the pair idle.

use super::{Pairs, Partner, Persistent};
use crate::single_copy::description::{Blocks, Side};
use crate::state::model::{Buffer, LINE, sent};
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::comm::Comm;
use hcube_core::node::single_copy::{Process, Run, model::refuse};

/// The blocks of the exchange from one buffer to another one, with a rank.
fn blocks(send: Buffer, receive: Buffer, rank: usize) -> Blocks {
    let side = |buffer: Buffer| Side { runs: vec![Run::new(buffer.block(rank), LINE)], bytes: LINE as u64 };
    Blocks { send: side(send), receive: side(receive) }
}

/// Ranks start the exchange again and again; `stays`: ranks offer to share the work of their pairs.
fn starts(scene: &mut Scene, ranks: usize, starts: usize, stays: bool) {
    let [sends, receives] = [(); 2].map(|()| Buffer::all(scene, ranks, LINE));
    refuse(None);
    for (comm, pairs) in Member::all(scene, ranks).into_iter().zip(Pairs::of_model(scene, ranks)) {
        let own = comm.rank();
        let partner = |number: usize| Partner {
            number,
            rank: number,
            process: Process::of_model(),
            mine: blocks(sends[own], receives[own], number),
            theirs: blocks(sends[number], receives[number], own),
        };
        let partners = (0..ranks).filter(|&number| number != own).map(partner).collect();
        let (send, receive) = (sends[own], receives[own]);
        let mut exchange = Persistent { pairs, partners, own: blocks(send, receive, own), stays, lists: 0 };
        scene.participant(move || {
            for start in 0..starts {
                send.fill(|to| sent(start, own, to));
                // SAFETY: memory of the scene, which is not accessed before the barrier.
                unsafe { exchange.start() }.expect("no errors");
                comm.barrier().expect("no errors");
                receive.check(|from| sent(start, from, own));
            }
        });
    }
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::persistent", "three starts of two ranks", |scene| starts(scene, 2, 3, false))
        .with(Extent::Preemptions(3)),
    Model::new("alltoall::persistent", "three starts of two ranks with offers", |scene| {
        starts(scene, 2, 3, true);
    })
    .with(Extent::Preemptions(3)),
    Model::new("alltoall::persistent", "two starts of three ranks", |scene| starts(scene, 3, 2, false))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::persistent", "a start of three ranks with offers", |scene| {
        starts(scene, 3, 1, true);
    })
    .with(Extent::Preemptions(2)),
];
