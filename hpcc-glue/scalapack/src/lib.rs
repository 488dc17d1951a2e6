//! libhcube_pblas.so: unmodified ScaLAPACK programs multiply distributed matrices through hcube.
//!
//! The library defines `psgemm_`, `pdgemm_`, `pcgemm_` and `pzgemm_`, also without the underscore and in
//! capital letters. Programs call them, and so do routines of ScaLAPACK itself: they are bound when the
//! program is loaded. Calls that hcube does not serve are forwarded to ScaLAPACK's function of the same name,
//! with the program's arguments.
//!
//! It also defines `MPI_Finalize` and `PMPI_Finalize`, for statistics (`HCUBE_STATS`): the Fortran bindings
//! call `PMPI_Finalize` in Open MPI and `MPI_Finalize` in MPICH.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | this module | the exported functions |
//! | `serve` | the decision: hcube or ScaLAPACK |
//! | `verdict` | the outcome of a call, and its reason |
//! | `statistics` | counters per routine and path |
//! | `report` | the table and the JSON file at `MPI_Finalize` |
//!
//! `hcube_gemm::pblas` handles the arguments of PBLAS, the grid of a context and the libraries of the
//! program; the crate `hcube-drop-in` has the code that is shared with hcube's other libraries of this kind.
//!
//! A panic in this library is a defect of hcube. It never unwinds out of an exported function: it prints its
//! location and ends the job, because other ranks may be waiting.

mod report;
mod serve;
mod statistics;
mod verdict;

use hcube_core::mpi::gate;
use hcube_core::mpi::handle::check_state;
use hcube_core::node::loader::{self, Next};
use hcube_drop_in::mpi_library;
use hcube_gemm::element::Element;
use hcube_gemm::pblas::{Call, Passed, product};
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use verdict::Verdict;

/// Ends the job: no library can serve the call.
///
/// # Safety
/// The call comes from a program that calls PBLAS.
#[cold]
unsafe fn no_original(call: &Call, name: &CStr, reason: &str) -> ! {
    // SAFETY: the arguments come from a program that calls PBLAS, whose matrices stay during the call.
    let text =
        unsafe { product(call) }.err().map_or_else(|| reason.to_owned(), |obstacle| obstacle.to_string());
    // One write: other ranks may print as well.
    let message = format!(
        "hcube: {}: {text}: no ScaLAPACK after libhcube_pblas.so in the search order to forward it to: ending the job\n",
        name.to_string_lossy()
    );
    eprint!("{message}");
    hcube_core::mpi::handle::abort(None)
}

/// Serves a call, or forwards it to ScaLAPACK's function of one of two names.
///
/// # Safety
/// The call comes from a program that calls PBLAS.
unsafe fn run(call: &Call, names: [&CStr; 2]) {
    let statistics = statistics::wanted();
    let begin = statistics.map(|_| Instant::now());
    // SAFETY: the arguments come from a program that calls PBLAS, whose matrices stay during the call.
    let decision = gate::run(None, || unsafe { serve::serve(call) });
    if let Verdict::Original(reason) = decision.verdict {
        let found = names.into_iter().find_map(loader::next_anywhere);
        // SAFETY: the arguments come from a program that calls PBLAS; ScaLAPACK's functions of these names
        // are for this type of elements.
        unsafe { call.forward(found.unwrap_or_else(|| no_original(call, names[0], reason.text()))) };
    }
    if let (Some(statistics), Some(begin)) = (statistics, begin) {
        statistics.count(call.element, &decision.verdict, begin.elapsed(), decision.flops);
    }
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
                // SAFETY: the arguments of the program, by the contract of the function whose place this one
                // takes.
                unsafe { run(&call, [NAME, $usual]) }
            }
        )*
    };
}

routine!(Element::Single, c"psgemm_": psgemm_ psgemm PSGEMM);
routine!(Element::Double, c"pdgemm_": pdgemm_ pdgemm PDGEMM);
routine!(Element::Complex, c"pcgemm_": pcgemm_ pcgemm PCGEMM);
routine!(Element::DoubleComplex, c"pzgemm_": pzgemm_ pzgemm PZGEMM);

/// `MPI_Finalize` of the program, by `forward`.
fn finalize(forward: impl FnOnce() -> c_int) -> c_int {
    /// A library may call the `PMPI_` form from its `MPI_Finalize`.
    static BEGUN: AtomicBool = AtomicBool::new(false);
    match statistics::wanted() {
        Some(statistics)
            if !BEGUN.swap(true, Ordering::Relaxed)
                && mpi_library::foreign().is_none()
                && check_state().is_ok() =>
        {
            report::report(statistics, forward)
        }
        _ => forward(),
    }
}

/// Why `MPI_Finalize` is not there.
fn missing(name: &str) -> String {
    format!("no library after libhcube_pblas.so defines {name}: the MPI library was loaded with RTLD_LOCAL")
}

/// Defines `MPI_Finalize` in its two forms.
macro_rules! finalize {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("MPI's `", stringify!($name), "`.")]
            ///
            /// # Safety
            /// As MPI requires.
            #[unsafe(no_mangle)]
            pub unsafe extern "C-unwind" fn $name() -> c_int {
                static NEXT: Next = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => Next::new(name),
                    Err(_) => unreachable!(),
                };
                gate::run(None, || {
                    finalize(|| {
                        let address = NEXT.address(missing);
                        // SAFETY: a function of this name has this type, as in mpi.h.
                        unsafe {
                            std::mem::transmute::<*const c_void, unsafe extern "C-unwind" fn() -> c_int>(address)()
                        }
                    })
                })
            }
        )*
    };
}

finalize!(MPI_Finalize PMPI_Finalize);
