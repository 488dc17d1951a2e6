//! Loops that the C compiler has translated (plain.c), on vectors that each have an allocation of their own,
//! as in STREAM.

use crate::bench::proof::Origin;
use hcube_core::{Error, Result};
use hcube_stream::select::Kernel;
use std::ffi::c_ulong;

unsafe extern "C" {
    fn hcube_bench_plain_copy(a: *const f64, c: *mut f64, length: usize);
    fn hcube_bench_plain_scale(c: *const f64, b: *mut f64, scalar: f64, length: usize);
    fn hcube_bench_plain_add(a: *const f64, b: *const f64, c: *mut f64, length: usize);
    fn hcube_bench_plain_triad(b: *const f64, c: *const f64, a: *mut f64, scalar: f64, length: usize);
    static hcube_bench_plain_runs: c_ulong;
}

/// The vectors a, b and c.
pub struct Plain([Vec<f64>; 3]);

impl Plain {
    /// Vectors of `length` elements.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(length: usize) -> Result<Self> {
        let vector = || {
            let mut vector = Vec::new();
            let reserved = vector.try_reserve_exact(length);
            reserved.map_err(|_| Error::Memory(format!("a vector of {length} elements")))?;
            vector.resize(length, 0.0);
            Ok(vector)
        };
        Ok(Self([vector()?, vector()?, vector()?]))
    }

    /// The vectors.
    pub fn all(&mut self) -> [&mut [f64]; 3] {
        self.0.each_mut().map(Vec::as_mut_slice)
    }

    /// Runs a kernel.
    pub fn run(&mut self, kernel: Kernel, scalar: f64) {
        let [a, b, c] = self.all();
        let length = a.len();
        let [a, b, c] = [a, b, c].map(<[f64]>::as_mut_ptr);
        // SAFETY: three vectors of this length, which do not overlap.
        unsafe {
            match kernel {
                Kernel::Copy => hcube_bench_plain_copy(a, c, length),
                Kernel::Scale => hcube_bench_plain_scale(c, b, scalar, length),
                Kernel::Add => hcube_bench_plain_add(a, b, c, length),
                Kernel::Triad => hcube_bench_plain_triad(b, c, a, scalar, length),
            }
        }
    }

    /// How often a loop of plain.c has run in this process.
    pub fn runs() -> u64 {
        // SAFETY: a number that only this thread changes, in the loops above.
        unsafe { (&raw const hcube_bench_plain_runs).read() }
    }

    /// The C library's copy of a to c.
    pub fn memcpy(&mut self) {
        let [a, _, c] = self.all();
        // SAFETY: two vectors of this length, which do not overlap.
        unsafe { libc::memcpy(c.as_mut_ptr().cast(), a.as_ptr().cast(), size_of_val(a)) };
    }

    /// That [`Self::memcpy`] is the C library's.
    ///
    /// # Errors
    /// Where another library has replaced it; ranks may differ.
    pub fn memcpy_origin() -> Result<Origin> {
        Origin::of_libc(&[c"memcpy"])
    }
}
