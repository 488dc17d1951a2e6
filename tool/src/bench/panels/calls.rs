//! The broadcasts that are measured. Each has a panel of the present size, and one of the next step.

use super::arguments::{Variant, WORD};
use crate::bench::proof::{Claim, Counts, Origin};
use hcube_core::comm::pipelined_broadcast::{self, Plan};
use hcube_core::comm::{Comm, agree};
use hcube_core::memory::{bytes_of, bytes_of_mut};
use hcube_core::mpi::MpiComm;
use hcube_core::node::processor::crowded;
use hcube_core::progress::Progress;
use hcube_core::progress::wait::Patience;
use hcube_core::{Error, Result};
use hcube_hpl::Panels;
use hcube_hpl::options::{Options, Topology};
use hcube_hpl::panels::Memory;
use hcube_hpl::slots::slots_for;
use mpi::datatype::Equivalence;
use mpi::ffi::{
    MPI_Bcast, MPI_Ibcast, MPI_Request, MPI_Test, MPI_Wait, RSMPI_REQUEST_NULL, RSMPI_STATUS_IGNORE,
};
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::c_int;

/// Panels that are begun before the one that is read.
const DEPTH: usize = 1;

/// What hcube counts: panels of [`Panels`], and segments of the pipelined broadcast.
const PANELS: &str = "panels in node memory";
const SEGMENTS: &str = "segments of the pipelined broadcast";

impl Variant {
    /// What the variant must have called: hcube counts its own broadcasts, MPI's functions must belong to the
    /// MPI library.
    ///
    /// # Errors
    /// Where they do not; ranks may differ.
    pub fn claim(self) -> Result<Claim> {
        Ok(match self {
            Self::Hcube => Claim::counted(PANELS),
            Self::Pipelined => Claim::counted(SEGMENTS),
            Self::MpiBcast => Claim::of(&Origin::of_mpi(&[c"MPI_Bcast"])?),
            Self::MpiIbcast => Claim::of(&Origin::of_mpi(&[c"MPI_Ibcast", c"MPI_Test", c"MPI_Wait"])?),
        })
    }
}

/// Panels by messages: two buffers, of this panel and of the next one.
pub struct Messages {
    variant: Variant,
    comm: SimpleCommunicator,
    buffers: [Vec<u64>; DEPTH + 1],
    requests: [MPI_Request; DEPTH + 1],
    /// How ranks wait in the pipelined broadcast, and the segments of it that this rank has had.
    patience: Patience,
    segments: u64,
}

/// A broadcast that is measured, with its memory.
pub enum Broadcast {
    /// Also the number of panels, as hcube counts them.
    Node(Box<Panels<MpiComm>>, u64),
    Messages(Box<Messages>),
}

/// The result of a call of MPI.
fn done(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Mpi { call, code, text: String::new() }) }
}

impl Messages {
    /// Begins a panel that its root has written.
    fn begin(&mut self, comm: &MpiComm, number: usize, root: usize) -> Result<()> {
        let which = number % self.buffers.len();
        let (buffer, request) = (&mut self.buffers[which], &mut self.requests[which]);
        if self.variant == Variant::Pipelined {
            let (bytes, patience) = (bytes_of_mut(buffer), self.patience);
            // Not `Comm::broadcast`, which is that of the MPI library, nor what forwards short messages to
            // it.
            let plan = Plan::best(comm.size(), bytes.len());
            let segments = pipelined_broadcast::broadcast_by(comm, bytes, root, patience, plan)?;
            self.segments += segments as u64;
            return Ok(());
        }
        let (address, count) = (buffer.as_mut_ptr().cast(), buffer.len() as c_int);
        let (kind, comm) = (u64::equivalent_datatype().as_raw(), self.comm.as_raw());
        let root = root as c_int;
        // SAFETY: words that live as long as this value, and nobody uses them before the broadcast has ended:
        // `finish` waits for it before the buffer is read, or written again.
        unsafe {
            match self.variant {
                Variant::MpiIbcast => {
                    done("MPI_Ibcast", MPI_Ibcast(address, count, kind, root, comm, request))
                }
                _ => done("MPI_Bcast", MPI_Bcast(address, count, kind, root, comm)),
            }
        }
    }

    fn poll(&mut self) -> Result<()> {
        for request in &mut self.requests {
            let mut finished = 0;
            // SAFETY: a request of this value, or none.
            done("MPI_Test", unsafe { MPI_Test(request, &mut finished, RSMPI_STATUS_IGNORE) })?;
        }
        Ok(())
    }

