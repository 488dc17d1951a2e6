//! What exchanges by single copy promise about buffers, in all interleavings, by whole exchanges.
//!
//! A rank returns only when no other rank reads or writes its buffers any more, which it then writes; what it
//! finds in them is what the others have sent. Where the kernel refuses a copy in the middle, the others
//! learn of it before they return, and slots move exactly what is left: no byte is swapped twice.

use crate::conditions::Conditions;
use crate::exchange::{Outcome, exchange};
use crate::options::Path;
use crate::report::UsedPath;
use crate::state::model::{Buffer, LINE, sent, states};
use hcube_core::atomic::model::{Extent, Model, Scene};
use hcube_core::comm::Comm;
use hcube_core::node::single_copy::model::refuse;
use std::cell::Cell;
use std::rc::Rc;

/// Ranks exchange in each of some rounds. `refused`: copies from or to this place are refused.
fn rounds(
    scene: &mut Scene,
    (ranks, rounds): (usize, usize),
    (bytes, in_place): (usize, bool),
    refused: impl Fn(&[Buffer]) -> Option<(*const u8, bool)>,
) {
    let states = states(scene, ranks, Path::SingleCopy);
    let [sends, receives] = [(); 2].map(|()| Buffer::all(scene, ranks, bytes));
    let refused = refused(&sends);
    refuse(refused);
    let refusals = Rc::new(Cell::new(0));
    for ((comm, mut state), (send, receive)) in states.into_iter().zip(sends.into_iter().zip(receives)) {
        let refusals = refusals.clone();
        scene.participant(move || {
            let own = comm.rank();
            for round in 0..rounds {
                send.fill(|to| sent(round, own, to));
                let task = if in_place { send.in_place() } else { send.to(receive) };
                let outcome = exchange(&comm, &mut state, &Ok(task), Conditions::default(), None);
                let Ok(Outcome::Done(report)) = outcome else { panic!("{outcome:?}") };
                refusals.set(refusals.get() + usize::from(report.path == UsedPath::Shared));
                let from = if in_place { send } else { receive };
                from.check(|from| sent(round, from, own));
            }
        });
    }
    scene.finally(move || assert_eq!(refusals.get() > 0, refused.is_some(), "refusals"));
}

/// Without refusals.
fn made(scene: &mut Scene, ranks: usize, in_place: bool) {
    rounds(scene, (ranks, 2), (if in_place { 2 * LINE } else { LINE }, in_place), |_| None);
}

/// The kernel refuses to copy a line of a block between ranks 0 and 1, which may be the first or a later one
/// of a half in place, for ever or for now.
fn refused(scene: &mut Scene, ranks: usize, in_place: bool) {
    let lines = if in_place { 4 } else { 1 };
    let number = scene.choose(2 * lines);
    let line = number % lines;
    // In place rank 0 accesses the first half of the block of the other one.
    let block = |sends: &[Buffer]| if line < lines / 2 { sends[1].block(0) } else { sends[0].block(1) };
    let place = |sends: &[Buffer]| block(sends).wrapping_add(line * LINE).cast_const();
    rounds(scene, (ranks, 2), (lines * LINE, in_place), |sends| Some((place(sends), number < lines)));
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("alltoall::single_copy", "out of place, two ranks, all orders", |scene| made(scene, 2, false))
        .long(),
    Model::new("alltoall::single_copy", "out of place, two ranks", |scene| made(scene, 2, false))
        .with(Extent::Preemptions(3)),
    Model::new("alltoall::single_copy", "out of place, three ranks", |scene| made(scene, 3, false))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::single_copy", "in place, two ranks", |scene| made(scene, 2, true))
        .with(Extent::Preemptions(3)),
    Model::new("alltoall::single_copy", "in place, three ranks", |scene| made(scene, 3, true))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::single_copy", "refused out of place, two ranks", |scene| refused(scene, 2, false))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::single_copy", "refused in place, two ranks", |scene| refused(scene, 2, true))
        .with(Extent::Preemptions(2)),
    Model::new("alltoall::single_copy", "refused out of place, three ranks", |scene| {
        refused(scene, 3, false)
    })
    .with(Extent::Preemptions(1)),
    Model::new("alltoall::single_copy", "refused in place, three ranks", |scene| refused(scene, 3, true))
        .with(Extent::Preemptions(1)),
];
