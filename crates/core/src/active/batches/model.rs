//! What batches of messages between nodes promise, in all interleavings.
//!
//! Every message arrives once, whole and after all earlier ones of its sender, also where the number of
//! batches wraps around. A rank has sent at most [`WINDOW`] batches to another that are not acknowledged. A
//! rank that waits until all its messages have been received does not wait for ever, even if their receivers
//! do not poll again after the last one; nor does a rank that sends more messages without receipts than a
//! window holds.

use super::super::model::{KIND, Received, WITHOUT_RECEIPT, payload};
use super::{BATCH_BYTES, Batches, PIECE_BYTES, WINDOW};
use crate::atomic::{
    self,
    model::{Extent, Model, Scene},
};
use crate::comm::model::{Copied, Member, connect};

/// A batch each, one more than a window.
const BATCHES: &[usize] = &[BATCH_BYTES - 24; WINDOW as usize + 1];
/// The number of these messages, and of all except the last one.
const ALL: u64 = BATCHES.len() as u64;
const EARLIER: u64 = ALL - 1;
/// A message of two pieces between two that fit in one batch.
const CUT: &[usize] = &[8, 0, PIECE_BYTES + 8, 8];

/// Each rank, on a node of its own, sends messages of these lengths to some ranks, receives what is for it,
/// and waits until all of its own have been received.
fn exchange(scene: &mut Scene, receivers: &'static [&'static [usize]], lengths: &'static [usize]) {
    exchange_partly(scene, receivers, lengths, 0);
}

/// As [`exchange`]; no receipts are expected for the first messages.
fn exchange_partly(
    scene: &mut Scene,
    receivers: &'static [&'static [usize]],
    lengths: &'static [usize],
    without_receipts: u64,
) {
    let all = receivers.len();
    connect(scene, &(0..all as u32).collect::<Vec<_>>(), Copied::Early);
    for rank in 0..all {
        let senders = receivers.iter().filter(|receivers| receivers.contains(&rank)).count();
        scene.participant(move || {
            let (comm, mut batches) = (Member::of_set_up(rank, all), Batches::default());
            batches.expect_no_receipts(WITHOUT_RECEIPT);
            for (&to, (number, &length)) in
                receivers[rank].iter().flat_map(|to| (0..).zip(lengths).map(move |one| (to, one)))
            {
                let kind = if number < without_receipts { WITHOUT_RECEIPT } else { KIND };
                batches.send(to, kind, number, &[], &&*payload(rank, number, length));
            }
            let mut received = Received::new(all, lengths);
            while received.all() < (senders * lengths.len()) as u64 || !batches.is_delivered() {
                match batches.receive(&comm).expect("no MPI") {
                    Some(message) => {
                        received.take(&message);
                        drop(message);
                        batches.flush_awaited(&comm).expect("no MPI");
                    }
                    None => atomic::yield_now(),
                }
                let outstanding = |peer: &super::Peer| peer.sent.wrapping_sub(peer.acknowledged);
                assert!(batches.peers.values().all(|peer| outstanding(peer) <= WINDOW));
            }
        });
    }
}

const PROTOCOL: &str = "active::batches";

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new(PROTOCOL, "more than a window", |scene| exchange(scene, &[&[1], &[]], BATCHES))
        .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "more than a window, both ways", |scene| exchange(scene, &[&[1], &[0]], BATCHES))
        .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "more than a window without receipts, both ways", |scene| {
        exchange_partly(scene, &[&[1], &[0]], BATCHES, ALL);
    })
    .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "more than a window, a receipt for the last", |scene| {
        exchange_partly(scene, &[&[1], &[]], BATCHES, EARLIER);
    })
    .with(Extent::Preemptions(3)),
    Model::new(PROTOCOL, "pieces among short messages", |scene| exchange(scene, &[&[1], &[0]], CUT))
        .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "pieces of two senders", |scene| exchange(scene, &[&[], &[0], &[0]], CUT))
        .with(Extent::Preemptions(2)),
    Model::new(PROTOCOL, "pieces around three ranks", |scene| exchange(scene, &[&[1], &[2], &[0]], CUT))
        .with(Extent::Random(200)),
];
