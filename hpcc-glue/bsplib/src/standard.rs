//! The names that LPF's `bsp.h` gives to the functions of the classic dialect. Its `bsp_begin` is a macro
//! over [`bsplibstd_spawn`].

use crate::call::{exported, run};
use crate::{classic, extras, profile};
use std::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! standard {
    ($($name:ident = $module:ident::$function:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)?;)*) => {
        exported! {
            $(
                #[doc = concat!("As `", stringify!($function), "`.")]
                fn $name($($argument: $Type),*) $(-> $Result)? {
                    $module::$function($($argument),*)
                }
            )*
        }
    };
}

standard! {
    bsplibstd_init = classic::bsp_init(spmd_part: Option<unsafe extern "C-unwind" fn()>, argc: c_int, argv: *mut *mut c_char);
    bsplibstd_end = classic::bsp_end();
    bsplibstd_nprocs = classic::bsp_nprocs() -> c_int;
    bsplibstd_pid = classic::bsp_pid() -> c_int;
    bsplibstd_time = classic::bsp_time() -> f64;
    bsplibstd_sync = classic::bsp_sync();
    bsplibstd_push_reg = classic::bsp_push_reg(ident: *const c_void, size: c_int);
    bsplibstd_pop_reg = classic::bsp_pop_reg(ident: *const c_void);
    bsplibstd_put = classic::bsp_put(pid: c_int, src: *const c_void, dst: *mut c_void, offset: c_int, nbytes: c_int);
    bsplibstd_hpput = classic::bsp_hpput(pid: c_int, src: *const c_void, dst: *mut c_void, offset: c_int, nbytes: c_int);
    bsplibstd_get = classic::bsp_get(pid: c_int, src: *const c_void, offset: c_int, dst: *mut c_void, nbytes: c_int);
    bsplibstd_hpget = classic::bsp_hpget(pid: c_int, src: *const c_void, offset: c_int, dst: *mut c_void, nbytes: c_int);
    bsplibstd_set_tagsize = classic::bsp_set_tagsize(tag_nbytes: *mut c_int);
    bsplibstd_send = classic::bsp_send(pid: c_int, tag: *const c_void, payload: *const c_void, payload_nbytes: c_int);
    bsplibstd_hpsend = extras::bsp_hpsend(pid: c_int, tag: *const c_void, payload: *const c_void, payload_nbytes: c_int);
    bsplibstd_qsize = classic::bsp_qsize(packets: *mut c_int, accumulated_nbytes: *mut c_int);
    bsplibstd_get_tag = classic::bsp_get_tag(status: *mut c_int, tag: *mut c_void);
    bsplibstd_move = classic::bsp_move(payload: *mut c_void, reception_nbytes: c_int);
    bsplibstd_hpmove = classic::bsp_hpmove(tag_ptr: *mut *mut c_void, payload_ptr: *mut *mut c_void) -> c_int;
}

exported! {
    /// Begins the SPMD part, as `bsp_begin`; returns 0, on which the macro continues.
    fn bsplibstd_spawn(maxprocs: c_uint) -> c_int {
        run("bsp_begin", || profile::begin(i64::from(maxprocs)));
        0
    }
}
