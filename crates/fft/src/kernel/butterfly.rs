//! Forward transforms of a few points, of all vectors of a batch at once.
//!
//! Source: C. van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, section 2.1 for
//! the radices 2, 4 and 8; the radices 3 and 5 are the symmetric forms.

use super::vector::{Complex, Vector};

/// The transform of `R` points.
///
/// # Panics
/// For another number than 1, 2, 3, 4, 5 and 8.
#[inline(always)]
pub fn butterfly<V: Vector, const R: usize>(points: [Complex<V>; R]) -> [Complex<V>; R] {
    let mut result = points;
    // The compiler knows which arm is taken. Without closures: those would be separate functions, compiled
    // without the instructions of the vectors.
    match points[..] {
        [_] => {}
        [a, b] => result.copy_from_slice(&two([a, b])),
        [a, b, c] => result.copy_from_slice(&three([a, b, c])),
        [a, b, c, d] => result.copy_from_slice(&four([a, b, c, d])),
        [a, b, c, d, e] => result.copy_from_slice(&five([a, b, c, d, e])),
        [a, b, c, d, e, f, g, h] => result.copy_from_slice(&eight([a, b, c, d, e, f, g, h])),
        _ => panic!("no butterfly of {R} points"),
    }
    result
}

#[inline(always)]
fn two<V: Vector>([a, b]: [Complex<V>; 2]) -> [Complex<V>; 2] {
    [a.plus(b), a.minus(b)]
}

#[inline(always)]
fn three<V: Vector>([a, b, c]: [Complex<V>; 3]) -> [Complex<V>; 3] {
    // sin(pi / 3)
    const SINE: f64 = 0.866_025_403_784_438_6;
    let (sum, turned) = (b.plus(c), b.minus(c).scale(a.re.like(SINE)));
    let middle = a.add_times(a.re.like(-0.5), sum);
    [a.plus(sum), middle.add_turned(turned), middle.sub_turned(turned)]
}

#[inline(always)]
fn four<V: Vector>([a, b, c, d]: [Complex<V>; 4]) -> [Complex<V>; 4] {
    let ([e, f], [g, h]) = (two([a, c]), two([b, d]));
    [e.plus(g), f.add_turned(h), e.minus(g), f.sub_turned(h)]
}

#[inline(always)]
fn five<V: Vector>([a, b, c, d, e]: [Complex<V>; 5]) -> [Complex<V>; 5] {
    // Cosines and sines of 2 pi / 5 and 4 pi / 5.
    const COSINE: [f64; 2] = [0.309_016_994_374_947_45, -0.809_016_994_374_947_5];
    const SINE: [f64; 2] = [0.951_056_516_295_153_5, 0.587_785_252_292_473_1];
    let ([near, near_turned], [far, far_turned]) = (two([b, e]), two([c, d]));
    let cosine = [a.re.like(COSINE[0]), a.re.like(COSINE[1])];
    let sine = [a.re.like(SINE[0]), a.re.like(SINE[1])];
    let first = a.add_times(cosine[0], near).add_times(cosine[1], far);
    let second = a.add_times(cosine[1], near).add_times(cosine[0], far);
    let first_turned = near_turned.scale(sine[0]).add_times(sine[1], far_turned);
    let second_turned = near_turned.scale(sine[1]).add_times(a.re.like(-SINE[0]), far_turned);
    [
        a.plus(near).plus(far),
        first.add_turned(first_turned),
        second.add_turned(second_turned),
        second.sub_turned(second_turned),
        first.sub_turned(first_turned),
    ]
}

#[inline(always)]
fn eight<V: Vector>(points: [Complex<V>; 8]) -> [Complex<V>; 8] {
    let [a, b, c, d, e, f, g, h] = points;
    let half = a.re.like(std::f64::consts::FRAC_1_SQRT_2);
    let even = four([a, c, e, g]);
    let [p, q, r, s] = four([b, d, f, h]);
    // By the eighth roots of one: (1 - i) / sqrt(2), -i, -(1 + i) / sqrt(2).
    let q = Complex { re: q.re.add(q.im), im: q.im.sub(q.re) };
    let s = Complex { re: s.re.sub(s.im), im: s.im.add(s.re) };
    let minus = a.re.like(-std::f64::consts::FRAC_1_SQRT_2);
    [
        even[0].plus(p),
        even[1].add_times(half, q),
        even[2].add_turned(r),
        even[3].add_times(minus, s),
        even[0].minus(p),
        even[1].add_times(minus, q),
        even[2].sub_turned(r),
        even[3].add_times(half, s),
    ]
}
