//! STREAM: four kernels that copy, scale, add and combine long vectors (McCalpin 1995), at memory bandwidth.
//!
//! | module | holds |
//! |---|---|
//! | [`vectors`] | the three vectors: aligned, padded, on huge pages |
//! | [`kernels`] | copy, scale, add and triad, with ordinary and with streaming stores |
//! | [`select`] | which stores are faster here, by a trial of each kernel |
//!
//! Restrictions: x86-64 has streaming stores; elsewhere both kinds are ordinary ones.
//!
//! Cost: per element, copy and scale move 16 bytes and add and triad 24; with ordinary stores the written
//! line is also read, which adds 8 bytes. No communication.
//!
//! Source: J. D. McCalpin, Memory bandwidth and machine balance in current high performance computers, IEEE
//! TCCA Newsletter, 1995; as a kernel on coarrays: Jin et al. 2011, section III.

pub mod kernels;
pub mod select;
pub mod vectors;

use hcube_core::error::Result;
use kernels::Stores;
use select::Kernel;
use vectors::Vectors;

/// Three vectors and the kernels that are fastest on them.
#[derive(Debug)]
pub struct Stream {
    vectors: Vectors,
    stores: [Stores; Kernel::ALL.len()],
    runs: u64,
}

impl Stream {
    /// Allocates three vectors of `length` elements, all zero, and tries the kernels on them. All ranks of a
    /// node that will run the kernels at the same time should do this at the same time, too: they share the
    /// memory's rate.
    ///
    /// # Errors
    /// [`Error::Memory`](hcube_core::Error::Memory).
    pub fn new(length: usize) -> Result<Self> {
        let mut vectors = Vectors::new(length)?;
        let stores = select::fastest(&mut vectors);
        Ok(Self { vectors, stores, runs: 0 })
    }

    /// Stores that a kernel uses.
    pub fn stores(&self, kernel: Kernel) -> Stores {
        self.stores[kernel as usize]
    }

    /// The vectors a, b and c.
    pub fn vectors(&mut self) -> &mut Vectors {
        &mut self.vectors
    }

    /// Runs a kernel; `scalar` has no effect on copy and add.
    pub fn run(&mut self, kernel: Kernel, scalar: f64) {
        self.runs += 1;
        kernel.run(self.stores(kernel), &mut self.vectors, scalar);
    }

    /// Kernels that were run with the stores that are fastest.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Kernels that have run on the vectors with these stores, trials included.
    pub fn runs_with(&self, stores: Stores) -> u64 {
        self.vectors.runs(stores)
    }
}
