//! The calls that are measured. A channel is a communicator of its own, so that what hcube keeps for it, and its
//! options, concern only one case.

use super::problem::Blocks;
use hcube_alltoall::Options;
use hcube_alltoall::mpi_front::state::State;
use hcube_alltoall::mpi_front::{Call, Counts, Function, Side, Types, Verdict, collective};
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use hcube_core::{Error, Result};
use mpi::datatype::Equivalence;
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use std::ffi::{c_int, c_void};

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

/// A communicator of its own: a duplicate of MPI_COMM_WORLD, or one with a topology.
pub struct Channel<C = SimpleCommunicator>(pub C);

/// The result of a call of MPI.
pub fn done(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Mpi { call, code, text: String::new() }) }
}

/// MPI's datatype of a type of Rust.
pub fn datatype<T: Equivalence>() -> MPI_Datatype
where
    T::Out: AsRaw<Raw = mpi::ffi::MPI_Datatype>,
{
    const { assert!(size_of::<MPI_Datatype>() == size_of::<mpi::ffi::MPI_Datatype>()) };
    // SAFETY: both types are MPI_Datatype of one mpi.h.
    unsafe { std::mem::transmute_copy(&T::equivalent_datatype().as_raw()) }
}

/// Collective: makes a call, by hcube or by the MPI library's own function.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them.
pub unsafe fn perform(call: &Call, ours: bool) -> Result<()> {
    // SAFETY: the contract of this function.
    let code = unsafe {
        if ours {
            match collective::exchange(call) {
                Verdict::Done(_) => 0,
                Verdict::Refused(refusal) => refusal.raise(),
                Verdict::Library(reason) => collective::forwarded(call, reason, || call.by_library()),
            }
        } else {
            call.by_library()
        }
    };
    done("the exchange", code)
}

impl Channel {
    /// Collective. Dropping it, between MPI_Init and MPI_Finalize, is collective too.
    pub fn new() -> Self {
        Self(SimpleCommunicator::world().duplicate())
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
        let function = if exchange.uniform { Function::Alltoall } else { Function::Alltoallv };
        let counts = blocks.as_counts(exchange.uniform);
        let sent = sent.map_or(in_place(), |sent| sent.as_ptr().cast_mut().cast::<c_void>());
        let received = received.as_mut_ptr().cast::<c_void>();
        let side = |buffer| Side { buffer, counts, types: Types::One(datatype::<u64>()) };
        let call =
            Call { function, send: side(sent), receive: side(received), comm: self.handle(), guest: false };
        // SAFETY: an entry per rank, and blocks follow one another inside the buffers, as checked
        // above; `sent` is only read.
        unsafe { perform(&call, exchange.ours) }
    }
}

impl<C: AsRaw<Raw = mpi::ffi::MPI_Comm>> Channel<C> {
    /// As hcube's functions take it.
    pub fn handle(&self) -> MPI_Comm {
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

    /// Local: the path of hcube's last exchange.
    pub fn last_path(&self) -> Result<&'static str> {
        // SAFETY: the communicator is alive as long as this channel.
        let comm = unsafe { Handle::new(self.handle()) };
        Ok(gate::look(comm, |state: &State| state.last_path())?.unwrap_or("none"))
    }
}

impl Blocks {
    /// As MPI's functions take them; equal ones, also as those of `MPI_Alltoall`.
    pub fn as_counts(&self, uniform: bool) -> Counts {
        if uniform {
            Counts::Same(self.counts[0])
        } else {
            Counts::Int(self.counts.as_ptr(), self.displacements.as_ptr())
        }
    }
}
