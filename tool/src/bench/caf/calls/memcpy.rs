//! Copies by the C library's memcpy, beside which those of the libraries are seen.

use super::{address, repeated};
use crate::bench::caf::task::{Operation, Task};
use std::sync::atomic::AtomicU64;

/// Seconds of copies between own memory and that of the target.
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
