//! Transposition of a distributed matrix for C.

use crate::boundary::{enter, required};
use crate::types::{hcube_error, hcube_transpose_shape};
use hcube_alltoall::mpi_front::collective::{State, prepare};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::MPI_Comm;
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;
use hcube_transpose::{Parts, Shape, check, transpose};
use std::ffi::c_void;

/// Collective: transposes a matrix that is spread over the ranks of a communicator, as
/// fftw_mpi_plan_many_transpose describes it, in one step: blocks are transposed while they are packed and
/// unpacked, so that memory is read once and written once, without local transpositions before and
/// after an exchange.
///
/// input and output are the rank's parts before and afterwards, of the bytes that *shape says; either
/// may be NULL where it has none. input == output, or MPI_IN_PLACE as input (which a rank without elements
/// passes, too), on all ranks: in place, with additional memory that is bounded
/// (hcube_alltoall_options.memory) instead of a second matrix; output has the bytes of the larger part
/// then. That is possible where rows == columns, row_block == column_block and transposed_in ==
/// transposed_out, and for any shape where ranks share memory and elements are large
/// (hcube_transpose_check tells). Otherwise the two do not overlap, every shape is possible, and input
/// stays as it is. The options of hcube_alltoall_set_options and the environment hold here, too, except
/// that the library has no function for this (library orders messages as auto does), and that single
/// copy does not transpose blocks: HCUBE_PATH=single-copy is as shared, but without the last method in place.
///
/// Errors, on all ranks and with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or device
/// memory; HCUBE_ERR_TRUNCATE where shapes differ, or only some ranks are in place;
/// HCUBE_ERR_COMM for more than 65535 ranks. Where another rank refused its arguments, the code of that
/// rank. At the first use of a communicator also HCUBE_ERR_MPI, HCUBE_ERR_MEMORY and HCUBE_ERR_MISMATCH
/// (of options). Only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, and
/// HCUBE_ERR_MPI_STATE.
/// Source of the exchange: Hofmann and Ruenger, EuroMPI 2013, section 4.4.
///
/// # Safety
/// shape and error are null or valid, and the parts are as described, used by nobody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_transpose(
    input: *const c_void,
    output: *mut c_void,
    shape: *const hcube_transpose_shape,
    comm: MPI_Comm,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: shape and error are null or valid and the parts are as described, by the contract of this
    // function; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            with_state(comm, |comm, state| {
                let work = known(shape, comm).and_then(|(shape, bytes)| {
                    let parts = parts(bytes, input, output)?;
                    if [input.cast_mut(), output].iter().any(|side| state.devices.own(side.cast())) {
                        let text = "input or output is device memory: expected host memory";
                        return Err(Error::Buffer(text.into()));
                    }
                    Ok((shape, parts))
                });
                let report = transpose(comm, &mut state.exchange, work);
                state.last_path = report.as_ref().map_or("refused", |report| report.path.name());
                report.map(drop)
            })
        })
    }
}

/// Collective: whether hcube_transpose can do this on a communicator, in_place being 1 or 0, without
/// doing it; prepares what the first exchange would prepare.
///
/// Errors: HCUBE_SUCCESS on all ranks where it can. Otherwise what hcube_transpose would return, and
/// HCUBE_ERR_MISMATCH where ranks pass different shapes.
///
/// # Safety
/// shape and error are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_transpose_check(
    shape: *const hcube_transpose_shape,
    in_place: i32,
    comm: MPI_Comm,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: shape and error are null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            with_state(comm, |comm, state| {
                let checked = known(shape, comm).and_then(|(shape, _)| match in_place {
                    0 | 1 => check(comm, &state.exchange, &shape, in_place == 1).map(drop),
                    _ => Err(Error::argument("in_place", in_place, "0 or 1")),
                });
                agree(comm, checked)?;
                // SAFETY: not null, or it would have been refused.
                agree_on(comm, &(&*shape).agreement())
            })
        })
    }
}

/// Runs `work` with the private communicator and what exchanges keep on it.
fn with_state(comm: Handle, work: impl FnOnce(&MpiComm, &mut State) -> Result<()>) -> Result<()> {
    gate::enter(comm, |comm, kept| work(comm, prepare(comm, kept, None)?))
}

/// The shape, and the bytes of this rank's parts.
///
/// # Safety
/// `shape` is null or valid.
unsafe fn known(shape: *const hcube_transpose_shape, comm: &impl Comm) -> Result<(Shape, [usize; 2])> {
    // SAFETY: null or valid, by the contract of this function.
    let shape = unsafe { required(shape, "shape") }?.to_shape()?;
    let bytes = shape.check(comm.rank(), comm.size())?;
    Ok((shape, bytes))
}

/// This rank's parts, of these bytes before and afterwards.
///
/// # Safety
/// As [`hcube_transpose`].
unsafe fn parts<'a>(
    [before, after]: [usize; 2],
    input: *const c_void,
    output: *mut c_void,
) -> Result<Parts<'a>> {
    if output == in_place() {
        return Err(Error::Buffer("output = MPI_IN_PLACE: expected this rank's part".into()));
    }
    let region = |name, address: *mut u8, bytes: usize| {
        if address.is_null() && bytes > 0 {
            return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
        }
        // SAFETY: the part of this rank, which has these bytes, by the contract of `hcube_transpose`; nobody
        // else uses it meanwhile.
        Ok(unsafe { Region::new(address, bytes) })
    };
    // Null on both sides says nothing: it is what a rank without elements may have.
    let same = input.cast_mut() == output && !output.is_null();
    if same || input.cast_mut() == in_place() {
        return Ok(Parts::InPlace(region("output", output.cast(), before.max(after))?));
    }
    let to = region("output", output.cast(), after)?;
    let from = region("input", input.cast_mut().cast(), before)?;
    let [start, place] = [from, to].map(|region| region.address().addr());
    let apart = start.saturating_add(before) <= place || place.saturating_add(after) <= start;
    if before > 0 && after > 0 && !apart {
        let given = format!("{input:p}, {before} bytes, output {output:p}, {after} bytes");
        return Err(Error::argument("input", given, "memory that does not overlap, or the same address"));
    }
    Ok(Parts::Between(from, to))
}
