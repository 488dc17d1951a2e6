//! What absence promises, in all interleavings.
//!
//! Pages are freed only while no rank uses the memory, by one rank at a time, and a rank that has returned
//! uses the memory after they are freed; pages are freed when the last rank has left; a rank that returns
//! does not wait for ever.

use super::Absence;
use crate::atomic::model::{Extent, Model, Scene};
use crate::atomic::{self, AtomicU64, Ordering};
use std::cell::Cell;
use std::rc::Rc;

/// Each rank uses the memory, leaves, returns and uses it again, for some rounds; with `stays_away` it has
/// left at the end.
fn rounds(scene: &mut Scene, ranks: u64, rounds: usize, stays_away: bool) {
    let memory = scene.memory(16).as_ptr().expose_provenance();
    // SAFETY: memory of the scene, which is never freed.
    let cell = move || unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(memory)) };
    let page = move || std::ptr::with_exposed_provenance::<u8>(memory + 8);
    let freed = Rc::new(Cell::new(0));
    for _ in 0..ranks {
        let freed = freed.clone();
        scene.participant(move || {
            let absence = Absence::new(cell());
            atomic::read(page());
            for round in 1..=rounds {
                absence.leave(ranks, || {
                    atomic::written(page());
                    freed.set(freed.get() + 1);
                });
                if round == rounds && stays_away {
                    return;
                }
                absence.come_back(atomic::yield_now);
                atomic::read(page());
            }
        });
    }
    scene.finally(move || {
        assert_eq!(cell().load(Ordering::Relaxed), if stays_away { ranks } else { 0 });
        assert!(!stays_away || freed.get() > 0, "all have left, and no page is freed");
    });
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("node::absence", "one rank leaves three times", |scene| rounds(scene, 1, 3, false)),
    Model::new("node::absence", "two ranks leave twice", |scene| rounds(scene, 2, 2, false))
        .with(Extent::Preemptions(3)),
    Model::new("node::absence", "two ranks leave twice for good", |scene| rounds(scene, 2, 2, true))
        .with(Extent::Preemptions(4)),
    Model::new("node::absence", "three ranks leave and return", |scene| rounds(scene, 3, 1, false))
        .with(Extent::Preemptions(2)),
    Model::new("node::absence", "three ranks leave for good", |scene| rounds(scene, 3, 1, true)),
    Model::new("node::absence", "three ranks leave many times", |scene| rounds(scene, 3, 10, false))
        .with(Extent::Random(100)),
    // With three ranks, or three times, the exploration of all orders takes more than ten minutes.
    Model::new("node::absence", "two ranks leave twice, all orders", |scene| rounds(scene, 2, 2, false))
        .long(),
    Model::new("node::absence", "three ranks leave and return, more switches", |scene| {
        rounds(scene, 3, 1, false)
    })
    .with(Extent::Preemptions(4))
    .long(),
];
