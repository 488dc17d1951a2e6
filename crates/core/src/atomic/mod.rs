//! The atomics of all protocols in memory that ranks or threads share.
//!
//! In a normal build these are the types of `std::sync::atomic` themselves. In a build with
//! `--cfg hcube_model` they are the types of `model`, with the same memory layout, whose every access is a
//! step of a model checker: the protocols of the library, unchanged, then run in all interleavings of their
//! smallest cases. The model of a protocol stands beside it, in `model.rs`.
//!
//! Memory that is not atomic is marked: [`written`] where a rank has written what it is about to publish,
//! [`read`] where a rank reads what it has found published. A model fails if two of these accesses, one of
//! them a write, are not ordered by what the ranks have stored and loaded. In a normal build the marks are
//! nothing.
//!
//! In a build with `--cfg hcube_fault` the stores and updates of a process are counted, and it is killed or
//! disturbed at one of them (`fault.rs`).

#[cfg(any(hcube_fault, hcube_model, test))]
#[macro_use]
mod types;

#[cfg(any(hcube_fault, test))]
#[cfg_attr(not(hcube_fault), allow(dead_code, reason = "its own tests are in every build"))]
mod fault;
#[cfg(hcube_model)]
pub mod model;

#[cfg(not(any(hcube_model, hcube_fault)))]
pub use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(hcube_model))]
pub use std::{
    hint::spin_loop,
    sync::atomic::{AtomicPtr, Ordering, fence},
    thread::yield_now,
};

#[cfg(hcube_fault)]
pub use fault::{AtomicBool, AtomicI32, AtomicI64, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};

#[cfg(hcube_model)]
pub use model::cells::{
    AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    fence, read, spin_loop, worked, written, yield_now,
};

/// A poll of this rank has changed what its next one finds: in a model it does not wait before that.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn worked() {}

/// A function for a value of the process; in a model for one of the model, which runs beside others in one
/// process.
#[macro_export]
macro_rules! of_process {
    ($(#[$attribute:meta])* fn $name:ident() -> $kind:ty = $value:expr;) => {
        $(#[$attribute])*
        #[inline(always)]
        fn $name() -> &'static $kind {
            #[cfg(not(hcube_model))]
            {
                static VALUE: $kind = $value;
                &VALUE
            }
            #[cfg(hcube_model)]
            {
                std::thread_local! {
                    static VALUE: &'static $kind = Box::leak(Box::new($value));
                }
                VALUE.with(|value| *value)
            }
        }
    };
}

/// This rank has written memory that begins here, and publishes it next.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn written(_: *const u8) {}

/// This rank reads memory that begins here, and that another one has published.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn read(_: *const u8) {}

#[cfg(all(test, not(any(hcube_model, hcube_fault))))]
mod tests {
    use std::any::TypeId;

    /// So the machine code of protocols is the same as with the types of the standard library.
    #[test]
    fn the_types_are_those_of_the_standard_library() {
        macro_rules! same {
            ($($name:ident)*) => {
                [$((TypeId::of::<super::$name>(), TypeId::of::<std::sync::atomic::$name>())),*]
            };
        }
        let types = same!(AtomicBool AtomicI32 AtomicI64 AtomicU8 AtomicU32 AtomicU64 AtomicUsize Ordering);
        assert!(types.iter().all(|(own, other)| own == other));
        assert_eq!(TypeId::of::<super::AtomicPtr<u8>>(), TypeId::of::<std::sync::atomic::AtomicPtr<u8>>());
    }
}
