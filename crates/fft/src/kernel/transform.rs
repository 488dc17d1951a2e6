//! The transform of a batch of vectors in the cache.
//!
//! Idea: decimation in frequency. A pass of radix r replaces a vector of L points by r vectors of L / r
//! points, whose transforms are the points k = j, j + r, ... of the result. Passes work in place; only the
//! last pass computes the index of each point, by digit reversal, and passes it to the store, so that no
//! point is moved to be sorted. After the first pass each part is finished before the next part is begun: a
//! part of up to 256 rows stays in the first-level cache.
//!
//! Restrictions: lengths 2^a 3^b 5^c.
//! Cost: a pass per radix (8, then 4 or 2, 3, 5), one multiplication per point and pass; 16 bytes of factors
//! per point of the first pass, and an eighth of that in all others.
//! Source: C. van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM 1992, sections 1.9 and
//! 2.1.

use super::butterfly::butterfly;
use super::vector::{Complex, Row, Vector};
use std::f64::consts::TAU;

/// The factors of a transform.
#[derive(Debug, Clone)]
pub struct Transform {
    length: usize,
    /// Points of the butterflies of each pass; 1 for a transform of one point.
    radices: Vec<usize>,
    /// For each pass except the last: the factors of the points 1, ... of each butterfly.
    factors: Vec<Vec<[f64; 2]>>,
    /// The first point of each butterfly of the last pass.
    order: Vec<u32>,
}

/// `exp(-2 pi i part / whole)`, rounded correctly except for the error of sine and cosine: the angle is at
/// most pi / 4.
pub fn root(part: u64, whole: u64) -> [f64; 2] {
    // In eighths of the circle, without a rounding.
    let eighths = 8 * u128::from(part % whole);
    let (octant, rest) = ((eighths / u128::from(whole)) as u32, eighths % u128::from(whole));
    let (odd, whole) = (octant % 2 == 1, u128::from(whole));
    let rest = if odd { whole - rest } else { rest };
    let (sine, cosine) = (TAU * (rest as f64 / whole as f64) / 8.0).sin_cos();
    let (cosine, sine) = if matches!(octant, 1 | 2 | 5 | 6) { (sine, cosine) } else { (cosine, sine) };
    let cosine = if matches!(octant, 2..=5) { -cosine } else { cosine };
    [cosine, if octant < 4 { -sine } else { sine }]
}

/// The radices of a length, the largest first, or `None` if it has other prime factors than 2, 3 and 5.
fn radices(length: usize) -> Option<Vec<usize>> {
    let mut rest = length;
    let mut radices = Vec::new();
    for radix in [8, 4, 2, 5, 3] {
        while rest > 0 && rest.is_multiple_of(radix) {
            radices.push(radix);
            rest /= radix;
        }
    }
    // The last pass stores, which is cheaper with many points at a time.
    if radices.len() > 1 && radices[0] == 8 {
        let last = radices.iter().rposition(|&radix| radix == 8).expect("the first");
        let end = radices.len() - 1;
        radices.swap(last, end);
    }
    if radices.is_empty() {
        radices.push(1);
    }
    (rest == 1).then_some(radices)
}

impl Transform {
    /// Local: the transform of this length, or `None` if it has other prime factors than 2, 3 and 5.
    pub fn new(length: usize) -> Option<Self> {
        let radices = radices(length)?;
        let mut factors = Vec::new();
        let mut points = length;
        for &radix in &radices[..radices.len() - 1] {
            let part = points / radix;
            let table = (0..part)
                .flat_map(|first| (1..radix).map(move |point| root((first * point) as u64, points as u64)));
            factors.push(table.collect());
            points = part;
        }
        // Digits of the last pass but one go fastest.
        let mut order = vec![0];
        let mut weight = 1;
        for &radix in &radices[..radices.len() - 1] {
            order = order
                .iter()
                .flat_map(|&first: &u32| (0..radix).map(move |digit| first + (weight * digit) as u32))
                .collect();
            weight *= radix;
        }
        Some(Self { length, radices, factors, order })
    }

    /// Points.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Points of a butterfly of the last pass, which are `length / last` apart.
    pub fn last(&self) -> usize {
        *self.radices.last().expect("a pass")
    }
}

/// Takes the points of the transforms.
pub trait Finish<V: Vector> {
    /// The points `first`, `first + step` and so on.
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]);
}

/// A pass over one vector.
#[inline(always)]
fn pass<V: Vector, const R: usize>(rows: &mut [Row], factors: &[[f64; 2]], proof: V::Proof) {
    let step = rows.len() / R;
    assert!(rows.len() == step * R && factors.len() == step * (R - 1));
    for (first, factors) in factors.chunks_exact(R - 1).enumerate() {
        let mut points = [Complex::<V>::all(proof, [0.0; 2]); R];
        for point in 0..R {
            points[point] = Complex::load(proof, &rows[first + point * step]);
        }
        let points = butterfly(points);
        points[0].store(&mut rows[first]);
        for point in 1..R {
            points[point]
                .times(Complex::all(proof, factors[point - 1]))
                .store(&mut rows[first + point * step]);
        }
    }
}

#[inline(always)]
fn pass_of<V: Vector>(radix: usize, rows: &mut [Row], factors: &[[f64; 2]], proof: V::Proof) {
    match radix {
        2 => pass::<V, 2>(rows, factors, proof),
        3 => pass::<V, 3>(rows, factors, proof),
        4 => pass::<V, 4>(rows, factors, proof),
        5 => pass::<V, 5>(rows, factors, proof),
        _ => pass::<V, 8>(rows, factors, proof),
    }
}

/// The last pass, of vectors that lie one after the other.
#[inline(always)]
fn last<V: Vector, const R: usize>(
    rows: &[Row],
    order: &[u32],
    step: usize,
    finish: &mut impl Finish<V>,
    proof: V::Proof,
) {
    for (rows, &first) in rows.chunks_exact(R).zip(order) {
        let mut points = [Complex::<V>::all(proof, [0.0; 2]); R];
        for point in 0..R {
            points[point] = Complex::load(proof, &rows[point]);
        }
        finish.finish(first as usize, step, butterfly(points));
    }
}

/// Transforms the batch whose points are `rows`; `finish` takes the points of the result, the rows are lost.
///
/// # Panics
/// For another number of rows.
#[inline(always)]
pub fn run<V: Vector>(transform: &Transform, rows: &mut [Row], finish: &mut impl Finish<V>, proof: V::Proof) {
    assert_eq!(rows.len(), transform.length, "points");
    let Transform { length, radices, factors, order } = transform;
    let mut part = *length;
    let mut passes = radices.iter().zip(factors);
    if let Some((&radix, factors)) = passes.next() {
        pass_of::<V>(radix, rows, factors, proof);
        part /= radix;
    }
    let end = transform.last();
    let step = length / end;
    for (rows, order) in rows.chunks_exact_mut(part).zip(order.chunks_exact(part / end)) {
        let mut points = part;
        for (&radix, factors) in passes.clone() {
            for rows in rows.chunks_exact_mut(points) {
                pass_of::<V>(radix, rows, factors, proof);
            }
            points /= radix;
        }
        match end {
            1 => last::<V, 1>(rows, order, step, finish, proof),
            2 => last::<V, 2>(rows, order, step, finish, proof),
            3 => last::<V, 3>(rows, order, step, finish, proof),
            4 => last::<V, 4>(rows, order, step, finish, proof),
            5 => last::<V, 5>(rows, order, step, finish, proof),
            _ => last::<V, 8>(rows, order, step, finish, proof),
        }
    }
}