    fn finish(&mut self, number: usize) -> Result<&[u64]> {
        let which = number % self.buffers.len();
        // SAFETY: a request of this value, or none.
        done("MPI_Wait", unsafe { MPI_Wait(&mut self.requests[which], RSMPI_STATUS_IGNORE) })?;
        Ok(&self.buffers[which])
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        for request in &mut self.requests {
            // SAFETY: as in `finish`; after a failure the buffers must not be freed before.
            unsafe { MPI_Wait(request, RSMPI_STATUS_IGNORE) };
        }
    }
}

impl Broadcast {
    /// Collective: a broadcast of panels of this size, with options that are valid on all ranks; or why it is
    /// left out, on all ranks.
    ///
    /// # Errors
    /// On all ranks, where their options differ.
    pub fn new(
        comm: &MpiComm,
        variant: Variant,
        bytes: usize,
        options: &Options,
    ) -> Result<std::result::Result<Self, String>> {
        if variant == Variant::Hcube {
            let memory = Memory { bytes, slots: slots_for(DEPTH + 2, comm.size()), in_use: DEPTH + 2 };
            // Also a failure of only one rank concerns all of them: the others would wait for its panels.
            return match agree(comm, Panels::new(comm, memory, Topology::Auto, options)) {
                Ok(panels) => Ok(Ok(Self::Node(Box::new(panels), 0))),
                Err(error @ Error::Mismatch { .. }) => Err(error),
                Err(error) => Ok(Err(error.to_string())),
            };
        }
        let buffers = [0; DEPTH + 1].map(|_: usize| vec![0; bytes / WORD]);
        // SAFETY: a constant of MPI.
        let none = unsafe { RSMPI_REQUEST_NULL };
        let requests = [none; DEPTH + 1];
        let patience = Patience::new(crowded(comm, &comm.node_numbers()?)?, comm.simulated());
        comm.open_messages()?;
        let comm = SimpleCommunicator::world().duplicate();
        let messages = Messages { variant, comm, buffers, requests, patience, segments: 0 };
        Ok(Ok(Self::Messages(Box::new(messages))))
    }

    /// What hcube has counted on this rank.
    pub fn counts(&self) -> Counts {
        let (panels, segments) = match self {
            Self::Node(_, panels) => (*panels, 0),
            Self::Messages(messages) => (0, messages.segments),
        };
        vec![(PANELS, panels), (SEGMENTS, segments)]
    }

    /// Begins a panel; its root writes these words to it.
    pub fn begin(&mut self, comm: &MpiComm, number: usize, root: usize, contents: &[u64]) -> Result<()> {
        let is_root = comm.rank() == root;
        match self {
            Self::Node(panels, begun) => {
                let panel = panels.begin(comm, root, size_of_val(contents))?;
                *begun = panel + 1;
                if is_root {
                    panels.place(panel)?.write(bytes_of(contents));
                    panels.post(comm, panel)?;
                }
                Ok(())
            }
            Self::Messages(messages) => {
                if is_root {
                    let which = number % messages.buffers.len();
                    messages.buffers[which].copy_from_slice(contents);
                }
                messages.begin(comm, number, root)
            }
        }
    }

    /// Lets the broadcast of a panel make progress, where it needs that.
    pub fn poll(&mut self, comm: &MpiComm, number: usize) -> Result<()> {
        match self {
            Self::Node(panels, _) => panels.progress(comm, number as u64).map(|_| ()),
            Self::Messages(messages) if messages.variant == Variant::MpiIbcast => messages.poll(),
            _ => Ok(()),
        }
    }

    /// Waits for a panel and reads it; the number is the same as in `begin`, counted over all panels of this
    /// broadcast.
    pub fn read(&mut self, comm: &MpiComm, number: usize, read: impl FnOnce(&[u64]) -> u64) -> Result<u64> {
        match self {
            Self::Node(panels, _) => {
                panels.wait(comm, number as u64)?;
                let place = panels.content(number as u64)?;
                // SAFETY: the panel has arrived, so its root does not write to it before this rank has
                // released it; it is aligned to lines of the cache.
                let words =
                    unsafe { std::slice::from_raw_parts(place.address().cast::<u64>(), place.len() / WORD) };
                let found = read(words);
                panels.release(comm, number as u64)?;
                Ok(found)
            }
            Self::Messages(messages) => Ok(read(messages.finish(number)?)),
        }
    }
}
