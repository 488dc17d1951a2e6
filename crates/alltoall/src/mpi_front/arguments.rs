//! Converts the arguments of MPI functions to the blocks of a rank.

use super::call::{Call, Counts, Function, Side, Types};
use super::judged::{check_one_buffer, check_unused_type, judge, memory};
use crate::{Conditions, Task};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::{Block, Datatype};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::{MPI_Datatype, datatype};
use hcube_core::node::device::Devices;
use std::ffi::c_void;

/// Names of one side's arguments in messages.
pub(super) struct Names {
    pub(super) buffer: &'static str,
    count: &'static str,
    displacement: &'static str,
    datatype: &'static str,
}

pub(super) const SENT: Names =
    Names { buffer: "sendbuf", count: "sendcounts", displacement: "sdispls", datatype: "sendtype" };
pub(super) const RECEIVED: Names =
    Names { buffer: "recvbuf", count: "recvcounts", displacement: "rdispls", datatype: "recvtype" };

/// The two sides of a general exchange in place.
const SENT_OF_ONE: Names =
    Names { buffer: "buffer", count: "scounts", displacement: "sdispls", datatype: "datatype" };
const RECEIVED_OF_ONE: Names = Names { count: "rcounts", displacement: "rdispls", ..SENT_OF_ONE };

/// Addresses below this are no data of anybody: null, and what is computed from it.
const FIRST_PAGE: usize = 4096;

/// Local: what a rank has to do.
///
/// # Safety
/// The call describes memory and handles as MPI requires, for as long as the result lives.
#[inline(always)]
pub unsafe fn read<'a>(call: &Call, comm: &MpiComm, named: &mut Named) -> Result<Task<'a>> {
    // SAFETY: memory and handles of the call are as MPI requires, and arrays hold an entry per rank.
    unsafe {
        let received = memory(call, call.receive, comm.size(), RECEIVED.buffer)?;
        let receive = blocks(call.function, &received, comm, named, &RECEIVED)?;
        if call.in_place() {
            return Ok(Task::in_place(receive));
        }
        let task = Task::between(blocks(call.function, &call.send, comm, named, &SENT)?, receive);
        if call.send.buffer == call.receive.buffer {
            check_one_buffer(call)?;
        }
        Ok(task)
    }
}

/// Local: what a rank has to do in a general exchange in place, whose two sides are of one buffer.
///
/// # Safety
/// As [`read`].
pub unsafe fn read_one_buffer<'a>(call: &Call, comm: &MpiComm, named: &mut Named) -> Result<Task<'a>> {
    if call.receive.buffer == in_place() {
        return Err(Error::Buffer("buffer = MPI_IN_PLACE: expected memory".into()));
    }
    // SAFETY: memory and handles of the call are as MPI requires, and arrays hold an entry per rank.
    unsafe {
        let function = call.function;
        let send = blocks(function, &call.send, comm, named, &SENT_OF_ONE)?;
        Ok(Task::between(send, blocks(function, &call.receive, comm, named, &RECEIVED_OF_ONE)?))
    }
}

/// Local: the size of a block of `MPI_Alltoall`; `None` if the arguments that determine it are invalid.
///
/// # Safety
/// As [`read`].
pub unsafe fn block_bytes(call: &Call, comm: &MpiComm, named: &mut Named) -> Option<usize> {
    let count = match call.receive.counts {
        Counts::Same(count) => usize::try_from(count).ok()?,
        Counts::SameLarge(count) => usize::try_from(count).ok()?,
        _ => return None,
    };
    let Types::One(datatype) = call.receive.types else { return None };
    let size = match &named.0 {
        Some((known, looked_at)) if *known == datatype => looked_at.size(),
        // The first call records a predefined one. If another datatype cannot be decoded, all ranks must find
        // that out together. SAFETY: MPI has created the datatype, and nobody frees it during the call.
        _ => unsafe {
            match inspect(datatype, comm, named, &RECEIVED) {
                Ok(datatype) => datatype.size(),
                Err(_) => datatype::size(datatype, comm).ok()?,
            }
        },
    };
    size.checked_mul(count)
}

/// Local: the data on a rank's arguments that others need.
pub fn conditions(call: &Call, devices: &Devices, beyond_library: bool) -> Conditions {
    let sides = if call.in_place() { &[call.receive][..] } else { &[call.send, call.receive][..] };
    Conditions {
        unreachable: sides.iter().any(|side| devices.own(side.buffer.cast())),
        beyond_library,
        tolerant: call.guest,
        agreement: 0,
        timed: true,
        may_skip_votes: call.guest,
        stated: None,
        led: None,
        user: 0,
    }
}

