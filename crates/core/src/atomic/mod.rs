//! The atomics of all protocols in memory that ranks or threads share.
//!
//! In a normal build these are the types of `std::sync::atomic` themselves. In a build with
//! `--cfg hcube_model` they are the types of [`model`], with the same memory layout, whose every access is a
//! step of a model checker: the protocols of the library, unchanged, then run in all interleavings of their
//! smallest cases. The model of a protocol stands beside it, in `model.rs`.
//!
//! Memory that is not atomic is marked: [`written`] where a rank has written what it is about to publish,
//! [`read`] where a rank reads what it has found published. A model fails if two of these accesses, one of
//! them a write, are not ordered by what the ranks have stored and loaded. In a normal build the marks are
//! nothing.

#[cfg(hcube_model)]
pub mod model;

#[cfg(not(hcube_model))]
pub use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
        fence,
    },
    thread::yield_now,
};

#[cfg(hcube_model)]
pub use model::cells::{
    AtomicBool, AtomicI32, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering,
    fence, read, spin_loop, worked, written, yield_now,
};

/// A poll of this rank has changed what its next one finds: in a model it does not wait before that.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn worked() {}

/// This rank has written memory that begins here, and publishes it next.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn written(_: *const u8) {}

/// This rank reads memory that begins here, and that another one has published.
#[cfg(not(hcube_model))]
#[inline(always)]
pub fn read(_: *const u8) {}
