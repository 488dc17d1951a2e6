//! `dgemm_` and `zgemm_` as plain loops.

use hcube_gemm::element::Element;
use hcube_gemm::local::LocalGemm;
use std::ffi::c_void;

/// Letters, sizes, scalars and matrices of a call, with real numbers per element.
///
/// # Safety
/// As BLAS requires.
#[expect(clippy::too_many_arguments, reason = "the arguments of BLAS")]
unsafe fn multiply<const REALS: usize>(
    transa: *const u8,
    transb: *const u8,
    [m, n, k]: [*const i64; 3],
    alpha: *const f64,
    (a, lda): (*const f64, *const i64),
    (b, ldb): (*const f64, *const i64),
    beta: *const f64,
    (c, ldc): (*mut f64, *const i64),
) {
    // SAFETY: the arguments of BLAS, by the contract of this function.
    unsafe {
        let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|value| *value as usize);
        let rows =
            |letter: *const u8, plain: usize, other: usize| if *letter == b'N' { plain } else { other };
        assert!(lda >= rows(transa, m, k) && ldb >= rows(transb, k, n) && ldc >= m, "as BLAS requires");
        let number = |at: *const f64| if REALS == 2 { [*at, *at.add(1)] } else { [*at, 0.0] };
        let (alpha, beta) = (number(alpha), number(beta));
        let times = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a * c - b * d, a * d + b * c];
        let element = |from: *const f64, ld: usize, letter: u8, row: usize, column: usize| {
            let [re, im] = match letter {
                b'N' => number(from.add((row + column * ld) * REALS)),
                _ => number(from.add((column + row * ld) * REALS)),
            };
            [re, if letter == b'C' { -im } else { im }]
        };
        for (i, j) in (0..n).flat_map(|j| (0..m).map(move |i| (i, j))) {
            let mut sum = [0.0; 2];
            for l in 0..k {
                let term = times(element(a, lda, *transa, i, l), element(b, ldb, *transb, l, j));
                sum = [sum[0] + term[0], sum[1] + term[1]];
            }
            let old = c.add((i + j * ldc) * REALS);
            let kept = if beta == [0.0; 2] { [0.0; 2] } else { times(beta, number(old)) };
            let new = times(alpha, sum);
            for part in 0..REALS {
                *old.add(part) = new[part] + kept[part];
            }
        }
    }
}

/// `?gemm_` of BLAS.
unsafe extern "C" fn gemm<const REALS: usize>(
    transa: *const u8,
    transb: *const u8,
    m: *const i64,
    n: *const i64,
    k: *const i64,
    alpha: *const c_void,
    a: *const c_void,
    lda: *const i64,
    b: *const c_void,
    ldb: *const i64,
    beta: *const c_void,
    c: *mut c_void,
    ldc: *const i64,
    _: usize,
    _: usize,
) {
    let (a, b, c) = ((a.cast(), lda), (b.cast(), ldb), (c.cast(), ldc));
    // SAFETY: the arguments of BLAS.
    unsafe { multiply::<REALS>(transa, transb, [m, n, k], alpha.cast(), a, b, beta.cast(), c) }
}

pub fn local(complex: bool) -> LocalGemm {
    // SAFETY: a `?gemm_` for these elements.
    unsafe {
        match complex {
            true => LocalGemm::new(Element::DoubleComplex, gemm::<2> as *const c_void),
            false => LocalGemm::new(Element::Double, gemm::<1> as *const c_void),
        }
    }
}
