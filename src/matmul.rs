//! Matrix products by BSP for C.

use crate::boundary::{enter_on, output};
use crate::types::{hcube_error, hcube_matmul_kernel};
use hcube_bsp::{Options, Spmd};
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::memory::scratch::{Lent, Scratch};
use hcube_core::mpi::{MPI_Comm, MpiComm, gate};
use hcube_core::options::{Number, choices};
use hcube_gemm::element::{Element, Scalar};
use hcube_gemm::local::{Columns, LocalGemm, LocalProduct};
use hcube_matmul::{Block, Distribution, Functions, Layout, Matrices, Problem, Sizes, multiply, plain};

/// The SPMD part of a communicator, which its products share.
struct SpmdState(Spmd<MpiComm>);

// SAFETY: the only parts of an SPMD part that may not change their thread are regions: registered memory, and
// destinations of gets. None exist between two calls, since a call that returns has ended its last superstep,
// in which it has removed its registrations.
unsafe impl Send for SpmdState {}

/// Collective. Computes C := A B for n x n matrices of doubles by a bulk-synchronous algorithm that needs
/// temporary memory for at most three blocks of ceil(n / Q)^2 elements per rank.
///
/// The matrices are cut into Q x Q blocks of side s = ceil(n / Q), smaller at the lower and right edge.
/// HCUBE_MATMUL_CUSTOMIZED: block (I, J), from 0, is on rank (I * Q + J) % p of the p ranks, as its local
/// block number (I * Q + J) / p. Local blocks are s * s elements apart, each in column-major order with
/// contiguous columns.
/// HCUBE_MATMUL_STATIC: ranks form a grid of r rows and c columns, r * c = p, r <= c, r as large as possible.
/// Rank i has matrix rows from i / c * ceil(n / r) on, at most ceil(n / r), and matrix columns from i % c *
/// ceil(n / c) on, at most ceil(n / c), stored in column-major order with contiguous columns.
/// hcube_matmul_local_elements returns the number of elements of a rank.
///
/// n: rows and columns of each matrix, 0 to 2^28 (268435456); the same on all ranks.
/// blocks: Q, 1 to n; 0 selects the smallest Q with Q * Q >= p, at most n; the same on all ranks. A larger Q
/// needs less temporary memory and more supersteps.
/// distribution: HCUBE_MATMUL_CUSTOMIZED or HCUBE_MATMUL_STATIC, the same on all ranks.
/// a, b: the elements of this rank; may be NULL if it has no elements. Both may be the same array, but then
/// on all ranks.
/// c: receives the elements of this rank; does not overlap a and b.
/// dgemm: multiplies blocks; NULL selects a portable routine, which is several times slower. Ranks may pass
/// different routines.
/// comm: an intracommunicator. The first call on a communicator reads the environment variables
/// HCUBE_BSP_SINGLE_COPY, HCUBE_MEMORY and HCUBE_RANKS_PER_NODE, and its set-up is kept until the
/// communicator is freed.
/// Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT; HCUBE_ERR_BUFFER; HCUBE_ERR_MISMATCH if
/// arguments differ; the code of another rank if its arguments are not valid; HCUBE_ERR_MEMORY;
/// HCUBE_ERR_MPI. An error after the first superstep ends the job.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator, HCUBE_ERR_MPI_STATE.
/// Source: W. F. McColl and A. Tiskin, Memory-Efficient Matrix Multiplication in the BSP Model,
/// Algorithmica 24, 1999.
///
/// # Safety
/// The pointers are null or valid, arrays have as many elements as this rank has, and are used by nobody else
/// meanwhile; dgemm is the dgemm_ of a BLAS.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_matmul(
    n: i64,
    blocks: i64,
    distribution: i32,
    a: *const f64,
    b: *const f64,
    c: *mut f64,
    dgemm: hcube_matmul_kernel,
    comm: MPI_Comm,
    error: *mut hcube_error,
) -> i32 {
    let arrays = [("a", a.cast_mut()), ("b", b.cast_mut()), ("c", c)];
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter(comm, |on, kept: &mut Option<SpmdState>| {
                let (problem, layout) = agree(on, read(on, n, blocks, distribution))?;
                let SpmdState(spmd) = match kept {
                    Some(kept) => kept,
                    None => kept.insert(SpmdState(begin(on)?)),
                };
                run(spmd, &problem, matrices(arrays, layout.local_elements(on.rank())), dgemm)
            })
        })
    }
}

