//! The matrix products of PBLAS under hcube's own names, for programs with BLACS.

use crate::boundary::exported;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::{Handle, abort};
use hcube_core::node::loader;
use hcube_gemm::element::Element;
use hcube_gemm::options::{Algorithm, Options};
use hcube_gemm::pblas::{Call, Left, Obstacle, Passed, Service, no_blas, product};
use hcube_gemm::product::Product;
use std::ffi::{CStr, c_char, c_int, c_void};

fn passed(
    memory: *const c_void,
    row: *const c_int,
    column: *const c_int,
    descriptor: *const c_int,
) -> Passed {
    Passed { memory: memory.cast_mut(), place: [row, column, descriptor] }
}

/// Computes a product, or has its error reported.
///
/// # Safety
/// The call comes from a program that calls PBLAS, `name` is ScaLAPACK's function for it.
unsafe fn perform(call: Call, name: &CStr) {
    // SAFETY: the arguments are those of a program that calls PBLAS, whose matrices stay during the call.
    let obstacle = gate::run(None, || match unsafe { product(&call) } {
        Ok((product, comm)) => match compute(&product, comm, name) {
            Ok(()) => None,
            Err(error) => end(name, &error.to_string()),
        },
        Err(obstacle) => Some(obstacle),
    });
    let Some(obstacle) = obstacle else { return };
    let original =
        loader::global(name).filter(|_| matches!(obstacle, Obstacle::Invalid(_) | Obstacle::NotInGrid));
    let Some(original) = original else { end(name, &obstacle.to_string()) };
    // SAFETY: ScaLAPACK's function for this type of elements, and the arguments come from its caller.
    unsafe { call.forward(original) }
}

fn compute(product: &Product<'_>, comm: Handle, name: &CStr) -> Result<()> {
    let service = Service { name: Some(name), options, elements: &[product.element] };
    match service.multiply(product, comm)? {
        Ok(_) => Ok(()),
        Err(Left::NoBlas) => Err(no_blas(product.element)),
        Err(Left::OtherOrder) => {
            Err(Error::Communicator("ranks of the grid are not in row-major order".into()))
        }
        Err(Left::Chosen) => unreachable!("not among the options"),
    }
}

/// The options of the environment. A program that calls these functions has chosen hcube.
fn options() -> Result<Options> {
    let mut options = Options::from_environment()?;
    if options.algorithm == Algorithm::Library {
        options.algorithm = Algorithm::Auto;
    }
    Ok(options)
}

/// Ends the job: PBLAS returns no errors.
#[cold]
fn end(name: &CStr, text: &str) -> ! {
    // One write: other ranks may print as well.
    let message = format!("hcube: hcube_{}: {text}: ending the job\n", name.to_string_lossy());
    eprint!("{message}");
    abort(None)
}

exported! {
    /// Collective over the grid of the BLACS context in desca. PDGEMM of PBLAS with its arguments and its
    /// semantics, for programs that choose hcube call by call: sub(C) := alpha op(sub(A)) op(sub(B)) + beta
    /// sub(C). The BLACS of the program provide the grid and its communicator, and dgemm_ of the program
    /// computes local products. alpha, a, b, beta and c are double here; float, float complex and double
    /// complex in hcube_psgemm_, hcube_pcgemm_ and hcube_pzgemm_. The operation is described at hcube_gemm.
    ///
    /// Options are taken only from the environment: hcube_gemm_set_options has no effect, HCUBE_GEMM=library
    /// has the effect of auto, and hcube_gemm_last_path does not report these products.
    ///
    /// Invalid arguments are passed to PDGEMM of the program, which reports them by PXERBLA. If the program
    /// has no PDGEMM, a message is printed and the job ends, because PBLAS routines return no error code. The
    /// job also ends with a message if the program has no BLACS or no BLAS, if its integers have 64 bits, if
    /// the BLACS number the ranks of the grid other than row by row, or if MPI is not active.
    fn hcube_pdgemm_(
        transa: *const c_char, transb: *const c_char, m: *const c_int, n: *const c_int, k: *const c_int,
        alpha: *const c_void, a: *const c_void, ia: *const c_int, ja: *const c_int, desca: *const c_int,
        b: *const c_void, ib: *const c_int, jb: *const c_int, descb: *const c_int, beta: *const c_void,
        c: *mut c_void, ic: *const c_int, jc: *const c_int, descc: *const c_int
    ) {
        let matrices = [passed(a, ia, ja, desca), passed(b, ib, jb, descb), passed(c, ic, jc, descc)];
        let (letters, sizes, scalars) = ([transa.cast(), transb.cast()], [m, n, k], [alpha, beta]);
        perform(Call { element: Element::Double, letters, sizes, scalars, matrices }, c"pdgemm_")
    }

    /// Collective. PSGEMM of PBLAS; see hcube_pdgemm_.
    fn hcube_psgemm_(
        transa: *const c_char, transb: *const c_char, m: *const c_int, n: *const c_int, k: *const c_int,
        alpha: *const c_void, a: *const c_void, ia: *const c_int, ja: *const c_int, desca: *const c_int,
        b: *const c_void, ib: *const c_int, jb: *const c_int, descb: *const c_int, beta: *const c_void,
        c: *mut c_void, ic: *const c_int, jc: *const c_int, descc: *const c_int
    ) {
        let matrices = [passed(a, ia, ja, desca), passed(b, ib, jb, descb), passed(c, ic, jc, descc)];
        let (letters, sizes, scalars) = ([transa.cast(), transb.cast()], [m, n, k], [alpha, beta]);
        perform(Call { element: Element::Single, letters, sizes, scalars, matrices }, c"psgemm_")
    }

    /// Collective. PCGEMM of PBLAS; see hcube_pdgemm_.
    fn hcube_pcgemm_(
        transa: *const c_char, transb: *const c_char, m: *const c_int, n: *const c_int, k: *const c_int,
        alpha: *const c_void, a: *const c_void, ia: *const c_int, ja: *const c_int, desca: *const c_int,
        b: *const c_void, ib: *const c_int, jb: *const c_int, descb: *const c_int, beta: *const c_void,
        c: *mut c_void, ic: *const c_int, jc: *const c_int, descc: *const c_int
    ) {
        let matrices = [passed(a, ia, ja, desca), passed(b, ib, jb, descb), passed(c, ic, jc, descc)];
        let (letters, sizes, scalars) = ([transa.cast(), transb.cast()], [m, n, k], [alpha, beta]);
        perform(Call { element: Element::Complex, letters, sizes, scalars, matrices }, c"pcgemm_")
    }

    /// Collective. PZGEMM of PBLAS; see hcube_pdgemm_.
    fn hcube_pzgemm_(
        transa: *const c_char, transb: *const c_char, m: *const c_int, n: *const c_int, k: *const c_int,
        alpha: *const c_void, a: *const c_void, ia: *const c_int, ja: *const c_int, desca: *const c_int,
        b: *const c_void, ib: *const c_int, jb: *const c_int, descb: *const c_int, beta: *const c_void,
        c: *mut c_void, ic: *const c_int, jc: *const c_int, descc: *const c_int
    ) {
        let matrices = [passed(a, ia, ja, desca), passed(b, ib, jb, descb), passed(c, ic, jc, descc)];
        let (letters, sizes, scalars) = ([transa.cast(), transb.cast()], [m, n, k], [alpha, beta]);
        perform(Call { element: Element::DoubleComplex, letters, sizes, scalars, matrices }, c"pzgemm_")
    }
}
