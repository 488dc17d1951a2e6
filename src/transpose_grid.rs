//! Transposition of a block-cyclic matrix on a grid of processes for C.

use crate::boundary::{enter, enter_on, free, output, required, text_buffer, write_text};
use crate::types::{
    hcube_error, hcube_grid_transpose, hcube_grid_transpose_memory, hcube_grid_transpose_shape,
};
use hcube_alltoall::Options;
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::MPI_Comm;
use hcube_core::mpi::gate;
use hcube_core::node::device::Devices;
use hcube_transpose::grid::{Memory, Operands, Plan};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// Collective. Allocates zeroed memory for matrices of hcube_grid_transpose: a part for each rank, which the
/// other ranks of its node can read, on huge pages if the system provides them.
///
/// bytes: size of the part of a rank, 0 or more; the same on all ranks.
/// comm: an intracommunicator.
/// memory: receives the handle, which one thread at a time may use. Freed by
/// hcube_grid_transpose_memory_free.
/// address: receives the address of the part of this rank, aligned to 4096 bytes.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if bytes or variables differ;
/// HCUBE_ERR_MEMORY, also where ranks of a node cannot share memory; HCUBE_ERR_MPI; the code of
/// another rank if its arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_memory_create(
    bytes: i64,
    comm: MPI_Comm,
    memory: *mut *mut hcube_grid_transpose_memory,
    address: *mut *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_state(comm, |on| {
                let places = output(memory, "memory").and_then(|memory| {
                    let address = output(address, "address")?;
                    let bytes =
                        usize::try_from(bytes).map_err(|_| Error::argument("bytes", bytes, "0 or more"))?;
                    Ok((memory, address, bytes, Options::from_environment()?))
                });
                let (memory, address, bytes, options) = agree(on, places)?;
                let new = Memory::new(on, Ok(bytes), &options)?;
                *address = new.address().cast();
                *memory = Box::into_raw(Box::new(hcube_grid_transpose_memory(Arc::new(new))));
                Ok(())
            })
        })
    }
}

/// Local. Frees a handle; the memory exists until all transpositions that were created with it have been
/// freed as well. Other ranks must not be inside a call that reads it.
///
/// memory: a handle of hcube_grid_transpose_memory_create, which is set to NULL; no effect if it is NULL.
/// Errors: HCUBE_ERR_ARGUMENT if memory itself is NULL.
///
/// # Safety
/// memory is null or valid, and *memory null or of `hcube_grid_transpose_memory_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_memory_free(
    memory: *mut *mut hcube_grid_transpose_memory,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || free(memory, "memory")) }
}

/// Collective. Creates a plan for C = A' + beta C, where A' is the transpose of a block-cyclic matrix on a
/// grid of processes, distributed as in ScaLAPACK with the first block on process (0, 0). Compare PDTRAN of
/// PBLAS.
///
/// If A is in memory of hcube_grid_transpose_memory_create, ranks that share memory read each other's parts
/// of A without messages. Otherwise, and between nodes, they exchange messages, and the environment variables
/// of the all-to-all exchange apply; the plan then allocates memory of the size of both local parts.
///
/// shape: the same on all ranks.
/// memory: the memory that contains A, or NULL on all ranks; it may have been created with another
/// communicator that contains these ranks.
/// comm: an intracommunicator, which must not be freed before the plan.
/// transposition: receives the handle. Freed by hcube_grid_transpose_free.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if arguments or variables differ;
/// HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another rank if its arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
/// Source of the messages: J. Choi, J. Dongarra, D. Walker, Parallel matrix transpose algorithms on
/// distributed memory concurrent computers, Parallel Computing 21, 1995.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_create(
    shape: *const hcube_grid_transpose_shape,
    memory: *const hcube_grid_transpose_memory,
    comm: MPI_Comm,
    transposition: *mut *mut hcube_grid_transpose,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_state(comm, |on| {
                let wanted = required(shape, "shape").and_then(|shape| {
                    let place = output(transposition, "transposition")?;
                    Ok((place, shape.to_shape()?, Options::from_environment()?))
                });
                let (place, shape, options) = agree(on, wanted)?;
                let memory = memory.as_ref().map(|memory| Arc::clone(&memory.0));
                let plan = Plan::new(on, Ok((shape, memory)), &options)?;
                let new = hcube_grid_transpose { comm, plan, devices: Devices::new() };
                *place = Box::into_raw(Box::new(new));
                Ok(())
            })
        })
    }
}

