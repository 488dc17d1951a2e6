//! libhcube_bsp.so: programs that are written for BSPlib run unchanged on hcube.
//!
//! The library exports the functions of the classic dialect (`bsp_*`, numbers are `int`), the functions of
//! MulticoreBSP for C whose types differ (`mcbsp_*`: `unsigned int` and `size_t`), and LPF's names of the
//! classic functions (`bsplibstd_*`), so that programs compiled with the headers of bsponmpi or LPF run as
//! well.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | `classic` | `bsp_*` |
//! | `multicore` | `mcbsp_*` |
//! | `standard` | `bsplibstd_*` |
//! | `extras` | functions beyond Hill et al. 1998: broadcast, fold, unbuffered messages, direct gets |
//! | `abort` | `bsp_abort` |
//! | `profile` | begin and end of the SPMD part, and the file of `HCUBE_BSP_PROFILE` |
//! | `call` | converts the arguments of C and calls the runtime; errors |
//!
//! An error ends the job with a line that names process, function, argument and value, because BSPlib's
//! functions return no errors.

mod abort;
mod call;
mod classic;
mod extras;
mod multicore;
mod profile;
mod standard;