/// In line with its callers, so that the blocks of an ordinary call are not copied from place to place.
///
/// # Safety
/// As [`read`].
#[inline(always)]
unsafe fn blocks<'a>(
    function: Function,
    side: &Side,
    comm: &MpiComm,
    named: &mut Named,
    names: &Names,
) -> Result<Blocks<'a>> {
    if let (Types::One(datatype), Some((known, looked_at))) = (side.types, &named.0)
        && *known == datatype
        // SAFETY: arrays of the side hold an entry per rank; memory and datatypes are as MPI requires.
        && let Some(blocks) = unsafe { plain(side, comm.size(), looked_at) }
    {
        return Ok(blocks);
    }
    // SAFETY: arrays of the side hold an entry per rank; memory and datatypes are as MPI requires.
    unsafe { listed(function, side, comm, named, names) }
}

/// The blocks one by one, with an error for what is wrong with one of them.
///
/// # Safety
/// As [`read`].
#[cold]
unsafe fn listed<'a>(
    function: Function,
    side: &Side,
    comm: &MpiComm,
    named: &mut Named,
    names: &Names,
) -> Result<Blocks<'a>> {
    // SAFETY: arrays of the side hold an entry per rank; memory and datatypes are as MPI requires.
    unsafe { list(function, (side, comm.size()), comm, named, names) }.map(Blocks::listed)
}

/// As [`listed`], for this number of blocks.
///
/// # Safety
/// As [`read`]; arrays hold an entry per block.
pub(super) unsafe fn list<'a>(
    function: Function,
    (side, blocks): (&Side, usize),
    comm: &MpiComm,
    named: &mut Named,
    names: &Names,
) -> Result<Vec<Block<'a>>> {
    if blocks == 0 {
        // A rank without neighbours may pass no arrays.
        return Ok(Vec::new());
    }
    match side.counts {
        Counts::Same(_) | Counts::SameLarge(_) => {}
        Counts::Int(counts, at) => require_arrays(counts.is_null(), at.is_null(), names)?,
        Counts::Far(counts, at) => require_arrays(counts.is_null(), at.is_null(), names)?,
        Counts::Large(counts, at) => require_arrays(counts.is_null(), at.is_null(), names)?,
    }
    let numbers = 0..blocks;
    // SAFETY: arrays hold an entry per block, by the contract of this function; they are not null.
    unsafe {
        match side.types {
            Types::One(datatype) => {
                let datatype = match inspect(datatype, comm, named, names) {
                    Err(error @ Error::Datatype(_)) => {
                        return without_datatype(function, (side, blocks), names, error);
                    }
                    datatype => datatype?,
                };
                numbers.map(|number| block(side, number, &datatype, datatype.extent(), names)).collect()
            }
            Types::Each(datatypes) if datatypes.is_null() => {
                Err(Error::argument(names.datatype, "NULL", "an array with an entry per rank"))
            }
            Types::Each(datatypes) => {
                let mut last: Option<(MPI_Datatype, Datatype)> = None;
                let mut last_unused = None;
                numbers
                    .map(|number| {
                        let (count, handle) = (side.counts.of(number), *datatypes.add(number));
                        if count <= 0 {
                            if last_unused.replace(handle) != Some(handle) {
                                let checked = check_unused_type(handle, judge(function), comm);
                                checked.map_err(|error| named_datatype(error, names))?;
                            }
                            return if count == 0 {
                                Ok(no_elements(side))
                            } else {
                                Err(negative(number, count, names))
                            };
                        }
                        if last.as_ref().is_none_or(|(known, _)| *known != handle) {
                            last = Some((handle, inspect(handle, comm, named, names)?));
                        }
                        let (_, datatype) = last.as_ref().expect("it was just set");
                        block(side, number, datatype, 1, names)
                    })
                    .collect()
            }
        }
    }
}

/// The blocks of a side whose only datatype is not valid: returned if no block has elements and the library
/// ignores the datatype of blocks without elements.
///
/// # Errors
/// The error of the datatype or of a negative count, depending on which of the two the library finds first.
///
/// # Safety
/// As [`list`]; arrays are not null.
#[cold]
unsafe fn without_datatype<'a>(
    function: Function,
    (side, blocks): (&Side, usize),
    names: &Names,
    error: Error,
) -> Result<Vec<Block<'a>>> {
    if !judge(function).ignores_unused_types() {
        return Err(error);
    }
    // SAFETY: arrays hold an entry per block, by the contract of this function.
    let counts = (0..blocks).map(|number| unsafe { side.counts.of(number) });
    match counts.enumerate().find(|(_, count)| *count != 0) {
        None => Ok(vec![no_elements(side); blocks]),
        Some((number, count @ ..0)) => Err(negative(number, count, names)),
        Some(_) => Err(error),
    }
}

fn negative(rank: usize, count: i64, names: &Names) -> Error {
    let name = names.count;
    Error::Count(format!("{name}[{rank}] = {count}: expected 0 or more"))
}

fn named_datatype(error: Error, names: &Names) -> Error {
    match error {
        Error::Datatype(text) => Error::Datatype(format!("{}: {text}", names.datatype)),
        error => error,
    }
}

