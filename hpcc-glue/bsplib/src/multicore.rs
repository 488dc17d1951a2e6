//! The dialect of MulticoreBSP for C: processes are `unsigned int`, sizes `size_t`. -1 is the largest number.

use crate::call::{self, Transfer, exported, run, spmd};
use crate::{extras, profile};
use hcube_bsp::Spmd;
use hcube_bsp::process;
use std::ffi::{c_char, c_int, c_uint, c_void};

exported! {
    /// As `bsp_init`, with the types of MulticoreBSP for C.
    fn mcbsp_init(spmd_part: Option<unsafe extern "C-unwind" fn()>, argc: c_int, argv: *mut *mut c_char) {
        let _ = (argc, argv);
        call::init("bsp_init", spmd_part, |part| part());
    }

    /// As `bsp_init_with_user_data`, with the types of MulticoreBSP for C.
    fn mcbsp_init_with_user_data(
        spmd_part: Option<unsafe extern "C-unwind" fn(data: *mut c_void)>, argc: c_int,
        argv: *mut *mut c_char, data: *mut c_void
    ) {
        extras::bsp_init_with_user_data(spmd_part, argc, argv, data);
    }

    /// As `bsp_begin`, with the types of MulticoreBSP for C.
    fn mcbsp_begin(maxprocs: c_uint) {
        run("bsp_begin", || profile::begin(i64::from(maxprocs)));
    }

    /// As `bsp_end`, with the types of MulticoreBSP for C.
    fn mcbsp_end() {
        run("bsp_end", profile::end);
    }

    /// As `bsp_nprocs`, with the types of MulticoreBSP for C.
    fn mcbsp_nprocs() -> c_uint {
        run("bsp_nprocs", process::processes) as c_uint
    }

    /// As `bsp_pid`, with the types of MulticoreBSP for C.
    fn mcbsp_pid() -> c_uint {
        spmd("bsp_pid", |spmd| Ok(spmd.pid() as c_uint))
    }

    /// As `bsp_time`, with the types of MulticoreBSP for C.
    fn mcbsp_time() -> f64 {
        spmd("bsp_time", |spmd| Ok(spmd.time()))
    }

    /// As `bsp_sync`, with the types of MulticoreBSP for C.
    fn mcbsp_sync() {
        spmd("bsp_sync", Spmd::sync);
    }

    /// As `bsp_push_reg`, with the types of MulticoreBSP for C.
    fn mcbsp_push_reg(ident: *const c_void, size: usize) {
        call::push_reg("bsp_push_reg", ident, size);
    }

    /// As `bsp_pop_reg`, with the types of MulticoreBSP for C.
    fn mcbsp_pop_reg(ident: *const c_void) {
        call::pop_reg("bsp_pop_reg", ident);
    }

    /// As `bsp_put`, with the types of MulticoreBSP for C.
    fn mcbsp_put(pid: c_uint, src: *const c_void, dst: *const c_void, offset: usize, nbytes: usize) {
        let copy = Transfer { pid, source: src, target: dst, offset, bytes: nbytes };
        copy.put("bsp_put", |spmd, pid, data, target, offset| spmd.put(pid, data, target, offset));
    }

    /// As `bsp_hpput`, with the types of MulticoreBSP for C.
    fn mcbsp_hpput(pid: c_uint, src: *const c_void, dst: *const c_void, offset: usize, nbytes: usize) {
        let copy = Transfer { pid, source: src, target: dst, offset, bytes: nbytes };
        copy.put("bsp_hpput", |spmd, pid, data, target, offset| spmd.hpput(pid, data, target, offset));
    }

    /// As `bsp_get`, with the types of MulticoreBSP for C.
    fn mcbsp_get(pid: c_uint, src: *const c_void, offset: usize, dst: *mut c_void, nbytes: usize) {
        let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
        copy.get("bsp_get", |spmd, pid, source, offset, into| spmd.get(pid, source, offset, into));
    }

    /// As `bsp_hpget`, with the types of MulticoreBSP for C.
    fn mcbsp_hpget(pid: c_uint, src: *const c_void, offset: usize, dst: *mut c_void, nbytes: usize) {
        let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
        copy.get("bsp_hpget", |spmd, pid, source, offset, into| spmd.hpget(pid, source, offset, into));
    }

    /// As `bsp_set_tagsize`, with the types of MulticoreBSP for C.
    fn mcbsp_set_tagsize(tag_nbytes: *mut usize) {
        call::set_tagsize("bsp_set_tagsize", tag_nbytes);
    }

    /// As `bsp_send`, with the types of MulticoreBSP for C.
    fn mcbsp_send(pid: c_uint, tag: *const c_void, payload: *const c_void, payload_nbytes: usize) {
        call::send("bsp_send", pid, tag, payload, payload_nbytes);
    }

    /// As `bsp_qsize`, with the types of MulticoreBSP for C; accumulated_nbytes may be NULL.
    fn mcbsp_qsize(packets: *mut c_uint, accumulated_nbytes: *mut usize) {
        call::qsize("bsp_qsize", packets, accumulated_nbytes, true);
    }

    /// As `bsp_get_tag`, with the types of MulticoreBSP for C.
    fn mcbsp_get_tag(status: *mut usize, tag: *mut c_void) {
        call::get_tag("bsp_get_tag", status, tag, usize::MAX);
    }

    /// As `bsp_move`, with the types of MulticoreBSP for C.
    fn mcbsp_move(payload: *mut c_void, reception_nbytes: usize) {
        call::take("bsp_move", payload, reception_nbytes);
    }

    /// As `bsp_hpmove`, with the types of MulticoreBSP for C.
    fn mcbsp_hpmove(tag_ptr: *mut *mut c_void, payload_ptr: *mut *mut c_void) -> usize {
        call::take_in_place("bsp_hpmove", tag_ptr, payload_ptr, usize::MAX)
    }

    /// As `bsp_hpsend`, with the types of MulticoreBSP for C.
    fn mcbsp_hpsend(pid: c_uint, tag: *const c_void, payload: *const c_void, payload_nbytes: usize) {
        call::send("bsp_hpsend", pid, tag, payload, payload_nbytes);
    }

    /// As `bsp_direct_get`, with the types of MulticoreBSP for C.
    fn mcbsp_direct_get(pid: c_uint, src: *const c_void, offset: usize, dst: *mut c_void, nbytes: usize) {
        let copy = Transfer { pid, source: src, target: dst.cast_const(), offset, bytes: nbytes };
        copy.get("bsp_direct_get", |spmd, pid, source, offset, into| {
            spmd.direct_get(pid, source, offset, into)
        });
    }
}
