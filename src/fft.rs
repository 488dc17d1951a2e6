//! Fourier transforms of distributed vectors for C.

use crate::boundary::{enter, enter_on, free, output, required};
use crate::sized;
use crate::types::{hcube_error, hcube_fft_memory, hcube_fft_options, hcube_fft_plan, hcube_fft_times};
use hcube_core::comm::agree;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::MPI_Comm;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::gate;
use hcube_core::node::device::Devices;
use hcube_fft::Direction;
use hcube_hpcc::fft::Plan;
use std::ffi::c_void;

/// Bytes of a complex number.
const COMPLEX: usize = 16;

/// Collective. Creates a plan for the discrete Fourier transform of a vector of double-precision complex
/// numbers. The vector is distributed over the ranks of a communicator in equal blocks: rank r of P ranks has
/// the length / P numbers from r * length / P on, of the input and of the result, which is in natural order.
///
/// The transform is result_k = sum over j of vector_j * exp(direction * 2 pi i j k / length). It is not
/// normalised, as in FFTW: forward followed by backward multiplies the vector by length.
///
/// On one node, the ranks work in shared memory, 32 bytes per number of the vector in total. On several
/// nodes, they exchange messages; the environment variables of the all-to-all exchange apply. The environment
/// variable HCUBE_FFT selects another algorithm, as options of hcube_fft_create_with do.
///
/// length: 2^a 3^b 5^c, a multiple of P * P; the same on all ranks.
/// direction: -1 forward, 1 backward; the same on all ranks.
/// comm: an intracommunicator of 2^a 3^b 5^c ranks, which must not be freed before the plan.
/// plan: receives the plan. Freed by hcube_fft_free.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT; HCUBE_ERR_MISMATCH if arguments or variables differ;
/// HCUBE_ERR_COMM for another number of ranks; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of another rank
/// if its arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
/// Source: D. H. Bailey, FFTs in External or Hierarchical Memory, Journal of Supercomputing 4, 1990.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_create(
    length: i64,
    direction: i32,
    comm: MPI_Comm,
    plan: *mut *mut hcube_fft_plan,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid.
    unsafe { create(length, direction, comm, std::ptr::null(), plan, error) }
}

/// Local. Returns the default options, changed by the environment variables
/// [`hcube_fft::Options`].
/// May be called before MPI_Init.
///
/// options: receives the options; allocated by the caller.
/// size: size of *options in bytes, sizeof(hcube_fft_options).
/// Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
/// not valid.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_default_options(
    options: *mut hcube_fft_options,
    size: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || sized::fill(options, size, hcube_fft_options::defaults)) }
}

/// Collective. As hcube_fft_create, with options.
///
/// The algorithm HCUBE_FFT_BINARY_EXCHANGE allocates 32 bytes per number on one rank. On several ranks it
/// starts the coarray runtime if the program has not called hcube_caf_init; MPI_Finalize then ends it. Each
/// of these ranks allocates 40 bytes per local number of the longest such transform; all plans share this
/// memory, which is freed when the runtime ends. Create and execute a plan only in the thread that called
/// hcube_caf_init, or else in the thread that initialised MPI: a call in another thread returns
/// HCUBE_ERR_ARGUMENT on all ranks.
///
/// length: as for hcube_fft_create; for HCUBE_FFT_BINARY_EXCHANGE 2^b, at least 64 and at least P for
/// each of P ranks.
/// direction: as for hcube_fft_create.
/// comm: as for hcube_fft_create; for HCUBE_FFT_BINARY_EXCHANGE of 2^a ranks, congruent to MPI_COMM_WORLD
/// or of one rank.
/// options: the same on all ranks; NULL selects the defaults and the environment.
/// plan: receives the plan. Freed by hcube_fft_free.
/// Errors: as hcube_fft_create.
/// Source: G. Jin, J. Mellor-Crummey, L. Adhianto, W. N. Scherer III and C. Yang, Implementation and
/// Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011, III-D.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_create_with(
    length: i64,
    direction: i32,
    comm: MPI_Comm,
    options: *const hcube_fft_options,
    plan: *mut *mut hcube_fft_plan,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid.
    unsafe { create(length, direction, comm, options, plan, error) }
}

