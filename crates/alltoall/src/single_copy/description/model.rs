//! The memory of descriptions in a model: at the same addresses in all executions, and used again as an
//! allocator does, so that a rank that reads a description which was freed is noticed.

use super::Entry;
use hcube_core::atomic::model::Scene;
use hcube_core::atomic::{Ordering, written};
use std::cell::RefCell;
use std::ptr::NonNull;

thread_local! {
    /// By rank: memory that no description uses.
    static FREE: RefCell<Vec<Vec<NonNull<Entry>>>> = const { RefCell::new(Vec::new()) };
}

/// Memory for this number of descriptions of each rank at a time.
pub fn provide(scene: &mut Scene, ranks: usize, descriptions: usize) {
    let all = scene.memory(ranks * descriptions * ranks * size_of::<Entry>()).cast::<Entry>();
    // SAFETY: inside this memory.
    let place = |number: usize| unsafe { all.add(number * ranks) };
    let of_rank = |rank| (0..descriptions).map(|number| place(rank * descriptions + number)).collect();
    FREE.set((0..ranks).map(of_rank).collect());
}

/// The entries of a description of a rank in such memory.
pub(super) fn placed(own: usize, entries: Box<[Entry]>) -> Box<[Entry]> {
    let place = FREE.with_borrow_mut(|free| free[own].pop()).expect("memory for a description");
    let count = entries.len();
    for (number, entry) in entries.into_iter().enumerate() {
        // SAFETY: memory for these entries, which only this rank accesses.
        unsafe {
            let place = place.add(number);
            written(place.cast().as_ptr());
            let Entry { send, receive, .. } = entry;
            (&raw mut (*place.as_ptr()).send).write(send);
            (&raw mut (*place.as_ptr()).receive).write(receive);
            place.as_ref().done.swap(0, Ordering::Relaxed);
        }
    }
    // SAFETY: memory of the scene, which `free` takes back.
    unsafe { Box::from_raw(NonNull::slice_from_raw_parts(place, count).as_ptr()) }
}

/// The description of a rank is dropped.
pub(super) fn free(own: usize, entries: Box<[Entry]>) {
    let entries = Box::leak(entries);
    // A participant that ends takes no steps.
    if !std::thread::panicking() {
        entries.iter().for_each(|entry| written(std::ptr::from_ref(entry).cast()));
        let place = NonNull::from(entries).cast();
        FREE.with_borrow_mut(|free| free[own].push(place));
    }
}
