//! libhcube_pblas.so: unmodified ScaLAPACK programs multiply distributed matrices through hcube.
//!
//! The library defines `psgemm_`, `pdgemm_`, `pcgemm_` and `pzgemm_`, also without the underscore and in capital letters.
//! Programs call them, and so do routines of ScaLAPACK itself: they are bound when the program is loaded. What hcube
//! does not serve goes to ScaLAPACK's function of the same name, with the program's arguments.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | this module | the exported functions |
//! | `call` | the arguments of a call |
//! | `serve` | the decision: hcube or ScaLAPACK |
//! | `blacs` | the grid of a context |
//! | `loader` | what the program has loaded: ScaLAPACK, BLACS, BLAS |
//!
//! A panic in this library is a defect of hcube. It never unwinds out of an exported function: it prints its location and
//! ends the job, because other ranks may be waiting.

mod blacs;
mod call;
mod loader;
mod serve;

use call::{Call, Passed};
use hcube_core::mpi::gate;
use hcube_gemm::element::Element;
use serve::Verdict;
use std::ffi::{CStr, c_int, c_void};

/// The type of `p?gemm_`. Lengths of character arguments, which some compilers append, are not used by PBLAS.
type Function = unsafe extern "C-unwind" fn(
    *const u8,
    *const u8,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_void,
    *mut c_void,
    *const c_int,
    *const c_int,
    *const c_int,
);

/// Ends the job: there is nobody who could take a call.
#[cold]
fn no_original(name: &CStr, reason: &str) -> ! {
    eprintln!(
        "hcube: {} cannot be served ({reason}), and no ScaLAPACK was found behind libhcube_pblas.so",
        name.to_string_lossy()
    );
    hcube_core::mpi::handle::abort(None)
}

/// Defines a routine under its three names.
macro_rules! routine {
    ($element:expr, $usual:literal: $($name:ident)*) => {
        $(
            #[doc = concat!("PBLAS' `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// As PBLAS requires.
            #[unsafe(no_mangle)]
            #[expect(clippy::too_many_arguments, reason = "the arguments of PBLAS")]
            pub unsafe extern "C-unwind" fn $name(
                transa: *const u8, transb: *const u8, m: *const c_int, n: *const c_int, k: *const c_int,
                alpha: *const c_void, a: *mut c_void, ia: *const c_int, ja: *const c_int, desca: *const c_int,
                b: *mut c_void, ib: *const c_int, jb: *const c_int, descb: *const c_int, beta: *const c_void,
                c: *mut c_void, ic: *const c_int, jc: *const c_int, descc: *const c_int,
            ) {
                const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => unreachable!(),
                };
                let call = Call {
                    element: $element,
                    letters: [transa, transb],
                    sizes: [m, n, k],
                    scalars: [alpha, beta],
                    matrices: [
                        Passed { memory: a, place: [ia, ja, desca] },
                        Passed { memory: b, place: [ib, jb, descb] },
                        Passed { memory: c, place: [ic, jc, descc] },
                    ],
                };
                // SAFETY: the arguments of the program, by the contract of the function whose place this one takes.
                let verdict = gate::run(None, || unsafe { serve::serve(&call) });
                if let Verdict::Original(reason) = verdict {
                    let Some(original) = loader::original(NAME, $usual) else { no_original(NAME, reason) };
                    // SAFETY: a function of this name has this type; the arguments are the caller's.
                    unsafe {
                        std::mem::transmute::<*const c_void, Function>(original)(
                            transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic, jc, descc,
                        );
                    }
                }
            }
        )*
    };
}

routine!(Element::Single, c"psgemm_": psgemm_ psgemm PSGEMM);
routine!(Element::Double, c"pdgemm_": pdgemm_ pdgemm PDGEMM);
routine!(Element::Complex, c"pcgemm_": pcgemm_ pcgemm PCGEMM);
routine!(Element::DoubleComplex, c"pzgemm_": pzgemm_ pzgemm PZGEMM);
