//! Arguments that some MPI libraries accept and others reject. A program must see the behaviour of its MPI
//! library, whether an exchange is forwarded or performed here: so hcube tests how the library behaves
//! ([`hcube_core::mpi::judgement`]).
//!
//! Open MPI rejects `MPI_DATATYPE_NULL` and uncommitted datatypes even if the count is 0. MPICH ignores them
//! in `MPI_Alltoallw`, `MPI_Neighbor_alltoall` and `MPI_Neighbor_alltoallw`, but in no other function. It
//! also accepts `MPI_IN_PLACE` instead of a buffer without elements, and rejects one buffer for both sides of
//! `MPI_Alltoall`.

use super::call::{Call, Counts, Function, Side, Types};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::MPI_Datatype;
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::datatype::{check_unused, is_usual};
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::judgement::{Answer, Judge};
use hcube_core::mpi::topology::Form;

/// The kind of the arguments of a function.
pub(super) fn form(function: Function) -> Form {
    match function {
        Function::Alltoall | Function::NeighborAlltoall | Function::Ialltoall | Function::AlltoallInit => {
            Form::Equal
        }
        Function::Alltoallv
        | Function::NeighborAlltoallv
        | Function::Ialltoallv
        | Function::AlltoallvInit => Form::Counts,
        Function::Alltoallw
        | Function::NeighborAlltoallw
        | Function::Ialltoallw
        | Function::AlltoallwInit => Form::Types,
    }
}

/// Who judges the arguments of a function.
pub(super) fn judge(function: Function) -> Judge {
    Judge { of_neighbours: function.is_of_neighbours(), form: form(function) }
}

/// Checks that a side of a call is memory, with this number of blocks; `name` is the name of its buffer in
/// messages.
///
/// # Errors
/// The library's error for `MPI_IN_PLACE`, if it does not accept it.
///
/// # Safety
/// Arrays hold an entry per block.
#[inline(always)]
pub(super) unsafe fn memory(call: &Call, side: Side, blocks: usize, name: &'static str) -> Result<Side> {
    if side.buffer != in_place() {
        return Ok(side);
    }
    // SAFETY: arrays hold an entry per block.
    unsafe { memory_in_place(call, side, blocks, name) }
}

/// # Safety
/// As [`memory`].
#[cold]
unsafe fn memory_in_place(call: &Call, side: Side, blocks: usize, name: &'static str) -> Result<Side> {
    let expected = "memory: this side of the exchange is not in place";
    let answer = if call.guest { judge(call.function).receive_in_place() } else { Answer::Refused };
    match answer {
        Answer::Argument => Err(Error::argument(name, "MPI_IN_PLACE", expected)),
        // SAFETY: arrays hold an entry per block.
        Answer::Accepted if !unsafe { has_elements(&side, blocks) } => {
            Ok(Side { buffer: std::ptr::null_mut(), ..side })
        }
        _ => Err(Error::Buffer(format!("{name} = MPI_IN_PLACE: expected {expected}"))),
    }
}

/// # Safety
/// As [`memory`].
unsafe fn has_elements(side: &Side, blocks: usize) -> bool {
    let missing = match side.counts {
        Counts::Same(_) | Counts::SameLarge(_) => false,
        Counts::Int(counts, _) | Counts::Far(counts, _) => counts.is_null(),
        Counts::Large(counts, _) => counts.is_null(),
    };
    // SAFETY: an array that is not null holds an entry per block, by the contract of this function.
    !missing && (0..blocks).any(|number| unsafe { side.counts.of(number) } > 0)
}

/// Checks a call whose two buffers are one.
///
/// # Errors
/// [`Error::Buffer`], where the library finds that out and refuses it.
#[cold]
pub(super) fn check_one_buffer(call: &Call) -> Result<()> {
    // MPICH compares the arguments of the call, so that arrays are equal only if they are one array.
    let same_types = match (call.send.types, call.receive.types) {
        (Types::One(sent), Types::One(received)) => sent == received,
        (Types::Each(sent), Types::Each(received)) => sent == received,
        _ => false,
    };
    let same_counts = match (call.send.counts, call.receive.counts) {
        (Counts::Same(sent), Counts::Same(received)) => sent == received && sent > 0,
        (Counts::SameLarge(sent), Counts::SameLarge(received)) => sent == received && sent > 0,
        (Counts::Int(sent, _), Counts::Int(received, _)) => sent == received,
        (Counts::Far(sent, _), Counts::Far(received, _)) => sent == received,
        (Counts::Large(sent, _), Counts::Large(received, _)) => sent == received,
        _ => false,
    };
    if same_types && same_counts && call.guest && !judge(call.function).accepts_one_buffer() {
        return Err(Error::Buffer("sendbuf = recvbuf: expected two buffers, or MPI_IN_PLACE".into()));
    }
    Ok(())
}

/// Checks the datatype of a block without elements.
///
/// # Errors
/// [`Error::Datatype`], where the library refuses it.
///
/// # Safety
/// The datatype is a value that MPI has returned and nobody frees it during the call.
pub(super) unsafe fn check_unused_type(datatype: MPI_Datatype, judge: Judge, comm: &MpiComm) -> Result<()> {
    if is_usual(datatype) || judge.ignores_unused_types() {
        return Ok(());
    }
    // SAFETY: MPI has given the datatype out, and nobody frees it during the call.
    unsafe { check_unused(datatype, comm) }
}
