//! What the explorer must find, and what it must let pass: textbook algorithms, right and broken.
//!
//! Each broken one fails only in some interleavings, or only where a load returns an older value. They are
//! explored before the models, so that a model that passes means something.

use hcube_core::atomic::model::{Model, Scene};
use hcube_core::atomic::{self, AtomicU64, Ordering};
use std::cell::RefCell;
use std::rc::Rc;

/// One of the words of the memory of a scene.
fn word(scene_memory: *mut u8, number: usize) -> &'static AtomicU64 {
    // SAFETY: inside the memory of a scene, which is never freed, has a page and is aligned to one.
    unsafe { AtomicU64::from_ptr(scene_memory.cast::<u64>().add(number)) }
}

/// The words of a scene, each in a line of its own.
fn words(scene: &mut Scene, count: usize) -> Vec<&'static AtomicU64> {
    let memory = scene.memory(64 * count).as_ptr();
    (0..count).map(|number| word(memory, 8 * number)).collect()
}

fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        atomic::yield_now();
    }
}

/// A word and a flag that says it is there.
fn message(scene: &mut Scene, publish: Ordering, find: Ordering) {
    let all = words(scene, 2);
    let (data, flag) = (all[0], all[1]);
    scene.participant(move || {
        data.store(7, Ordering::Relaxed);
        flag.store(1, publish);
    });
    scene.participant(move || {
        wait_until(|| flag.load(find) == 1);
        assert_eq!(data.load(Ordering::Relaxed), 7);
    });
}

/// Memory that is not atomic, and a flag that says it is there.
fn memory(scene: &mut Scene, publish: Ordering) {
    let (data, flag) = (scene.memory(64).as_ptr(), words(scene, 1)[0]);
    scene.participant(move || {
        atomic::written(data);
        flag.store(1, publish);
    });
    scene.participant(move || {
        wait_until(|| flag.load(Ordering::Acquire) == 1);
        atomic::read(data);
    });
}

/// Dekker: each says that it comes, and goes in if the other has not.
fn store_and_look(scene: &mut Scene, is_fenced: bool) {
    let all = words(scene, 2);
    let inside = Rc::new(RefCell::new(0));
    for own in [0, 1] {
        let (mine, other, count) = (all[own], all[1 - own], inside.clone());
        scene.participant(move || {
            mine.store(1, Ordering::Release);
            if is_fenced {
                atomic::fence(Ordering::SeqCst);
            }
            if other.load(Ordering::Acquire) == 0 {
                *count.borrow_mut() += 1;
            }
        });
    }
    scene.finally(move || assert!(*inside.borrow() < 2, "both are inside"));
}

/// A barrier that counts, used twice. Without a turn a fast participant enters the second one before a slow
/// one has left the first.
fn barrier(scene: &mut Scene, participants: u64, has_turns: bool) {
    let all = words(scene, 2);
    let (count, turn) = (all[0], all[1]);
    for _ in 0..participants {
        scene.participant(move || {
            for round in 1..=2 {
                if count.fetch_add(1, Ordering::AcqRel) + 1 == participants {
                    count.store(0, Ordering::Release);
                    turn.store(round, Ordering::Release);
                } else if has_turns {
                    wait_until(|| turn.load(Ordering::Acquire) >= round);
                } else {
                    wait_until(|| count.load(Ordering::Acquire) == 0);
                }
            }
        });
    }
}

/// A lock around a word that is read and written.
fn lock(scene: &mut Scene, participants: u64, release: Ordering) {
    let all = words(scene, 2);
    let (lock, sum) = (all[0], all[1]);
    for _ in 0..participants {
        scene.participant(move || {
            wait_until(|| lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok());
            sum.store(sum.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            lock.store(0, release);
        });
    }
    scene.finally(move || assert_eq!(sum.load(Ordering::Relaxed), participants));
}

/// One slot for several pieces, with a reader who acknowledges each, or too late.
fn slot(scene: &mut Scene, ahead: u64) {
    let (data, all) = (scene.memory(64).as_ptr(), words(scene, 2));
    let (written, taken) = (all[0], all[1]);
    const PIECES: u64 = 3;
    scene.participant(move || {
        for piece in 1..=PIECES {
            wait_until(|| taken.load(Ordering::Acquire) + ahead >= piece);
            atomic::written(data);
            written.store(piece, Ordering::Release);
        }
    });
    scene.participant(move || {
        for piece in 1..=PIECES {
            wait_until(|| written.load(Ordering::Acquire) >= piece);
            atomic::read(data);
            taken.store(piece, Ordering::Release);
        }
    });
}

/// A holder of a lock who is killed before one of its steps; the other asks whether it is there, or does not.
fn holder(scene: &mut Scene, asks: bool) {
    let (lock, step) = (words(scene, 1)[0], scene.choose(3));
    let end = scene.participant_that_ends(step, move || {
        lock.store(1, Ordering::Relaxed);
        lock.store(0, Ordering::Release);
        lock.load(Ordering::Relaxed);
    });
    scene.participant(move || wait_until(|| lock.load(Ordering::Acquire) == 0 || asks && end.has_happened()));
}

/// What must fail, and what must pass.
const BROKEN: &[Model] = &[
    Model::new("example", "a flag that does not publish", |scene| {
        message(scene, Ordering::Relaxed, Ordering::Acquire)
    }),
    Model::new("example", "a flag that is not acquired", |scene| {
        message(scene, Ordering::Release, Ordering::Relaxed)
    }),
    Model::new("example", "memory that is not published", |scene| memory(scene, Ordering::Relaxed)),
    Model::new("example", "a store and a look without a fence", |scene| store_and_look(scene, false)),
    Model::new("example", "a barrier of two without turns", |scene| barrier(scene, 2, false)),
    Model::new("example", "a barrier of three without turns", |scene| barrier(scene, 3, false)),
    Model::new("example", "a lock that does not publish", |scene| lock(scene, 2, Ordering::Relaxed)),
    Model::new("example", "a slot that is written while it is read", |scene| slot(scene, 2)),
    Model::new("example", "a holder who is killed", |scene| holder(scene, false)),
];
const RIGHT: &[Model] = &[
    Model::new("example", "a flag", |scene| message(scene, Ordering::Release, Ordering::Acquire)),
    Model::new("example", "memory", |scene| memory(scene, Ordering::Release)),
    Model::new("example", "a store and a look", |scene| store_and_look(scene, true)),
    Model::new("example", "a barrier of two", |scene| barrier(scene, 2, true)),
    Model::new("example", "a barrier of three", |scene| barrier(scene, 3, true)),
    Model::new("example", "a lock of three", |scene| lock(scene, 3, Ordering::Release)),
    Model::new("example", "a slot", |scene| slot(scene, 1)),
    Model::new("example", "a holder who is killed, and missed", |scene| holder(scene, true)),
];

/// The examples that have surprised: their cases.
pub fn surprises() -> Vec<String> {
    let mut surprises = Vec::new();
    for (models, is_right) in [(BROKEN, false), (RIGHT, true)] {
        for model in models {
            let end = model.explore(None).0;
            if end.is_ok() != is_right {
                let text = end.map_or_else(|failure| failure.to_string(), |all| format!("{all:?}"));
                surprises.push(format!("{}: {text}", model.case));
            }
        }
    }
    surprises
}
