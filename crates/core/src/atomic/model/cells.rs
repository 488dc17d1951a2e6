//! The atomic types of a model build: the layout of the standard library's, and every access, while a
//! model runs, a step of the model checker.
//!
//! Idea: the protocols take references to atomics out of shared memory by address, which the types of the
//! model checker cannot: they are larger, and must be created. Here an access looks up the model checker's
//! atomic for its address (`current`), and repeats in memory what it has stored there, so that
//! ordinary reads of the same bytes see it. Without a running model an access is an ordinary one.

pub use std::sync::atomic::Ordering;

use super::current::{self, Access};
use super::mutation::{Site, Step};
use std::cell::UnsafeCell;
use std::panic::Location;

/// A type of the standard library with its counterpart of the model checker.
macro_rules! atomic {
    ($name:ident, $value:ty, $($update:ident $change:ident),*) => {
        /// As the type of this name in the standard library.
        #[repr(transparent)]
        #[derive(Debug)]
        pub struct $name(UnsafeCell<$value>);

        // SAFETY: every access is atomic, or a step of a model, whose threads run one at a time.
        unsafe impl Sync for $name {}
        // SAFETY: as a reference, of which several threads may have one.
        unsafe impl Send for $name {}

        impl Default for $name {
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }

        impl $name {
            /// A new one.
            pub const fn new(value: $value) -> Self {
                Self(UnsafeCell::new(value))
            }

            passed_on!($value);

            /// Its place.
            pub const fn as_ptr(&self) -> *mut $value {
                self.0.get()
            }

            fn ordinary(&self) -> &std::sync::atomic::$name {
                // SAFETY: the same layout, and this value lives as long.
                unsafe { std::sync::atomic::$name::from_ptr(self.0.get()) }
            }

            /// Performs a step: on the model checker's atomic, whose value is then repeated in memory, or
            /// without a model on the memory.
            fn step<T>(
                &self,
                checked: impl FnOnce(&loom::sync::atomic::$name) -> (T, Option<$value>),
                ordinary: impl FnOnce(&std::sync::atomic::$name) -> T,
            ) -> T {
                let create = |place: usize| -> std::rc::Rc<dyn std::any::Any> {
                    let place = std::ptr::with_exposed_provenance::<$value>(place);
                    // SAFETY: registered by an access to an atomic of this type there, in memory that all
                    // executions of the model share.
                    std::rc::Rc::new(loom::sync::atomic::$name::new(unsafe { place.read() }))
                };
                match current::access::<loom::sync::atomic::$name>(self.0.get().expose_provenance(), create) {
                    Access::Checked(cell) => {
                        let (result, stored) = checked(&cell);
                        if let Some(value) = stored {
                            self.ordinary().store(value, Ordering::Relaxed);
                        }
                        result
                    }
                    Access::Ordinary => ordinary(self.ordinary()),
                    Access::Ended => {
                        let value = self.ordinary().load(Ordering::Relaxed);
                        ordinary(&std::sync::atomic::$name::new(value))
                    }
                }
            }

            /// Loads the value.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let order = Site::of(Location::caller(), Step::Load(order)).ordering(order);
                let value = self.step(|cell| (cell.load(order), None), |cell| cell.load(order));
                self.polled(value);
                value
            }

            /// Notes a value that a participant has seen, for the case that it waits next.
            fn polled(&self, value: $value) {
                let place = self.0.get().cast_const();
                // SAFETY: this atomic, in memory that outlives the execution.
                current::polled(Box::new(move || unsafe { place.read() } != value));
            }

            /// Stores a value.
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let site = Site::of(Location::caller(), Step::Store(order));
                if site.is_left_out() {
                    return;
                }
                let order = site.ordering(order);
                self.step(|cell| (cell.store(value, order), Some(value)), |cell| cell.store(value, order));
            }

            /// Stores a value, and returns the one before.
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let site = Site::of(Location::caller(), Step::Update(order));
                let order = site.ordering(order);
                self.step(|cell| (cell.swap(value, order), Some(value)), |cell| cell.swap(value, order))
            }

            /// Stores a value where the current one is as expected.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let location = Location::caller();
                let success = Site::of(location, Step::Update(success)).ordering(success);
                let failure = Site::of(location, Step::Failure(failure)).ordering(failure);
                let result = self.step(
                    |cell| {
                        let result = cell.compare_exchange(current, new, success, failure);
                        (result, result.is_ok().then_some(new))
                    },
                    |cell| cell.compare_exchange(current, new, success, failure),
                );
                if let Err(value) = result {
                    self.polled(value);
                }
                result
            }

            $(atomic!(@update $update, $value, $change);)*
        }
    };
    (@update $function:ident, $value:ty, $change:ident) => {
        /// As the function of this name of the standard library.
        #[track_caller]
        pub fn $function(&self, value: $value, order: Ordering) -> $value {
            #[allow(unused_imports)]
            use std::ops::{BitAnd, BitOr, BitXor};
            let site = Site::of(Location::caller(), Step::Change(order));
            if site.is_left_out() {
                return self.step(|cell| (cell.load(Ordering::Relaxed), None), |cell| cell.load(Ordering::Relaxed));
            }
            let order = site.ordering(order);
            self.step(
                |cell| {
                    let before = cell.$function(value, order);
                    (before, Some(before.$change(value)))
                },
                |cell| cell.$function(value, order),
            )
        }
    };
}

of_all_types!(atomic);

/// Pointers are no part of a protocol between ranks, which map memory at different addresses.
pub use std::sync::atomic::AtomicPtr;

/// As the function of the standard library.
#[track_caller]
pub fn fence(order: Ordering) {
    let order = Site::of(Location::caller(), Step::Fence(order)).ordering(order);
    match order {
        // What is left of a fence of a mutation.
        Ordering::Relaxed => {}
        order if current::is_running() => loom::sync::atomic::fence(order),
        order => std::sync::atomic::fence(order),
    }
}

/// The rank waits: others go on, until something that it has seen since its last wait has changed.
pub fn yield_now() {
    if current::is_running() { current::wait() } else { std::thread::yield_now() }
}

/// A poll of this rank has changed what its next one finds: it does not wait before that.
pub fn worked() {
    current::worked();
}

/// As [`yield_now`].
pub fn spin_loop() {
    yield_now();
}

/// This rank has written memory that begins here.
#[track_caller]
pub fn written(place: *const u8) {
    if let Some(memory) = current::memory(place) {
        memory.with_mut(|_| ());
    }
}

/// This rank reads memory that begins here.
#[track_caller]
pub fn read(place: *const u8) {
    if let Some(memory) = current::memory(place) {
        memory.with(|_| ());
    }
}
