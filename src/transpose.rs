//! Transposition of a distributed matrix for C.

use crate::boundary::{enter_on, required};
use crate::types::{hcube_error, hcube_transpose_shape};
use hcube_alltoall::mpi_front::{Engine, prepare};
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

/// Collective. Transposes a matrix that is distributed by rows over the ranks of a communicator, as
/// fftw_mpi_plan_many_transpose of FFTW. Blocks are transposed while they are packed and unpacked: the matrix
/// is read once and written once, without a local transposition before or after the exchange.
///
/// The transposition is in place if, on all ranks, input == output or input is MPI_IN_PLACE (required on a
/// rank without elements). output must then have the size of the larger of the two parts, and
/// hcube_alltoall_options.memory bounds the extra memory. In place is possible if rows == columns, row_block
/// == column_block and transposed_in == transposed_out; other shapes are possible in place only if all ranks
/// share memory and elements are large. hcube_transpose_check tests a shape.
///
/// Otherwise input and output must not overlap, every shape is possible, and input is not changed.
///
/// The options of hcube_alltoall_set_options and of the environment apply, with two exceptions. MPI has no
/// such function, so HCUBE_ALLTOALL_LIBRARY has the effect of HCUBE_ALLTOALL_AUTO. Single copy cannot
/// transpose, so HCUBE_PATH_SINGLE_COPY has the effect of HCUBE_PATH_SHARED, but does not transpose other
/// shapes in place.
///
/// input: the part of this rank before the call, of the size that shape determines; NULL if this size is 0.
/// output: the part of this rank after the call, of the size that shape determines; NULL if this size is 0.
/// shape: the same on all ranks.
/// comm: an intracommunicator.
/// Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL or
/// device memory; HCUBE_ERR_TRUNCATE if shapes differ, or only some ranks are in place;
/// HCUBE_ERR_COMM for more than 2097151 ranks; the code of another rank if its arguments are not
/// valid; at the first use of a communicator also HCUBE_ERR_MPI, HCUBE_ERR_MEMORY and, if options
/// differ, HCUBE_ERR_MISMATCH.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
/// HCUBE_ERR_MPI_STATE.
/// Source of the exchange: M. Hofmann and G. Ruenger, In-place Algorithms for the Symmetric
/// All-to-all Exchange with MPI, EuroMPI 2013, section 4.4.
///
/// # Safety
/// shape and error are null or valid, and the parts are as described, used by nobody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_transpose(
    input: *const c_void,
    output: *mut c_void,
    shape: *const hcube_transpose_shape,
    comm: MPI_Comm,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: shape and error are null or valid and the parts are as described, by the contract of this
    // function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            with_engine(comm, |comm, engine| {
                let work = known(shape, comm).and_then(|(shape, bytes)| {
                    let parts = parts(bytes, input, output)?;
                    if [input.cast_mut(), output].iter().any(|side| engine.devices.own(side.cast())) {
                        let text = "input or output is device memory: expected host memory";
                        return Err(Error::Buffer(text.into()));
                    }
                    Ok((shape, parts))
                });
                let report = transpose(comm, &mut engine.exchange, work);
                let path = report.as_ref().map_or("refused", |report| report.path.name());
                (Some(path), report.map(drop))
            })
        })
    }
}

/// Collective. Tests whether hcube_transpose can transpose a shape on a communicator, and performs the set-up
/// of the first exchange.
///
/// shape: the same on all ranks.
/// in_place: 1 for in place, 0 for out of place; the same on all ranks.
/// comm: an intracommunicator.
/// Errors: HCUBE_SUCCESS on all ranks if the shape is possible; otherwise the code that hcube_transpose would
/// return, or HCUBE_ERR_MISMATCH if shapes differ between ranks.
///
/// # Safety
/// shape and error are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_transpose_check(
    shape: *const hcube_transpose_shape,
    in_place: i32,
    comm: MPI_Comm,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: shape and error are null or valid, by the contract of this function; the handle is one of
    // MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            with_engine(comm, |comm, engine| {
                let checked = known(shape, comm).and_then(|(shape, _)| match in_place {
                    0 | 1 => check(comm, &engine.exchange, &shape, in_place == 1).map(drop),
                    _ => Err(Error::argument("in_place", in_place, "0 or 1")),
                });
                // SAFETY: not null, or it would have been refused.
                let agreed = agree(comm, checked).and_then(|()| agree_on(comm, &(&*shape).agreement()));
                (None, agreed)
            })
        })
    }
}

/// Runs `work` with the communicator and what exchanges on it use; `work` also says which path an exchange
/// has used.
fn with_engine(
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Engine) -> (Option<&'static str>, Result<()>),
) -> Result<()> {
    gate::enter_without_messages(comm, |comm, kept| {
        let mut path = None;
        let result = prepare(comm, kept)?.with(|engine| {
            let (used, result) = work(comm, engine);
            path = used;
            result
        });
        if let (Some(path), Some(kept)) = (path, kept) {
            kept.note_path(path);
        }
        result
    })
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
