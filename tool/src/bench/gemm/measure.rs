//! The measurements: matrices in memory, and calls on them.

use super::arguments::{Arguments, Variant};
use super::calls::{Grid, Operand, Setting};
use super::data::{self, Matrix};
use super::functions::Functions;
use super::problem::{Layout, Problem, Routine};
use crate::bench::library::mpi_name;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::Claim;
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use std::ffi::c_int;

/// Bytes of the factors of a local product: more than caches hold. Longer sums are added in several products.
const MAX_LOCAL_BYTES: usize = 64 << 20;

/// Variables with which users set the threads of a BLAS.
const THREAD_VARIABLES: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"];

/// A variant of the problem under way.
pub struct Line {
    pub variant: Variant,
    /// Elements that differ from those of ScaLAPACK, on all ranks; `None` where not verified.
    pub errors: Option<u64>,
    /// What has to compute the products.
    pub claim: Claim,
}

/// Matrices of one problem. The sum of the parts is the length of the memory.
pub struct Matrices {
    pub number: usize,
    problem: Problem,
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

/// The benchmark.
pub struct Gemm<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    pub grid: Grid,
    pub problems: Vec<Problem>,
    pub mpi: String,
    pub threads: Option<usize>,
    /// Ranks of each node, largest first.
    pub node_sizes: Vec<usize>,
    /// Whether the width of ScaLAPACK's panels can be replaced, which also shows what ScaLAPACK computes.
    pub replaceable: bool,
    pub matrices: Option<Matrices>,
    /// Calls that are timed together for the present problem.
    pub batch: u32,
}

/// An error of the command line.
fn refused(message: String) -> Error {
    Error::Unsupported(message)
}

