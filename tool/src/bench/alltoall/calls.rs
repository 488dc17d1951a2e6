//! The calls that are measured. A channel is a communicator of its own, so that what hcube keeps for it, and its
//! options, concern only one case.

use super::problem::Blocks;
use hcube_alltoall::Options;
use hcube_alltoall::mpi_front::{Call, Counts, Function, Side, Types, Verdict, collective};
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use hcube_core::{Error, Result};
use mpi::datatype::Equivalence;
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::c_void;

/// One exchange, from `sent` where it is out of place.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// By hcube, or by the MPI library's own function.
    pub ours: bool,
    /// With MPI_Alltoall, which takes equal counts, instead of MPI_Alltoallv.
    pub uniform: bool,
    /// Counts and displacements, of both buffers.
    pub blocks: &'a Blocks,
}

/// A duplicate of MPI_COMM_WORLD.
pub struct Channel(SimpleCommunicator);

impl Channel {
    /// Collective. Dropping it, between MPI_Init and MPI_Finalize, is collective too.
    pub fn new() -> Self {
        Self(SimpleCommunicator::world().duplicate())
    }

    fn handle(&self) -> MPI_Comm {
        // The crate `mpi` and hcube have bindings of their own, generated from the same header.
        const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
        // SAFETY: both types are MPI_Comm of one mpi.h.
        unsafe { std::mem::transmute_copy(&self.0.as_raw()) }
    }

    /// Collective: sets hcube's options for this communicator.
    pub fn set_options(&self, options: &Options) -> Result<()> {
        // SAFETY: the communicator is alive as long as this channel.
        let comm = unsafe { Handle::new(self.handle()) };
        collective::set_options(comm, Ok(*options))
    }

    /// Collective: makes an exchange, in place where `sent` is nothing.
    pub fn exchange(&self, exchange: &Exchange, sent: Option<&[u64]>, received: &mut [u64]) -> Result<()> {
        let blocks = exchange.blocks;
        assert_eq!(blocks.ranks(), self.0.size() as usize, "an entry per rank");
        let fits = |length: usize| blocks.elements() <= length;
        assert!(
            fits(received.len()) && sent.is_none_or(|sent| fits(sent.len())),
            "all blocks in the buffers"
        );
        let sent = sent.map_or(in_place(), |sent| sent.as_ptr().cast_mut().cast::<c_void>());
        let received = received.as_mut_ptr().cast::<c_void>();
        // SAFETY: an entry per rank, and blocks follow one another inside the buffers, as checked
        // above; `sent` is only read.
        let code = unsafe { self.call(exchange, sent, received) };
        if code == 0 { Ok(()) } else { Err(Error::Mpi { call: "the exchange", code, text: String::new() }) }
    }

    /// # Safety
    /// The buffers hold the blocks, or `sent` is MPI_IN_PLACE.
    unsafe fn call(&self, exchange: &Exchange, sent: *mut c_void, received: *mut c_void) -> i32 {
        const { assert!(size_of::<MPI_Datatype>() == size_of::<mpi::ffi::MPI_Datatype>()) };
        // SAFETY: both types are MPI_Datatype of one mpi.h.
        let kind: MPI_Datatype = unsafe { std::mem::transmute_copy(&u64::equivalent_datatype().as_raw()) };
        let (blocks, comm) = (exchange.blocks, self.handle());
        let (counts, at) = (blocks.counts.as_ptr(), blocks.displacements.as_ptr());
        let same = blocks.counts[0];
        let (function, counts) = match exchange.uniform {
            true => (Function::Alltoall, Counts::Same(same)),
            false => (Function::Alltoallv, Counts::Int(counts, at)),
        };
        let side = |buffer| Side { buffer, counts, types: Types::One(kind) };
        let call = Call { function, send: side(sent), receive: side(received), comm, guest: false };
        // SAFETY: blocks inside living buffers and an entry per rank, as `exchange` has checked.
        unsafe {
            if !exchange.ours {
                return call.by_library();
            }
            match collective::exchange(&call) {
                Verdict::Done(_) => 0,
                Verdict::Refused(refusal) => refusal.raise(),
                Verdict::Library(reason) => collective::forwarded(&call, reason, || call.by_library()),
            }
        }
    }
}
