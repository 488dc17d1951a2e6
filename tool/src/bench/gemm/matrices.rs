//! The matrices of a problem in memory, and calls on them.

use super::arguments::Variant;
use super::calls::{Grid, Operand, Setting};
use super::data::{self, Matrix};
use super::problem::{Layout, Place, Problem, Routine};
use crate::bench::memory::{self, Wanted};
use hcube_core::comm::Comm;
use hcube_core::{Error, Result};
use hcube_results::measured;
use std::ffi::c_int;

/// Bytes of the factors of a local product: more than caches hold. Longer sums are added in several products.
const MAX_LOCAL_BYTES: usize = 64 << 20;

/// Matrices of one problem. The sum of the parts is the length of the memory.
pub struct Matrices {
    pub problem: Problem,
    layouts: [Layout; 3],
    memory: Vec<u64>,
    /// Words of A, B, C, of the result of ScaLAPACK, and of the factors of the local product.
    parts: [usize; 6],
    pivots: Vec<c_int>,
    /// Pivots of ScaLAPACK.
    reference_pivots: Vec<c_int>,
    /// Sizes of the local product; inner indices are multiplied in steps.
    local: [usize; 3],
}

impl Matrices {
    /// Collective: memory of all matrices, not yet filled; with factors of local products where the bound is
    /// measured.
    pub fn new(comm: &impl Comm, place: Place, bound: bool, problem: Problem) -> Result<Self> {
        let element = problem.element;
        let layouts = problem.layouts(place);
        let words = |elements| data::words(element, elements);
        let [a, b, c] = layouts.map(|layout| words(layout.elements()));
        let whole = Problem { offset: 0, ..problem }.layouts(place);
        let (mut local, mut factors) = ([whole[2].local[0], whole[2].local[1], 0], [0; 2]);
        if problem.routine == Routine::Gemm && bound {
            let bytes_of_step = (local[0] + local[1]).max(1) * element.bytes();
            local[2] = (MAX_LOCAL_BYTES / bytes_of_step).clamp(1, problem.size[2]);
            factors = [0, 1].map(|side| words(local[side] * local[2]));
        }
        let b = if problem.routine == Routine::Gemm { b } else { 0 };
        let parts = [a, b, c, c, factors[0], factors[1]];
        let (option, value) =
            ("--sizes", problem.described(measured::Place::default(), place.sides).size_name());
        let wanted = Wanted { what: "matrices", option, value };
        let length: usize = parts.iter().sum();
        let mut memory = memory::reserve(comm, &wanted, length as u64)?;
        memory.resize(length, 0);
        let factorised = problem.routine == Routine::Getrf;
        let pivots = vec![0; if factorised { layouts[0].local[0] + layouts[0].block } else { 0 }];
        Ok(Self { problem, layouts, memory, parts, reference_pivots: pivots.clone(), pivots, local })
    }

    /// A, B, C, the result of ScaLAPACK, and two local factors.
    fn split(&mut self) -> [&mut [u64]; 6] {
        let mut rest = &mut self.memory[..];
        self.parts.map(|length| {
            let (part, others) = std::mem::take(&mut rest).split_at_mut(length);
            rest = others;
            part
        })
    }

    /// What the routine gets besides matrices.
    fn setting(&self) -> Setting {
        let (alpha, beta) = if self.problem.update { (-1.0, 1.0) } else { (1.0, 0.0) };
        let letters = self.problem.operations.map(|operation| operation.letter());
        Setting { element: self.problem.element, letters, size: self.problem.size, alpha, beta }
    }

    /// Collective: fills all matrices.
    pub fn fill(&mut self, grid: &Grid) {
        let (problem, layouts, setting) = (self.problem, self.layouts, self.setting());
        let element = problem.element;
        let bits = data::bits(element, problem.size[2]);
        let [a, b, c, reference, factor_a, factor_b] = self.split();
        if problem.routine == Routine::Gemm {
            data::fill(Matrix::A, element, bits, &layouts[0], a);
            data::fill(Matrix::B, element, bits, &layouts[1], b);
            data::fill_locally(element, factor_a);
            data::fill_locally(element, factor_b);
            return;
        }
        data::fill_triangle(Matrix::Lower, element, &layouts[0], c);
        data::fill_triangle(Matrix::Upper, element, &layouts[0], reference);
        grid.select(Variant::Scalapack);
        let (lower, upper) =
            (Operand { layout: &layouts[0], memory: c }, Operand { layout: &layouts[0], memory: reference });
        grid.multiply(&Setting { letters: [b'N'; 2], ..setting }, lower, upper, (&layouts[0], a));
    }

    /// C, or the matrix to factorise, as before a call.
    pub fn restore(&mut self) {
        let (problem, layouts) = (self.problem, self.layouts);
        let [a, _, c, ..] = self.split();
        if problem.routine == Routine::Getrf {
            c.copy_from_slice(a);
        } else {
            let bits = data::bits(problem.element, problem.size[2]);
            data::fill(Matrix::C, problem.element, bits, &layouts[2], c);
        }
    }

    /// Collective: a call of the routine by the selected variant.
    pub fn call(&mut self, grid: &Grid) -> Result<()> {
        let (problem, layouts, setting) = (self.problem, self.layouts, self.setting());
        if problem.routine == Routine::Getrf {
            let mut pivots = std::mem::take(&mut self.pivots);
            let info = grid.factorise(problem.element, &layouts[0], self.split()[2], &mut pivots);
            self.pivots = pivots;
            return if info == 0 {
                Ok(())
            } else {
                Err(Error::Unsupported(format!("the factorisation failed: info = {info}")))
            };
        }
        let [a, b, c, ..] = self.split();
        let operand = |number: usize, memory| Operand { layout: &layouts[number], memory };
        grid.multiply(&setting, operand(0, a), operand(1, b), (&layouts[2], c));
        Ok(())
    }

    /// The local product of this rank.
    pub fn call_locally(&mut self, grid: &Grid) {
        let (mut setting, [m, n, step]) = (self.setting(), self.local);
        let inner = setting.size[2];
        let [_, _, c, _, a, b] = self.split();
        for begin in (0..inner).step_by(step) {
            setting.size = [m, n, step.min(inner - begin)];
            grid.multiply_locally(&setting, a, b, c);
            setting.beta = 1.0;
        }
    }

    /// Keeps the result of ScaLAPACK.
    pub fn keep(&mut self) {
        let [_, _, c, reference, ..] = self.split();
        reference.copy_from_slice(c);
        self.reference_pivots.clone_from(&self.pivots);
    }

    /// How many numbers and pivots differ from ScaLAPACK's.
    pub fn wrong(&mut self) -> u64 {
        let element = self.problem.element;
        let pivots =
            self.pivots.iter().zip(&self.reference_pivots).filter(|(own, other)| own != other).count();
        let [_, _, c, reference, ..] = self.split();
        (data::differences(element, c, reference) + pivots) as u64
    }
}
