//! What the state of a communicator promises to threads, in all interleavings.
//!
//! One thread at a time is inside; another one is refused at once and does not wait. The thread inside may
//! enter again, also for another system, and stays inside until its outermost call has ended. A thread that
//! enters, and one that frees the state when nobody is inside, sees what the thread before has done. A thread
//! that meets nobody is not refused.

use super::CommState;
use crate::atomic::model::{Extent, Model, Scene};
use crate::atomic::{self, AtomicU32, Ordering};
use crate::error::Result;
use std::cell::Cell;
use std::rc::Rc;

/// Two systems: what they keep.
#[derive(Default)]
struct First(usize);
#[derive(Default)]
struct Second(usize);

type State = CommState<()>;

/// A state in the memory of a scene, and a flag of the program.
fn state(scene: &mut Scene) -> (&'static State, &'static AtomicU32) {
    let place = scene.memory(size_of::<State>() + size_of::<AtomicU32>()).as_ptr();
    // SAFETY: memory of the scene, for one of each; all participants use them by shared references.
    unsafe {
        let flag = place.add(size_of::<State>()).cast::<AtomicU32>();
        place.cast::<State>().write(State::default());
        (&*place.cast::<State>(), &*flag)
    }
}

/// A call of the first system, which calls the second one.
fn call(state: &State) -> Result<()> {
    state.enter(|contents| {
        contents.with(|first: &mut Option<First>| {
            first.get_or_insert_default().0 += 1;
            let nested = state.enter(|contents| {
                contents.with(|second: &mut Option<Second>| {
                    second.get_or_insert_default().0 += 1;
                    Ok(())
                })
            });
            assert!(nested.is_ok() && state.is_entered(), "the inner call does not give the state up");
            Ok(())
        })
    })
}

/// Threads that call, each several times.
fn calls(scene: &mut Scene, threads: usize, times: usize) {
    let (state, _) = state(scene);
    let entered = Rc::new(Cell::new(0));
    for _ in 0..threads {
        let entered = entered.clone();
        scene.participant(move || {
            for _ in 0..times {
                let has_entered = call(state).is_ok();
                entered.set(entered.get() + usize::from(has_entered));
            }
        });
    }
    scene.finally(move || {
        assert!(entered.get() >= times, "the last thread meets nobody");
        let counted = state.enter(|contents| {
            let first = contents.with(|first: &mut Option<First>| Ok(first.as_ref().map(|first| first.0)))?;
            let second =
                contents.with(|second: &mut Option<Second>| Ok(second.as_ref().map(|second| second.0)))?;
            Ok([first, second])
        });
        assert_eq!(counted, Ok([Some(entered.get()); 2]));
    });
}

/// A thread frees the communicator when another one has left.
fn end(scene: &mut Scene) {
    let (state, inside) = state(scene);
    scene.participant(move || {
        let entered = state.enter(|_| {
            inside.store(1, Ordering::Release);
            atomic::written(std::ptr::from_ref(state).cast());
            Ok(())
        });
        assert!(entered.is_ok());
    });
    scene.participant(move || {
        while inside.load(Ordering::Acquire) == 0 {
            atomic::yield_now();
        }
        while state.is_entered() {
            atomic::yield_now();
        }
        atomic::read(std::ptr::from_ref(state).cast());
    });
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("mpi::state", "calls of two threads", |scene| calls(scene, 2, 2)),
    Model::new("mpi::state", "calls of three threads", |scene| calls(scene, 3, 1))
        .with(Extent::Preemptions(3)),
    Model::new("mpi::state", "freed by another thread", end),
];
