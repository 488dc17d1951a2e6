//! What a number of the process promises, in all interleavings.
//!
//! All threads get the same number, which one of them has created, and see what the creator has done before.
//! Every other number that was created meanwhile is freed, once, by the thread that has created it. No thread
//! waits.

use super::Number;
use crate::atomic;
use crate::atomic::model::{Extent, Model, Scene};
use std::cell::RefCell;
use std::ffi::c_int;
use std::rc::Rc;

/// Threads that all want the number, twice; each creates one of its own if it finds none.
fn threads(scene: &mut Scene, threads: usize) {
    let place = scene.memory(size_of::<Number>() + threads).as_ptr();
    let data = move |number: c_int| place.wrapping_add(size_of::<Number>() + number as usize).cast_const();
    // SAFETY: memory of the scene, for one of them; all participants use it by shared references.
    let shared: &'static Number = unsafe {
        place.cast::<Number>().write(Number::new());
        &*place.cast::<Number>()
    };
    let [created, freed, found] = [(); 3].map(|()| Rc::new(RefCell::new(Vec::new())));
    for own in 0..threads as c_int {
        let (created, freed, found) = (created.clone(), freed.clone(), found.clone());
        scene.participant(move || {
            for _ in 0..2 {
                let create = || {
                    created.borrow_mut().push(own);
                    atomic::written(data(own));
                    Ok(own)
                };
                let free = |number| {
                    assert_eq!(number, own);
                    freed.borrow_mut().push(number);
                };
                let number = shared.get_or_create(create, free).expect("no error");
                atomic::read(data(number));
                found.borrow_mut().push(number);
            }
        });
    }
    scene.finally(move || {
        let (mut created, mut freed, found) = (created.take(), freed.take(), found.take());
        assert!(found.len() == 2 * threads && found.iter().all(|&number| number == found[0]), "{found:?}");
        freed.push(found[0]);
        [&mut created, &mut freed].into_iter().for_each(|all| all.sort_unstable());
        assert_eq!(created, freed, "each is used by all or freed");
    });
}

/// The cases.
pub const MODELS: &[Model] = &[
    Model::new("mpi::number", "two threads", |scene| threads(scene, 2)),
    Model::new("mpi::number", "three threads", |scene| threads(scene, 3)).with(Extent::Preemptions(3)),
];
