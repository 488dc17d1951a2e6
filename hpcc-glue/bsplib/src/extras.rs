//! Functions beyond Hill et al. 1998: broadcast and fold of the second draft of BSPlib, as in Oxford's
//! toolset; unbuffered messages and direct gets of MulticoreBSP for C; data for the SPMD part, as in the
//! MulticoreBSP of Bulk.

use crate::call::{self, Transfer, memory, number, spmd};
use hcube_core::error::Error;
use hcube_core::memory::Region;
use std::ffi::{c_char, c_int, c_void};

/// As bsp_init, for an SPMD part with an argument: the other processes call spmd_part(data)
/// here, and process 0 calls it itself later.
///
/// data is passed to spmd_part of the same process; hcube does not send it to other processes.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_init_with_user_data(
    spmd_part: Option<unsafe extern "C-unwind" fn(data: *mut c_void)>,
    argc: c_int,
    argv: *mut *mut c_char,
    data: *mut c_void,
) {
    let _ = (argc, argv);
    // SAFETY: the program passes a function of this type and its argument.
    call::init("bsp_init_with_user_data", spmd_part, |part| unsafe { part(data) });
}

fn copy(from: Region<'_>) -> Vec<u8> {
    let mut bytes = vec![0; from.len()];
    from.read(&mut bytes);
    bytes
}

/// Copies nbytes bytes from src on process pid to dst on all processes.
///
/// Collective, like MPI_Bcast: complete on return, and not the end of a superstep. src is used only on
/// process pid.
///
/// # Safety
/// The memory has that size.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_bcast(pid: c_int, src: *const c_void, dst: *mut c_void, nbytes: c_int) {
    spmd("bsp_bcast", |spmd| {
        let (root, bytes) = (number("pid", pid)?, number("nbytes", nbytes)?);
        // SAFETY: `nbytes` bytes at `dst` may be written.
        let target = unsafe { memory("dst", dst, bytes) }?;
        let mut data = vec![0; bytes];
        if spmd.pid() == root {
            // SAFETY: `nbytes` bytes at `src` can be read on this process.
            unsafe { memory("src", src, bytes) }?.read(&mut data);
        }
        spmd.broadcast(root, &mut data)?;
        target.write(&data);
        Ok(())
    });
}

/// Combines nbytes bytes at src of all processes, in the order of the processes, by operation(result, left,
/// right, &nbytes); all processes receive the result in dst.
///
/// Collective, like MPI_Allreduce: complete on return, and not the end of a superstep. The operation must be
/// associative, must not call functions of BSPlib, and must not leave by an exception or longjmp.
///
/// # Safety
/// The memory has that size, and the operation changes only its result.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_fold(
    operation: Option<
        unsafe extern "C-unwind" fn(
            result: *mut c_void,
            left: *mut c_void,
            right: *mut c_void,
            nbytes: *mut c_int,
        ),
    >,
    src: *const c_void,
    dst: *mut c_void,
    nbytes: c_int,
) {
    spmd("bsp_fold", |spmd| {
        let bytes = number("nbytes", nbytes)?;
        let operation = operation.ok_or_else(|| Error::argument("operation", "NULL", "a function"))?;
        // SAFETY: `nbytes` bytes at `src` can be read, and as many at `dst` written.
        let (source, target) = unsafe { (memory("src", src, bytes)?, memory("dst", dst, bytes)?) };
        let mut operand = copy(source);
        let mut result = vec![0; bytes];
        spmd.fold(&mut operand, |left, right| {
            let (mut length, mut right) = (nbytes, right.to_vec());
            // SAFETY: all three have `nbytes` bytes, and the operation changes no more than its result.
            unsafe {
                operation(
                    result.as_mut_ptr().cast(),
                    left.as_mut_ptr().cast(),
                    right.as_mut_ptr().cast(),
                    &mut length,
                );
            }
            left.copy_from_slice(&result);
        })?;
        target.write(&operand);
        Ok(())
    });
}

/// As bsp_send, but without buffers: do not change tag and payload until the end of the superstep.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_hpsend(
    pid: c_int,
    tag: *const c_void,
    payload: *const c_void,
    payload_nbytes: c_int,
) {
    // SAFETY: a tag of the size that was set and the payload do not change until the end of the superstep.
    unsafe { call::send("bsp_hpsend", pid, tag, payload, payload_nbytes) };
}

/// Copies nbytes bytes from the memory that process pid has registered as src, offset bytes from its start,
/// to dst; complete on return, not at the end of the superstep.
///
/// Process pid must be on the same node, and the kernel must permit single copy (process_vm_readv); otherwise
/// the job ends with an error message.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_direct_get(
    pid: c_int,
    src: *const c_void,
    offset: c_int,
    dst: *mut c_void,
    nbytes: c_int,
) {
    let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
    // SAFETY: `nbytes` bytes at `dst` may be written during the call.
    unsafe {
        copy.get("bsp_direct_get", |spmd, pid, source, offset, into| {
            spmd.direct_get(pid, source, offset, into)
        });
    }
}
