//! Direct copies between processes of a node: one copy, by the kernel.
//!
//! Restrictions: both processes have proved to each other that the kernel permits it; if it is refused later,
//! unbuffered operations are buffered. The other process has ended the previous superstep, so that it does
//! not write its memory itself.
//! Cost: one copy by the kernel, about a microsecond per call and 0.1 us per page. Source: our own.

use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{self, Process, Refused};

/// A get that is to be a direct copy at the end of the superstep.
#[derive(Debug, Clone, Copy)]
pub struct Read {
    /// The number of the process on this node.
    pub mate: usize,
    /// The address there.
    pub address: u64,
    /// Where the data goes.
    pub into: Region<'static>,
}

/// Single copy with the processes of the node.
#[derive(Debug)]
pub struct Direct {
    processes: Vec<Process>,
    /// Gets of this superstep.
    pub reads: Vec<Read>,
    /// Bytes from which it is faster than buffers.
    threshold: usize,
}

impl Direct {
    /// Collective: `None` if the system does not permit single copy, or if `threshold` is 0.
    ///
    /// # Errors
    /// On all processes, errors of MPI.
    pub fn prove<C: Comm>(comm: &C, mates: &[usize], threshold: usize) -> Result<Option<Self>> {
        if threshold == 0 || comm.simulated() {
            return Ok(None);
        }
        let proved = single_copy::prove(comm, mates);
        Ok(proved.ok().map(|processes| Self { processes, reads: Vec::new(), threshold }))
    }

    /// Single copy of any number of bytes with the processes of a model.
    #[cfg(hcube_model)]
    pub fn of_model(processes: usize) -> Self {
        Self { processes: vec![Process::of_model(); processes], reads: Vec::new(), threshold: 1 }
    }

    /// Whether a direct copy of `bytes` bytes is faster than through buffers.
    #[inline]
    pub fn is_worthwhile(&self, bytes: usize) -> bool {
        bytes >= self.threshold
    }

    /// Whether data was written to an address of a process of the node, which has registered the memory
    /// there.
    pub fn write(&mut self, mate: usize, address: u64, data: Region<'_>) -> bool {
        // SAFETY: the process has registered these bytes, so all processes may access them during the
        // superstep.
        let written = unsafe { self.processes[mate].write(address, data) };
        self.succeeds(written)
    }

    /// Whether data was read from an address of a process of the node.
    pub fn read(&mut self, mate: usize, address: u64, into: Region<'_>) -> bool {
        let read = self.processes[mate].read(address, into);
        self.succeeds(read)
    }

    /// A copy that has begun may be repeated: the memory is not accessed otherwise.
    fn succeeds(&mut self, copied: std::result::Result<(), Refused>) -> bool {
        match copied {
            Ok(()) => true,
            Err(refused) => {
                if refused.is_permanent() {
                    self.threshold = usize::MAX;
                }
                false
            }
        }
    }
}
