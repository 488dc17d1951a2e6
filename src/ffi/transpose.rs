//! Transposition of a distributed matrix for C.

use super::boundary::{enter, required};
use super::collective::prepare;
use super::types::{hcube_error, hcube_transpose_shape};
use crate::alltoall::select;
use crate::comm::attribute;
use crate::comm::call::in_place;
use crate::comm::handle::{Handle, check_communicator, check_state};
use crate::comm::memory::Region;
use crate::comm::{Comm, MPI_Comm};
use crate::error::{Error, Result};
use crate::transpose::{Parts, Shape, transpose};
use std::ffi::c_void;

/// Collective: transposes a matrix that is spread over the ranks of a communicator, as
/// fftw_mpi_plan_many_transpose describes it, in one go: blocks are turned while they are packed and
/// unpacked, so that memory is read once and written once, without local transpositions before and
/// after an exchange.
///
/// input and output are the rank's parts before and afterwards, of the bytes that *shape says; either
/// may be NULL where it has none. input == output, or MPI_IN_PLACE as input (which a rank without elements
/// passes, too), on all ranks: in place, with additional memory that is bounded
/// (hcube_alltoall_options.memory) instead of a second matrix; this needs rows == columns,
/// row_block == column_block and transposed_in == transposed_out, with any number of ranks. Otherwise the two do not overlap, every shape is possible, and input stays as it
/// is. The options of hcube_alltoall_set_options and the environment hold here, too, except that the
/// library has no function for this.
///
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE,
/// HCUBE_ERR_TRUNCATE where ranks pass shapes of which parts have other sizes; on all ranks, with
/// nothing written. Where another rank refused its arguments, the code of that rank.
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
    // SAFETY: the caller's promise, here and below.
    let comm = unsafe { Handle::new(comm) };
    // SAFETY: see above.
    unsafe {
        enter(Some(comm), error, || {
            check_state()?;
            check_communicator(comm)?;
            attribute::with(comm, |comm, kept| {
                let state = prepare(comm, kept, None)?;
                select::check_ranks(&state.prepared.situation)?;
                let work = required(shape, "shape")
                    .and_then(hcube_transpose_shape::to_shape)
                    .and_then(|shape| read(&shape, input, output, comm));
                let report = transpose(comm, &mut state.prepared, work)?;
                state.last_way = report.way.name();
                Ok(())
            })
        })
    }
}

/// What this rank brings, with its arguments checked.
///
/// # Safety
/// As [`hcube_transpose`].
unsafe fn read<'a>(
    shape: &Shape,
    input: *const c_void,
    output: *mut c_void,
    comm: &impl Comm,
) -> Result<(Shape, Parts<'a>)> {
    let [before, after] = shape.check(comm.rank(), comm.size())?;
    let region = |name, address: *mut u8, bytes: usize| {
        if address.is_null() && bytes > 0 {
            return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
        }
        // SAFETY: the caller's promise.
        Ok(unsafe { Region::new(address, bytes) })
    };
    let to = region("output", output.cast(), after)?;
    // Null on both sides says nothing: it is what a rank without elements may have.
    let same = input.cast_mut() == output && !output.is_null();
    if same || input.cast_mut() == in_place() {
        if !shape.is_symmetric() {
            return Err(Error::argument(
                "input == output",
                format!("{shape:?}"),
                "rows == columns, row_block == column_block, transposed_in == transposed_out",
            ));
        }
        return Ok((*shape, Parts::InPlace(to)));
    }
    let from = region("input", input.cast_mut().cast(), before)?;
    let [start, place] = [from, to].map(|region| region.address().addr());
    if before > 0 && after > 0 && start < place + after && place < start + before {
        let given = format!("{input:p}, {before} bytes, output {output:p}, {after} bytes");
        return Err(Error::argument("input", given, "memory that does not overlap, or the same address"));
    }
    Ok((*shape, Parts::Between(from, to)))
}