impl Matrices {
    /// Collective: memory of all matrices, not yet filled.
    fn new(of: &Gemm, number: usize) -> Result<Self> {
        let problem = of.problems[number];
        let element = problem.element;
        let layouts = problem.layouts(of.grid.place);
        let words = |elements| data::words(element, elements);
        let [a, b, c] = layouts.map(|layout| words(layout.elements()));
        let whole = Problem { offset: 0, ..problem }.layouts(of.grid.place);
        let (mut local, mut factors) = ([whole[2].local[0], whole[2].local[1], 0], [0; 2]);
        if problem.routine == Routine::Gemm && of.arguments.variants().contains(&Variant::Bound) {
            let bytes_of_step = (local[0] + local[1]).max(1) * element.bytes();
            local[2] = (MAX_LOCAL_BYTES / bytes_of_step).clamp(1, problem.size[2]);
            factors = [0, 1].map(|side| words(local[side] * local[2]));
        }
        let b = if problem.routine == Routine::Gemm { b } else { 0 };
        let parts = [a, b, c, c, factors[0], factors[1]];
        let (option, value) = ("--sizes", problem.described(String::new(), of.grid.place).size_name());
        let wanted = Wanted { what: "matrices", option, value };
        let length: usize = parts.iter().sum();
        let mut memory = memory::reserve(&of.session.comm, &wanted, length as u64)?;
        memory.resize(length, 0);
        let factorised = problem.routine == Routine::Getrf;
        let pivots = vec![0; if factorised { layouts[0].local[0] + layouts[0].block } else { 0 }];
        Ok(Self { number, problem, layouts, memory, parts, reference_pivots: pivots.clone(), pivots, local })
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
    fn fill(&mut self, grid: &Grid) {
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
    fn restore(&mut self) {
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
    fn call(&mut self, grid: &Grid) -> Result<()> {
        let (problem, layouts, setting) = (self.problem, self.layouts, self.setting());
        if problem.routine == Routine::Getrf {
            let mut pivots = std::mem::take(&mut self.pivots);
            let info = grid.factorise(problem.element, &layouts[0], self.split()[2], &mut pivots);
            self.pivots = pivots;
            return if info == 0 {
                Ok(())
            } else {
                Err(refused(format!("the factorisation failed: info = {info}")))
            };
        }
        let [a, b, c, ..] = self.split();
        let operand = |number: usize, memory| Operand { layout: &layouts[number], memory };
        grid.multiply(&setting, operand(0, a), operand(1, b), (&layouts[2], c));
        Ok(())
    }

    /// The local product of this rank.
    fn call_locally(&mut self, grid: &Grid) {
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
    fn keep(&mut self) {
        let [_, _, c, reference, ..] = self.split();
        reference.copy_from_slice(c);
        self.reference_pivots.clone_from(&self.pivots);
    }

    /// Numbers and pivots that differ from those of ScaLAPACK.
    fn wrong(&mut self) -> u64 {
        let element = self.problem.element;
        let pivots =
            self.pivots.iter().zip(&self.reference_pivots).filter(|(own, other)| own != other).count();
        let [_, _, c, reference, ..] = self.split();
        (data::differences(element, c, reference) + pivots) as u64
    }
}

impl<'a> Gemm<'a> {
    /// Collective: loads the libraries and makes the grid.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let problems = agree(comm, arguments.problems().map_err(refused))?;
        let sides = agree(comm, arguments.grid(comm.size()).map_err(refused))?;
        let mpi = session::library();
        let functions = agree(comm, Functions::load(arguments, mpi_name(&mpi)))?;
        let grid = Grid::new(functions, arguments, sides);
        let chosen = THREAD_VARIABLES.iter().any(|name| std::env::var_os(name).is_some());
        let usual = (comm.size() > 1 && !chosen).then_some(1);
        let threads = grid.threads(arguments.threads.map(usize::from).or(usual));
        let node_sizes = session.node_sizes()?;
        let mut made = Self {
            session,
            arguments,
            grid,
            problems,
            mpi,
            threads,
            node_sizes,
            replaceable: false,
            matrices: None,
            batch: 1,
        };
        made.replaceable = made.asks_for_panels()?;
        Ok(made)
    }

    /// Collective: whether ScaLAPACK calls the function for the width of its panels that this program defines.
    fn asks_for_panels(&mut self) -> Result<bool> {
        let problem = Problem { size: [16; 3], blocks: [4; 3], ..self.problems[0] };
        let problem = Problem { routine: Routine::Gemm, ..problem };
        self.problems.push(problem);
        let number = self.problems.len() - 1;
        let small = Matrices::new(self, number);
        self.problems.pop();
        let mut small = small?;
        small.fill(&self.grid);
        self.grid.select(Variant::Scalapack);
        let before = self.grid.scalapack_counts();
        small.call(&self.grid)?;
        let [_, panels] = self.counted_since(before)?;
        Ok(panels > 0)
    }

    /// Collective: products that ScaLAPACK's functions were called for and panels that it has asked for, since then.
    fn counted_since(&self, before: [u64; 2]) -> Result<[u64; 2]> {
        let now = self.grid.scalapack_counts();
        Ok([self.sum(now[0] - before[0])?, self.sum(now[1] - before[1])?])
    }

    /// Collective.
    fn sum(&self, number: u64) -> Result<u64> {
        Ok(self.session.comm.all_gather(&[number])?.iter().sum())
    }

    /// Collective: matrices of a problem, which replace those of the previous one.
    pub fn prepare(&mut self, number: usize) -> Result<()> {
        if self.matrices.as_ref().is_some_and(|matrices| matrices.number == number) {
            return Ok(());
        }
        self.matrices = None;
        let mut matrices = Matrices::new(self, number)?;
        matrices.fill(&self.grid);
        self.matrices = Some(matrices);
        Ok(())
    }

    /// The problem whose matrices are in memory.
    pub fn problem(&self) -> Problem {
        self.matrices.as_ref().expect("an open problem").problem
    }

    /// Whether a call may follow another one without new matrices.
    pub fn may_repeat(&self) -> bool {
        self.problem().routine == Routine::Gemm
    }

    fn matrices(&mut self) -> (&Grid, &mut Matrices) {
        (&self.grid, self.matrices.as_mut().expect("the problem of the lines that are open"))
    }

    /// Collective: a call of a variant from the beginning, and the products and panels that were counted in it.
    fn once(&mut self, variant: Variant) -> Result<[u64; 2]> {
        let (grid, matrices) = self.matrices();
        matrices.restore();
        grid.select(variant);
        let before = grid.scalapack_counts();
        let done = matrices.call(grid);
        agree(&self.session.comm, done)?;
        self.counted_since(before)
    }

    /// Collective: compares all variants with ScaLAPACK, which also shows what the products of this problem count.
    pub fn verify(&mut self, lines: &mut [Line]) -> Result<()> {
        let counted = self.once(Variant::Scalapack)?;
        self.matrices().1.keep();
        for line in lines {
            line.claim = self.grid.claim(line.variant, counted);
            if line.variant == Variant::Bound || self.arguments.common.no_verify {
                continue;
            }
            self.once(line.variant)?;
            let wrong = self.matrices().1.wrong();
            line.errors = Some(self.sum(wrong)?);
        }
        Ok(())
    }

    /// Collective: seconds of one call from a batch of calls.
    pub fn timed(&mut self, variant: Variant, calls: u32) -> Result<f64> {
        let comm = &self.session.comm;
        let (grid, matrices) = (&self.grid, self.matrices.as_mut().expect("an open problem"));
        // A factorisation replaces the matrix; products may go on from what the last one has left.
        if matrices.problem.routine == Routine::Getrf {
            matrices.restore();
        }
        grid.select(variant);
        let (seconds, ()) = timing::timed(comm, || {
            for _ in 0..calls {
                match variant {
                    Variant::Bound => matrices.call_locally(grid),
                    _ => matrices.call(grid)?,
                }
            }
            Ok(())
        })?;
        Ok(seconds / f64::from(calls))
    }
}