/// Contiguous blocks whose arguments are obviously valid; other blocks are checked one by one.
///
/// # Safety
/// As [`read`].
#[inline(always)]
unsafe fn plain<'a>(side: &Side, ranks: usize, datatype: &Datatype) -> Option<Blocks<'a>> {
    let origin = side.buffer.cast::<u8>().wrapping_offset(datatype.offset());
    let size = datatype.size();
    if side.buffer.is_null() || !datatype.is_dense() {
        return None;
    }
    match side.counts {
        Counts::Same(count) => {
            let bytes = usize::try_from(count).ok()?.checked_mul(size)?;
            // SAFETY: the blocks of the call, whose memory is as `read` requires.
            unsafe { Blocks::even(origin, bytes, ranks) }
        }
        Counts::Int(counts, displacements) => {
            if counts.is_null() || displacements.is_null() {
                return None;
            }
            // SAFETY: arrays that are not null hold an entry per rank, and the blocks of the call are memory
            // as `read` requires.
            unsafe {
                let [counts, displacements] =
                    [counts, displacements].map(|array| std::slice::from_raw_parts(array, ranks));
                Blocks::counted(origin, counts, displacements, size)
            }
        }
        Counts::SameLarge(_) | Counts::Far(..) | Counts::Large(..) => None,
    }
}

fn require_arrays(no_counts: bool, no_displacements: bool, names: &Names) -> Result<()> {
    let missing = match (no_counts, no_displacements) {
        (true, _) => names.count,
        (_, true) => names.displacement,
        _ => return Ok(()),
    };
    Err(Error::argument(missing, "NULL", "an array with an entry per rank"))
}

/// The predefined datatype that was used last: it never changes and is never freed, and most programs
/// exchange elements of one.
#[derive(Debug, Default)]
pub struct Named(Option<(MPI_Datatype, Datatype)>);

impl Named {
    /// Its handle.
    pub(super) fn handle(&self) -> Option<MPI_Datatype> {
        self.0.as_ref().map(|(handle, _)| *handle)
    }
}

// SAFETY: the handle is an address in some libraries; it is only compared with others.
unsafe impl Send for Named {}

/// # Safety
/// As [`read`].
unsafe fn inspect(
    datatype: MPI_Datatype,
    comm: &MpiComm,
    named: &mut Named,
    names: &Names,
) -> Result<Datatype> {
    if let Some((_, known)) = named.0.as_ref().filter(|(handle, _)| *handle == datatype) {
        return Ok(known.clone());
    }
    // SAFETY: a value that MPI has returned and that nobody frees meanwhile, by the contract of `read`.
    let found = unsafe { datatype::inspect(datatype, comm) }.map_err(|error| named_datatype(error, names))?;
    if found.is_named() {
        named.0 = Some((datatype, found.clone()));
    }
    Ok(found)
}

/// The block for one rank; displacements count `unit` bytes.
///
/// # Safety
/// As [`read`].
unsafe fn block<'a>(
    side: &Side,
    rank: usize,
    datatype: &Datatype,
    unit: isize,
    names: &Names,
) -> Result<Block<'a>> {
    // SAFETY: arrays hold an entry per rank, by the contract of `read`; they are not null.
    let (count, displacement) = unsafe { (side.counts.of(rank), side.counts.displacement(rank)) };
    let Ok(elements) = usize::try_from(count) else {
        return Err(negative(rank, count, names));
    };
    if elements == 0 {
        return Ok(no_elements(side));
    }
    if datatype.size().checked_mul(elements).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        let (name, size) = (names.count, datatype.size());
        return Err(Error::Count(format!(
            "{name}[{rank}] = {count}: {count} elements of {size} bytes exceed the address space"
        )));
    }
    let Some(distance) = isize::try_from(displacement).ok().and_then(|at| at.checked_mul(unit)) else {
        let name = names.displacement;
        return Err(Error::Count(format!(
            "{name}[{rank}] = {displacement}: this displacement in units of {unit} bytes exceeds the address space"
        )));
    };
    let address = side.buffer.cast::<u8>().wrapping_offset(distance);
    // SAFETY: a block of the call, whose memory is as `read` requires.
    let block = unsafe { Block::new(address.cast::<c_void>(), elements, datatype) };
    // Absolute addresses from MPI_BOTTOM, which is also null, always belong to a derived type.
    let nowhere = datatype.is_named() || block.address().addr() < FIRST_PAGE;
    if block.bytes() > 0 && side.buffer.is_null() && nowhere {
        let (name, bytes) = (names.buffer, block.bytes());
        return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes for rank {rank}")));
    }
    Ok(block)
}

/// A block without elements, whose datatype and displacement may be anything.
fn no_elements<'a>(side: &Side) -> Block<'a> {
    // SAFETY: a region without bytes.
    Block::contiguous(unsafe { Region::new(side.buffer.cast(), 0) })
}
