//! BSPlib's functions in the classic dialect: processes and sizes are `int`. `bsp.h` is generated from this
//! file.

use crate::call::{self, Transfer, run, spmd};
use crate::profile;
use hcube_bsp::Spmd;
use hcube_bsp::process;
use std::ffi::{c_char, c_int, c_void};

/// Names the function that contains the SPMD part. Call it as the first statement of main if main does not
/// itself call bsp_begin as its first statement.
///
/// Process 0 returns and executes the rest of main, with sequential parts before and after the SPMD part; all
/// other processes call spmd_part here and then exit. argc and argv are the arguments of main, or 0 and NULL.
/// The other processes do not execute the rest of main: assign variables that all processes need before this
/// call, or send them in the SPMD part, for example by bsp_bcast.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_init(
    spmd_part: Option<unsafe extern "C-unwind" fn()>,
    argc: c_int,
    argv: *mut *mut c_char,
) {
    let _ = (argc, argv);
    // SAFETY: the program passes a function of this type.
    call::init("bsp_init", spmd_part, |part| unsafe { part() });
}

/// Begins the SPMD part with at most maxprocs processes; only the value on process 0 is used. Processes
/// beyond maxprocs wait here until the SPMD part has ended, then exit.
///
/// Initialises MPI if the program has not. A program has exactly one SPMD part. bsp_nprocs() returns its
/// number of processes.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_begin(maxprocs: c_int) {
    run("bsp_begin", || profile::begin(i64::from(maxprocs)));
}

/// Ends the SPMD part on all processes. Communication that was requested since the last bsp_sync is not
/// performed.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_end() {
    run("bsp_end", profile::end);
}

/// Returns the number of processes of the SPMD part; before bsp_begin, the number of processes that are
/// available.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_nprocs() -> c_int {
    run("bsp_nprocs", process::processes) as c_int
}

/// Returns the number of the calling process, 0 to bsp_nprocs() - 1.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_pid() -> c_int {
    spmd("bsp_pid", |spmd| Ok(spmd.pid() as c_int))
}

/// Returns the wall-clock time since bsp_begin in seconds, from the local clock of this process.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_time() -> f64 {
    spmd("bsp_time", |spmd| Ok(spmd.time()))
}

/// Ends the superstep on all processes: gets read, then puts write, and messages are in the queues of their
/// receivers.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_sync() {
    spmd("bsp_sync", Spmd::sync);
}

/// Registers size bytes at ident from the next superstep on. All processes call it, in the same order.
///
/// A process refers to the memory of other processes by the address that it passed itself in the same call.
/// Memory may be registered several times; the latest registration is used. A process without memory to
/// register passes NULL and size 0. If it accesses the memory of others, it passes any address of its own
/// with size 0 instead, because NULL cannot identify a registration.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_push_reg(ident: *const c_void, size: c_int) {
    // SAFETY: the program keeps `size` bytes at `ident` until it has removed the registration.
    unsafe { call::push_reg("bsp_push_reg", ident, size) };
}

/// Removes the latest registration of ident at the end of the superstep. All processes call it, in the same
/// order.
///
/// NULL removes the latest registration for which this process passed NULL; all other processes must remove
/// the same registration by their own addresses.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_pop_reg(ident: *const c_void) {
    call::pop_reg("bsp_pop_reg", ident);
}

/// Copies nbytes bytes from src to the memory that process pid has registered as dst, offset bytes from its
/// start, at the end of the superstep.
///
/// src is copied before the function returns. All gets read before any put writes. Puts are performed in the
/// order of the process numbers, and puts of one process in the order of its calls.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_put(
    pid: c_int,
    src: *const c_void,
    dst: *mut c_void,
    offset: c_int,
    nbytes: c_int,
) {
    let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
    // SAFETY: `nbytes` bytes at `src` can be read during the call.
    unsafe { copy.put("bsp_put", |spmd, pid, data, target, offset| spmd.put(pid, data, target, offset)) };
}