/// Local. Returns the number of elements that the calling rank has of each matrix of hcube_matmul.
///
/// n, blocks, distribution, comm: as for hcube_matmul.
/// elements: receives the number of elements.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_matmul_local_elements(
    n: i64,
    blocks: i64,
    distribution: i32,
    comm: MPI_Comm,
    elements: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_messages(comm, |on, _: &mut Option<SpmdState>| {
                let (_, layout) = read(on, n, blocks, distribution)?;
                *output(elements, "elements")? = layout.local_elements(on.rank()) as i64;
                Ok(())
            })
        })
    }
}

/// Local: the problem of valid arguments, and the distribution of its matrices.
fn read(on: &MpiComm, n: i64, blocks: i64, distribution: i32) -> Result<(Problem, Layout)> {
    let size =
        |name, value: i64| usize::try_from(value).map_err(|_| Error::argument(name, value, "0 or more"));
    let distribution = Distribution::from_number(distribution.into())
        .ok_or_else(|| Error::argument("distribution", distribution, choices(Distribution::NAMES)))?;
    let problem = Problem { n: size("n", n)?, blocks: size("blocks", blocks)?, distribution };
    Ok((problem, Layout::new(&problem, on.size())?))
}

/// Collective: the SPMD part of the ranks of a communicator.
fn begin(on: &MpiComm) -> Result<Spmd<MpiComm>> {
    let options = agree(on, Options::from_environment())?;
    let comm = agree(on, on.split(Some(0), on.rank() as i32))?.expect("a colour");
    Spmd::begin(comm, &options)
}

/// The arrays of this rank, with their names.
///
/// # Safety
/// They are null or have the given number of elements, and are not accessed otherwise until the call has
/// returned.
unsafe fn matrices(arrays: [(&str, *mut f64); 3], elements: usize) -> Result<Matrices> {
    let bytes = elements * size_of::<f64>();
    for (name, array) in arrays {
        if array.is_null() && bytes > 0 {
            return Err(Error::Buffer(format!("{name} = NULL: expected {bytes} bytes")));
        }
    }
    // SAFETY: null without bytes, or an array of these bytes that nobody else uses until the call has
    // returned; no region is used after it.
    let [a, b, c] = arrays.map(|(_, array)| unsafe { Region::new(array.cast(), bytes) });
    Ok(Matrices { a, b, c })
}

/// Collective: multiplies.
///
/// # Safety
/// `dgemm` is the `dgemm_` of a BLAS.
unsafe fn run(
    spmd: &mut Spmd<MpiComm>,
    problem: &Problem,
    matrices: Result<Matrices>,
    dgemm: hcube_matmul_kernel,
) -> Result<()> {
    // SAFETY: the `dgemm_` of a BLAS.
    let blas = dgemm.map(|dgemm| unsafe { LocalGemm::new(Element::Double, dgemm as *const _) });
    let mut temporary: Option<(Scratch, Lent)> = None;
    let mut functions = Functions {
        allocate: &mut |bytes| {
            // A piece has at least one byte.
            let mut scratch = Scratch::new(bytes.max(1))?;
            let piece = scratch.take(bytes);
            let lent = scratch.lend(piece.ok_or_else(|| Error::Internal("no room for blocks".into()))?);
            Ok(temporary.insert((scratch, lent)).1.region().part(0..bytes))
        },
        multiply: &mut |sizes, a, b, c, accumulate| match &blas {
            Some(blas) => multiply_by_blas(blas, sizes, [a, b, c], accumulate),
            None => plain::multiply(sizes, a, b, c, accumulate),
        },
        progress: None,
    };
    let result = multiply(spmd, problem, matrices, &mut functions);
    if let Some((mut scratch, lent)) = temporary {
        // SAFETY: the call has ended its last superstep, or not begun the first one: nobody uses the memory
        // any more.
        let piece = unsafe { scratch.reclaim(lent) };
        scratch.give(piece);
    }
    result
}

fn multiply_by_blas(blas: &LocalGemm, sizes: Sizes, blocks: [Block; 3], accumulate: bool) {
    let [a, b, c] = blocks.map(|Block { memory, leading }| Columns { memory, leading });
    let [alpha, beta] =
        [1.0, f64::from(u8::from(accumulate))].map(|value| Scalar::real(Element::Double, value));
    let sizes = [sizes.rows, sizes.columns, sizes.inner];
    blas.multiply(&LocalProduct { letters: *b"NN", sizes, alpha: &alpha, a, b, beta: &beta, c });
}
