//! What exchanges through slots promise, in all interleavings.
//!
//! Pieces of a block arrive once each and in their place, also in place, where a received piece replaces the
//! one that was written in this round; ranks may be an exchange ahead of others.

use super::exchange;
use crate::node::Transfer;
use crate::state::model::{Buffer, LINE, nodes, sent};
use hcube_core::atomic::model::{Extent, Member, Model, Scene};
use hcube_core::comm::Comm;
use hcube_core::progress::wait::Patience;

/// Ranks make two exchanges, each of more rounds than a board has slots if `bytes` is above its capacity.
fn exchanges(scene: &mut Scene, ranks: usize, bytes: usize, in_place: bool) {
    let [sends, receives] = [(); 2].map(|()| Buffer::all(scene, ranks, bytes));
    let parts = Member::all(scene, ranks).into_iter().zip(nodes(scene, ranks, false));
    for ((comm, mut node), (send, receive)) in parts.zip(sends.into_iter().zip(receives)) {
        let own = comm.rank();
        scene.participant(move || {
            let transfer =
                Transfer { largest: bytes, streaming: false, patience: Patience::new(true, false) };
            for number in 0..2 {
                send.fill(|to| sent(number, own, to));
                let task = if in_place { send.in_place() } else { send.to(receive) };
                node.board.see_all(transfer.patience, &comm);
                exchange(&comm, &mut node, &task, transfer, || Ok(())).expect("no errors");
                let from = if in_place { send } else { receive };
                from.check(|from| sent(number, from, own));
            }
        });
    }
}

/// More than the capacity of a board, which is 256 bytes.
const TWO_ROUNDS: usize = 5 * LINE;

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::slots", "two rounds of two ranks", |scene| exchanges(scene, 2, TWO_ROUNDS, false))
        .with(Extent::Preemptions(3)),
    Model::new("alltoall::slots", "two rounds of two ranks in place", |scene| {
        exchanges(scene, 2, TWO_ROUNDS, true);
    })
    .long(),
    Model::new("alltoall::slots", "a round of three ranks", |scene| exchanges(scene, 3, LINE, false))
        .with(Extent::Preemptions(2)),
];
