//! Copies by the C library's memcpy, as a reference for the copies of the libraries.

use super::{address, repeated};
use crate::bench::caf::task::{Operation, Task};
use std::sync::atomic::AtomicU64;

/// Seconds of copies between the memory of this rank and the memory of the target.
pub fn run(task: &Task, times: u32, own: &[AtomicU64], there: *mut u8) -> f64 {
    let here = address(own).cast::<u8>();
    let (from, to) = if task.operation == Operation::Get {
        (there.cast_const(), here)
    } else {
        (here.cast_const(), there)
    };
    // SAFETY: memory of this rank and of the target's coarray, which is mapped here, as `variants` has found
    // out; nobody else uses either meanwhile.
    repeated(times, || unsafe { std::ptr::copy_nonoverlapping(from, to, task.bytes) })
}