/// Collective over the communicator of the transposition. Computes C = A' + beta C; A is unchanged. Only one
/// call at a time may be active for a plan.
///
/// transposition: a handle of hcube_grid_transpose_create.
/// beta: the factor; if it is 0, C is not read, so NaN in C is overwritten.
/// a: this rank's part of A, in the memory with which the plan was created, if any; NULL if the part has no
/// elements.
/// lda: leading dimension of a, at least its number of local rows and at least 1.
/// c: this rank's part of C; must not overlap a. NULL if the part has no elements.
/// ldc: leading dimension of c, at least its number of local rows and at least 1.
/// Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER for NULL, for device
/// memory, and if a is not in the memory of the plan; HCUBE_ERR_MPI; the code of another rank if its
/// arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT if transposition is NULL; HCUBE_ERR_COMM if
/// the communicator was freed; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// transposition is null or of `hcube_grid_transpose_create`; the parts have the sizes that the shape
/// determines, and nobody else uses them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_execute(
    transposition: *mut hcube_grid_transpose,
    beta: f64,
    a: *const f64,
    lda: i64,
    c: *mut f64,
    ldc: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        let comm = transposition.as_ref().map(|transposition| transposition.comm);
        enter(comm, error, || {
            let hcube_grid_transpose { comm, plan, devices } = output(transposition, "transposition")?;
            gate::enter_without_state_and_messages(*comm, |comm| {
                let operands = operands(plan, a.cast_mut(), c, [lda, ldc]).and_then(|operands| {
                    if [operands.a, operands.c].iter().any(|part| devices.own(part.address())) {
                        return Err(Error::Buffer("a or c is device memory: expected host memory".into()));
                    }
                    Ok(operands)
                });
                plan.execute(comm, operands, beta)
            })
        })
    }
}

/// This rank's parts of both matrices.
///
/// # Safety
/// As [`hcube_grid_transpose_execute`].
unsafe fn operands<'a>(plan: &Plan, a: *mut f64, c: *mut f64, strides: [i64; 2]) -> Result<Operands<'a>> {
    let bytes = plan.bytes(strides)?;
    for ((name, address), bytes) in [("a", a), ("c", c)].into_iter().zip(bytes) {
        if address.is_null() && bytes > 0 {
            return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
        }
    }
    // SAFETY: they have these bytes, and nobody else uses them meanwhile, by the contract of this function.
    let [a, c] = unsafe { [Region::new(a.cast(), bytes[0]), Region::new(c.cast(), bytes[1])] };
    if !a.is_empty() && !c.is_empty() && a.overlaps(c) {
        let given = format!("{:p}, {} bytes, c {:p}, {} bytes", a.address(), a.len(), c.address(), c.len());
        return Err(Error::argument("a", given, "matrices that do not overlap"));
    }
    let [a_stride, c_stride] = strides.map(|stride| stride as usize);
    Ok(Operands { a, a_stride, c, c_stride })
}

/// Local. Writes a line that describes the method of a plan, without a newline, truncated to fit.
///
/// transposition: a handle of hcube_grid_transpose_create.
/// text: receives the line and a terminating zero byte.
/// text_length: size of text in bytes, 1 or more.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_describe(
    transposition: *const hcube_grid_transpose,
    text: *mut c_char,
    text_length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            let plan = &required(transposition, "transposition")?.plan;
            let shape = plan.shape();
            let path =
                if plan.shares_memory() { "blocks are read in the memory of the node" } else { "messages" };
            let line = format!(
                "{path}, {} x {} ranks, {} instructions",
                shape.grid_rows,
                shape.grid_columns,
                plan.instructions().name()
            );
            write_text(text_buffer(text, text_length)?, &line);
            Ok(())
        })
    }
}

/// Local. Frees a plan. Any thread may call it while no thread uses the plan. Other ranks may free their
/// plans at another time, and may still be inside calls from which this rank has returned. Free the
/// communicator after the plan. The memory of hcube_grid_transpose_memory_create may be freed before or after
/// the plan, and exists until both are freed.
///
/// transposition: a handle of hcube_grid_transpose_create, which is set to NULL; no effect if it is NULL.
/// Errors: HCUBE_ERR_ARGUMENT if transposition itself is NULL.
///
/// # Safety
/// transposition is null or valid, and *transposition null or of `hcube_grid_transpose_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_grid_transpose_free(
    transposition: *mut *mut hcube_grid_transpose,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || free(transposition, "transposition")) }
}