/// Collective: sets a transform up.
///
/// # Safety
/// The pointers are null or valid.
unsafe fn create(
    length: i64,
    direction: i32,
    comm: MPI_Comm,
    options: *const hcube_fft_options,
    plan: *mut *mut hcube_fft_plan,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_state(comm, |on| {
                let mut place = None;
                let wanted = output(plan, "plan").and_then(|plan| {
                    place = Some(plan);
                    wanted(length, direction)
                });
                let plan = Plan::new(on, wanted, hcube_fft_options::read(options))?;
                let fft = hcube_fft_plan { comm, plan, devices: Devices::new() };
                *place.expect("refused otherwise") = Box::into_raw(Box::new(fft));
                Ok(())
            })
        })
    }
}

/// The arguments of a transform.
fn wanted(length: i64, direction: i32) -> Result<(usize, Direction)> {
    let direction = match direction {
        -1 => Direction::Forward,
        1 => Direction::Backward,
        _ => return Err(Error::argument("direction", direction, "-1 (forward) or 1 (backward)")),
    };
    match usize::try_from(length) {
        Ok(length) if length > 0 => Ok((length, direction)),
        _ => Err(Error::argument("length", length, "1 or more")),
    }
}

/// Local. Returns the block of the vector that this rank has.
///
/// plan: a plan of hcube_fft_create.
/// start: receives the index in the vector of the first number of this rank; may be NULL.
/// count: receives the number of complex numbers of this rank; may be NULL.
/// Errors: HCUBE_ERR_ARGUMENT if plan is NULL.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_local(
    plan: *const hcube_fft_plan,
    start: *mut i64,
    count: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            let plan = &required(plan, "plan")?.plan;
            if let Some(start) = start.as_mut() {
                *start = plan.start() as i64;
            }
            if let Some(count) = count.as_mut() {
                *count = plan.part() as i64;
            }
            Ok(())
        })
    }
}

/// Collective over the communicator of the plan. Returns memory for two local blocks of the vector, for input
/// and output of hcube_fft_execute. If ranks share memory, they access each other's blocks in this memory
/// directly, so that a transform reads and writes each block twice. With blocks in other memory, it
/// additionally copies (P - 1) / P of a block twice. On several nodes and with HCUBE_FFT_BINARY_EXCHANGE the
/// memory is private to the process. It is on huge pages if the system provides them, and zero.
///
/// Every call for a plan returns the same memory, 32 bytes per number of the vector in total. It is freed
/// when the plan and all handles to this memory have been freed, in any order.
///
/// plan: a plan of hcube_fft_create.
/// memory: receives the memory. Freed by hcube_fft_memory_free.
/// first: receives the address of a block, aligned to a cache line; may be NULL.
/// second: receives the address of another block; may be NULL.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT if memory is NULL; HCUBE_ERR_MEMORY; HCUBE_ERR_MPI; the code of
/// another rank if its arguments are not valid.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT if plan is NULL; HCUBE_ERR_COMM if the
/// communicator was freed; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_memory_create(
    plan: *mut hcube_fft_plan,
    memory: *mut *mut hcube_fft_memory,
    first: *mut *mut c_void,
    second: *mut *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        let comm = plan.as_ref().map(|plan| plan.comm);
        enter(comm, error, || {
            let hcube_fft_plan { comm, plan, .. } = output(plan, "plan")?;
            gate::enter_without_state(*comm, |on| {
                let place = agree(on, output(memory, "memory"))?;
                let memory = plan.memory(on)?;
                for (address, part) in [first, second].into_iter().zip(memory.own()) {
                    if let Some(address) = address.as_mut() {
                        *address = part.cast();
                    }
                }
                *place = Box::into_raw(Box::new(hcube_fft_memory { memory }));
                Ok(())
            })
        })
    }
}