/// As bsp_put, but without buffers: the data is read and written at any time until the end of the superstep.
/// Until then, do not change src, and do not access the destination.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_hpput(
    pid: c_int,
    src: *const c_void,
    dst: *mut c_void,
    offset: c_int,
    nbytes: c_int,
) {
    let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
    // SAFETY: `nbytes` bytes at `src` do not change until the end of the superstep.
    unsafe { copy.put("bsp_hpput", |spmd, pid, data, target, offset| spmd.hpput(pid, data, target, offset)) };
}

/// Copies nbytes bytes from the memory that process pid has registered as src, offset bytes from its start,
/// to dst, at the end of the superstep.
///
/// Gets read before any put of this superstep writes. Gets of one process write dst in the order of the
/// calls.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_get(
    pid: c_int,
    src: *const c_void,
    offset: c_int,
    dst: *mut c_void,
    nbytes: c_int,
) {
    let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
    // SAFETY: `nbytes` bytes at `dst` may be written until the superstep ends.
    unsafe { copy.get("bsp_get", |spmd, pid, source, offset, into| spmd.get(pid, source, offset, into)) };
}

/// As bsp_get, but without buffers: the data is read and written at any time until the end of the superstep.
/// Until then, do not change the source, and do not access dst.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_hpget(
    pid: c_int,
    src: *const c_void,
    offset: c_int,
    dst: *mut c_void,
    nbytes: c_int,
) {
    let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
    // SAFETY: the program does not use `nbytes` bytes at `dst` until the end of the superstep.
    unsafe { copy.get("bsp_hpget", |spmd, pid, source, offset, into| spmd.hpget(pid, source, offset, into)) };
}

/// Sets the tag size in bytes of messages sent from the next superstep on. On return, *tag_nbytes is the size
/// that the previous call has set, initially 0. All processes call it with the same size.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_set_tagsize(tag_nbytes: *mut c_int) {
    // SAFETY: NULL or the address of a size.
    unsafe { call::set_tagsize("bsp_set_tagsize", tag_nbytes) };
}

/// Sends a message with a tag and a payload of payload_nbytes bytes to process pid, which has it in its queue
/// in the next superstep.
///
/// Tag and payload are copied before the function returns. tag may be NULL if the tag size is 0.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_send(
    pid: c_int,
    tag: *const c_void,
    payload: *const c_void,
    payload_nbytes: c_int,
) {
    // SAFETY: a tag of the size that was set and `payload_nbytes` bytes of payload can be read during the
    // call.
    unsafe { call::send("bsp_send", pid, tag, payload, payload_nbytes) };
}

/// Returns the number of messages in the queue and the total size of their payloads in bytes.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_qsize(packets: *mut c_int, accumulated_nbytes: *mut c_int) {
    // SAFETY: NULL or the addresses of two numbers.
    unsafe { call::qsize("bsp_qsize", packets, accumulated_nbytes, false) };
}

/// Copies the tag of the first message to tag; *status becomes the size of its payload in bytes, or -1 if the
/// queue is empty.
///
/// Messages are sorted by the number of the sender, highest first; messages of one sender are in the order in
/// which they were sent.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_get_tag(status: *mut c_int, tag: *mut c_void) {
    // SAFETY: `status` is NULL or the address of a number; `tag` has room for a tag of the size that was set.
    unsafe { call::get_tag("bsp_get_tag", status, tag, -1) };
}

/// Copies the payload of the first message, at most reception_nbytes bytes, to payload, and removes the
/// message from the queue.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_move(payload: *mut c_void, reception_nbytes: c_int) {
    // SAFETY: `reception_nbytes` bytes at `payload` may be written.
    unsafe { call::take("bsp_move", payload, reception_nbytes) };
}

/// Removes the first message without a copy: *tag_ptr and *payload_ptr point to its tag and payload, which
/// are aligned for every type and are valid until the end of the superstep. Returns the size of the payload
/// in bytes, or -1 if the queue is empty.
///
/// # Safety
/// As BSPlib requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bsp_hpmove(
    tag_ptr: *mut *mut c_void,
    payload_ptr: *mut *mut c_void,
) -> c_int {
    // SAFETY: NULL or the places of two addresses.
    unsafe { call::take_in_place("bsp_hpmove", tag_ptr, payload_ptr, -1) }
}