/// Local. Frees memory of hcube_fft_memory_create; its addresses become invalid.
///
/// memory: the handle, which is set to NULL; no effect if it is NULL.
/// Errors: HCUBE_ERR_ARGUMENT if memory itself is NULL.
///
/// # Safety
/// memory is null or valid, and *memory null or of `hcube_fft_memory_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_memory_free(
    memory: *mut *mut hcube_fft_memory,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || free(memory, "memory")) }
}

/// Collective over the communicator of the plan. Transforms a vector. Only one call at a time may be
/// active for a plan.
///
/// plan: a plan of hcube_fft_create.
/// input: the block of this rank, complex numbers as pairs of real and imaginary part; unchanged unless the
/// transform is in place. MPI_IN_PLACE or the address of output for a transform in place.
/// output: receives the block of the result of this rank; must not overlap input unless the transform is in
/// place.
/// Errors on all ranks, with nothing written: HCUBE_ERR_BUFFER for NULL or device memory;
/// HCUBE_ERR_ARGUMENT if the two overlap; the code of another rank if its arguments are not valid;
/// HCUBE_ERR_MPI.
/// Errors only on the calling rank: HCUBE_ERR_ARGUMENT if plan is NULL; HCUBE_ERR_COMM if the
/// communicator was freed; HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// plan is null or of `hcube_fft_create`; the parts have the size of this rank's part, and nobody else uses
/// them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_execute(
    plan: *mut hcube_fft_plan,
    input: *const c_void,
    output: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        let comm = plan.as_ref().map(|plan| plan.comm);
        enter(comm, error, || {
            let hcube_fft_plan { comm, plan, devices } = crate::boundary::output(plan, "plan")?;
            gate::enter_without_state_and_messages(*comm, |comm| {
                let parts = parts(COMPLEX * plan.part(), input, output).and_then(|parts| {
                    if [parts.0, parts.1].iter().any(|part| devices.own(part.address())) {
                        let text = "input or output is device memory: expected host memory";
                        return Err(Error::Buffer(text.into()));
                    }
                    Ok(parts)
                });
                plan.execute(comm, parts)
            })
        })
    }
}

/// This rank's parts, of these bytes.
///
/// # Safety
/// As [`hcube_fft_execute`].
unsafe fn parts<'a>(
    bytes: usize,
    input: *const c_void,
    output: *mut c_void,
) -> Result<(Region<'a>, Region<'a>)> {
    if output == in_place() {
        return Err(Error::Buffer("output = MPI_IN_PLACE: expected this rank's part".into()));
    }
    let input = if input.cast_mut() == in_place() { output } else { input.cast_mut() };
    for (name, address) in [("input", input), ("output", output)] {
        if address.is_null() {
            return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
        }
    }
    let [start, place] = [input, output].map(|address| address.addr());
    if start != place && start < place.saturating_add(bytes) && place < start.saturating_add(bytes) {
        let given = format!("{input:p}, output {output:p}, {bytes} bytes");
        return Err(Error::argument("input", given, "memory that does not overlap, or the same address"));
    }
    // SAFETY: they have these bytes, and nobody else uses them meanwhile, by the contract of this function.
    Ok(unsafe { (Region::new(input.cast(), bytes), Region::new(output.cast(), bytes)) })
}

/// Local. Returns the times of the last transform of this rank; all are zero if there was none.
///
/// plan: a plan of hcube_fft_create.
/// times: receives the times; allocated by the caller, who sets times->struct_size to
/// sizeof(hcube_fft_times) before the call.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_last_times(
    plan: *const hcube_fft_plan,
    times: *mut hcube_fft_times,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            sized::answer(times, "times", || {
                Ok(hcube_fft_times::from_stages(&required(plan, "plan")?.plan.stages()))
            })
        })
    }
}

/// Local. Frees a plan; no rank may be inside a call that uses it.
///
/// plan: a plan of hcube_fft_create, which is set to NULL; no effect if it is NULL.
/// Errors: HCUBE_ERR_ARGUMENT if plan itself is NULL.
///
/// # Safety
/// plan is null or valid, and *plan null or of `hcube_fft_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_fft_free(
    plan: *mut *mut hcube_fft_plan,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || free(plan, "plan")) }
}
